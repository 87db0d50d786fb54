// A source text seen as lines, and the words on a line. Lines are found on the first question, not on reading,
// because most files are only hashed and sent on.
import { characterEdge, fromIndex, type Lines, type PublicPosition, toIndex } from './position.js'

export class SourceText implements Lines {
  readonly text: string
  #starts: readonly number[] | undefined
  #last: { readonly number: number; readonly text: string } | undefined

  constructor(text: string) {
    this.text = text
  }

  /** A text that ends with a terminator has an empty last line, as in LSP; an empty text has one line. */
  get lineCount(): number {
    return this.#lineStarts().length
  }

  /** The 1-based line without its terminator; undefined when there is no such line. */
  line(number: number): string | undefined {
    // The same string object is handed out for repeated questions about one line, so that the converter of
    // positions recognises a long line at once instead of comparing it.
    if (this.#last?.number === number) return this.#last.text
    const starts = this.#lineStarts()
    const start = number >= 1 ? starts[toIndex(number)] : undefined
    if (start === undefined || !Number.isInteger(number)) return undefined
    const text = this.text.slice(start, this.#lineEnd(toIndex(number)))
    this.#last = { number, text }
    return text
  }

  /** The UTF-16 offset of a position; what lies outside the line or the text is moved to its edge. */
  offsetAt(position: PublicPosition): number {
    const starts = this.#lineStarts()
    const index = toIndex(position.line)
    const start = starts[index]
    if (start === undefined) return this.text.length
    return Math.min(start + toIndex(position.column), this.#lineEnd(index))
  }

  /** An offset inside a line's terminator is the end of that line. */
  positionAt(offset: number): PublicPosition {
    const starts = this.#lineStarts()
    const wanted = offset > 0 ? Math.min(Math.floor(offset), this.text.length) : 0
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= wanted) low = middle
      else high = middle - 1
    }
    const inside = Math.min(wanted, this.#lineEnd(low)) - (starts[low] ?? 0)
    return { line: fromIndex(low), column: fromIndex(inside) }
  }

  #lineStarts(): readonly number[] {
    this.#starts ??= lineStartsOf(this.text)
    return this.#starts
  }

  #lineEnd(index: number): number {
    const next = this.#lineStarts()[index + 1]
    if (next === undefined) return this.text.length
    const isPair =
      this.text.charCodeAt(next - 1) === lineFeed && this.text.charCodeAt(next - 2) === carriageReturn
    return isPair ? next - 2 : next - 1
  }
}

export interface Identifier {
  readonly name: string
  readonly column: number
}

/**
 * The columns where the name stands as a whole word. A side of the name that is no identifier character (as in
 * `operator +`) needs no boundary. Occurrences do not overlap.
 */
export function occurrences(lineText: string, name: string): number[] {
  const columns: number[] = []
  if (name === '') return columns
  const needsLeft = isIdentifierCharacter(name.codePointAt(0))
  const needsRight = isIdentifierCharacter(codePointBefore(name, name.length))
  let offset = lineText.indexOf(name)
  while (offset !== -1) {
    const end = offset + name.length
    const isWhole =
      !(needsLeft && isIdentifierCharacter(codePointBefore(lineText, offset))) &&
      !(needsRight && isIdentifierCharacter(lineText.codePointAt(end)))
    if (isWhole) columns.push(fromIndex(offset))
    offset = lineText.indexOf(name, isWhole ? end : offset + 1)
  }
  return columns
}

/** Every identifier of the line, keywords included; numbers are not identifiers. */
export function identifiersOn(lineText: string): Identifier[] {
  const found: Identifier[] = []
  for (const match of lineText.matchAll(words)) {
    if (identifierStart.test(match[0])) found.push({ name: match[0], column: fromIndex(match.index) })
  }
  return found
}

/** The identifier at the column, or the one that ends right before it. */
export function identifierAt(lineText: string, column: number): Identifier | undefined {
  if (!(column >= 1) || toIndex(column) > lineText.length) return undefined
  let start = characterEdge(lineText, toIndex(column))
  for (;;) {
    const before = codePointBefore(lineText, start)
    if (before === undefined || !isIdentifierCharacter(before)) break
    start -= widthOf(before)
  }
  let end = start
  for (;;) {
    const after = lineText.codePointAt(end)
    if (after === undefined || !isIdentifierCharacter(after)) break
    end += widthOf(after)
  }
  const name = lineText.slice(start, end)
  return identifierStart.test(name) ? { name, column: fromIndex(start) } : undefined
}

const lineFeed = 10
const carriageReturn = 13

// JavaScript also allows the two joiners inside a name, and so do languages written with them.
const words = /[\p{ID_Continue}$\u200c\u200d]+/gu
const identifierStart = /^[\p{ID_Start}$_]/u
const identifierCharacter = /^[\p{ID_Continue}$\u200c\u200d]$/u

// LSP counts \r\n, \n and \r as line ends and nothing else: U+2028 and U+2029 are characters of their line,
// although JavaScript itself ends a line there.
function lineStartsOf(text: string): number[] {
  const starts = [0]
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    return starts
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === lineFeed) starts.push(at + 1)
    else if (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed) starts.push(at + 1)
  }
  return starts
}

function isIdentifierCharacter(code: number | undefined): boolean {
  if (code === undefined) return false
  if (code < 0x80) {
    return (
      (code >= 97 && code <= 122) || // a-z
      (code >= 65 && code <= 90) || // A-Z
      (code >= 48 && code <= 57) || // 0-9
      code === 95 || // _
      code === 36 // $
    )
  }
  return identifierCharacter.test(String.fromCodePoint(code))
}

function codePointBefore(text: string, offset: number): number | undefined {
  if (offset <= 0) return undefined
  const pair = offset >= 2 ? text.codePointAt(offset - 2) : undefined
  return pair !== undefined && pair > 0xffff ? pair : text.codePointAt(offset - 1)
}

function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1
}
