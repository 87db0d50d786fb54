import { type Line, total } from './cart.js'

export function receipt(lines: readonly Line[]): string {
  const { cents, currency } = total(lines)
  return `${(cents / 100).toFixed(2)} ${currency}`
}
