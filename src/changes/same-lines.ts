// Whether a line is an old one, or another one that reads the same. A comparison of texts cannot tell equal lines apart
// and may name the wrong one of them as added; the lines around them often can.
import { lineBlocks } from '../text/line-blocks.js'
import type { SourceText } from '../text/lines.js'
import { fromIndex, toIndex } from '../text/position.js'
import type { LineMap } from './line-map.js'

/** So many lines above and below are looked at. */
const mostNeighbours = 5
// Each compares the texts anew; an ordinary change leaves one or two to ask about.
const mostComparisons = 200
// Of thousands of equal errors every two could be asked about.
const mostQuestions = 20_000

export function sameLines(
  before: SourceText,
  after: SourceText,
  map: LineMap,
): (old: number, present: number) => boolean {
  let texts: Texts | undefined
  let comparisons = 0
  const answers = new Map<string, boolean>()
  const ask = (old: number, present: number) => {
    const stayed = map.follow(old)
    const came = map.trace(present)
    if (stayed === present || (stayed === undefined && came === undefined)) return true
    const likeness = alike({ before, old, after, present })
    const isAmongOthers = (where: Pair) => alike(where) < likeness
    // It has taken its neighbours along.
    if (
      (stayed === undefined || isAmongOthers({ before, old, after, present: stayed })) &&
      (came === undefined || isAmongOthers({ before, old: came, after, present }))
    )
      return true
    if (before.line(old) !== after.line(present) || comparisons >= mostComparisons) return false
    comparisons += 1
    texts ??= textsOf(before, after)
    return mayBeSame(texts, old, present)
  }
  return (old, present) => {
    const key = `${old} ${present}`
    const known = answers.get(key)
    if (known !== undefined || answers.size >= mostQuestions) return known ?? false
    const answer = ask(old, present)
    answers.set(key, answer)
    return answer
  }
}

interface Texts {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** How many lines are in both, as they are compared. */
  readonly unchanged: number
}

/** No fewer lines would be unchanged if it were this one: which of the equal lines is the new one is anybody's guess. */
function mayBeSame({ before, after, unchanged }: Texts, old: number, present: number): boolean {
  const above = unchangedIn(before.slice(0, toIndex(old)), after.slice(0, toIndex(present)))
  const below = unchangedIn(before.slice(old), after.slice(present))
  return above + below >= toIndex(unchanged)
}

function textsOf(before: SourceText, after: SourceText): Texts {
  const lines = { before: linesOf(before), after: linesOf(after) }
  return { ...lines, unchanged: unchangedIn(lines.before, lines.after) }
}

function linesOf(text: SourceText): string[] {
  return Array.from({ length: text.lineCount }, (_, index) => text.line(fromIndex(index)) ?? '')
}

function unchangedIn(before: readonly string[], after: readonly string[]): number {
  return lineBlocks(before, after).reduce(
    (left, { beforeStart, beforeEnd }) => left - (beforeEnd - beforeStart),
    before.length,
  )
}

interface Pair {
  readonly before: SourceText
  readonly old: number
  readonly after: SourceText
  readonly present: number
}

/** How many lines next to the one are next to the other, too. */
function alike({ before, old, after, present }: Pair): number {
  const shared = (direction: 1 | -1) => {
    let count = 0
    while (count < mostNeighbours) {
      const away = direction * (count + 1)
      const line = before.line(old + away)?.trim()
      if (line === undefined || line !== after.line(present + away)?.trim()) break
      count += 1
    }
    return count
  }
  return shared(1) + shared(-1)
}
