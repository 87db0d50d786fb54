import { expect, test } from 'vitest'
import { processOwner, startIn } from './owner.js'

const stat = (state: string, threads: number) =>
  `42 (a) Z (b) ${state} 1 42 42 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 ${threads} 0 777 1000 20 0`

test('M19 a writer is gone with its last thread, not with its first: one may still be writing', () => {
  expect(startIn(stat('S', 7))).toBe(777)
  expect(startIn(stat('Z', 2))).toBe(777)
  expect(startIn(stat('Z', 1))).toBeUndefined()
  expect(startIn(stat('X', 0))).toBeUndefined()
})

test('M19 this process is alive, and one that had its number before is not', () => {
  const { name, isAlive } = processOwner()
  expect(isAlive(name)).toBe(true)
  expect(isAlive(name.replace(/-\d+-/, '-1-'))).toBe(false)
})
