// Semantic tokens: the list of numbers is read back exactly, and the legend is the newest one given.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlainToken, tokenNumbers } from '../../test/token-numbers.js'
import { CapabilityTable } from './capabilities.js'
import { parseSemanticTokens, tokenProvider } from './semantic-tokens.js'

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
// More modifiers than a bitwise operator has bits.
const legend = { types: names('type', 30), modifiers: names('modifier', 40) }

const token = fc.record({
  line: fc.nat(50),
  from: fc.nat(200),
  length: fc.nat(30),
  type: fc.nat(29),
  modifiers: fc.uniqueArray(fc.nat(39), { maxLength: 6 }).map(bits => bits.sort((a, b) => a - b)),
})
const inOrder = (a: PlainToken, b: PlainToken) => a.line - b.line || a.from - b.from

test('R-100 what is encoded is decoded to the same tokens, types and sets of modifiers', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), tokens => {
      const sorted = tokens.sort(inOrder)
      expect(parseSemanticTokens({ data: tokenNumbers(sorted) }, legend)).toEqual(
        sorted.map(({ line, from, length, type, modifiers }) => ({
          range: { start: { line, character: from }, end: { line, character: from + length } },
          type: `type${type}`,
          modifiers: modifiers.map(bit => `modifier${bit}`),
        })),
      )
    }),
  )
})

test.each([
  ['a token that is cut', { data: [0, 0, 1, 0] }],
  ['half a number', { data: [0, 0.5, 1, 0, 0] }],
  ['a negative number', { data: [0, -1, 1, 0, 0] }],
  ['words', { data: ['0', 0, 1, 0, 0] }],
  ['no data', {}],
  ['a list', []],
])('P07 %s is a fault of the server, not an answer', (_, result) => {
  expect(() => parseSemanticTokens(result, legend)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
})

test('P06 null is no token, and a number outside the legend a token of unknown kind', () => {
  expect(parseSemanticTokens(null, legend)).toEqual([])
  const data = [0, 0, 1, 99, 2 ** 45]
  expect(parseSemanticTokens({ data }, legend)).toMatchObject([{ type: 'unknown', modifiers: [] }])
})

const options = (type: string, more: object = {}) => ({
  legend: { tokenTypes: [type], tokenModifiers: [] },
  ...more,
})
const registered = (id: string, registerOptions: object) => ({
  id,
  method: 'textDocument/semanticTokens',
  registerOptions,
})

test('C7 the legend is the one registered last for the language, else the one declared', () => {
  const table = new CapabilityTable({
    semanticTokensProvider: options('declared', { full: { delta: true } }),
  })
  expect(tokenProvider(table, 'go')).toEqual({
    legend: { types: ['declared'], modifiers: [] },
    full: true,
    range: false,
  })
  table.register([
    registered('1', options('css', { documentSelector: [{ language: 'css' }], range: true })),
    registered('2', options('any', { documentSelector: null, range: {}, full: false })),
    registered('3', options('html', { documentSelector: ['html'], full: true })),
  ])
  const typesFor = (language: string) => tokenProvider(table, language)?.legend.types
  expect(typesFor('go')).toEqual(['any'])
  expect(typesFor('html')).toEqual(['html'])
  expect(tokenProvider(table, 'go')).toMatchObject({ full: false, range: true })
  table.unregister([{ id: '2', method: 'textDocument/semanticTokens' }])
  expect(typesFor('css')).toEqual(['css'])
  expect(typesFor('go')).toEqual(['declared'])
})

test('R-95 a server that says nothing of tokens has none', () => {
  expect(tokenProvider(new CapabilityTable({}), 'go')).toBeUndefined()
})
