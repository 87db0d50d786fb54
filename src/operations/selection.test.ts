// Parts of a file by lines and columns: what is named is what the server is asked about, in its own units.
import { describe, expect, test } from 'vitest'
import { sourceFile } from '../../test/source-file.js'
import { type SelectionInput, selectionIn, touches } from './selection.js'

const source = sourceFile('one\n\u{1f44b} two\n\nfour')

describe('selectionIn', () => {
  test.each<[string, SelectionInput, string, string]>([
    ['the whole file', {}, '0:0-3:4', ''],
    ['a line', { line: 2 }, '1:0-1:6', ' on line 2'],
    ['lines', { line: 1, end_line: 3 }, '0:0-2:0', ' from line 1 to 3'],
    ['a place', { line: 2, column: 4 }, '1:3-1:3', ' at 2:4'],
    ['columns of a line', { line: 2, column: 4, end_column: 7 }, '1:3-1:6', ' from 2:4 to 2:7'],
    [
      'from a column to the end of a line',
      { line: 2, column: 4, end_line: 4 },
      '1:3-3:4',
      ' from 2:4 to 4:5',
    ],
    ['up to a column', { line: 1, end_line: 2, end_column: 3 }, '0:0-1:2', ' from 1:1 to 2:3'],
  ])('contract 3 %s', (_, input, expected, words) => {
    const selection = selectionIn(source, input, 'utf-16')
    const { start, end } = selection.range
    expect(`${start.line}:${start.character}-${end.line}:${end.character}`).toBe(expected)
    expect(selection).toMatchObject({ words, isWhole: words === '' })
  })

  test('contract 3 columns are counted in the units of the server', () => {
    const { range } = selectionIn(source, { line: 2, column: 4 }, 'utf-8')
    expect(range.start).toEqual({ line: 1, character: 5 })
  })

  test.each<[SelectionInput, RegExp]>([
    [{ line: 5 }, /past the end of the file/],
    [{ column: 2 }, /needs its line/],
    [{ line: 1, column: 9 }, /past the end of line 1/],
    [{ line: 2, column: 2 }, /middle of a character/],
    [{ line: 1, column: 1, end_line: 9 }, /past the end of the file/],
    [{ line: 2, end_line: 1 }, /before line/],
    [{ line: 1, column: 3, end_column: 2 }, /before it begins/],
  ])('contract 3.2 %j is refused', (input, message) => {
    expect(() => selectionIn(source, input, 'utf-16')).toThrow(
      expect.objectContaining({ kind: 'InvalidArguments', message: expect.stringMatching(message) }),
    )
  })
})

test('R-108 ranges touch at their edges and not beyond', () => {
  const range = (from: number, to: number) => ({
    start: { line: 0, character: from },
    end: { line: 0, character: to },
  })
  expect(touches(range(2, 4), range(4, 4))).toBe(true)
  expect(touches(range(2, 4), range(0, 2))).toBe(true)
  expect(touches(range(2, 4), range(5, 9))).toBe(false)
  expect(touches(range(5, 9), range(2, 4))).toBe(false)
})
