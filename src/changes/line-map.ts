// Which lines of a text are which lines of another: what an edit moved, and what it changed. Positions of the old text
// are carried over by it.
import { type ChangedRange, changedRanges } from '../text/diff.js'

export interface LineMap {
  readonly changes: readonly ChangedRange[]
  /** Where an unchanged line of the old text stands now; undefined for a changed one. */
  follow(line: number): number | undefined
  /** Where an unchanged line of the present text stood before; undefined for a changed one. */
  trace(line: number): number | undefined
}

export function mapLines(before: string, after: string): LineMap {
  // Equal lines leave a choice. Made alike in both directions, whatever is new one way is resolved the other way.
  const changes = before <= after ? changedRanges(before, after) : changedRanges(after, before).map(reversed)
  const back = changes.map(reversed)
  return { changes, follow: line => moved(line, changes), trace: line => moved(line, back) }
}

/** Where a line of the text before stands in the text after; undefined where it was changed. */
function moved(line: number, changes: readonly ChangedRange[]): number | undefined {
  let by = 0
  for (const { beforeStart, beforeEnd, afterEnd } of changes) {
    if (line < beforeStart) break
    if (line < beforeEnd) return undefined
    by = afterEnd - beforeEnd
  }
  return line + by
}

function reversed({ beforeStart, beforeEnd, afterStart, afterEnd }: ChangedRange): ChangedRange {
  return { beforeStart: afterStart, beforeEnd: afterEnd, afterStart: beforeStart, afterEnd: beforeEnd }
}
