import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from './nearest.js'

const keys = ['servers', 'preset', 'languages', 'prewarm', 'idle_seconds', 'timeout_ms', 'root_markers']

test('K02 a slip of the pen, another dialect and a swap find the key; another word does not', () => {
  expect(nearest('sevrers', keys)).toBe('servers')
  expect(nearest('rootMarkers', keys)).toBe('root_markers')
  expect(nearest('Idle-Seconds', keys)).toBe('idle_seconds')
  expect(nearest('langauge', keys)).toBe('languages')
  expect(nearest('banana', keys)).toBeUndefined()
  expect(nearest('x'.repeat(1_000_000), keys)).toBeUndefined()
})

test('K02 the distance is symmetric, zero only for equal words, and one for one edit', () => {
  const word = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a))
      expect(editDistance(a, b) === 0).toBe(a === b)
      expect(editDistance(a, `${a}x`)).toBe(1)
    }),
  )
})
