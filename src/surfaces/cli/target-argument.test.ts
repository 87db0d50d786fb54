// Whatever the file is called, a position typed after it comes out as typed, and an existing file is never mistaken.
import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTarget } from './target-argument.js'

const cwd = resolve('/project/src')
const nothing = { cwd, exists: () => false }
const only = (file: string) => ({ cwd, exists: (path: string) => path === resolve(cwd, file) })

const names = fc
  .array(fc.constantFrom('a', 'b', ':', '7', '.ts', 'C:', ' '), { minLength: 1, maxLength: 8 })
  .map(parts => `f${parts.join('')}`)
const position = fc.integer({ min: 0, max: 1_000_000 })

test('contract 2: a file that exists wins, however it is spelled', () => {
  fc.assert(
    fc.property(names, name => {
      expect(parseTarget(name, only(name))).toEqual({ file: resolve(cwd, name) })
    }),
  )
})

test('contract 2: line and column after an existing file are found, colons in its name or not', () => {
  fc.assert(
    fc.property(names, position, position, (name, line, column) => {
      const file = resolve(cwd, name)
      expect(parseTarget(`${name}:${line}`, only(name))).toEqual({ file, line })
      expect(parseTarget(`${name}:${line}:${column}`, only(name))).toEqual({ file, line, column })
    }),
  )
})

test('contract 2: with no such file, what can be a position is one', () => {
  const file = resolve(cwd, 'gone.ts')
  expect(parseTarget('gone.ts', nothing)).toEqual({ file })
  expect(parseTarget('gone.ts:12', nothing)).toEqual({ file, line: 12 })
  expect(parseTarget('gone.ts:12:8', nothing)).toEqual({ file, line: 12, column: 8 })
  expect(parseTarget('../gone.ts:12', nothing)).toEqual({ file: resolve(cwd, '../gone.ts'), line: 12 })
  expect(parseTarget(':12', nothing)).toEqual({ file: resolve(cwd, ':12') })
})
