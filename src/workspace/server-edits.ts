// From a server's edit to one of our text: positions in the encoding it counts in, line ends as the file has them.
import { BridgeError } from '../errors.js'
import type { ServerTextEdit } from '../lsp/edit-results.js'
import type { ServerPosition } from '../lsp/parse.js'
import type { TextEdit } from '../text/edits.js'
import type { SourceText } from '../text/lines.js'
import { fromIndex, type PositionEncoding, toPublicPositionIn } from '../text/position.js'
import { quoted } from './path-errors.js'

export interface EditedText {
  readonly text: SourceText
  readonly encoding: PositionEncoding
  /** For messages. */
  readonly name: string
}

export function toTextEdit({ range, newText }: ServerTextEdit, edited: EditedText): TextEdit {
  return {
    start: offsetOf(range.start, edited, 'start'),
    end: offsetOf(range.end, edited, 'end'),
    text: newText.includes('\n') ? newText.replace(/\r?\n/g, lineEndOf(edited.text)) : newText,
  }
}

/**
 * An end past the end of a line or of the text is that end: servers replace a whole document that way. A start there, or
 * a place inside a character, means that the server has another content, or counts otherwise than it said.
 */
function offsetOf(
  position: ServerPosition,
  { text, encoding, name }: EditedText,
  side: 'start' | 'end',
): number {
  const place = toPublicPositionIn(text, position, encoding)
  if (place.clamped) {
    const isNumber = position.line >= 0 && position.character >= 0
    const isAtEnd = place.column === fromIndex(text.line(place.line)?.length ?? 0)
    const isAfterText = fromIndex(position.line) > text.lineCount
    if (!isNumber || !isAtEnd || !(isAfterText || side === 'end')) throw noPlace(position, name)
  }
  return text.offsetAt(place)
}

const lineEnds = new WeakMap<SourceText, string>()

/**
 * Servers insert "\n" whatever the file uses (their templates are written with it), and a file with both kinds of line
 * ends shows as changed in every line once some tool settles on one. So inserted line ends become those of the file; a
 * file that has none, or as many of either, takes them as they come.
 */
function lineEndOf(text: SourceText): string {
  const known = lineEnds.get(text)
  if (known !== undefined) return known
  const pairs = text.text.match(/\r\n/g)?.length ?? 0
  const all = text.text.match(/\n/g)?.length ?? 0
  const lineEnd = pairs * 2 === all ? '$&' : pairs * 2 > all ? '\r\n' : '\n'
  lineEnds.set(text, lineEnd)
  return lineEnd
}

function noPlace({ line, character }: ServerPosition, name: string): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the server's edit of ${quoted(name)} names line ${line}, character ${character} (counted from 0), which is no place in it`,
    hint: 'Nothing was changed. The server means another content of the file, or counts characters otherwise than it announced: ask again.',
  })
}
