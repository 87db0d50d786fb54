// Places inside the very text that a server was asked about: read from that text and not from the disk again, so that a
// thousand of them cost no look at the disk and none can be for another content.

import type { ServerRange } from '../lsp/parse.js'
import { cleanLine } from '../text/clean.js'
import { type PositionEncoding, toIndex, toPublicPositionIn } from '../text/position.js'
import type { Place } from '../workspace/places.js'
import type { SourceFile } from '../workspace/source-file.js'

const longestLine = 200

export function sourcePlace(source: SourceFile, range: ServerRange, encoding: PositionEncoding): Place {
  const start = toPublicPositionIn(source.text, range.start, encoding)
  const end = toPublicPositionIn(source.text, range.end, encoding)
  return {
    file: source.relative,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    text: cleanLine(source.text.line(start.line) ?? '', longestLine).text,
  }
}

/** The part of a place that is on one of its lines, trimmed and bounded. */
export function textAt(
  source: SourceFile,
  place: Place,
  on: 'first' | number = 'first',
  longest = longestLine,
): string {
  const number = on === 'first' ? place.line : on
  const line = source.text.line(number) ?? ''
  const from = number === place.line ? toIndex(place.column) : 0
  const to = number === place.end_line ? toIndex(place.end_column) : line.length
  return cleanLine(line.slice(from, to), longest).text
}

export function byPosition(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column || a.end_line - b.end_line || a.end_column - b.end_column
}
