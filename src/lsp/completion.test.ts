// Completions: whatever form a server chooses, the same items come out.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCompletion, parseCompletions } from './completion.js'

const position = fc.record({ line: fc.nat(9), character: fc.nat(9) })
const range = fc.record({ start: position, end: position })
const item = fc.record(
  {
    label: fc.string({ minLength: 1 }),
    kind: fc.integer({ min: 1, max: 25 }),
    detail: fc.string({ minLength: 1 }),
    sortText: fc.string({ minLength: 1 }),
    filterText: fc.string({ minLength: 1 }),
    preselect: fc.boolean(),
    textEditText: fc.string({ minLength: 1 }),
    data: fc.nat(),
  },
  { requiredKeys: ['label'] },
)

test('R-107 a list, a list with items, and one with defaults for them are the same completions', () => {
  fc.assert(
    fc.property(fc.array(item), range, fc.nat(), (items, editRange, data) => {
      const written = items.map(({ textEditText, ...own }) => ({
        data,
        ...own,
        textEdit: { range: editRange, newText: textEditText ?? own.label },
      }))
      const plain = parseCompletions(written)
      const told = ({ raw, ...completion }: (typeof plain.items)[number]) => ({
        ...completion,
        data: raw.data,
      })
      const expected = plain.items.map(told)
      expect(parseCompletions({ isIncomplete: false, items: written }).items.map(told)).toEqual(expected)
      const defaulted = parseCompletions({ isIncomplete: true, itemDefaults: { editRange, data }, items })
      expect(defaulted.items.map(told)).toEqual(expected)
      expect(defaulted.isIncomplete).toBe(true)
      const both = { insert: editRange, replace: editRange }
      const inserted = parseCompletions({ itemDefaults: { editRange: both, data }, items })
      expect(inserted.items.map(told)).toEqual(expected)
    }),
  )
})

test('P06 null is no completion', () => {
  expect(parseCompletions(null)).toEqual({ items: [], isIncomplete: false })
})

test.each([
  ['a word', 'area'],
  ['no items', { isIncomplete: false }],
  ['no label', [{ kind: 2 }]],
])('P07 %s is a fault of the server', (_, result) => {
  expect(() => parseCompletions(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
})

test('R-107 what an item leaves out follows from its label', () => {
  expect(parseCompletion({ label: 'area' })).toMatchObject({
    label: 'area',
    sortText: 'area',
    filterText: 'area',
    insert: 'area',
    replacesFrom: undefined,
    deprecated: false,
    preselect: false,
    adds: [],
  })
})

test.each<[object, string]>([
  [{ insertText: 'area()' }, 'area()'],
  [{ insertText: 'no', textEdit: { range: emptyRange(), newText: 'yes' } }, 'yes'],
  [{ insertText: snippet('map(@{1:key}, @{2|a,b|})@0'), insertTextFormat: 2 }, 'map(key, a)'],
  [{ insertText: snippet('f(@{1:g(@{2:x})})'), insertTextFormat: 2 }, 'f(g(x))'],
  [{ insertText: snippet('cost \\@5 \\} @1@{2}'), insertTextFormat: 2 }, 'cost $5 } '],
  [{ insertText: 'cost $5', insertTextFormat: 1 }, 'cost $5'],
])('R-107 %j inserts plain text', (fields, insert) => {
  expect(parseCompletion({ label: 'area', ...fields }).insert).toBe(insert)
})

test('X06 a snippet made to be slow is read in time', () => {
  const nested = `${snippet('@{1:').repeat(1000)}x${'}'.repeat(1000)}`
  expect(parseCompletion({ label: 'x', insertText: nested, insertTextFormat: 2 }).insert.length).toBeLessThan(
    5000,
  )
})

test('R-107 documentation is a string or an object, and labels have details', () => {
  expect(parseCompletion({ label: 'a', documentation: 'text' }).documentation).toBe('text')
  const whole = parseCompletion({
    label: 'a',
    documentation: { kind: 'markdown', value: '*text*' },
    labelDetails: { detail: '(x)', description: './a' },
    tags: [1],
    additionalTextEdits: [{ range: emptyRange(), newText: 'import a' }],
  })
  expect(whole).toMatchObject({
    documentation: '*text*',
    signature: '(x)',
    description: './a',
    deprecated: true,
    adds: ['import a'],
  })
})

/** Written with another sign, because the linter takes it for a template. */
function snippet(text: string): string {
  return text.replaceAll('@', '$')
}

function emptyRange() {
  return { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
}
