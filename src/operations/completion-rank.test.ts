// Which completions are shown, in which order, and what they would insert.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCharacter } from '../../test/fake-server/columns.js'
import { parseCompletion } from '../lsp/completion.js'
import { fittingCompletions, insertedText, typedPrefix } from './completion-rank.js'

const cursorIn = (lineText: string, column = lineText.length + 1) => ({ line: 1, column, lineText })
const labelled = (labels: readonly (string | object)[]) =>
  labels.map(label => parseCompletion(typeof label === 'string' ? { label } : label))
const fitting = (typed: string, labels: readonly (string | object)[]) =>
  fittingCompletions(labelled(labels), cursorIn(typed), 'utf-16').map(({ label }) => label)

test.each<[string, string]>([
  ['client.', ''],
  ['client.as', 'as'],
  ['', ''],
  ['f(\u{1f44b}', ''],
  ['gr\u00f6\u00dfe', 'gr\u00f6\u00dfe'],
])('R-107 the name typed in %j is %j', (line, prefix) => {
  expect(typedPrefix(cursorIn(line))).toBe(prefix)
})

test('R-107 only the part of a name before the cursor is typed', () => {
  expect(typedPrefix(cursorIn('client.ask', 'client.'.length + 1))).toBe('')
  expect(typedPrefix(cursorIn('client.ask', 'client.a'.length + 1))).toBe('a')
})

test('R-107 exact before prefix, before word parts, before the rest; what cannot be meant is left out', () => {
  expect(fitting('x.rc', ['search', 'zzz', 'refCount', 'rcvd', 'RC', 'rc', 'raccoon'])).toEqual([
    'rc',
    'RC',
    'rcvd',
    'refCount',
    'search',
    'raccoon',
  ])
})

test('R-107 of equal fit the server decides: its favourite first, then by its own order', () => {
  expect(
    fitting('x.', [
      { label: 'a', sortText: '2' },
      { label: 'b', sortText: '1' },
      { label: 'c', sortText: '9', preselect: true },
      { label: 'd', sortText: '1' },
    ]),
  ).toEqual(['c', 'b', 'd', 'a'])
})

test('R-107 the text to filter by is the one the server names', () => {
  expect(
    fitting('x.ar', [
      { label: '\u2022 area', filterText: 'area' },
      { label: 'area', filterText: 'zone' },
    ]),
  ).toEqual(['\u2022 area'])
})

test.each(['utf-8', 'utf-16', 'utf-32'] as const)(
  'R-107 in %s a completion that also replaces the dot is known by what it replaces',
  encoding => {
    const part = fc.string({ unit: fc.constantFrom('a', '\u00df', '\u{1f44b}', ' '), maxLength: 8 })
    fc.assert(
      fc.property(part, fc.constantFrom('', 'a', 'ar', 'area'), (before, typed) => {
        const lineText = `${before}x.${typed}`
        const dot = `${before}x`.length
        const start = { line: 0, character: toCharacter(lineText, dot, encoding) }
        const edit = (newText: string) => ({ newText, range: { start, end: start } })
        const items = labelled([
          { label: 'area', filterText: '.area', textEdit: edit('.area') },
          { label: 'area?', filterText: '.area', textEdit: edit('?.area') },
        ])
        const cursor = cursorIn(lineText)
        const found = fittingCompletions(items, cursor, encoding)
        expect(found.map(item => insertedText(item, cursor, encoding))).toEqual(['area', '?.area'])
      }),
    )
  },
)

test('P17 a place that is not on the line of the cursor is not believed', () => {
  const start = { line: 7, character: 99 }
  const [item] = labelled([{ label: 'area', textEdit: { newText: 'area', range: { start, end: start } } }])
  if (item === undefined) throw new Error('nothing was parsed')
  expect(fittingCompletions([item], cursorIn('x.ar'), 'utf-16')).toEqual([item])
  expect(insertedText(item, cursorIn('x.ar'), 'utf-16')).toBe('area')
})
