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
const mostTries = 8

/** `pieces` best first; so is the result. */
export function pack(pieces: readonly Piece[], { budget, count, measure }: PackOptions): Pack {
  const chosen = new Map<Piece, Packed>()
  const result = (): Pack => {
    const packed = pieces.flatMap(piece => chosen.get(piece) ?? [])
    const leftOut = pieces.filter(piece => !chosen.has(piece)).map(leftOutOf)
    return { packed, leftOut, tokens: measure(packed, leftOut) }
  }
  let used = result().tokens
  for (const piece of pieces) {
    const room = budget - used - surroundings
    const lines = piece.forms.find(form => count(textOf(piece, form)) <= room)
    if (lines === undefined) continue
    chosen.set(piece, { piece, lines })
    used += count(textOf(piece, lines)) + surroundings
  }
  let last = result()
  for (const { piece } of last.packed.toReversed()) {
    if (last.tokens <= budget) break
    chosen.delete(piece)
    last = result()
  }
  // Pieces that share a heading or a file cost less than they were counted for, so there may be room for some more.
  for (const piece of pieces.filter(other => !chosen.has(other)).slice(0, mostTries)) {
    const lines = piece.forms.at(-1)
    if (lines === undefined || last.tokens + count(lines.join('\n')) > budget) continue
    chosen.set(piece, { piece, lines })
    const more = result()
    if (more.tokens <= budget) last = more
    else chosen.delete(piece)
  }
  return last
}

function leftOutOf(piece: Piece): LeftOut {
  return { kind: piece.kind, target: targetOf(piece), reason: 'budget' }
}
