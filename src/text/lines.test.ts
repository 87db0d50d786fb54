import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { identifierAt, identifiersOn, occurrences, SourceText } from './lines.js'

const texts = fc
  .array(
    fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\t', '\u{1f600}', '\f'),
  )
  .map(parts => parts.join(''))

describe('W13 lines', () => {
  it('W13 splits where LSP does and nowhere else', () => {
    fc.assert(
      fc.property(texts, text => {
        const source = new SourceText(text)
        const expected = text.split(/\r\n|\n|\r/)
        expect(source.lineCount).toBe(expected.length)
        expect(expected.map((_, index) => source.line(index + 1))).toEqual(expected)
        for (const missing of [0, -1, expected.length + 1, 1.5, Number.NaN]) {
          expect(source.line(missing)).toBeUndefined()
        }
      }),
    )
  })

  it('W13 takes offsets to positions and back', () => {
    fc.assert(
      fc.property(texts, text => {
        const source = new SourceText(text)
        for (let offset = 0; offset <= text.length; offset++) {
          const position = source.positionAt(offset)
          const inPair = text[offset] === '\n' && text[offset - 1] === '\r'
          expect(source.offsetAt(position)).toBe(inPair ? offset - 1 : offset)
          expect(position.line).toBe(text.slice(0, inPair ? offset - 1 : offset).split(/\r\n|\n|\r/).length)
        }
      }),
    )
  })

  it('W15 moves what lies outside to the edge', () => {
    const source = new SourceText('ab\r\ncd')
    expect(source.offsetAt({ line: 1, column: 99 })).toBe(2)
    expect(source.offsetAt({ line: 9, column: 1 })).toBe(6)
    expect(source.offsetAt({ line: -1, column: Number.NaN })).toBe(0)
    expect(source.positionAt(99)).toEqual({ line: 2, column: 3 })
    expect(source.positionAt(-1)).toEqual({ line: 1, column: 1 })
    expect(source.positionAt(Number.NaN)).toEqual({ line: 1, column: 1 })
  })
})

describe('occurrences of a name', () => {
  it.each([
    ['area(area, area2, _area, subarea)', 'area', [1, 6]],
    ['$area + area$ + area', 'area', [17]],
    ['caf\u00e9 caf', 'caf', [6]],
    ['e\u0301 e', 'e', [4]],
    ['\u{1d4d0}x x', 'x', [5]],
    ['x\u{1d4d0} x', 'x', [5]],
    ['\u{1f600}x', 'x', [3]],
    ['a.operator+ (b) operator+', 'operator+', [3, 17]],
    ['-x--x', '-x', [1, 4]],
    ['impl Shape for Circle {', 'impl Shape for Circle', [1]],
    ['path/to path/to2', 'path/to', [1]],
    ['aaa', 'a', []],
    ['----', '--', [1, 3]],
    ['anything', '', []],
    ['', 'a', []],
  ])('contract 3.1 in %j finds %j at %j', (lineText, name, columns) => {
    expect(occurrences(lineText, name)).toEqual(columns)
  })

  it('contract 3.1 finds every identifier of a line where it stands, and only whole ones', () => {
    const parts = fc.constantFrom(
      'a',
      'ab',
      '$',
      '_',
      '1',
      '.',
      ' ',
      '-',
      '\u00e9',
      '\u0301',
      '\u{1d4d0}',
      '\u{1f600}',
    )
    const lineTexts = fc.array(parts, { maxLength: 30 }).map(list => list.join(''))
    fc.assert(
      fc.property(lineTexts, lineText => {
        const found = identifiersOn(lineText)
        for (const { name, column } of found) {
          expect(lineText.slice(column - 1, column - 1 + name.length)).toBe(name)
          expect(occurrences(lineText, name)).toContain(column)
          for (let inside = column; inside <= column + name.length; inside++) {
            expect(identifierAt(lineText, inside)).toEqual({ name, column })
          }
        }
        const names = new Set(found.map(({ name }) => name))
        for (const name of names) {
          const columns = found.filter(other => other.name === name).map(({ column }) => column)
          expect(occurrences(lineText, name)).toEqual(columns)
        }
      }),
    )
  })
})

describe('identifiers of a line', () => {
  it('contract 3.1 leaves numbers out and keeps names of every script', () => {
    const lineText = 'let \u0438\u043c\u044f = 0xff + a1 + \u{1d4d0}b // $x _y'
    expect(identifiersOn(lineText)).toEqual([
      { name: 'let', column: 1 },
      { name: '\u0438\u043c\u044f', column: 5 },
      { name: 'a1', column: 18 },
      { name: '\u{1d4d0}b', column: 23 },
      { name: '$x', column: 30 },
      { name: '_y', column: 33 },
    ])
  })

  it.each([
    ['a + b', 1, 'a'],
    ['a + b', 2, 'a'],
    ['a + b', 3, undefined],
    ['a + b', 5, 'b'],
    ['a + b', 6, 'b'],
    ['a + b', 7, undefined],
    ['a + b', 0, undefined],
    ['a + b', Number.NaN, undefined],
    ['12ab', 3, undefined],
    ['', 1, undefined],
    ['\u{1d4d0}', 2, '\u{1d4d0}'],
  ])('contract 3.1 in %j at column %d is %j', (lineText, column, name) => {
    expect(identifierAt(lineText, column)?.name).toBe(name)
  })

  it('W16 answers on a line of a megabyte without reading all of it', () => {
    const lineText = 'word+'.repeat(200_000)
    const spent = countCpuTime()
    for (let column = 1; column < 1_000_000; column += 100) identifierAt(lineText, column)
    expect(occurrences(lineText, 'word')).toHaveLength(200_000)
    expect(spent()).toBeLessThan(2000)
  })
})
