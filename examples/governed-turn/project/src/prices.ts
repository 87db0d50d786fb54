export interface Price {
  readonly cents: number
  readonly currency: 'EUR' | 'USD'
}

/** Adds up prices of one currency. */
export function sum(prices: readonly Price[]): Price {
  const [first] = prices
  if (first === undefined) throw new RangeError('no prices')
  return { cents: prices.reduce((total, { cents }) => total + cents, 0), currency: first.currency }
}

/** Takes off so many percent, rounded to whole cents. */
export function reduced(price: Price, percent: number): Price {
  return { ...price, cents: Math.round(price.cents * (1 - percent / 100)) }
}
