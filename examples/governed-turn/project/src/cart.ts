import { type Price, sum } from './prices.js'

export interface Line {
  readonly name: string
  readonly price: Price
}

export function total(lines: readonly Line[]): Price {
  return sum(lines.map(({ price }) => price))
}
