// Which lines of a text are which lines of another: what an edit moved, and what it changed. Positions of the old text
// are carried over by it.
import { type ChangedRange, changedRanges } from '../text/diff.js'

export interface LineMap {
  readonly changes: readonly ChangedRange[]
  /** Where an unchanged line of the old text stands now; undefined for a changed one. */
  follow(line: number): number | undefined
}

export function mapLines(before: string, after: string): LineMap {
  const changes = changedRanges(before, after)
  return {
    changes,
    follow(line) {
      let moved = 0
      for (const { beforeStart, beforeEnd, afterEnd } of changes) {
        if (line < beforeStart) break
        if (line < beforeEnd) return undefined
        moved = afterEnd - beforeEnd
      }
      return line + moved
    },
  }
}
