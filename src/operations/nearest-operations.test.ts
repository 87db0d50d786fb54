// What a caller is sent to where a server lacks an operation: one that exists, that is another, and that is judged by the
// capability it really needs.
import { expect, test } from 'vitest'
import { operations } from './index.js'
import type { Operation } from './operation.js'

const all: readonly Operation[] = operations
const suggesting = all.filter(({ nearest }) => nearest !== undefined)

test('contract 3.2 the nearest operation is an operation, and is asked for by its own request', () => {
  expect(suggesting.length).toBeGreaterThan(15)
  for (const { name, nearest } of suggesting) {
    const other = all.find(operation => operation.name === nearest?.name)
    expect(other, `${name} leads to ${nearest?.name}`).toBeDefined()
    expect(other?.name).not.toBe(name)
    expect(other?.lsp?.method, `${name} leads to ${nearest?.name}`).toBe(nearest?.lsp?.method)
  }
})
