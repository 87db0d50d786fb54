// Applies edits to a text, exactly or not at all. Offsets are UTF-16 units like the text itself: an edit spliced in by
// bytes, or in the order of a server's list, corrupts the file without anybody noticing.
import { BridgeError } from '../errors.js'

export interface TextEdit {
  /** UTF-16 offsets into the text before any edit. */
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Edits may come in any order; several insertions at one place stay in the order of the list, and one replacement may
 * follow them there. Any other overlap has no one meaning, so nothing is applied.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = []
  let done = 0
  // The sort is stable, which keeps insertions at one place in order.
  for (const { start, end, text: inserted } of [...edits].sort((a, b) => a.start - b.start)) {
    if (!isOffset(start, text) || !isOffset(end, text) || start > end) throw outOfRange(start, end, text)
    if (start < done) throw overlap(start, done)
    parts.push(text.slice(done, start), inserted)
    done = end
  }
  parts.push(text.slice(done))
  return parts.join('')
}

function isOffset(offset: number, text: string): boolean {
  return Number.isInteger(offset) && offset >= 0 && offset <= text.length
}

function outOfRange(start: number, end: number, text: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `an edit from ${start} to ${end} does not fit a text of ${text.length} UTF-16 units`,
    hint: 'Nothing was changed. The edit was made for another content of the file: ask for it again.',
  })
}

function overlap(start: number, done: number): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `two edits overlap: one begins at offset ${start}, before another one ends at ${done}`,
    hint: 'Nothing was changed, because overlapping edits have no one meaning. This is a fault of whoever made them; ask again, or edit the file by hand.',
  })
}
