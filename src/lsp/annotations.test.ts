// Highlights, hints, lenses, selections and folds: every legal form, and the illegal ones as faults of the server.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCodeLenses, parseHighlights, parseInlayHints } from './annotations.js'
import { parseFoldingRanges, parseSelectionRanges } from './structure.js'

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } }
const parsers = {
  parseHighlights,
  parseInlayHints,
  parseCodeLenses,
  parseSelectionRanges,
  parseFoldingRanges,
}

test.each(Object.entries(parsers))('P06, P07 %s: null is nothing, another shape a fault', (_, parse) => {
  expect(parse(null)).toEqual([])
  expect(parse([])).toEqual([])
  for (const result of ['text', 7, {}, [{ range: 'here', position: 'here' }]]) {
    expect(() => parse(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
  }
})

test('R-100 a highlight says how the name is used; without a word it is text', () => {
  const kinds = [1, 2, 3, undefined, 9].map(kind => ({ range, kind }))
  expect(parseHighlights(kinds).map(({ kind }) => kind)).toEqual(['text', 'read', 'write', 'text', 'text'])
})

test('R-103 the parts of a label read as one', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), words => {
      const parts = words.map(value => ({ value, tooltip: 'not shown', location: { uri: 'x', range } }))
      const [hint] = parseInlayHints([{ position: range.start, label: parts, kind: 1 }])
      expect(hint).toEqual({ position: range.start, label: words.join(''), kind: 'type' })
    }),
  )
  expect(parseInlayHints([{ position: range.start, label: 'x:', kind: 2 }])).toMatchObject([
    { label: 'x:', kind: 'parameter' },
  ])
})

test('R-102 a lens without a title is not resolved', () => {
  const lenses = parseCodeLenses([
    { range, command: { title: '2 references', command: 'show' } },
    { range, command: { title: 'a note', command: '' } },
    { range, data: { id: 7 } },
    { range, command: { title: '', command: 'x' } },
  ])
  expect(lenses.map(({ command }) => command)).toEqual([
    { title: '2 references', name: 'show' },
    { title: 'a note', name: undefined },
    undefined,
    undefined,
  ])
  expect(lenses[2]?.raw).toEqual({ range, data: { id: 7 } })
})

test('R-102 the parents of a selection follow it, however deep, each extent once and the cursor not at all', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { maxLength: 30 }), growth => {
      let width = 0
      let nested: object | undefined
      const extents = growth.map(more => {
        width += more
        return { start: { line: 0, character: 0 }, end: { line: 0, character: width } }
      })
      for (const extent of [...extents].reverse()) {
        nested = nested === undefined ? { range: extent } : { range: extent, parent: nested }
      }
      // The list was built from the outside, so the innermost is the one it hands over.
      const widths = extents.map(({ end }) => end.character).filter(wide => wide > 0)
      const found = parseSelectionRanges(nested === undefined ? [] : [nested])
      expect(found.map(({ end }) => end.character)).toEqual([...new Set(widths)])
    }),
  )
  let deep: object = { range }
  for (let level = 0; level < 50_000; level += 1) deep = { range, parent: deep }
  expect(parseSelectionRanges([deep])).toEqual([range])
})

test('R-102 a fold may leave its characters and its kind out', () => {
  expect(
    parseFoldingRanges([
      { startLine: 1, endLine: 4 },
      { startLine: 2, startCharacter: 3, endLine: 3, endCharacter: 1, kind: 'comment' },
    ]),
  ).toEqual([
    { startLine: 1, startCharacter: undefined, endLine: 4, endCharacter: undefined, kind: undefined },
    { startLine: 2, startCharacter: 3, endLine: 3, endCharacter: 1, kind: 'comment' },
  ])
})
