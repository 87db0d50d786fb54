// The command line reaches every field of every operation, and what is typed becomes exactly that input.
import { resolve } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { findReferences } from '../../operations/find-references.js'
import { findSymbol } from '../../operations/find-symbol.js'
import { operations } from '../../operations/index.js'
import { listSymbols } from '../../operations/list-symbols.js'
import { defineOperation, type Operation } from '../../operations/operation.js'
import { commonOptions } from './common-flags.js'
import { dashed, inputFrom, optionsOf, positionalOf } from './flags.js'

const cwd = resolve('/project/src')

describe.each(operations)('contract 3: $name on the command line', operation => {
  const flags = optionsOf(operation).map(option => option.long)

  test('every field has a flag or is the argument', () => {
    const positional = positionalOf(operation)
    for (const field of Object.keys(operation.input.shape)) {
      const isArgument = positional?.fills === 'target' ? field === 'file' : positional?.fills.field === field
      expect(isArgument || flags.includes(`--${dashed(field)}`), field).toBe(true)
    }
  })

  test('no flag hides one that every command has', () => {
    const common = commonOptions().map(option => option.long)
    expect(flags.filter(flag => common.includes(flag))).toEqual([])
  })

  test('every flag is described', () => {
    expect(optionsOf(operation).filter(option => option.description === '')).toEqual([])
  })

  test('its example is a command line it understands', () => {
    const words = operation.example === '' ? [] : operation.example.split(' ')
    expect(operation.input.safeParse(parse(operation, words)).success).toBe(true)
  })
})

test('contract 2: paths are relative to the current folder', () => {
  expect(parse(findReferences, ['a.ts:3:4'])).toEqual({ file: resolve(cwd, 'a.ts'), line: 3, column: 4 })
  expect(parse(findReferences, ['--file', '../b.ts', '--symbol', 'x'])).toEqual({
    file: resolve(cwd, '../b.ts'),
    symbol: 'x',
  })
})

test('contract 3: what nobody typed is left to the defaults of the operation', () => {
  expect(parse(findReferences, ['--symbol', 'x'])).toEqual({ symbol: 'x' })
  expect(parse(findReferences, ['--symbol', 'x', '--no-include-declaration'])).toEqual({
    symbol: 'x',
    include_declaration: false,
  })
  expect(parse(findReferences, ['--symbol', 'x', '--include-declaration'])).toEqual({
    symbol: 'x',
    include_declaration: true,
  })
})

test('contract 2: the argument of a search is the query, whatever it looks like', () => {
  expect(parse(findSymbol, ['a.ts:3', '--limit', '7'])).toEqual({ query: 'a.ts:3', limit: 7 })
  expect(parse(findSymbol, ['--', '--limit'])).toEqual({ query: '--limit' })
})

test('contract 2: what cannot be meant is wrong usage', () => {
  const wrong = { kind: 'InvalidArguments' }
  expect(() => parse(listSymbols, ['a.ts:3'])).toThrow(expect.objectContaining(wrong))
  expect(() => parse(findReferences, ['a.ts', '--file', 'b.ts'])).toThrow(expect.objectContaining(wrong))
  expect(() => parse(findReferences, ['a.ts:3', '--line', '4'])).toThrow(expect.objectContaining(wrong))
  expect(() => parse(findSymbol, ['x', '--limit', 'many'])).toThrow('not a number')
})

test('contract 2: lists are repeated, objects are JSON, choices are checked', () => {
  const operation: Operation = defineOperation({
    ...listSymbols,
    on: 'workspace',
    input: z.object({
      files: z.array(z.string()),
      range: z.object({ line: z.number() }),
      direction: z.enum(['incoming', 'outgoing']).optional(),
      deep: z.boolean().default(false),
    }),
    run: async () => ({ symbols: [] }),
  })
  const typed = ['--files', 'a.ts', '--files', '../b.ts', '--range', '{"line":3}', '--deep']
  expect(parse(operation, typed)).toEqual({
    files: [resolve(cwd, 'a.ts'), resolve(cwd, '../b.ts')],
    range: { line: 3 },
    deep: true,
  })
  expect(() => parse(operation, ['--range', '{line}'])).toThrow('not valid JSON')
  expect(() => parse(operation, ['--direction', 'up'])).toThrow('incoming, outgoing')
})

function parse(operation: Operation, words: readonly string[]): Record<string, unknown> {
  const command = new Command('test').exitOverride().configureOutput({ outputError: () => undefined })
  const positional = positionalOf(operation)
  if (positional !== undefined) command.argument(`[${positional.name}]`)
  for (const option of optionsOf(operation)) command.addOption(option)
  command.action(() => undefined).parse([...words], { from: 'user' })
  const given = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === 'cli',
  )
  const typed = { positional: command.args[0], flags: Object.fromEntries(given) }
  return inputFrom(operation, typed, { cwd, exists: () => false })
}
