// The context for a piece of work, without a question for each part of it: what a colleague would say who knows the code.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { noteLines } from '../context/note.js'
import { type Pack, type Packed, pack } from '../context/pack.js'
import {
  type ContextItem,
  contextKinds,
  type LeftOut,
  type Piece,
  recordOf,
  textOf,
} from '../context/piece.js'
import { keyOf, ranked } from '../context/rank.js'
import { loadTokenizer } from '../context/tokens.js'
import { BridgeError } from '../errors.js'
import { timeOf } from './context-batch.js'
import { attentionOf } from './context-focus.js'
import { type ContextQuestion, type Gathered, gather } from './context-gather.js'
import { hintsFor } from './context-hints.js'
import { type ContextOf, defineOperation, listedIn } from './operation.js'
import { counted, framed, listed } from './render.js'

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
    const gathering = gather(question, context)
    // Loading it blocks for a moment, best while the servers have something to do.
    const [first, count] = await Promise.all([gathering, loadTokenizer()])
    const inject = injection(context)
    const about = { budget, files: question.focuses.map(({ source }) => source.relative) }
    const packAll = ({ pieces, missed }: Gathered) => {
      const result = ({ packed, leftOut }: Pick<Pack, 'packed' | 'leftOut'>) => ({
        ...about,
        items: packed.map(inject),
        left_out: [...leftOut, ...missed],
      })
      const measure = (packed: readonly Packed[], leftOut: readonly LeftOut[]) =>
        count(framed(linesOf(result({ packed, leftOut })), context.envelope()))
      const packed = pack(ranked(pieces), { budget, count, measure })
      return { ...result(packed), tokens: packed.tokens }
    }
    const hints = await hintsFor(question, first, budget - packAll(first).tokens, context)
    const gathered = {
      pieces: [...first.pieces, ...hints.pieces],
      missed: [...first.missed, ...hints.missed],
    }
    const current = await renewed(gathered, question, context)
    // From here to the end nothing is waited for: what is current now is current when it is handed over.
    doubtMissed(current, context)
    return packAll({ ...current, pieces: marked(current.pieces, context) })
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
  const about = files.length === 0 ? 'the task' : listed(files, mostNamed)
  const first =
    items.length === 0
      ? `nothing to tell about ${about}`
      : `context for ${about}, ${counted(items.length, 'item')}`
  return [first, ...noteLines(items, left_out)]
}

const mostNamed = 3

/** A file that changed since it was asked about is asked about again; what that does not bring is kept. */
async function renewed(
  gathered: Gathered,
  question: ContextQuestion,
  context: ContextOf['workspace'],
): Promise<Gathered> {
  const outdated = gathered.pieces.filter(piece => !isCurrent(piece, context))
  if (outdated.length === 0) return gathered
  const { pieces, missed } = await gather(question, context)
  const again = new Set(pieces.map(keyOf))
  return { pieces: [...pieces, ...gathered.pieces.filter(piece => !again.has(keyOf(piece)))], missed }
}

/** What could not be asked again, or changed again, says so with the time of its query. */
function marked(pieces: readonly Piece[], context: ContextOf['workspace']): Piece[] {
  const stale = new Set(pieces.filter(piece => !isCurrent(piece, context)))
  if (stale.size > 0) {
    const reason = `${counted(stale.size, 'item')} may be out of date: files changed and could not be asked again`
    context.fresh({ verdict: 'stale', reason })
  }
  return pieces.map(piece => (stale.has(piece) ? { ...piece, stale: true } : piece))
}

function isCurrent({ sources }: Piece, { workspace }: ContextOf['workspace']): boolean {
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

function doubtMissed({ pieces, missed }: Gathered, context: ContextOf['workspace']): void {
  const verdict = pieces.length === 0 ? 'unknown' : 'partial'
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
