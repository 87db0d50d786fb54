// Puts all questions of a context at once and takes what has arrived by the deadline.
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { filesIn, namesIn } from '../context/names.js'
import type { LeftOut, Piece } from '../context/piece.js'
import { asBridgeError } from '../errors.js'
import { ContextBatch } from './context-batch.js'
import { askDefinitions } from './context-definitions.js'
import type { Attention, Focus } from './context-focus.js'
import { askNamed } from './context-named.js'
import { askDiagnostics, tellStructure } from './context-state.js'
import { askUsage } from './context-usage.js'
import { declarationsIn } from './declarations.js'
import type { ContextOf, FileContext } from './operation.js'
import { matching, parseSymbolQuery } from './symbol-path.js'

export interface ContextQuestion extends Attention {
  readonly symbols: readonly string[]
  readonly task: string
}

export interface Gathered {
  readonly pieces: readonly Piece[]
  readonly missed: readonly LeftOut[]
}

const mostNamed = 8
const mostMentioned = 4

export async function gather(question: ContextQuestion, context: ContextOf['workspace']): Promise<Gathered> {
  const batch = new ContextBatch(context)
  await untilDeadline(askAll(question, context, batch), context)
  const missed = batch.close()
  return { pieces: [...batch.pieces], missed }
}

/** What is late by then is left out; the batch knows what that was. */
export async function untilDeadline(work: Promise<unknown>, context: ContextOf['workspace']): Promise<void> {
  try {
    await context.inShare(1, work)
  } catch (thrown) {
    if (asBridgeError(thrown).kind !== 'RequestTimeout') throw thrown
  }
}

export const focusNeeds = { name: 'get_context', lsp: null, needsWholeWorkspace: true }

async function askAll(
  question: ContextQuestion,
  context: ContextOf['workspace'],
  batch: ContextBatch,
): Promise<void> {
  const { focuses, seen, symbols, task } = question
  const named = [...new Set([...symbols, ...namesIn(task, mostNamed)])]
  const searched = new Set<string>()
  const work = focuses.map((focus, place) =>
    batch.ask({ kind: 'structure', target: focus.source.relative }, reached =>
      context.inFile(focus.source.relative, focusNeeds, async file => {
        reached()
        const { language } = file.server.connection.session.candidate.definition
        const isFirst = !searched.has(language)
        searched.add(language)
        await Promise.all([
          askAbout(focus, place, file, question, batch),
          isFirst && named.length > 0 ? askNamed(named, file, context, seen, batch) : undefined,
        ])
      }),
    ),
  )
  const others = mentioned(task, question, context).map((source, place) =>
    batch.ask({ kind: 'structure', target: source.relative }, () =>
      context.inFile(source.relative, { ...focusNeeds, lsp: DocumentSymbolRequest }, async file => {
        const queriedAt = file.now()
        const declared = await declarationsIn(file)
        tellStructure({ source: file.source, declared, queriedAt }, file, focuses.length + place, batch)
      }),
    ),
  )
  const alone = focuses.length === 0 ? askWithoutFiles(named, question, context, batch) : undefined
  await Promise.all([...work, ...others, alone])
}

/** The workspace says where it is; what is worked on by name alone is worked on where it is declared. */
async function askWithoutFiles(
  named: readonly string[],
  question: ContextQuestion,
  context: ContextOf['workspace'],
  batch: ContextBatch,
): Promise<void> {
  if (named.length === 0) return
  const { symbols, seen } = question
  const found = await askNamed(named, undefined, context, seen, batch)
  const files = [...new Set(found.filter(({ name }) => symbols.includes(name)).map(({ file }) => file))]
  await Promise.all(
    files.slice(0, mostMentioned).map((path, place) =>
      batch.ask({ kind: 'usage', target: path }, reached =>
        context.inFile(path, focusNeeds, file => {
          reached()
          return askAbout({ source: file.source, spans: [], isWhole: true }, place, file, question, batch)
        }),
      ),
    ),
  )
}

async function askAbout(
  given: Focus,
  place: number,
  file: FileContext,
  { seen, symbols }: ContextQuestion,
  batch: ContextBatch,
): Promise<void> {
  const { source, server } = file
  const queriedAt = file.now()
  const diagnosed = askDiagnostics(file, batch)
  const about = { kind: 'structure', target: source.relative } as const
  const declared = (await batch.knows(DocumentSymbolRequest, server))
    ? await batch.ask(about, () => declarationsIn(file))
    : undefined
  // The file may have changed since it was named.
  const whole = { first: 1, last: source.text.lineCount }
  const current = { ...given, source, spans: given.isWhole ? [whole] : given.spans }
  const focus = declared === undefined ? current : narrowed(current, symbols, declared)
  if (declared !== undefined && !seen.hasWhole(source.relative, source.text.lineCount))
    tellStructure({ source, declared, queriedAt }, file, place, batch)
  await askDefinitions(focus, file, declared, seen, batch)
  if (declared !== undefined) await askUsage(focus, file, declared, batch)
  await diagnosed
}

/** Symbols that are named and declared here are what is worked on in the file. */
function narrowed(
  focus: Focus,
  symbols: readonly string[],
  { all }: Awaited<ReturnType<typeof declarationsIn>>,
): Focus {
  const own = all.map(declaration => ({ declaration, segments: parseSymbolQuery(declaration.path).segments }))
  const meant = symbols.flatMap(name => matching(own, parseSymbolQuery(name).segments))
  if (meant.length === 0 || !focus.isWhole) return focus
  const spans = meant.map(({ declaration: { start, end } }) => ({ first: start.line, last: end.line }))
  return { ...focus, isWhole: false, spans }
}

/** Files that the task names, besides those that are worked on or seen. */
function mentioned(task: string, { focuses, seen }: Attention, { workspace }: ContextOf['workspace']) {
  const known = new Set(focuses.map(({ source }) => source.relative))
  return filesIn(task, mostMentioned).flatMap(path => {
    try {
      const source = workspace.read(path)
      if (known.has(source.relative) || seen.hasWhole(source.relative, source.text.lineCount)) return []
      known.add(source.relative)
      return [source]
    } catch {
      // No path of this workspace after all, only a word with a dot in it.
      return []
    }
  })
}
