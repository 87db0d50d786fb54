// The little language is the truth other tests compare with, so its columns and edits are checked against a second,
// slower way of counting, in all three encodings.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Encoding, linesOf, offsetAt, toCharacter, toIndex } from './columns.js'
import { definitions, diagnosticsOf, occurrences, symbolsOf, wordAt } from './word-language.js'
import { World } from './world.js'

const encodings = ['utf-8', 'utf-16', 'utf-32'] as const
const encoding = fc.constantFrom(...encodings)
const text = fc
  .array(
    fc.constantFrom('a', 'b_1', ' ', '\n', '\r\n', '\r', '\u00df', '\u4e2d', '\u{1f600}', 'def ', 'ERROR'),
    {
      maxLength: 30,
    },
  )
  .map(parts => parts.join(''))

const units: Record<Encoding, (text: string) => number> = {
  'utf-8': value => new TextEncoder().encode(value).length,
  'utf-16': value => value.length,
  'utf-32': value => Array.from(value).length,
}

test('W13 W14 columns and offsets lead back to where they came from', () => {
  fc.assert(
    fc.property(text, encoding, (value, code) => {
      const lines = linesOf(value)
      for (const [number, line] of lines.entries()) {
        let index = 0
        for (const codePoint of [...line, '']) {
          const character = toCharacter(line, index, code)
          expect(character).toBe(units[code](line.slice(0, index)))
          expect(toIndex(line, character, code)).toBe(index)
          const offset = offsetAt(value, { line: number, character }, code)
          expect(linesOf(value.slice(0, offset)).length).toBe(number + 1)
          expect(linesOf(value.slice(0, offset)).at(-1)).toBe(line.slice(0, index))
          index += codePoint.length
        }
        expect(toIndex(line, 10_000, code)).toBe(line.length)
      }
    }),
  )
})

test('R-124 an incremental change gives the text that a full change would', () => {
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat(), encoding, (before, inserted, from, to, code) => {
      const complaints: string[] = []
      const world = new World(complaint => complaints.push(complaint))
      world.encoding = code
      const boundaries = positionsIn(before, code)
      const [start, end] = [from % boundaries.length, to % boundaries.length].sort((a, b) => a - b)
      const first = boundaries[start ?? 0]
      const last = boundaries[end ?? 0]
      const uri = 'untitled:a'
      world.opened({ textDocument: { uri, version: 1, text: before } })
      world.changed({
        textDocument: { uri, version: 2 },
        contentChanges: [{ range: { start: first?.position, end: last?.position }, text: inserted }],
      })
      expect(world.text(uri)).toBe(before.slice(0, first?.offset) + inserted + before.slice(last?.offset))
      expect(world.document(uri)?.previous).toEqual({ version: 1, text: before })
      expect(complaints).toEqual([])
    }),
  )
})

/** Every place a cursor can stand. */
function positionsIn(value: string, code: Encoding) {
  const places: { offset: number; position: { line: number; character: number } }[] = []
  let offset = 0
  for (const [line, content] of linesOf(value).entries()) {
    let index = 0
    for (const codePoint of [...content, '']) {
      places.push({
        offset: offset + index,
        position: { line, character: units[code](content.slice(0, index)) },
      })
      index += codePoint.length
    }
    offset += content.length
    offset += value.startsWith('\r\n', offset) ? 2 : 1
  }
  return places
}

test('R-124 the world tells on a client that breaks the order of documents', () => {
  const complaints: string[] = []
  const world = new World(complaint => complaints.push(complaint))
  const document = (version: number) => ({ textDocument: { uri: 'untitled:a', version, text: '' } })
  world.changed(document(1))
  world.opened(document(3))
  world.opened(document(3))
  world.changed({ ...document(3), contentChanges: [] })
  world.closed(document(3))
  world.closed(document(3))
  expect(complaints).toEqual([
    'didChange of untitled:a, which is not open',
    'didOpen of untitled:a, which is open',
    'didChange of untitled:a to version 3 after 3',
    'didClose of untitled:a, which is not open',
  ])
})

test('fake language: symbols nest by indentation and end with their block', () => {
  const source = 'class Shape\n  def area\n    width\n\n  def name\nother\ndef free\n'
  const symbols = symbolsOf(source, 'utf-16')
  expect(symbols).toMatchObject([
    {
      name: 'Shape',
      kind: 5,
      range: { start: { line: 0, character: 0 }, end: { line: 4, character: 10 } },
      selectionRange: { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } },
      children: [
        { name: 'area', kind: 6, range: { end: { line: 2, character: 9 } }, children: [] },
        { name: 'name', kind: 6, children: [] },
      ],
    },
    { name: 'free', kind: 12, range: { start: { line: 6, character: 0 } } },
  ])
})

test.each(encodings)('fake language: words are whole and counted in %s', code => {
  const files = [{ uri: 'untitled:a', text: 'def \u{1f600}x\n\u00df area areas area' }]
  const column = units[code]('\u00df ')
  expect(wordAt(files[0]?.text ?? '', { line: 1, character: column }, code)?.name).toBe('area')
  expect(occurrences(files, 'area', code).map(({ range }) => range.start.character)).toEqual([
    column,
    units[code]('\u00df area areas '),
  ])
  expect(definitions(files, 'area', code)).toEqual([])
  expect(wordAt('  ', { line: 0, character: 1 }, code)).toBeUndefined()
  expect(wordAt('', { line: 9, character: 0 }, code)).toBeUndefined()
})

test('D02 diagnostics are the lines with ERROR, whatever the text', () => {
  fc.assert(
    fc.property(text, encoding, (value, code) => {
      const wrong = linesOf(value).flatMap((line, number) =>
        line.includes('ERROR') ? [{ line, number }] : [],
      )
      expect(
        diagnosticsOf(value, code).map(({ message, range }) => ({ message, number: range.start.line })),
      ).toEqual(wrong.map(({ line, number }) => ({ message: line.trim(), number })))
    }),
  )
})
