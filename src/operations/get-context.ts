// The context for a piece of work, without a question for each part of it: what a colleague would say who knows the code.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { noteLines } from '../context/note.js'
import { type Packed, pack } from '../context/pack.js'
import { type ContextItem, contextKinds, type LeftOut, recordOf, textOf } from '../context/piece.js'
import { keyOf, ranked } from '../context/rank.js'
import { loadTokenizer } from '../context/tokens.js'
import { BridgeError } from '../errors.js'
import { timeOf } from './context-batch.js'
import { attentionOf } from './context-focus.js'
import { type ContextQuestion, type Gathered, gather } from './context-gather.js'
import { hintsFor } from './context-hints.js'
import { type ContextOf, defineOperation, listedIn } from './operation.js'
import { counted, framed } from './render.js'

const defaultBudget = 2000
const batchMilliseconds = 1500
const mostFiles = 20
const longestTask = 100_000

const serverSchema = z.object({ id: z.string(), name: z.string(), version: z.string() })

const recordSchema = z.object({
  id: z.string(),
  source_type: z.literal('lsp_semantic'),
  query_type: z.string(),
  server: serverSchema,
  target: z.object({
    file: z.string(),
    line: z.number().int().optional(),
    column: z.number().int().optional(),
    symbol: z.string().optional(),
  }),
  priority: z.literal('supporting'),
  purity: z.literal('impure'),
  queried_at: z.string(),
  injected_at: z.string(),
  content: z.string().optional(),
  mtime_at_query: z.string().optional(),
  mtime_at_injection: z.string().optional(),
  stale: z.boolean().optional(),
})

const outputSchema = z.object({
  items: z.array(z.object({ kind: z.enum(contextKinds), text: z.string(), record: recordSchema })),
  /** Of the whole text form; at most the budget. */
  tokens: z.number().int(),
  budget: z.number().int(),
  files: z.array(z.string()),
  left_out: z.array(
    z.object({
      kind: z.enum(contextKinds),
      target: z.string(),
      reason: z.enum(['budget', 'time', 'error']),
      detail: z.string().optional(),
    }),
  ),
})

/** A packed context: items with their records, and what was left out. */
export type ContextPack = z.output<typeof outputSchema>

export const getContext = defineOperation({
  name: 'get_context',
  summary:
    'A note on the code around the files you work on: problems, definitions they use, who depends on them, symbols the task names. Within a token budget, most useful first.',
  effect: 'read',
  on: 'workspace',
  // It is made of several requests, each of which may be missing without the others.
  lsp: null,
  needsWholeWorkspace: true,
  milliseconds: batchMilliseconds,
  input: z.object({
    files: z
      .array(z.string())
      .max(mostFiles)
      .optional()
      .describe('What is worked on: paths, or path:10-40 for the lines you see.'),
    symbols: z.array(z.string()).max(mostFiles).optional().describe('Names of what is worked on.'),
    task: z
      .string()
      .max(longestTask)
      .optional()
      .describe('The task in words; symbols and files it names are looked up.'),
    seen: z
      .array(z.string())
      .max(200)
      .optional()
      .describe('What you see already: paths, or path:10-40. It is not told again.'),
    budget: z
      .number()
      .int()
      .min(300)
      .max(20_000)
      .default(defaultBudget)
      .describe('Most tokens (o200k_base) of the whole answer.'),
  }),
  output: outputSchema,
  example: 'src/clock.ts --budget 1500',
  items: listedIn('items'),

  async run({ files = [], symbols = [], task = '', seen = [], budget }, context) {
    if (files.length + symbols.length === 0 && task === '') throw nothingAsked()
    const question = { ...attentionOf({ files, seen }, context.workspace), symbols, task }
    const gathering = gatherCurrent(question, context)
    // Loading it blocks for a moment, best while the servers have something to do.
    const [{ pieces, missed }, count] = await Promise.all([gathering, loadTokenizer()])
    const about = { budget, files: question.focuses.map(({ source }) => source.relative) }
    doubtMissed(missed, pieces.length, context)
    const inject = injection(context)
    const resultOf = (
      packed: readonly Packed[],
      leftOut: readonly LeftOut[],
    ): Omit<ContextPack, 'tokens'> => ({
      ...about,
      items: packed.map(inject),
      left_out: [...leftOut, ...missed],
    })
    const options = {
      budget,
      count,
      measure: (packed: readonly Packed[], leftOut: readonly LeftOut[]) =>
        count(framed(linesOf(resultOf(packed, leftOut)), context.envelope())),
    }
    const first = pack(ranked(pieces), options)
    const hints = await hintsFor(question, budget - first.tokens, context)
    const last = hints.length === 0 ? first : pack(ranked([...pieces, ...hints]), options)
    return { ...resultOf(last.packed, last.leftOut), tokens: last.tokens }
  },

  render: result => linesOf(result),
})

/** From a piece to an item, at the moment at which it is handed over. */
function injection(context: ContextOf['workspace']): (packed: Packed, index: number) => ContextItem {
  const batch = randomBytes(6).toString('hex')
  return ({ piece, lines }, index) => {
    const own = { id: `cx:${batch}-${index}`, at: context.now(), mtime: mtimeOf(piece.file, context) }
    return { kind: piece.kind, text: textOf(piece, lines), record: recordOf(piece, own) }
  }
}

function linesOf({ items, files, left_out }: Omit<ContextPack, 'tokens'>): string[] {
  const about = files.length === 0 ? 'the task' : named(files)
  const first =
    items.length === 0
      ? `nothing to tell about ${about}`
      : `context for ${about}, ${counted(items.length, 'item')}`
  return [first, ...noteLines(items, left_out)]
}

const mostNamed = 3

function named(files: readonly string[]): string {
  const more = files.length - mostNamed
  return more > 0 ? `${files.slice(0, mostNamed).join(', ')} and ${more} more` : files.join(', ')
}

/** A file that changed since it was asked about is asked about again; what cannot be is marked with its time. */
async function gatherCurrent(question: ContextQuestion, context: ContextOf['workspace']): Promise<Gathered> {
  const first = await gather(question, context)
  const outdated = first.pieces.filter(piece => !isCurrent(piece, context))
  if (outdated.length === 0) return first
  const second = await gather(question, context)
  const again = new Set(second.pieces.map(keyOf))
  const kept = outdated.filter(piece => !again.has(keyOf(piece)))
  const stale = [...second.pieces.filter(piece => !isCurrent(piece, context)), ...kept]
  if (stale.length > 0) {
    const reason = `${counted(stale.length, 'item')} may be out of date: files changed and could not be asked again`
    context.fresh({ verdict: 'stale', reason })
  }
  const marked = new Set(stale)
  return {
    pieces: [...second.pieces, ...kept].map(piece => (marked.has(piece) ? { ...piece, stale: true } : piece)),
    missed: second.missed,
  }
}

function isCurrent({ sources }: Gathered['pieces'][number], { workspace }: ContextOf['workspace']): boolean {
  return sources.every(({ file, content }) => {
    try {
      return workspace.read(file).content === content
    } catch {
      return false
    }
  })
}

function mtimeOf(file: string, { workspace }: ContextOf['workspace']): string | undefined {
  try {
    return timeOf(workspace.read(file).signature.mtimeNs)
  } catch {
    // Gone since: then the item is stale, and this is why.
    return undefined
  }
}

function doubtMissed(missed: readonly LeftOut[], found: number, context: ContextOf['workspace']): void {
  const verdict = found === 0 ? 'unknown' : 'partial'
  const late = missed.filter(({ reason }) => reason === 'time').length
  const failed = missed.length - late
  const hint = 'Ask again: servers that have started answer faster.'
  if (late > 0) context.doubt({ verdict, reason: `${counted(late, 'part')} did not arrive in time`, hint })
  if (failed > 0) context.doubt({ verdict, reason: `${counted(failed, 'part')} could not be asked` })
}

function nothingAsked(): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: 'neither files nor symbols nor a task was given',
    hint: 'Give the files that are worked on, or the task in words.',
  })
}
