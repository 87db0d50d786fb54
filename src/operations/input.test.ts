// A call's arguments come from a model, which misspells and mixes up: every complaint names the field and the way out.
import { expect, test } from 'vitest'
import { BridgeError } from '../errors.js'
import { beginChange } from './begin-change.js'
import { blastRadius } from './blast-radius.js'
import { checkChange } from './check-change.js'
import { findReferences } from './find-references.js'
import { findSymbol } from './find-symbol.js'
import { getDiagnostics } from './get-diagnostics.js'
import { operations } from './index.js'
import { inputSchema, parseInput } from './input.js'
import { serverStatus } from './server-status.js'

test('contract 3 what is left out has its default', () => {
  expect(parseInput(findReferences, { file: 'src/a.ts', symbol: 'area' })).toEqual({
    file: 'src/a.ts',
    symbol: 'area',
    include_declaration: true,
  })
  expect(parseInput(serverStatus, undefined)).toEqual({})
  expect(parseInput(serverStatus, null)).toEqual({})
})

test('contract 3 an empty list in a field that may be left out asks for nothing, and counts as left out', () => {
  for (const operation of [checkChange, beginChange, blastRadius, getDiagnostics])
    expect(parseInput(operation, { files: [] })).toEqual(parseInput(operation, {}))
})

test.each<[object, RegExp, RegExp]>([
  [{ simbol: 'area' }, /unknown argument simbol/, /Did you mean symbol\?/],
  [{ includeDeclaration: true }, /unknown argument includeDeclaration/, /Did you mean include_declaration\?/],
  [{ timeoutMs: 5 }, /unknown argument timeoutMs/, /Did you mean timeout_ms\?/],
  [{ xylophone: 1, colum: 2 }, /unknown argument xylophone, colum/, /Did you mean column\?/],
  [{ xylophone: 1 }, /unknown argument xylophone/, /^It takes file, line, column, symbol/],
  [{ line: '12' }, /line: .*number/, /It takes/],
  [{ line: 1.5 }, /line: .*int/, /It takes/],
  [{ file: 7 }, /file: .*string/, /It takes/],
  [{ timeout_ms: 0 }, /timeout_ms: /, /It takes/],
  [{ timeout_ms: 600_001 }, /timeout_ms: /, /It takes/],
  [[], /expected object/, /It takes/],
])('contract 3 %j is refused with its field and what would do', (input, message, hint) => {
  const error = failureOf(() => parseInput(findReferences, input))
  expect(error.kind).toBe('InvalidArguments')
  expect(error.message).toMatch(message)
  expect(error.message).toMatch(/^find_references: /)
  expect(error.hint).toMatch(hint)
})

test('contract 3 a string in place of the arguments, and a missing field', () => {
  expect(failureOf(() => parseInput(findReferences, 'src/a.ts')).message).toMatch(/expected object/)
  expect(failureOf(() => parseInput(findSymbol, {})).message).toMatch(/query: /)
})

test('contract 3 every operation takes timeout_ms and refuses what it does not know', () => {
  for (const operation of operations) {
    expect(Object.keys(inputSchema(operation).shape)).toContain('timeout_ms')
    expect(inputSchema(operation)).toBe(inputSchema(operation))
    expect(failureOf(() => parseInput(operation, { no_such_field: 1 })).kind).toBe('InvalidArguments')
  }
})

function failureOf(action: () => unknown): BridgeError {
  try {
    action()
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing failed')
}
