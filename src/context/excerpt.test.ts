import { expect, test } from 'vitest'
import { parseExcerpt, Seen } from './excerpt.js'

test('contract 7 a path, and a path with lines', () => {
  expect(parseExcerpt('src/a.ts')).toEqual({ path: 'src/a.ts', span: undefined })
  expect(parseExcerpt('src/a.ts:10-40')).toEqual({ path: 'src/a.ts', span: { first: 10, last: 40 } })
  expect(parseExcerpt('C:\\a.ts:7')).toEqual({ path: 'C:\\a.ts', span: { first: 7, last: 7 } })
  expect(parseExcerpt('a.ts:9-3').span).toEqual({ first: 9, last: 9 })
})

test('contract 7 what is seen is seen as a whole or not', () => {
  const seen = new Seen()
  seen.add('a', { first: 5, last: 9 })
  expect(seen.has('a', { first: 5, last: 9 })).toBe(true)
  expect(seen.has('a', { first: 4, last: 6 })).toBe(false)
  expect(seen.hasWhole('a', 9)).toBe(false)
  seen.add('a', undefined)
  expect(seen.hasWhole('a', 9)).toBe(true)
  expect(seen.has('b', { first: 1, last: 1 })).toBe(false)
})
