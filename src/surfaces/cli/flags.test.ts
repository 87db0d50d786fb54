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
import type { Positional } from './command.js'
import { commonOptions } from './common-flags.js'
import { dashed, inputFrom, optionsOf, positionalOf } from './flags.js'

const cwd = resolve('/project/src')

describe.each(operations)('contract 3: $name on the command line', operation => {
  const flags = optionsOf(operation).map(option => option.long)

  test('every field has a flag or is the argument', () => {
    const positional = positionalOf(operation)
    for (const field of Object.keys(operation.input.shape)) {
      const isArgument = field === argumentField(positional)
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
    expect(operation.input.safeParse(parse(operation, shellWords(operation.example))).success).toBe(true)
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

function workspaceOperation(input: z.ZodObject): Operation {
  return defineOperation({ ...findSymbol, input, run: async () => ({ symbols: [], total: 0 }) })
}

test('contract 2: lists are repeated, objects are JSON, choices are checked', () => {
  const operation = workspaceOperation(
    z.object({
      exclude: z.array(z.string()).optional(),
      lines: z.array(z.number()).optional(),
      range: z.object({ line: z.number() }).optional(),
      direction: z.enum(['incoming', 'outgoing']).optional(),
      deep: z.boolean().default(false),
    }),
  )
  const typed = ['--exclude', 'a/**', '--exclude', 'b', '--lines', '3', '--range', '{"line":3}', '--deep']
  expect(parse(operation, typed)).toEqual({
    exclude: ['a/**', 'b'],
    lines: [3],
    range: { line: 3 },
    deep: true,
  })
  expect(() => parse(operation, ['--range', '{line}'])).toThrow('--range is not valid JSON')
  expect(() => parse(operation, ['--lines', 'three'])).toThrow('not a number')
  expect(() => parse(operation, ['--direction', 'up'])).toThrow('incoming, outgoing')
})

describe('contract 2: lists of objects', () => {
  const edit = z.object({ file: z.string(), new_text: z.string(), line: z.number().optional() })
  const operation = workspaceOperation(
    z.object({ handle: z.string().optional(), edits: z.array(edit).optional().describe('What to change.') }),
  )
  const one = { file: 'a.ts', new_text: 'x', line: 3 }
  const files: Readonly<Record<string, string>> = { [resolve(cwd, 'edits.json')]: JSON.stringify([one, one]) }
  const read = (file: string | number) => {
    const text = file === 0 ? JSON.stringify([one]) : files[file]
    if (text === undefined) throw new Error('no such file')
    return text
  }

  test('contract 2: are JSON as typed, in a file or on stdin, one alone without brackets', () => {
    expect(parse(operation, ['--edits', JSON.stringify([one])], read)).toEqual({ edits: [one] })
    expect(parse(operation, ['--edits', JSON.stringify(one)], read)).toEqual({ edits: [one] })
    expect(parse(operation, ['--edits', '@edits.json'], read)).toEqual({ edits: [one, one] })
    expect(parse(operation, ['--edits', '-'], read)).toEqual({ edits: [one] })
  })

  test('contract 2: that cannot be read are wrong usage', () => {
    for (const typed of ['[{]', '@missing.json', '']) {
      const wrong = { kind: 'InvalidArguments', message: expect.stringContaining('--edits') }
      expect(() => parse(operation, ['--edits', typed], read)).toThrow(expect.objectContaining(wrong))
    }
  })

  test('contract 2: say in the help what belongs into them', () => {
    const option = optionsOf(operation).find(({ long }) => long === '--edits')
    expect(option?.flags).toBe('--edits <json>')
    expect(option?.description).toBe(
      'What to change. JSON, @FILE or - for stdin: [{file, new_text, line?}, ...], paths relative to the root.',
    )
  })

  test('contract 3.1: leave the argument to the handle', () => {
    expect(parse(operation, ['p:abc'])).toEqual({ handle: 'p:abc' })
  })
})

describe('contract 2: files', () => {
  const several = workspaceOperation(z.object({ files: z.array(z.string()).optional() }))
  const both = workspaceOperation(
    z.object({ file: z.string().optional(), files: z.array(z.string()).optional() }),
  )

  test('contract 2: are arguments, as many as there are', () => {
    expect(parse(several, [])).toEqual({})
    expect(parse(several, ['a.ts', '../b.ts'])).toEqual({
      files: [resolve(cwd, 'a.ts'), resolve(cwd, '../b.ts')],
    })
    expect(parse(several, ['--files', 'a.ts', '--files', 'b.ts'])).toEqual({
      files: [resolve(cwd, 'a.ts'), resolve(cwd, 'b.ts')],
    })
    expect(() => parse(several, ['a.ts', '--files', 'b.ts'])).toThrow('both FILES and --files')
    expect(optionsOf(both).filter(({ hidden }) => !hidden)).toEqual([])
  })

  test('contract 2: one alone is the file where there is such a field', () => {
    expect(parse(both, ['a.ts'])).toEqual({ file: resolve(cwd, 'a.ts') })
    expect(parse(both, ['a.ts', 'b.ts'])).toEqual({ files: [resolve(cwd, 'a.ts'), resolve(cwd, 'b.ts')] })
    expect(parse(several, ['a.ts'])).toEqual({ files: [resolve(cwd, 'a.ts')] })
  })
})

test('contract 3.1: a handle may stand in place of a target, unless it is a file', () => {
  const handle = 's:0123ab456789:3:4:a.ts#x'
  expect(parse(findReferences, [handle])).toEqual({ handle })
  expect(parse(listSymbols, [handle])).toEqual({ file: resolve(cwd, handle) })
  const exists = (path: string) => path === resolve(cwd, handle)
  const typed = { positional: handle, flags: {} }
  expect(inputFrom(findReferences, typed, { cwd, exists })).toEqual({ file: resolve(cwd, handle) })
  const required = workspaceOperation(z.object({ handle: z.string() }))
  expect(parse(required, ['p:abc'])).toEqual({ handle: 'p:abc' })
})

function argumentField(positional: Positional | undefined): string | undefined {
  if (positional === undefined) return undefined
  if (positional.fills === 'target') return 'file'
  return positional.fills === 'files' ? 'files' : positional.fills.field
}

/** As a shell takes them apart: single quotes hold together. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

function parse(
  operation: Operation,
  words: readonly string[],
  read: (file: string | number) => string = () => '',
): Record<string, unknown> {
  const command = new Command('test').exitOverride().configureOutput({ outputError: () => undefined })
  const positional = positionalOf(operation)
  if (positional !== undefined) command.argument(`[${positional.name}${positional.several ? '...' : ''}]`)
  for (const option of optionsOf(operation)) command.addOption(option)
  command.action(() => undefined).parse([...words], { from: 'user' })
  const given = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === 'cli',
  )
  const typed = { positional: command.args, flags: Object.fromEntries(given) }
  return inputFrom(operation, typed, { cwd, exists: () => false, read })
}
