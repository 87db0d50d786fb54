// Which pieces come first, and which say what another already says. The order is the order of packing: what stands behind
// is left out when the room is used up.
import type { ContextKind, Piece } from './piece.js'

/** What the reader must know before anything else, down to what is good to know. */
const weights: Readonly<Record<ContextKind, number>> = {
  diagnostics: 100,
  workspace_symbol: 80,
  definition: 60,
  call_signature: 46,
  usage: 60,
  structure: 50,
  inlay_hints: 10,
}

/**
 * The first of a kind is worth most and each further one less, so that no kind takes the room of all the others.
 * `place` counts from 0 within its kind.
 */
export function worthOf(kind: ContextKind, place: number): number {
  return weights[kind] - Math.min(place * 2.5, 45)
}

/** Best first, without repeats: equal pieces, and source that another piece shows as part of its own. */
export function ranked(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = []
  const keys = new Set<string>()
  for (const piece of pieces.toSorted(byValue)) {
    const key = keyOf(piece)
    if (keys.has(key) || kept.some(other => shows(other, piece))) continue
    keys.add(key)
    kept.push(piece)
  }
  return kept
}

/** The same piece, whenever it was asked for. */
export function keyOf({ kind, file, line, column, symbol }: Piece): string {
  const group = describing.has(kind) ? 'source' : kind
  return [group, file, line, group === 'source' ? '' : column, symbol].join('\n')
}

/** These describe what a symbol is. */
const describing: ReadonlySet<ContextKind> = new Set(['workspace_symbol', 'definition'])

function shows(whole: Piece, part: Piece): boolean {
  if (!describing.has(whole.kind) || !describing.has(part.kind) || whole.file !== part.file) return false
  if (whole.line === undefined || whole.endLine === undefined || part.line === undefined) return false
  return whole.line <= part.line && part.line <= whole.endLine
}

function byValue(a: Piece, b: Piece): number {
  return b.value - a.value || compare(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0)
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
