import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clean, collectTail } from './stderr-tail.js'

async function tailOf(chunks: readonly (string | Buffer)[]): Promise<string> {
  const stream = new PassThrough()
  const tail = collectTail(stream)
  for (const chunk of chunks) stream.write(chunk)
  await new Promise(resolve => stream.end(resolve))
  await new Promise(setImmediate)
  return tail()
}

describe('F14 the tail of stderr', () => {
  test('F14 is the end of what was written, however it was cut into chunks', async () => {
    // Sizes on both sides of the ring and of the tail.
    const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(sizes, async lengths => {
        let next = 0
        const chunks = lengths.map(length => {
          const letters = Buffer.alloc(length)
          for (let at = 0; at < length; at += 1) letters[at] = 97 + (next++ % 26)
          return letters
        })
        expect(await tailOf(chunks)).toBe(Buffer.concat(chunks).subarray(-4096).toString())
      }),
      { numRuns: 50 },
    )
  })

  test('F14 is empty when nothing was written', async () => {
    expect(await tailOf([])).toBe('')
  })

  test('F14 no character is cut in half', async () => {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const tail = await tailOf([lead, '\u{1f600}'.repeat(30_000)])
      expect(tail).toBe('\u{1f600}'.repeat(1024))
    }
  })
})

describe('S05 the tail cannot steer a terminal or a model', () => {
  test('S05 no control, escape, direction or tag character remains', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '\x1b',
        '\x1b[',
        '\x9b',
        '\x1b]',
        '\x07',
        '\x1b\\',
        '31m',
        '8;;http://x',
        '\r',
        '\n',
        '\t',
      ),
      fc.constantFrom('\u202e', '\u200b', '\u{e0041}', '\ufeff', '\x00', '\x7f'),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(unit), parts => {
        const text = clean(parts.join(''))
        expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/)
        expect(text).not.toMatch(/[\u{e0000}-\u{e007f}]/u)
      }),
    )
  })

  test.each([
    ['\x1b[1;31merror\x1b[0m: no', 'error: no'],
    ['\x1b]8;;http://x\x07link\x1b]8;;\x07', 'link'],
    ['\x1b]0;title\x1b\\text', 'text'],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['plain\ttext\n', 'plain\ttext\n'],
  ])('S05 %j', (dirty, expected) => {
    expect(clean(dirty)).toBe(expected)
  })
})
