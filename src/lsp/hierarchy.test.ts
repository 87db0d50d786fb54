// Items and calls as servers send them: handed back unchanged, refused where something needed is missing.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BridgeError } from '../errors.js'
import { parseHierarchyItems, parseIncomingCalls, parseOutgoingCalls } from './hierarchy.js'

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 6 } }
const item = { name: 'area', kind: 12, uri: 'file:///a', range, selectionRange: range }

test('P06 nothing, as null or absent, is an empty list', () => {
  for (const parse of [parseHierarchyItems, parseIncomingCalls, parseOutgoingCalls]) {
    expect(parse(null)).toEqual([])
    expect(parse(undefined)).toEqual([])
    expect(parse([])).toEqual([])
  }
})

test('P07 an item goes back to its server as it came, with fields nobody here knows', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (data, detail) => {
      const sent = { ...item, data, detail, ofItsOwn: [data] }
      expect(parseHierarchyItems([sent])[0]).toBe(sent)
      expect(parseIncomingCalls([{ from: sent, fromRanges: [range] }])[0]?.item).toBe(sent)
      expect(parseOutgoingCalls([{ to: sent, fromRanges: [] }])).toEqual([{ item: sent, ranges: [] }])
    }),
  )
})

test.each(['name', 'kind', 'uri', 'range', 'selectionRange'])('P08 an item without %s is refused', field => {
  const broken = { ...item, [field]: undefined }
  expect(failureOf(() => parseHierarchyItems([item, broken]))).toBe('ServerError')
  expect(failureOf(() => parseIncomingCalls([{ from: broken, fromRanges: [] }]))).toBe('ServerError')
})

test('P09 whatever else comes is a ServerError, never another failure', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      for (const parse of [parseHierarchyItems, parseIncomingCalls, parseOutgoingCalls]) {
        expect(['ServerError', undefined]).toContain(failureOf(() => parse(value)))
      }
    }),
  )
})

function failureOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return error instanceof BridgeError ? error.kind : String(error)
  }
}
