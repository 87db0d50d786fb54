import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { cleanLine, cleanText } from './clean.js'

const pieces = fc.oneof(
  fc.constantFrom(
    'word',
    ' ',
    '\n',
    '\t',
    '\r\n',
    '\r',
    '\u2028',
    '\u{1f600}',
    '\u05d0',
    'e\u0301',
    '\ufe0f',
    '\x9b1m',
  ),
  fc.constantFrom(
    '\x1b[31m',
    '\x1b]8;;http://x\x07',
    '\x1b]0;t',
    '\x1bc',
    '\x1b',
    '[0m',
    '\x07',
    '\x9c',
    '\x90q',
  ),
  fc.constantFrom(
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u{e0041}',
    '\u{e0100}',
    '\u3164',
    '\u00ad',
  ),
  fc.constantFrom('\ud83d', '\ude00', '\udb40', '\udc41'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const hostile = fc.array(pieces, { maxLength: 40 }).map(parts => parts.join(''))
const hidden =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}\p{Surrogate}]/u

describe('reliability 3.5 text of servers', () => {
  it('reliability 3.5 nothing that hides or commands is left, and cleaning again changes nothing', () => {
    fc.assert(
      fc.property(hostile, text => {
        const clean = cleanText(text, 1e6)
        expect(clean.text).not.toMatch(hidden)
        expect(cleanText(clean.text, 1e6)).toEqual({ text: clean.text, removed: 0 })
        const line = cleanLine(text, 1e6)
        expect(line.text).not.toMatch(hidden)
        expect(line.text).not.toMatch(/\n|^\s|\s$/)
        expect(line.removed).toBe(clean.removed)
      }),
    )
  })

  it('reliability 3.5 plain text of every script is left as it is', () => {
    const plain = fc
      .array(
        fc.constantFrom(
          'a',
          '\n',
          '\t',
          ' ',
          '\u00e9',
          'e\u0301',
          '\u4e2d',
          '\u05d0',
          '\u0627',
          '\u{1f600}',
          '\u2764\ufe0f',
        ),
      )
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(plain, text => {
        expect(cleanText(text, 1e6)).toEqual({ text, removed: 0 })
      }),
    )
  })

  it.each([
    ['colour', '\x1b[1;31mred\x1b[0m', 'red', 11],
    ['8-bit colour', '\x9b31mred', 'red', 4],
    ['a link', '\x1b]8;;http://x\x07text\x1b]8;;\x1b\\', 'text', 21],
    ['an unfinished sequence', 'a\x1b]0;b', 'a0;b', 2],
    ['a sequence built by removing another', 'a\x1b\x1b[0m[31mb', 'a[31mb', 5],
    ['a bidirectional override', 'a\u202eb\u2066c\u2069', 'abc', 3],
    ['a hidden message in tags', `ok${[...'run'].map(tag).join('')}`, 'ok', 3],
    ['a tag put together from halves', 'a\udb40\x1b[0m\udc41b', 'ab', 5],
    ['zero width', 'a\u200bb\ufeffc\u2060', 'abc', 3],
    ['a joined family', '\u{1f468}\u200d\u{1f469}', '\u{1f468}\u{1f469}', 1],
    ['a lone surrogate', 'a\ud800b', 'ab', 1],
    ['other controls', 'a\0b\x07c\x7fd\x85e', 'abcde', 4],
    ['other line ends, which are not counted', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd', 0],
  ])('reliability 3.5 %s', (_, text, expected, removed) => {
    expect(cleanText(text, 100)).toEqual({ text: expected, removed })
  })
})

describe('P16 length', () => {
  it('P16 is bounded at the edge of a character, with a mark when something is missing', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: -1, max: 60 }), (text, maxLength) => {
        for (const clean of [cleanText, cleanLine]) {
          const whole = clean(text, 1e6).text
          const bounded = clean(text, maxLength).text
          expect(bounded.length).toBeLessThanOrEqual(Math.max(maxLength, 0))
          expect(bounded).not.toMatch(/\p{Surrogate}/u)
          if (whole.length <= maxLength) expect(bounded).toBe(whole)
          else if (maxLength >= 1) {
            expect(bounded.endsWith('\u2026')).toBe(true)
            expect(whole.startsWith(bounded.slice(0, -1))).toBe(true)
            expect(bounded.length).toBeGreaterThanOrEqual(maxLength - 1)
          }
        }
      }),
    )
  })

  it('P16 marks a text whose rest was never looked at', () => {
    expect(cleanText(`${'\u200b'.repeat(10_000)}secret`, 10).text).toBe('\u2026')
  })

  it.each(['\x1b[', '\x1b]', '\x9d', '\x1b', '\u200b', ' ', ' \n', '\x1b[0'])(
    'P16 twenty million characters of %j cost no time',
    unit => {
      const text = unit.repeat(20_000_000 / unit.length)
      const spent = countCpuTime()
      cleanText(text, 40_000)
      cleanLine(text, 40_000)
      expect(spent()).toBeLessThan(1000)
    },
  )

  it('reliability 3.5 a line is made of the trimmed lines', () => {
    expect(cleanLine('  a \r\n\n\t b\tc \n', 100).text).toBe('a b\tc')
    expect(cleanLine('\n \t\n', 100).text).toBe('')
  })
})

function tag(letter: string): string {
  return String.fromCodePoint(0xe0000 + letter.charCodeAt(0))
}
