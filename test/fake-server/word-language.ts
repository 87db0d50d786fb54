// The little language the fake server understands, so that the truth of an answer can be read off the text:
// `def NAME` and `class NAME` define, every whole word is a use, every line with ERROR in it is an error, and one with
// WARNING a warning.
import { type Encoding, linesOf, type Position, type Range, rangeIn, toIndex } from './columns.js'
import type { SourceFile } from './world.js'

export interface Location {
  readonly uri: string
  readonly range: Range
}

export interface Symbol {
  readonly name: string
  readonly kind: number
  readonly range: Range
  readonly selectionRange: Range
  readonly children: Symbol[]
}

/** Protocol numbers. */
const kinds = { class: 5, method: 6, function: 12 }

export interface Word {
  readonly name: string
  readonly range: Range
}

export function wordAt(text: string, position: Position, encoding: Encoding): Word | undefined {
  const line = linesOf(text)[position.line] ?? ''
  const index = toIndex(line, position.character, encoding)
  const found = wordsOf(line).find(({ from, to }) => from <= index && index <= to)
  return found && { name: found.name, range: rangeIn(line, { line: position.line, ...found }, encoding) }
}

export function occurrences(files: readonly SourceFile[], name: string, encoding: Encoding): Location[] {
  return files.flatMap(({ uri, text }) =>
    linesOf(text).flatMap((content, line) =>
      wordsOf(content)
        .filter(word => word.name === name)
        .map(({ from, to }) => ({ uri, range: rangeIn(content, { line, from, to }, encoding) })),
    ),
  )
}

export function definitions(files: readonly SourceFile[], name: string, encoding: Encoding): Location[] {
  return files.flatMap(({ uri, text }) =>
    flat(symbolsOf(text, encoding))
      .filter(symbol => symbol.name === name)
      .map(symbol => ({ uri, range: symbol.selectionRange })),
  )
}

/** Nested by indentation: a block goes on as long as its lines are indented deeper than its first. */
export function symbolsOf(text: string, encoding: Encoding): Symbol[] {
  const lines = linesOf(text)
  const top: Symbol[] = []
  const around: { indent: number; symbol: Symbol }[] = []
  for (const [number, line] of lines.entries()) {
    const match = /^(\s*)(def|class)\s+([\p{L}\p{N}_]+)/u.exec(line)
    if (match === null) continue
    const [whole, space = '', keyword, name = ''] = match
    while ((around.at(-1)?.indent ?? -1) >= space.length) around.pop()
    const parent = around.at(-1)?.symbol
    const last = endOfBlock(lines, number, space.length)
    const symbol: Symbol = {
      name,
      kind: keyword === 'class' ? kinds.class : parent?.kind === kinds.class ? kinds.method : kinds.function,
      range: {
        start: rangeIn(line, { line: number, from: space.length, to: space.length }, encoding).start,
        end: rangeIn(last.text, { line: last.number, from: 0, to: last.text.length }, encoding).end,
      },
      selectionRange: rangeIn(
        line,
        { line: number, from: whole.length - name.length, to: whole.length },
        encoding,
      ),
      children: [],
    }
    if (parent === undefined) top.push(symbol)
    else parent.children.push(symbol)
    around.push({ indent: space.length, symbol })
  }
  return top
}

export function flat(symbols: readonly Symbol[]): Symbol[] {
  return symbols.flatMap(symbol => [symbol, ...flat(symbol.children)])
}

export function diagnosticsOf(text: string, encoding: Encoding) {
  return linesOf(text).flatMap((line, number) => {
    const isError = line.includes('ERROR')
    if (!isError && !line.includes('WARNING')) return []
    const message = line.trim()
    const from = line.indexOf(message)
    const range = rangeIn(line, { line: number, from, to: from + message.length }, encoding)
    const code = isError ? 'error-line' : 'warning-line'
    return [{ range, severity: isError ? 1 : 2, source: 'fake', code, message }]
  })
}

function wordsOf(line: string): { name: string; from: number; to: number }[] {
  return [...line.matchAll(/[\p{L}\p{N}_]+/gu)].map(({ 0: name, index: from }) => ({
    name,
    from,
    to: from + name.length,
  }))
}

function endOfBlock(lines: readonly string[], start: number, indent: number) {
  let last = { number: start, text: lines[start] ?? '' }
  for (const [offset, text] of lines.slice(start).entries()) {
    if (offset === 0 || text.trim() === '') continue
    if (text.length - text.trimStart().length <= indent) break
    last = { number: start + offset, text }
  }
  return last
}
