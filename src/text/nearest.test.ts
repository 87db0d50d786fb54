// "Did you mean" is only worth saying when it is likely: what is close is found, what is not is left alone.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearest } from './nearest.js'

const fields = ['file', 'line', 'column', 'symbol', 'include_declaration', 'root_markers']

test.each([
  ['simbol', ['symbol']],
  ['symbl', ['symbol']],
  ['smybol', ['symbol']],
  ['Symbol', ['symbol']],
  ['lnie', ['line']],
  ['rootMarkers', ['root_markers']],
  ['root-markers', ['root_markers']],
  ['includeDeclaration', ['include_declaration']],
  ['path', []],
  ['xylophone', []],
  ['', []],
])('K02 what %j may mean', (word, expected) => {
  expect(nearest(word, fields, 1)).toEqual(expected)
})

test('K02 the closest comes first, and no more than asked for', () => {
  expect(nearest('area', ['areas', 'area', 'arena', 'are'], 3)).toEqual(['area', 'areas', 'arena'])
  expect(nearest('area', ['area', 'area'], 3)).toEqual(['area'])
  expect(nearest('area', ['area'], 0)).toEqual([])
})

test('K02 one slip of the pen in a longer word is always forgiven', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 3, maxLength: 30 })
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'replace'), (meant, at, slip) => {
      const index = at % meant.length
      const head = meant.slice(0, index)
      const [here = '', next = ''] = meant.slice(index)
      const tail = meant.slice(index + 1)
      const typed = {
        drop: head + tail,
        double: head + here + here + tail,
        swap: head + next + here + tail.slice(1),
        replace: `${head}z${tail}`,
      }[slip]
      expect(nearest(typed, [meant, 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq'], 1)).toEqual([meant])
    }),
  )
})

test('W16 an endless word is answered at once', () => {
  const endless = 'x'.repeat(5_000_000)
  expect(nearest(endless, fields, 3)).toEqual([])
  expect(nearest('symbol', [endless, 'symbol'], 3)).toEqual(['symbol'])
})
