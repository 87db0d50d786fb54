// Walks a hierarchy of calls or of types level by level, from what was asked about outwards. Code calls itself in circles
// and a popular function has thousands of callers, so everything is bounded, and whatever was not looked at is said.
import { asBridgeError } from '../errors.js'
import type { HierarchyItem } from '../lsp/hierarchy.js'
import type { ServerPosition } from '../lsp/parse.js'
import type { ServerLocation } from '../lsp/results.js'
import { uriKey } from '../text/uri.js'
import { isExternalName } from '../workspace/external.js'
import type { Place } from '../workspace/places.js'
import type { FileContext } from './operation.js'

/** One step away from an item. */
export interface Link {
  readonly item: HierarchyItem
  /** Where the step is written down, such as the calls. */
  readonly at: readonly ServerLocation[]
}

export interface WalkedItem extends Link {
  readonly place: Place
  /** How many steps it is away. */
  readonly depth: number
  /** What it is one step away from, unless that is what was asked about. */
  readonly via: HierarchyItem | undefined
}

export interface Walk {
  readonly roots: readonly HierarchyItem[]
  /** Asks for what is one step away. */
  readonly next: (item: HierarchyItem) => Promise<readonly Link[]>
  readonly placeOf: (item: HierarchyItem) => Place
  /** Whether to go on from an item at all. */
  readonly follows: (item: HierarchyItem, place: Place) => boolean
  readonly depth: number
  readonly limit: number
  /** What is looked for, in words: "callers". */
  readonly noun: string
  /** Whether the whole hierarchy is expected, so that one which may go on beyond the depth is said to be cut. */
  readonly endsOpen?: boolean
}

type WalkContext = Pick<FileContext, 'signal' | 'remaining' | 'doubt'>

// Some servers have a single thread, and somebody else may be asking too.
const mostAtOnce = 4
const mostQuestions = 200
/** The part of the time that is kept back, so that what was found can still be told. */
const reserve = 0.2

/** Nearest first, and each level in the order of files and positions; the project before its libraries. */
export async function walkHierarchy(walk: Walk, context: WalkContext): Promise<WalkedItem[]> {
  const endsAt = context.remaining() * reserve
  const mayAsk = () => context.remaining() > endsAt
  const found: WalkedItem[] = []
  const listed = new Set<string>()
  const asked = new Set<string>()
  let frontier: readonly HierarchyItem[] = walk.roots
  for (let depth = 1; depth <= walk.depth && frontier.length > 0; depth += 1) {
    const due = frontier.slice(0, Math.max(mostQuestions - asked.size, 0))
    for (const item of due) asked.add(keyOf(item))
    const answers = await askAll(due, walk, mayAsk, context)
    if (depth === 1) throwIfNoneAnswered(answers)
    const level = levelOf(answers, depth, walk).filter(({ item }) => !listed.has(keyOf(item)))
    const kept = level.slice(0, Math.max(walk.limit - found.length, 0))
    found.push(...kept)
    for (const { item } of level) listed.add(keyOf(item))
    const unasked = frontier.length - answers.filter(({ outcome }) => outcome !== 'not-asked').length
    doubtFailures(answers, walk, context)
    if (unasked > 0) doubtUnasked(unasked, walk, depth, context)
    if (kept.length < level.length) doubtCut(walk, found.length + level.length - kept.length, depth, context)
    if (unasked > 0 || kept.length < level.length) break
    frontier = distinct(kept.filter(({ item, place }) => walk.follows(item, place)).map(({ item }) => item))
      // What was asked before leads round in a circle.
      .filter(item => !asked.has(keyOf(item)))
    if (depth === walk.depth && frontier.length > 0 && walk.endsOpen === true) doubtDepth(walk, context)
  }
  return found
}

/** Two items are one when they have their name in the same place: some servers call one function by several names. */
export function keyOf({ uri, selectionRange }: HierarchyItem): string {
  return placeKey(uri, selectionRange.start)
}

export function placeKey(uri: string, { line, character }: ServerPosition): string {
  return `${uriKey(uri)}#${line}:${character}`
}

export function distinct(items: readonly HierarchyItem[]): HierarchyItem[] {
  return [...new Map(items.map(item => [keyOf(item), item])).values()]
}

/** Whether it is somebody else's code, be it installed inside the workspace. */
export function isExternal({ file }: Place): boolean {
  return isExternalName(file) || /(?:^|\/)(?:node_modules|site-packages)\//.test(file)
}

function byPlace(a: Place, b: Place): number {
  if (isExternal(a) !== isExternal(b)) return isExternal(a) ? 1 : -1
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}

type Answered =
  | { readonly from: HierarchyItem; readonly outcome: 'answered'; readonly links: readonly Link[] }
  | { readonly from: HierarchyItem; readonly outcome: 'failed'; readonly error: unknown }
  | { readonly from: HierarchyItem; readonly outcome: 'not-asked' }

async function askAll(
  items: readonly HierarchyItem[],
  walk: Walk,
  mayAsk: () => boolean,
  { signal }: WalkContext,
): Promise<Answered[]> {
  const answers: Answered[] = items.map(from => ({ from, outcome: 'not-asked' }))
  const waiting = items.entries()
  const work = async () => {
    for (const [index, from] of waiting) {
      if (!mayAsk()) return
      try {
        answers[index] = { from, outcome: 'answered', links: await walk.next(from) }
      } catch (error) {
        if (signal.aborted) throw error
        answers[index] = { from, outcome: 'failed', error }
      }
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  return answers
}

/** One entry for each pair of an item and what it is one step away from; of the first level one for each item. */
function levelOf(answers: readonly Answered[], depth: number, { placeOf }: Walk): WalkedItem[] {
  const level = new Map<string, WalkedItem>()
  for (const answer of answers) {
    if (answer.outcome !== 'answered') continue
    const via = depth === 1 ? undefined : answer.from
    for (const { item, at } of answer.links) {
      const key = via === undefined ? keyOf(item) : `${keyOf(item)}>${keyOf(via)}`
      const known = level.get(key)
      const place = known?.place ?? placeOf(item)
      level.set(key, { item, place, depth, via, at: [...(known?.at ?? []), ...at] })
    }
  }
  return [...level.values()].sort((a, b) => byPlace(a.place, b.place))
}

/** Of what nobody answered there is nothing to tell but why. */
function throwIfNoneAnswered(answers: readonly Answered[]): void {
  if (answers.some(({ outcome }) => outcome === 'answered')) return
  for (const answer of answers) if (answer.outcome === 'failed') throw answer.error
}

function doubtFailures(answers: readonly Answered[], { noun }: Walk, { doubt }: WalkContext): void {
  const failed = answers.flatMap(answer => (answer.outcome === 'failed' ? [answer] : []))
  const [first] = failed
  if (first === undefined) return
  const { message, hint } = asBridgeError(first.error)
  const others = failed.length === 1 ? '' : ` and of ${failed.length - 1} more`
  doubt({ verdict: 'partial', reason: `the ${noun} of ${first.from.name}${others}: ${message}`, hint })
}

function doubtUnasked(count: number, { noun }: Walk, depth: number, { doubt }: WalkContext): void {
  doubt({
    verdict: 'partial',
    reason: `the ${noun} at depth ${depth} were not all looked for: ${count} questions were left`,
    hint: 'Ask with a smaller depth, or from one of the results onwards.',
  })
}

function doubtDepth({ noun, depth }: Walk, { doubt }: WalkContext): void {
  const reason = `${noun} beyond depth ${depth} were not looked for`
  doubt({ verdict: 'partial', reason, hint: 'Raise depth, or ask from one of the results onwards.' })
}

function doubtCut({ noun, limit }: Walk, total: number, depth: number, { doubt }: WalkContext): void {
  doubt({
    verdict: 'partial',
    reason: `limit ${limit} leaves out ${total - limit} of the ${noun} down to depth ${depth}`,
    hint: 'Raise limit, or ask from one of the results onwards.',
  })
}
