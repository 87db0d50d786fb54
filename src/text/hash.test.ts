import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentHash } from './hash.js'

it('W08 the hash of a content is the SHA-256 of its bytes, also when given as text', () => {
  expect(contentHash('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const expected = `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`
      expect(contentHash(text)).toBe(expected)
      expect(contentHash(Buffer.from(text))).toBe(expected)
    }),
  )
})
