// Handles of symbols: self-contained (they work in another process and need no memory), and bound to the text of their
// line, so that an edit elsewhere in the file moves them and an edit of the line makes them stale instead of wrong. Of
// several equal lines only the unchanged file can tell which one is meant, so its content is part of the handle too.
import { BridgeError } from '../errors.js'
import { contentHash } from '../text/hash.js'
import type { SourceFile } from '../workspace/source-file.js'
import { ambiguous, candidatesOn, type FoundSymbol } from './candidates.js'
import { joinPath } from './symbol-path.js'

export interface SymbolHandle {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly symbol: string
  /** Of the line's text. */
  readonly mark: string
  /** The file had another line with the same text. */
  readonly hasTwin: boolean
  /** The beginning of the file's content hash. */
  readonly content: string
}

type HandlePlace = Pick<SymbolHandle, 'line' | 'column' | 'symbol'>

export function formatHandle({ line, column, symbol }: HandlePlace, source: SourceFile): string {
  const lineText = source.text.line(line) ?? ''
  const twin = occursTwice(source.text.text, lineText) ? '+' : ''
  const mark = `${markOf(lineText)}${twin}${shortened(source.content)}`
  const file = source.relative.replaceAll('%', '%25').replaceAll('#', '%23')
  return `s:${mark}:${line}:${column}:${file}#${symbol}`
}

export function parseHandle(written: string): SymbolHandle {
  const parts = /^s:([0-9a-f]{6})(\+?)([0-9a-f]{6}):(\d+):(\d+):([^#]*)#(.+)$/s.exec(written)
  if (parts === null) throw wrongHandle(written)
  const [, mark = '', twin, content = '', line = '', column = '', file = '', symbol = ''] = parts
  return {
    mark,
    hasTwin: twin === '+',
    content,
    line: Number(line),
    column: Number(column),
    file: file.replaceAll('%23', '#').replaceAll('%25', '%'),
    symbol,
  }
}

/** The line the handle was made for, wherever it is now. */
export function locateHandle(source: SourceFile, handle: SymbolHandle): FoundSymbol {
  const { line, column, symbol, mark, hasTwin, content } = handle
  const text = source.text.line(line)
  const isThere = text !== undefined && markOf(text) === mark && column <= text.length
  if (isThere && shortened(source.content) === content) return { line, column, symbol }
  const equal = linesMarked(source, mark, symbol)
  const [only] = equal
  if (only !== undefined && equal.length === 1 && !hasTwin) {
    const found = { line: only, column, symbol }
    return only === line ? found : { ...found, note: `the line moved from ${line} to ${only}` }
  }
  if (only !== undefined) {
    const occurrences = equal.flatMap(on => candidatesOn(source, on, symbol))
    const candidates = occurrences.filter(candidate => candidate.column === column)
    throw ambiguous(source.relative, symbol, candidates)
  }
  throw new BridgeError({
    kind: 'SymbolNotFound',
    message: `the handle is stale: the line it was made for (${source.relative}:${line}) has changed`,
    hint: `Point at it anew, for instance with file ${source.relative} and symbol ${joinPath([symbol])}.`,
  })
}

function linesMarked(source: SourceFile, mark: string, symbol: string): number[] {
  // Only lines with the name are worth a hash, unless the name is the server's own and stands nowhere.
  const isWritten = source.text.text.includes(symbol)
  const found: number[] = []
  for (let line = 1; line <= source.text.lineCount; line += 1) {
    const text = source.text.line(line) ?? ''
    if ((!isWritten || text.includes(symbol)) && markOf(text) === mark) found.push(line)
  }
  return found
}

function markOf(lineText: string): string {
  return shortened(contentHash(lineText))
}

function occursTwice(text: string, lineText: string): boolean {
  let count = 0
  for (let at = text.indexOf(lineText); at !== -1 && count < 2; at = text.indexOf(lineText, at + 1)) {
    if (isLineEdge(text, at - 1) && isLineEdge(text, at + lineText.length)) count += 1
  }
  return count === 2
}

function isLineEdge(text: string, index: number): boolean {
  return index < 0 || index >= text.length || text[index] === '\n' || text[index] === '\r'
}

function shortened(hash: string): string {
  return hash.slice('sha256:'.length, 'sha256:'.length + 6)
}

const otherHandles: Readonly<Record<string, string>> = {
  'p:': 'a proposal: give it to apply_edit',
  'c:': 'a change: give it to check_change',
}

function wrongHandle(written: string): BridgeError {
  const other = otherHandles[written.slice(0, 2)]
  return new BridgeError({
    kind: 'InvalidArguments',
    message: other === undefined ? 'this is no handle of a symbol' : `this is the handle of ${other}`,
    hint: 'Handles of symbols begin with "s:" and are taken verbatim from an earlier answer; file and symbol work as well.',
  })
}
