// Fits ranked pieces into a budget of tokens: each in its longest form that still fits, the rest named as left out. What
// is counted in the end is the whole text as it is handed over, so the budget holds whatever a tokenizer makes of it.
import { type LeftOut, type Piece, targetOf, textOf } from './piece.js'
import type { CountTokens } from './tokens.js'

export interface Packed {
  readonly piece: Piece
  readonly lines: readonly string[]
}

export interface PackOptions {
  readonly budget: number
  readonly count: CountTokens
  /** The tokens of the whole text with these pieces in it, and with those left out told. */
  measure(packed: readonly Packed[], leftOut: readonly LeftOut[]): number
}

export interface Pack {
  readonly packed: readonly Packed[]
  readonly leftOut: readonly LeftOut[]
  readonly tokens: number
}

/** What a further piece costs besides its text: a heading, the name of its file. */
const surroundings = 4

/** `pieces` best first; so is the result. */
export function pack(pieces: readonly Piece[], { budget, count, measure }: PackOptions): Pack {
  const packed: Packed[] = []
  let used = measure([], pieces.map(leftOutOf))
  for (const piece of pieces) {
    const room = budget - used - surroundings
    const lines = piece.forms.find(form => count(textOf(piece, form)) <= room)
    if (lines === undefined) continue
    packed.push({ piece, lines })
    used += count(textOf(piece, lines)) + surroundings
  }
  for (;;) {
    const chosen = new Set(packed.map(({ piece }) => piece))
    const leftOut = pieces.filter(piece => !chosen.has(piece)).map(leftOutOf)
    const tokens = measure(packed, leftOut)
    if (tokens <= budget || packed.length === 0) return { packed, leftOut, tokens }
    packed.pop()
  }
}

function leftOutOf(piece: Piece): LeftOut {
  return { kind: piece.kind, target: targetOf(piece), reason: 'budget' }
}
