// Which lines of two texts differ, in bounded time. The exact search takes time with the square of the number of
// changed lines (630 milliseconds for a thousand, measured), so a text that changed in more places than that is first
// cut at the lines that are in both texts exactly once.
import { diffArrays } from 'diff'

/** Indexes into the two lists of lines, half-open. */
export interface LineBlock {
  readonly beforeStart: number
  readonly beforeEnd: number
  readonly afterStart: number
  readonly afterEnd: number
}

/** In order; what lies between two blocks is equal. Not always the fewest lines, but always a correct account. */
export function lineBlocks(before: readonly string[], after: readonly string[]): LineBlock[] {
  const core = withoutCommonEnds(
    { before, after },
    {
      beforeStart: 0,
      beforeEnd: before.length,
      afterStart: 0,
      afterEnd: after.length,
    },
  )
  const exact = exactBlocks({ before, after }, core, mostEdits)
  if (exact !== undefined) return exact
  return gapsBetweenAnchors({ before, after }, core).flatMap(gap => {
    const inner = withoutCommonEnds({ before, after }, gap)
    return exactBlocks({ before, after }, inner, mostEditsBetweenAnchors) ?? [inner]
  })
}

// 25 milliseconds at the most.
const mostEdits = 400
// A large text may have thousands of gaps.
const mostEditsBetweenAnchors = 64

interface Texts {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

function withoutCommonEnds({ before, after }: Texts, block: LineBlock): LineBlock {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = block
  while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeStart] === after[afterStart]) {
    beforeStart += 1
    afterStart += 1
  }
  while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1
    afterEnd -= 1
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd }
}

/** Undefined when there are too many changes to be found in time. */
function exactBlocks(
  { before, after }: Texts,
  { beforeStart, beforeEnd, afterStart, afterEnd }: LineBlock,
  maxEditLength: number,
): LineBlock[] | undefined {
  const isEmptyBefore = beforeStart === beforeEnd
  const isEmptyAfter = afterStart === afterEnd
  if (isEmptyBefore && isEmptyAfter) return []
  if (isEmptyBefore || isEmptyAfter) return [{ beforeStart, beforeEnd, afterStart, afterEnd }]
  const changes = diffArrays(before.slice(beforeStart, beforeEnd), after.slice(afterStart, afterEnd), {
    maxEditLength,
  })
  if (changes === undefined) return undefined
  const blocks: LineBlock[] = []
  let atBefore = beforeStart
  let atAfter = afterStart
  let open: LineBlock | undefined
  for (const { added, removed, count } of changes) {
    const from = { beforeStart: atBefore, afterStart: atAfter }
    if (!added) atBefore += count
    if (!removed) atAfter += count
    if (!added && !removed) {
      if (open !== undefined) blocks.push(open)
      open = undefined
    } else open = { ...from, ...open, beforeEnd: atBefore, afterEnd: atAfter }
  }
  if (open !== undefined) blocks.push(open)
  return blocks
}

/** The lines that both texts have once are taken for the same, as far as their order allows (patience diff). */
function gapsBetweenAnchors({ before, after }: Texts, block: LineBlock): LineBlock[] {
  const inBefore = uniqueLines(before, block.beforeStart, block.beforeEnd)
  const inAfter = uniqueLines(after, block.afterStart, block.afterEnd)
  const pairs: Pair[] = []
  for (const [line, beforeIndex] of inBefore) {
    const afterIndex = inAfter.get(line)
    if (beforeIndex >= 0 && afterIndex !== undefined && afterIndex >= 0) {
      pairs.push({ before: beforeIndex, after: afterIndex })
    }
  }
  const gaps: LineBlock[] = []
  let { beforeStart, afterStart } = block
  for (const anchor of longestRising(pairs)) {
    gaps.push({ beforeStart, beforeEnd: anchor.before, afterStart, afterEnd: anchor.after })
    beforeStart = anchor.before + 1
    afterStart = anchor.after + 1
  }
  gaps.push({ ...block, beforeStart, afterStart })
  return gaps
}

interface Pair {
  readonly before: number
  readonly after: number
}

/** In the order of the text; -1 for a line that is there more than once. */
function uniqueLines(lines: readonly string[], start: number, end: number): Map<string, number> {
  const found = new Map<string, number>()
  for (let index = start; index < end; index++) {
    const line = lines[index] ?? ''
    found.set(line, found.has(line) ? -1 : index)
  }
  return found
}

/** The longest choice of pairs in which both numbers rise; the first number rises in the list already. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  interface Chain {
    readonly pair: Pair
    readonly previous: Chain | undefined
  }
  const ends: Chain[] = []
  for (const pair of pairs) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.pair.after ?? 0) < pair.after) low = middle + 1
      else high = middle
    }
    ends[low] = { pair, previous: ends[low - 1] }
  }
  const chosen: Pair[] = []
  for (let chain = ends.at(-1); chain !== undefined; chain = chain.previous) chosen.push(chain.pair)
  return chosen.reverse()
}
