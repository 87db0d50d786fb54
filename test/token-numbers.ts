// Semantic tokens as the protocol sends them: five numbers to a token, each place relative to the token before. Written from
// the specification, so that the product's decoder is not tested against itself.

export interface PlainToken {
  readonly line: number
  readonly from: number
  readonly length: number
  readonly type: number
  /** Indexes into the legend. */
  readonly modifiers: readonly number[]
}

/** The tokens must be in order. */
export function tokenNumbers(tokens: readonly PlainToken[]): number[] {
  let [lastLine, lastFrom] = [0, 0]
  return tokens.flatMap(({ line, from, length, type, modifiers }) => {
    const start = line === lastLine ? from - lastFrom : from
    const set = modifiers.reduce((sum, bit) => sum + 2 ** bit, 0)
    const numbers = [line - lastLine, start, length, type, set]
    lastLine = line
    lastFrom = from
    return numbers
  })
}
