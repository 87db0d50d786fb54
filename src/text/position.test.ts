import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { BridgeError } from '../errors.js'
import { SourceText } from './lines.js'
import {
  type PositionEncoding,
  toPublicPosition,
  toPublicPositionIn,
  toServerPosition,
  validateLine,
  validatePosition,
} from './position.js'

const encodings: PositionEncoding[] = ['utf-8', 'utf-16', 'utf-32']

// Pieces whose widths differ between the encodings: ASCII, tab, two and three bytes, astral, a combining mark, a
// joined family, right-to-left text, a line separator that ends no line.
const pieces = fc.oneof(
  fc.constantFrom('a', '\t', ' ', '\u00e9', 'e\u0301', '\u4e2d', '\u{1f600}', '\u{1d4d0}', '\u05d0\u05d1'),
  fc.constantFrom('\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u2028', '\ufeff'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }).map(text => text.replace(/[\r\n]/g, '-')),
)
const lineTexts = fc.array(pieces, { maxLength: 40 }).map(parts => parts.join(''))
const anyEncoding = fc.constantFrom(...encodings)
const junkNumbers = fc.oneof(
  fc.constantFrom(-1, -0, 2 ** 53, 2 ** 31, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY, -Infinity, 1.5),
  fc.integer(),
  fc.double(),
)

describe('W14 conversion between public and server positions', () => {
  it('W14 agrees with an encoder about every character edge', () => {
    fc.assert(
      fc.property(lineTexts, lineText => {
        let before = ''
        for (const character of [...lineText, '']) {
          const position = { line: 7, column: before.length + 1 }
          const expected: Record<PositionEncoding, number> = {
            'utf-8': Buffer.byteLength(before),
            'utf-16': before.length,
            'utf-32': [...before].length,
          }
          for (const encoding of encodings) {
            const server = toServerPosition(lineText, position, encoding)
            expect(server).toEqual({ line: 6, character: expected[encoding] })
            expect(toPublicPosition(lineText, server, encoding)).toEqual(position)
          }
          before += character
        }
      }),
    )
  })

  it('W14 rounds a server offset inside a character down to its start', () => {
    fc.assert(
      fc.property(lineTexts, anyEncoding, fc.nat(200), (lineText, encoding, character) => {
        const { column } = toPublicPosition(lineText, { line: 0, character }, encoding)
        const back = toServerPosition(lineText, { line: 1, column }, encoding).character
        expect(back).toBeLessThanOrEqual(character)
        const following = [...lineText.slice(column - 1)][0]
        if (following === undefined) return
        const next = toServerPosition(lineText, { line: 1, column: column + following.length }, encoding)
        expect(next.character).toBeGreaterThan(character)
      }),
    )
  })

  it('W14 rounds a column inside a surrogate pair down', () => {
    for (const encoding of encodings) {
      expect(toServerPosition('\u{1f600}', { line: 1, column: 2 }, encoding).character).toBe(0)
      expect(toPublicPosition('\u{1f600}', { line: 0, character: 1 }, 'utf-16').column).toBe(1)
    }
  })

  it('W13 converts in texts of mixed line ends', () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(fc.array(fc.tuple(lineTexts, ends)), anyEncoding, (parts, encoding) => {
        const text = parts.map(([lineText, end]) => lineText + end).join('')
        const source = new SourceText(text)
        text.split(/\r\n|\n|\r/).forEach((lineText, index) => {
          const { character } = toServerPosition(lineText, endOf(lineText), encoding)
          const place = toPublicPositionIn(source, { line: index, character }, encoding)
          expect(place).toEqual({ line: index + 1, column: lineText.length + 1, clamped: false })
        })
      }),
    )
  })
})

describe('P17 positions that servers should not send', () => {
  it('P17 clamps whatever arrives to a place that exists', () => {
    fc.assert(
      fc.property(lineTexts, junkNumbers, junkNumbers, anyEncoding, (lineText, line, character, encoding) => {
        const source = new SourceText(lineText)
        const inside = toPublicPositionIn(source, { line, character }, encoding)
        expect(inside.line).toBe(1)
        expect(validatePosition(source, inside)).toBe(lineText)
        expect(inside.clamped).toBe(!(line === 0 && isExact(lineText, character, encoding)))
        const alone = toPublicPosition(undefined, { line, character }, encoding)
        for (const value of [alone.line, alone.column]) {
          expect(Number.isSafeInteger(value) && value >= 1).toBe(true)
        }
      }),
    )
  })

  it('P17 moves a line past the end to the end of the text and says so', () => {
    const source = new SourceText('one\ntwo')
    const end = { line: 2, column: 4, clamped: true }
    expect(toPublicPositionIn(source, { line: 2, character: 0 }, 'utf-16')).toEqual(end)
    expect(toPublicPositionIn(source, { line: 2 ** 53, character: 9 }, 'utf-8')).toEqual(end)
    expect(toPublicPositionIn(source, { line: 1, character: 9 }, 'utf-8')).toEqual(end)
  })
})

describe('W15 positions that callers should not send', () => {
  const source = new SourceText('ab\n\n\u{1f600}x')

  it.each([
    [0, 1, '0 is not a line number', 'the file has 3 lines'],
    [-3, 1, '-3 is not a line number', 'the file has 3 lines'],
    [1.5, 1, '1.5 is not a line number', 'the file has 3 lines'],
    [Number.NaN, 1, 'NaN is not a line number', 'the file has 3 lines'],
    [2 ** 53, 1, 'is not a line number', 'the file has 3 lines'],
    [4, 1, 'line 4 is past the end of the file', 'the file has 3 lines'],
    [1, 0, '0 is not a column number', 'line 1 has 2 characters, so its last column is 3'],
    [1, 4, 'column 4 is past the end of line 1', 'line 1 has 2 characters, so its last column is 3'],
    [2, 2, 'column 2 is past the end of line 2', 'line 2 has 0 characters, so its last column is 1'],
    [3, 2, 'in the middle of a character', 'use 1 or 3'],
  ])('W15 refuses %d:%d with the real length', (line, column, message, hint) => {
    const error = thrown(() => validatePosition(source, { line, column }))
    expect(error.kind).toBe('InvalidArguments')
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
  })

  it('W15 allows every column up to the end of the line, and an empty file has one line', () => {
    expect(validatePosition(source, { line: 1, column: 3 })).toBe('ab')
    expect(validatePosition(source, { line: 3, column: 3 })).toBe('\u{1f600}x')
    expect(validatePosition(new SourceText(''), { line: 1, column: 1 })).toBe('')
    expect(thrown(() => validateLine(new SourceText(''), 2)).hint).toContain('1 line.')
  })
})

describe('W16 a line of a megabyte', () => {
  const block = 'const a = "\u{1f600}\u00e9\u4e2d";'
  const lineText = block.repeat(Math.ceil(2 ** 20 / block.length))

  it('W16 is exact far from the start', () => {
    fc.assert(
      fc.property(fc.nat(lineText.length), anyEncoding, (offset, encoding) => {
        const position = { line: 1, column: offset + 1 }
        const server = toServerPosition(lineText, position, encoding)
        const before = lineText.slice(0, offset).replace(/\p{Surrogate}$/u, '')
        const expected = {
          'utf-8': Buffer.byteLength(before),
          'utf-16': before.length,
          'utf-32': [...before].length,
        }
        expect(server.character).toBe(expected[encoding])
        expect(toPublicPosition(lineText, server, encoding).column).toBe(before.length + 1)
      }),
      { numRuns: 60 },
    )
  })

  it('W16 converts ten thousand places on it about as fast as one', () => {
    // Counting from the line's start each time would be ten thousand million steps, minutes instead of the
    // fraction of a second this takes.
    const spent = countCpuTime()
    let last = 0
    for (let place = 0; place < 10_000; place++) {
      const column = 1 + Math.floor((place * lineText.length) / 10_000 / block.length) * block.length
      last = toServerPosition(lineText, { line: 1, column }, 'utf-8').character
      expect(toPublicPosition(lineText, { line: 0, character: last }, 'utf-8').column).toBe(column)
    }
    expect(last).toBeGreaterThan(2 ** 20)
    expect(spent()).toBeLessThan(5000)
  })
})

function endOf(text: string) {
  return { line: 1, column: text.length + 1 }
}

function isExact(lineText: string, character: number, encoding: PositionEncoding): boolean {
  let before = ''
  for (const next of [...lineText, '']) {
    if (toServerPosition(lineText, endOf(before), encoding).character === character) return true
    before += next
  }
  return false
}

function thrown(action: () => unknown): BridgeError {
  try {
    action()
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
