// The shape of a file as a server sees it: what encloses a position, and what can be folded.
import { isRecord, list, malformed, optionalText, parseRange, record, type ServerRange } from './parse.js'

export interface ServerFold {
  /** From the end of its first line to the end of its last one, unless the server says more exactly. */
  readonly startLine: number
  readonly startCharacter: number | undefined
  readonly endLine: number
  readonly endCharacter: number | undefined
  readonly kind: string | undefined
}

/** The ranges around the one position that was asked about, inner to outer; each is contained in the next. */
export function parseSelectionRanges(result: unknown): ServerRange[] {
  if (result === null || result === undefined) return []
  const [first] = list(result, 'selection ranges')
  const ranges: ServerRange[] = []
  let next: unknown = first
  while (isRecord(next)) {
    const range = parseRange(next.range)
    const inner = ranges.at(-1)
    // Several kinds of syntax may have the same extent, which is one selection all the same; and rust-analyzer begins
    // with the cursor itself, which is none.
    const isNew = inner === undefined || !isSame(inner, range)
    if (isNew && !isSame(range, { start: range.start, end: range.start })) ranges.push(range)
    next = next.parent
  }
  return ranges
}

export function parseFoldingRanges(result: unknown): ServerFold[] {
  if (result === null || result === undefined) return []
  return list(result, 'folding ranges').map(value => {
    const { startLine, startCharacter, endLine, endCharacter, kind } = record(value, 'a folding range')
    if (typeof startLine !== 'number' || typeof endLine !== 'number')
      throw malformed('a folding range', value)
    return {
      startLine,
      startCharacter: typeof startCharacter === 'number' ? startCharacter : undefined,
      endLine,
      endCharacter: typeof endCharacter === 'number' ? endCharacter : undefined,
      kind: optionalText(kind),
    }
  })
}

function isSame(a: ServerRange, b: ServerRange): boolean {
  return (
    a.start.line === b.start.line &&
    a.start.character === b.start.character &&
    a.end.line === b.end.line &&
    a.end.character === b.end.character
  )
}
