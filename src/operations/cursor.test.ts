// Pointing between characters, by number and by the text before.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sourceFile } from '../../test/source-file.js'
import { type CursorInput, findCursor } from './cursor.js'
import { lineSpan, spanRange, spanWords } from './line-span.js'

const source = sourceFile('const a = client.\n\n  client.ask(b, client.)\n// \u{1f44b} x\n')

test.each<[CursorInput, string]>([
  [{ line: 1, column: 18 }, '1:18'],
  [{ line: 1, column: 3 }, '1:3'],
  [{ line: 1 }, '1:18'],
  [{ line: 2 }, '2:1'],
  [{ line: 5 }, '5:1'],
  [{ line: 1, after: 'client.' }, '1:18'],
  [{ after: 'ask(' }, '3:14'],
  [{ line: 3, after: 'b, ' }, '3:17'],
  [{ line: 4, after: '\u{1f44b}' }, '4:6'],
  [{ line: 3, column: 10, after: 'client.' }, '3:10'],
])('contract 3 %j is %s, the end of a line included', (input, place) => {
  const { line, column, lineText } = findCursor(source, input)
  expect(`${line}:${column}`).toBe(place)
  expect(lineText).toBe(source.text.line(line))
})

test.each<[CursorInput, RegExp, RegExp]>([
  [{}, /where in src\/a\.ts/, /line and after/],
  [{ column: 3 }, /where in/, /line/],
  [{ line: 9 }, /past the end of the file/, /5 lines/],
  [{ line: 1, column: 19 }, /past the end of line 1/, /17 characters/],
  [{ line: 4, column: 5 }, /middle of a character/, /use 4 or 6/],
  [{ line: 1, after: 'server.' }, /line 1 of src\/a\.ts does not contain "server\."/, /const a = client\./],
  [{ after: 'nowhere' }, /src\/a\.ts does not contain/, /verbatim/],
  [{ after: 'client.' }, /stands 3 times/, /1:18, 3:10, 3:24/],
  [{ line: 3, after: 'client.' }, /stands 2 times/, /3:10, 3:24/],
  [{ line: 1, column: 5, after: 'client.' }, /does not end at column 5/, /column 18/],
  [{ line: 1, after: '' }, /text of one line/, /before the cursor/],
  [{ line: 1, after: 'a\nb' }, /text of one line/, /before the cursor/],
])('contract 3 %j is refused with what to give instead', (input, message, hint) => {
  const refused = { kind: 'InvalidArguments' }
  expect(() => findCursor(source, input)).toThrow(
    expect.objectContaining({
      ...refused,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  )
})

test('contract 3 any text of a line, with the column it ends at, is that very place', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '.', ' ', '\u{1f44b}'), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(text, fc.nat(11), fc.nat(11), (line, from, length) => {
      const characters = [...line]
      const before = characters.slice(0, from % characters.length).join('')
      const after = characters.slice(from % characters.length).slice(0, 1 + (length % characters.length))
      const column = (before + after.join('')).length + 1
      const found = findCursor(sourceFile(`x\n${line}\n`), { line: 2, column, after: after.join('') })
      expect(found).toMatchObject({ line: 2, column })
    }),
  )
})

test.each<[{ line?: number; end_line?: number }, [number, number], string]>([
  [{}, [1, 5], ''],
  [{ line: 3 }, [3, 3], ' on line 3'],
  [{ line: 2, end_line: 3 }, [2, 3], ' from line 2 to 3'],
  [{ end_line: 2 }, [1, 2], ' from line 1 to 2'],
  [{ line: 1, end_line: 999 }, [1, 5], ''],
])('contract 3 the lines %j', (input, [first, last], words) => {
  const span = lineSpan(source, input)
  expect(span).toMatchObject({ first, last })
  expect(spanWords(span)).toBe(words)
})

test('contract 3 lines that are not there, or in the wrong order, are refused', () => {
  for (const input of [{ line: 0 }, { line: 6 }, { line: 3, end_line: 2 }, { line: 1.5 }]) {
    expect(() => lineSpan(source, input)).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
  }
})

test('servers.md a range ends where the text ends, in units of the server', () => {
  const span = lineSpan(source, { line: 4 })
  const end = (encoding: 'utf-8' | 'utf-16' | 'utf-32') => spanRange(source, span, encoding).end
  expect([end('utf-8'), end('utf-16'), end('utf-32')].map(({ character }) => character)).toEqual([9, 7, 6])
  expect(spanRange(source, lineSpan(source, {}), 'utf-8')).toEqual({
    start: { line: 0, character: 0 },
    end: { line: 4, character: 0 },
  })
})
