// Where a server is started for a file: the folder its rule names, and never one above the workspace.
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RootRule } from '../servers/definition.js'
import { rootFor } from './roots.js'

const workspace = '/home/me/project'
const file = `${workspace}/services/shop/cart/cart.go`
const markers = ['go.work', 'go.mod']

function found(rule: RootRule, ...present: readonly string[]): string {
  return rootFor(file, workspace, rule, path => present.includes(path))
}

test('R-52 the workspace itself, whatever lies in it', () => {
  expect(found({ kind: 'workspace' }, `${workspace}/services/go.mod`)).toBe(workspace)
})

test('R-52 the nearest and the outermost folder with a marker', () => {
  const modules = [`${workspace}/services/go.mod`, `${workspace}/services/shop/go.mod`]
  expect(found({ kind: 'nearest', markers }, ...modules)).toBe(`${workspace}/services/shop`)
  expect(found({ kind: 'outermost', markers }, ...modules)).toBe(`${workspace}/services`)
  expect(found({ kind: 'outermost', markers }, `${workspace}/go.work`, ...modules)).toBe(workspace)
  expect(found({ kind: 'nearest', markers }, `${workspace}/services/shop/cart/go.mod`)).toBe(
    `${workspace}/services/shop/cart`,
  )
})

test('R-52 without a marker the workspace', () => {
  expect(found({ kind: 'nearest', markers })).toBe(workspace)
  expect(found({ kind: 'outermost', markers })).toBe(workspace)
})

test('W23 a marker above the workspace does not count, nor does a sibling that is called alike', () => {
  const above = ['/go.mod', '/home/go.mod', '/home/me/go.mod', `${workspace}-old/go.mod`]
  expect(found({ kind: 'outermost', markers }, ...above)).toBe(workspace)
  expect(found({ kind: 'nearest', markers }, ...above)).toBe(workspace)
  const beside = rootFor(`${workspace}-old/main.go`, workspace, { kind: 'nearest', markers }, () => true)
  expect(beside).toBe(workspace)
})

test('W23 the root of the file system can be the workspace', () => {
  expect(rootFor('/main.go', '/', { kind: 'nearest', markers }, () => false)).toBe('/')
  expect(rootFor('/a/main.go', '/', { kind: 'outermost', markers }, path => path === '/a/go.mod')).toBe('/a')
})

test('W23 whatever lies where, the root is the workspace or a folder in it that holds the file', () => {
  const name = fc.constantFrom('a', 'b', 'go.mod')
  const rule = fc.constantFrom<RootRule>({ kind: 'nearest', markers }, { kind: 'outermost', markers })
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), fc.array(fc.array(name)), rule, (names, present, which) => {
      const path = join(workspace, ...names)
      const there = new Set(present.map(parts => join('/home/me', ...parts, 'go.mod')))
      const root = rootFor(path, workspace, which, asked => there.has(asked))
      expect(root === workspace || root.startsWith(`${workspace}/`)).toBe(true)
      expect(path.startsWith(`${root}/`)).toBe(true)
      if (root !== workspace) expect(there.has(join(root, 'go.mod'))).toBe(true)
    }),
  )
})
