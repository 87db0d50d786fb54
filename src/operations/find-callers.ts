// Who calls a function, and what it calls, over as many steps as are asked for.
import { CallHierarchyPrepareRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { asBridgeError, type BridgeError } from '../errors.js'
import type { HierarchyItem } from '../lsp/hierarchy.js'
import { looksLikeCall } from '../text/call-shape.js'
import { toIndex } from '../text/position.js'
import type { Place } from '../workspace/places.js'
import type { AnswerTarget } from './answer.js'
import { callablesAt, calleesOf, callersOf, type KnownReferences } from './call-items.js'
import { entryOf, entrySchema, type HierarchyEntry, isModule, pointerTo } from './hierarchy-entry.js'
import { isExternal, type WalkedItem, walkHierarchy } from './hierarchy-walk.js'
import { type ContextOf, defineOperation, type FileContext, placeSchema } from './operation.js'
import { counted, pointer } from './render.js'
import { symbolTarget } from './target.js'
import { beginUses, doubtMissing, type Uses } from './unsearched-files.js'

const directions = ['incoming', 'outgoing', 'both'] as const
type Direction = Exclude<(typeof directions)[number], 'both'>

const mostCalls = 100

const callSchema = z.object({
  ...entrySchema.shape,
  /** Steps away from what was asked about. */
  depth: z.number().int(),
  /** Of a call at depth 2 and more: what it leads to (incoming), or who makes it (outgoing). */
  via: z.string().optional(),
  calls: z.array(placeSchema),
})
type CallEntry = z.output<typeof callSchema>

export const findCallers = defineOperation({
  name: 'find_callers',
  summary:
    'Who calls a function or method, by meaning, with the line of every call; direction outgoing: what it calls. Use instead of grepping for "name(".',
  effect: 'read',
  on: 'symbol',
  lsp: CallHierarchyPrepareRequest,
  nearest: { name: 'find_references', lsp: ReferencesRequest },
  needsWholeWorkspace: true,
  input: z.object({
    ...symbolTarget,
    direction: z.enum(directions).default('incoming').describe('Callers, callees, or both.'),
    depth: z
      .number()
      .int()
      .min(1)
      .max(5)
      .default(1)
      .describe('Steps to follow; 2 adds the callers of callers. Libraries are not entered.'),
    limit: z.number().int().min(1).max(1000).default(100).describe('Most entries per direction.'),
  }),
  output: z.object({
    direction: z.enum(directions),
    /** What was asked about, where it is declared; nothing where the server sees nothing callable. */
    callable: z.array(entrySchema),
    incoming: z.array(callSchema),
    outgoing: z.array(callSchema),
  }),
  example: 'src/clock.ts --symbol withDeadline',
  items: {
    count: ({ incoming, outgoing }) => incoming.length + outgoing.length,
    keep: (result, count) => ({
      ...result,
      incoming: result.incoming.slice(0, count),
      outgoing: result.outgoing.slice(0, Math.max(count - result.incoming.length, 0)),
    }),
  },

  async run({ direction, depth, limit }, context) {
    const { workspace, server, doubt } = context
    const usesOfIt = direction === 'outgoing' ? undefined : beginUses(context)
    const roots = await callablesAt(context)
    const callable = roots.map(item => {
      const place = workspace.place(item.uri, item.selectionRange, server.client.encoding)
      return entryOf(item, place, workspace)
    })
    if (roots.length === 0) {
      doubt({
        verdict: 'unknown',
        reason: `${server.client.identity.name} sees nothing callable there`,
        hint: 'Point at a function, method or class; find_references lists every use of anything.',
      })
      return { direction, callable, incoming: [], outgoing: [] }
    }
    const uses = await usesOfIt?.()
    const known = uses && { at: context.at, references: uses.locations }
    const found: Record<Direction, CallEntry[]> = { incoming: [], outgoing: [] }
    const wanted: readonly Direction[] = direction === 'both' ? ['incoming', 'outgoing'] : [direction]
    const failures: BridgeError[] = []
    for (const way of wanted) {
      try {
        const walked = await walkCalls(way, roots, { depth, limit, known }, context)
        found[way] = walked.map(item => callEntry(item, context))
      } catch (thrown) {
        failures.push(asBridgeError(thrown))
      }
    }
    const [failure] = failures
    if (failure !== undefined && failures.length === wanted.length) throw failure
    if (failure !== undefined) doubt({ verdict: 'partial', reason: failure.message, hint: failure.hint })
    // With some left out anyway nothing can be told from those that are not there.
    if (uses !== undefined && failures.length === 0 && found.incoming.length < limit)
      doubtUncounted(uses, callable, found.incoming, context)
    return { direction, callable, ...found }
  },

  render: ({ direction, callable, incoming, outgoing }, { target, total }) => {
    if (callable.length === 0) return [`nothing callable at ${pointer(target)}`]
    const counts = [
      ...(direction === 'outgoing' ? [] : [counted(distinctCount(incoming), 'caller')]),
      ...(direction === 'incoming' ? [] : [counted(distinctCount(outgoing), 'callee')]),
    ]
    const shown = incoming.length + outgoing.length
    const cut = shown < total ? `, ${shown} of ${total} shown` : ''
    // Asked about where it is used, it is declared elsewhere.
    const declared = callable.filter(entry => !isAt(entry, target)).map(pointerTo)
    return [
      `${counts.join(' and ')} of ${pointer(target)}${cut}`,
      ...(declared.length === 0 ? [] : [`declared: ${declared.join(', ')}`]),
      ...(direction === 'both' && incoming.length > 0 ? ['callers:'] : []),
      ...entryLines(incoming, 'calls'),
      ...(direction === 'both' && outgoing.length > 0 ? ['callees:'] : []),
      ...entryLines(outgoing, 'called by'),
    ]
  },
})

/** Where a use is written like a call, its file should have a caller; tsserver looks in a single project. */
function doubtUncounted(
  { found, missed }: Uses,
  callable: readonly HierarchyEntry[],
  callers: readonly CallEntry[],
  context: ContextOf['symbol'],
): void {
  const counted = new Set([...callable, ...callers].map(({ file }) => file))
  const left = [...found, ...missed].filter(
    place => !counted.has(place.file) && !isExternal(place) && isCallIn(place, context),
  )
  doubtMissing(left, 'calls', context)
}

function isCallIn({ file, line, column, end_column }: Place, { workspace }: FileContext): boolean {
  try {
    const text = workspace.read(file).text.line(line) ?? ''
    return looksLikeCall(text, toIndex(column), toIndex(end_column))
  } catch {
    // Gone since.
    return false
  }
}

interface Bounds {
  readonly depth: number
  readonly limit: number
  readonly known: KnownReferences | undefined
}

async function walkCalls(
  way: Direction,
  roots: readonly HierarchyItem[],
  { known, ...bounds }: Bounds,
  context: FileContext,
): Promise<WalkedItem[]> {
  return walkHierarchy(
    {
      ...bounds,
      roots,
      placeOf: item => context.workspace.place(item.uri, item.selectionRange, context.server.client.encoding),
      next: item => (way === 'incoming' ? callersOf(item, context, known) : calleesOf(item, context)),
      follows: (item, place) => !isModule(item) && !isExternal(place),
      noun: way === 'incoming' ? 'callers' : 'callees',
    },
    context,
  )
}

function callEntry({ item, place, depth, via, at }: WalkedItem, context: FileContext): CallEntry {
  const { workspace, server, doubt } = context
  const { encoding } = server.client
  const entry = entryOf(item, place, workspace)
  const calls = workspace.places(at, encoding)
  if (calls.length > mostCalls) {
    const reason = `${mostCalls} of the ${calls.length} calls that concern ${entry.symbol} are listed`
    doubt({ verdict: 'partial', reason, hint: 'find_references lists every one.' })
  }
  const shown = { ...entry, depth, calls: calls.slice(0, mostCalls) }
  if (via === undefined) return shown
  const other = entryOf(via, workspace.place(via.uri, via.selectionRange, encoding), workspace)
  return { ...shown, via: pointerTo(other) }
}

function isAt(entry: HierarchyEntry, target: AnswerTarget | undefined): boolean {
  const { file, line, column } = entry
  return target !== undefined && file === target.file && line === target.line && column === target.column
}

/** Each file once, in it each function, below it its calls with the source that lets a reader decide. */
function entryLines(entries: readonly CallEntry[], relation: string): string[] {
  const lines: string[] = []
  let last: CallEntry | undefined
  for (const entry of entries) {
    if (entry.depth > 1 && entry.depth !== last?.depth) lines.push(`depth ${entry.depth}:`)
    if (entry.file !== last?.file || entry.depth !== last.depth) lines.push(entry.file)
    const via = entry.via === undefined ? '' : `, ${relation} ${entry.via}`
    lines.push(
      entry.kind === 'module'
        ? `  top level of the file${via}`
        : `  ${entry.line}:${entry.column} ${entry.kind} ${entry.symbol}${via}${entry.text === '' ? '' : `  ${entry.text}`}`,
      ...callLines(entry),
    )
    last = entry
  }
  return lines
}

/** The calls of one line in a row; those in another file than the entry's name it; no line is shown twice. */
function callLines({ file, line, kind, calls }: CallEntry): string[] {
  const rows = new Map<string, Place[]>()
  for (const call of calls) {
    const key = `${call.file}:${call.line}`
    rows.set(key, [...(rows.get(key) ?? []), call])
  }
  return [...rows].map(([key, [first, ...others]]) => {
    if (first === undefined) return ''
    const where = first.file === file ? '' : `${first.file}:`
    const positions = [first, ...others].map(call => `${call.line}:${call.column}`).join(', ')
    const isShown = first.text === '' || (kind !== 'module' && key === `${file}:${line}`)
    return `    ${where}${positions}${isShown ? '' : `  ${first.text}`}`
  })
}

function distinctCount(entries: readonly CallEntry[]): number {
  return new Set(entries.map(({ file, line, column }) => `${file}:${line}:${column}`)).size
}
