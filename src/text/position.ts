// The only file that converts lines and columns. Public positions are 1-based lines and 1-based UTF-16 columns;
// a language server counts both from 0, its characters in the encoding negotiated with it.
import { BridgeError } from '../errors.js'

export type PositionEncoding = 'utf-8' | 'utf-16' | 'utf-32'

export function isPositionEncoding(text: string): text is PositionEncoding {
  return text === 'utf-8' || text === 'utf-16' || text === 'utf-32'
}

export interface PublicPosition {
  readonly line: number
  readonly column: number
}

/** What LSP calls a Position. */
export interface ServerPosition {
  readonly line: number
  readonly character: number
}

/** `clamped` says that the server named a place that does not exist and was moved to the nearest one that does. */
export interface ClampedPosition extends PublicPosition {
  readonly clamped: boolean
}

/** The lines of a text, as `SourceText` has them: `line(1)` is the first, without its terminator. */
export interface Lines {
  readonly lineCount: number
  line(number: number): string | undefined
}

/** A column beyond the line's end becomes the end, as LSP says; use `validatePosition` on what a caller typed. */
export function toServerPosition(
  lineText: string,
  position: PublicPosition,
  encoding: PositionEncoding,
): ServerPosition {
  const offset = characterEdge(lineText, offsetOf(position.column, lineText.length))
  return {
    line: toIndex(position.line),
    character: encoding === 'utf-16' ? offset : unitsBefore(lineText, offset, encoding),
  }
}

/**
 * Never throws, whatever the server sent. Without the line's text the character is taken as UTF-16, which is
 * right for nearly every line and the best that can be said of the others.
 */
export function toPublicPosition(
  lineText: string | undefined,
  position: ServerPosition,
  encoding: PositionEncoding,
): PublicPosition {
  const line = fromIndex(bounded(position.line, largestServerNumber))
  if (lineText === undefined) {
    return { line, column: fromIndex(bounded(position.character, largestServerNumber)) }
  }
  return { line, column: fromIndex(offsetInLine(lineText, position.character, encoding)) }
}

/**
 * As `toPublicPosition`, inside a known text: a line past the end becomes the end of the text. Servers do name
 * the line after the last one, for instance as the end of an edit of the whole document.
 */
export function toPublicPositionIn(
  lines: Lines,
  position: ServerPosition,
  encoding: PositionEncoding,
): ClampedPosition {
  const line = fromIndex(bounded(position.line, largestServerNumber))
  if (line > lines.lineCount) {
    const last = lines.line(lines.lineCount) ?? ''
    return { line: lines.lineCount, column: fromIndex(last.length), clamped: true }
  }
  const text = lines.line(line) ?? ''
  const place = toPublicPosition(text, position, encoding)
  const back = toServerPosition(text, place, encoding)
  return { ...place, clamped: back.line !== position.line || back.character !== position.character }
}

/** Checks a line a caller typed and returns its text. */
export function validateLine(lines: Lines, line: number): string {
  const text = isCount(line) ? lines.line(line) : undefined
  if (text !== undefined) return text
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: isCount(line) ? `line ${line} is past the end of the file` : `${line} is not a line number`,
    hint: `Lines count from 1; the file has ${counted(lines.lineCount, 'line')}.`,
  })
}

/** Checks a position a caller typed and returns its line's text. The column after the last character is allowed. */
export function validatePosition(lines: Lines, position: PublicPosition): string {
  const text = validateLine(lines, position.line)
  const { line, column } = position
  const last = fromIndex(text.length)
  if (!isCount(column) || column > last) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: isCount(column)
        ? `column ${column} is past the end of line ${line}`
        : `${column} is not a column number`,
      hint: `Columns count from 1; line ${line} has ${counted(text.length, 'character')}, so its last column is ${last}.`,
    })
  }
  const offset = toIndex(column)
  if (characterEdge(text, offset) !== offset) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `column ${column} of line ${line} is in the middle of a character`,
      hint: `Columns count UTF-16 units, and this character takes two: use ${column - 1} or ${column + 1}; line ${line} has ${counted(text.length, 'unit')}.`,
    })
  }
  return text
}

/** From a 1-based line or column to a 0-based index; not below 0, so that a wrong number cannot become one. */
export function toIndex(oneBased: number): number {
  return bounded(oneBased - 1, Number.MAX_SAFE_INTEGER - 1)
}

/** From a 0-based index to a 1-based line or column. */
export function fromIndex(zeroBased: number): number {
  return zeroBased + 1
}

/** Moves an offset that would cut a surrogate pair in two to the pair's start. */
export function characterEdge(text: string, offset: number): number {
  const cutsPair = isLowSurrogate(text.charCodeAt(offset)) && isHighSurrogate(text.charCodeAt(offset - 1))
  return cutsPair ? offset - 1 : offset
}

// The protocol's uinteger; larger numbers are a server's fault or malice.
const largestServerNumber = 2 ** 31 - 1

/** NaN counts as 0: there is nothing better to make of it. */
function bounded(value: number, largest: number): number {
  if (!(value > 0)) return 0
  return value >= largest ? largest : Math.floor(value)
}

function offsetOf(column: number, length: number): number {
  return Math.min(toIndex(column), length)
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function offsetInLine(lineText: string, character: number, encoding: PositionEncoding): number {
  const units = bounded(character, largestServerNumber)
  if (encoding === 'utf-16') return characterEdge(lineText, Math.min(units, lineText.length))
  return offsetAfter(lineText, units, encoding)
}

type CountedEncoding = Exclude<PositionEncoding, 'utf-16'>

/** How many units of the encoding lie before the UTF-16 offset, which is at a character's edge. */
function unitsBefore(text: string, offset: number, encoding: CountedEncoding): number {
  const marks = marksOf(text, encoding)
  const mark = Math.min(Math.floor(offset / markDistance), marks.length - 1)
  let { offset: at, units } = marks[mark] ?? start
  while (at < offset) {
    units += unitsOf(text, at, encoding)
    at += widthOf(text, at)
  }
  return units
}

/** The UTF-16 offset of the character that holds the given unit, or the text's length when there is none. */
function offsetAfter(text: string, wanted: number, encoding: CountedEncoding): number {
  let { offset, units } = lastMarkBefore(marksOf(text, encoding), wanted)
  while (offset < text.length) {
    const next = units + unitsOf(text, offset, encoding)
    if (next > wanted) break
    units = next
    offset += widthOf(text, offset)
  }
  return offset
}

interface Mark {
  readonly offset: number
  readonly units: number
}

const start: Mark = { offset: 0, units: 0 }
const markDistance = 1024
const noMarks: readonly Mark[] = [start]

// A minified file is one line, and every result in it is on that line: counting from its start each time would
// be quadratic. The marks of the last long line asked about are kept, so that only the first question counts it.
let remembered: { text: string; encoding: CountedEncoding; marks: readonly Mark[] } | undefined

function marksOf(text: string, encoding: CountedEncoding): readonly Mark[] {
  if (text.length < 2 * markDistance) return noMarks
  if (remembered?.encoding === encoding && remembered.text === text) return remembered.marks
  const marks: Mark[] = []
  let units = 0
  for (let offset = 0; offset < text.length; ) {
    // The first edge of a character at or after each multiple of the distance, so no edge lies before its mark.
    if (offset >= marks.length * markDistance) marks.push({ offset, units })
    units += unitsOf(text, offset, encoding)
    offset += widthOf(text, offset)
  }
  remembered = { text, encoding, marks }
  return marks
}

function lastMarkBefore(marks: readonly Mark[], wanted: number): Mark {
  let low = 0
  let high = marks.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((marks[middle] ?? start).units <= wanted) low = middle
    else high = middle - 1
  }
  return marks[low] ?? start
}

function unitsOf(text: string, offset: number, encoding: CountedEncoding): number {
  if (encoding === 'utf-32') return 1
  const code = text.charCodeAt(offset)
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return widthOf(text, offset) === 2 ? 4 : 3
}

function widthOf(text: string, offset: number): number {
  return isHighSurrogate(text.charCodeAt(offset)) && isLowSurrogate(text.charCodeAt(offset + 1)) ? 2 : 1
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
