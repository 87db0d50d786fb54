// Handles of symbols: self-contained (they work in another process and need no memory), and bound to the text of their
// line, so that an edit elsewhere in the file moves them and an edit of the line makes them stale instead of wrong.

import { BridgeError } from '../errors.js'
import { contentHash } from '../text/hash.js'

export interface SymbolHandle {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly symbol: string
  /** Of the line's text. */
  readonly mark: string
}

export function formatHandle(handle: Omit<SymbolHandle, 'mark'>, lineText: string): string {
  const file = handle.file.replaceAll('%', '%25').replaceAll('#', '%23')
  return `s:${markOf(lineText)}:${handle.line}:${handle.column}:${file}#${handle.symbol}`
}

export function parseHandle(written: string): SymbolHandle {
  const parts = /^s:([0-9a-f]{6}):(\d+):(\d+):([^#]*)#(.+)$/s.exec(written)
  if (parts === null) throw wrongHandle(written)
  const [, mark = '', line = '', column = '', file = '', symbol = ''] = parts
  return {
    mark,
    line: Number(line),
    column: Number(column),
    file: file.replaceAll('%23', '#').replaceAll('%25', '%'),
    symbol,
  }
}

export function markOf(lineText: string): string {
  return contentHash(lineText).slice('sha256:'.length, 'sha256:'.length + 6)
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
