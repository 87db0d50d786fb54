// Edits as agents write them. What has one meaning is done to the letter; what has two is refused with the places.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SourceText } from '../text/lines.js'
import { editedText, type WrittenEdit } from './steps.js'

const text = 'one\ntwo two\nthree\n'

test.each<[string, WrittenEdit[], string]>([
  ['the whole text', [{ new_text: 'x' }], 'x'],
  ['an insertion', [{ line: 2, column: 4, new_text: '!' }], 'one\ntwo! two\nthree\n'],
  ['an insertion before a line', [{ line: 2, new_text: 'new\n' }], 'one\nnew\ntwo two\nthree\n'],
  ['whole lines', [{ line: 1, end_line: 3, new_text: '' }], 'three\n'],
  ['a part of a line', [{ line: 2, column: 1, end_column: 4, new_text: '2' }], 'one\n2 two\nthree\n'],
  ['the end of the text', [{ line: 4, new_text: 'four' }], 'one\ntwo two\nthree\nfour'],
  ['a text that occurs once', [{ find: 'three', new_text: '3' }], 'one\ntwo two\n3\n'],
  [
    'several, in whatever order',
    [
      { find: 'three', new_text: '3' },
      { line: 1, end_column: 4, new_text: '1' },
    ],
    '1\ntwo two\n3\n',
  ],
  [
    'an insertion where something is replaced',
    [
      { line: 1, end_column: 4, new_text: '1' },
      { line: 1, new_text: '0 ' },
    ],
    '0 1\ntwo two\nthree\n',
  ],
])('contract 3 %s', (_, edits, expected) => {
  expect(editedText('a.ts', text, edits)).toBe(expected)
})

test.each<[string, WrittenEdit[], RegExp, RegExp]>([
  ['a text that occurs twice', [{ find: 'two', new_text: '' }], /occurs 2 times, on lines 2, 2/, /around it/],
  ['one that occurs in itself', [{ find: 'o', new_text: '' }], /occurs 3 times/, /line and column/],
  ['one that does not occur', [{ find: 'two\nfour', new_text: '' }], /does not occur/, /occurs on line 2;/],
  ['one that occurs nowhere', [{ find: 'absent', new_text: '' }], /does not occur/, /verbatim/],
  ['an empty one', [{ find: '', new_text: '' }], /empty/, /Give/],
  ['a line that is not there', [{ line: 9, new_text: '' }], /a\.ts: line 9 is past the end/, /has 4 lines/],
  ['a column that is not there', [{ line: 1, column: 9, new_text: '' }], /column 9/, /last column is 4/],
  ['an end before the start', [{ line: 2, end_line: 1, new_text: '' }], /before it begins/, /end/],
  ['both ways at once', [{ line: 1, find: 'one', new_text: '' }], /both/, /one of them/],
  [
    'the whole text and a part',
    [{ line: 1, new_text: '' }, { new_text: 'x' }],
    /whole text and another/,
    /two steps/,
  ],
  ['the whole text twice', [{ new_text: 'x' }, { new_text: 'y' }], /whole text and another/, /two steps/],
  [
    'an overlap',
    [
      { line: 1, column: 2, end_line: 2, end_column: 2, new_text: '' },
      { find: 'two two', new_text: '' },
    ],
    /overlap at 2:1/,
    /later step/,
  ],
])('story 4 %s is refused', (_, edits, message, hint) => {
  expect(() => editedText('a.ts', text, edits)).toThrow(
    expect.objectContaining({
      kind: 'InvalidArguments',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  )
})

test('story 4 only a whole text makes a file that is not there', () => {
  expect(editedText('new.ts', undefined, [{ new_text: 'x' }])).toBe('x')
  expect(() => editedText('new.ts', undefined, [{ line: 1, new_text: 'x' }])).toThrow(
    expect.objectContaining({ kind: 'FileNotFound' }),
  )
})

test('contract 3 a text to find is found across line ends of either kind', () => {
  const edits = [{ find: 'one\ntwo', new_text: '1\n2' }]
  expect(editedText('a.ts', 'one\r\ntwo\r\n', edits)).toBe('1\r\n2\r\n')
})

test('mistakes 1 and 2: edits by range do what slicing by line and column does, whatever the characters and the order', () => {
  const character = fc.constantFrom('a', 'b', '\u00e4', '\u{1f600}', '\n', '\r\n', ' ')
  fc.assert(
    fc.property(
      fc.array(character, { maxLength: 30 }).map(parts => parts.join('')),
      fc.array(fc.tuple(fc.nat(60), fc.nat(60), fc.string({ maxLength: 3 })), { maxLength: 4 }),
      fc.boolean(),
      (before, wanted, isReversed) => {
        const lines = new SourceText(before)
        const cuts = wanted.flatMap(([a, b]) => [edge(before, a), edge(before, b)])
        const sorted = [...new Set(cuts)].sort((a, b) => a - b)
        const ranges = sorted.slice(0, sorted.length - (sorted.length % 2))
        const edits: WrittenEdit[] = []
        let expected = ''
        let done = 0
        for (let index = 0; index + 1 < ranges.length; index += 2) {
          const [start = 0, end = 0] = [ranges[index], ranges[index + 1]]
          const inserted = wanted[index / 2]?.[2] ?? ''
          const [from, to] = [lines.positionAt(start), lines.positionAt(end)]
          edits.push({ ...from, end_line: to.line, end_column: to.column, new_text: inserted })
          expected += before.slice(done, lines.offsetAt(from)) + inserted
          done = lines.offsetAt(to)
        }
        if (edits.length === 0) return
        const given = isReversed ? [...edits].reverse() : edits
        expect(editedText('a.ts', before, given)).toBe(expected + before.slice(done))
      },
    ),
  )
})

/** No cut through a character or a line end. */
function edge(text: string, wanted: number): number {
  const offset = Math.min(wanted, text.length)
  const code = text.charCodeAt(offset)
  const isLow = code >= 0xdc00 && code <= 0xdfff
  const isInLineEnd = text[offset] === '\n' && text[offset - 1] === '\r'
  return isLow || isInLineEnd ? offset - 1 : offset
}
