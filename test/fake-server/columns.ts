// Lines and columns in the three encodings of the protocol, 0-based. Written here a second time on purpose: were
// the fake to use the product's own converter, a fault in it would cancel out and no test would see it.

export type Encoding = 'utf-8' | 'utf-16' | 'utf-32'

export interface Position {
  readonly line: number
  readonly character: number
}

export interface Range {
  readonly start: Position
  readonly end: Position
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/)
}

/** How far into the line a string index is. */
export function toCharacter(line: string, index: number, encoding: Encoding): number {
  const before = line.slice(0, index)
  if (encoding === 'utf-8') return Buffer.byteLength(before)
  return encoding === 'utf-32' ? [...before].length : before.length
}

/** The string index of a column; past the end it is the line's end, as the protocol asks for. */
export function toIndex(line: string, character: number, encoding: Encoding): number {
  let index = 0
  let passed = 0
  for (const codePoint of line) {
    if (passed >= character) return index
    index += codePoint.length
    passed += toCharacter(codePoint, codePoint.length, encoding)
  }
  return index
}

export function rangeIn(
  line: string,
  at: { line: number; from: number; to: number },
  encoding: Encoding,
): Range {
  const position = (index: number) => ({ line: at.line, character: toCharacter(line, index, encoding) })
  return { start: position(at.from), end: position(at.to) }
}

export function offsetAt(text: string, position: Position, encoding: Encoding): number {
  let start = 0
  for (let line = 0; line < position.line; line++) {
    const end = /\r\n|\n|\r/g
    end.lastIndex = start
    const match = end.exec(text)
    if (match === null) return text.length
    start = match.index + match[0].length
  }
  const line = /[^\r\n]*/y
  line.lastIndex = start
  return start + toIndex(line.exec(text)?.[0] ?? '', position.character, encoding)
}
