// A part of a file where columns may matter, as for the fixes at one place: turned into a range of the server, and refused
// with the numbers that exist where the file has no such place.
import { BridgeError } from '../errors.js'
import type { ServerPosition, ServerRange } from '../lsp/parse.js'
import {
  fromIndex,
  type PositionEncoding,
  type PublicPosition,
  toServerPosition,
  validateLine,
  validatePosition,
} from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import { lineSpan, spanRange, spanWords } from './line-span.js'

export interface SelectionInput {
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly end_line?: number | undefined
  readonly end_column?: number | undefined
}

export interface Selection {
  readonly range: ServerRange
  readonly isWhole: boolean
  /** ` on line 3`; nothing for a whole file. */
  readonly words: string
}

/** Whole lines where no column is given; a column without an end is the place itself. */
export function selectionIn(
  source: SourceFile,
  input: SelectionInput,
  encoding: PositionEncoding,
): Selection {
  const { line, column, end_line, end_column } = input
  if (column === undefined && end_column === undefined) {
    const span = lineSpan(source, input)
    return { range: spanRange(source, span, encoding), isWhole: span.isWhole, words: spanWords(span) }
  }
  if (line === undefined) throw invalid('a column needs its line', 'Give line as well.')
  const start = { line, column: column ?? 1 }
  const isPlace = end_line === undefined && end_column === undefined
  const end = isPlace ? start : endOf(source, end_line ?? line, end_column)
  const range = { start: positionIn(source, start, encoding), end: positionIn(source, end, encoding) }
  const words = isPlace ? ` at ${written(start)}` : ` from ${written(start)} to ${written(end)}`
  if (comparePositions(range.start, range.end) <= 0) return { range, isWhole: false, words }
  throw invalid(
    `the range ends at ${written(end)}, before it begins at ${written(start)}`,
    'Give end_line and end_column that lie after line and column.',
  )
}

/** Whether they have a place in common, be it only an edge: servers take a cursor at the end of a word for on it. */
export function touches(a: ServerRange, b: ServerRange): boolean {
  return comparePositions(a.start, b.end) <= 0 && comparePositions(b.start, a.end) <= 0
}

export function sameRange(a: ServerRange, b: ServerRange): boolean {
  return comparePositions(a.start, b.start) === 0 && comparePositions(a.end, b.end) === 0
}

function comparePositions(a: ServerPosition, b: ServerPosition): number {
  return a.line - b.line || a.character - b.character
}

function endOf({ text }: SourceFile, line: number, column: number | undefined): PublicPosition {
  return { line, column: column ?? fromIndex(validateLine(text, line).length) }
}

function positionIn({ text }: SourceFile, at: PublicPosition, encoding: PositionEncoding): ServerPosition {
  return toServerPosition(validatePosition(text, at), at, encoding)
}

function written({ line, column }: PublicPosition): string {
  return `${line}:${column}`
}

function invalid(message: string, hint: string): BridgeError {
  return new BridgeError({ kind: 'InvalidArguments', message, hint })
}
