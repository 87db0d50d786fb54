// Baselines under handles: found again by another process, whole or not at all, and whose a file is, by content.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Events } from '../events.js'
import { KeptChanges } from './kept-changes.js'
import { createPathGate } from './path-gate.js'

let root: string
let state: string
let logged: string[]

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'changes-')))
  state = mkdtempSync(join(tmpdir(), 'changes-state-'))
  logged = []
})
afterEach(() => {
  for (const folder of [root, state]) rmSync(folder, { recursive: true, force: true })
})

function open(): KeptChanges {
  const events = new Events()
  events.subscribe(event => {
    if (event.type === 'bridge.logged') logged.push(event.message)
  })
  return new KeptChanges({ gate: createPathGate(root), stateFolder: state, events })
}

const start = {
  named: ['a.ts', 'new.ts'],
  head: 'f'.repeat(40),
  files: [
    { file: 'a.ts', text: 'one \u{1f600}\r\n' },
    { file: 'new.ts' },
    { file: 'b.ts', unread: 'binary' },
  ],
}

test('contract 6 a change is found again by another process, whole', () => {
  const handle = open().begin(start)
  expect(handle).toMatch(/^c:[0-9a-f]{12}$/)
  expect(open().get(handle)).toMatchObject({ ...start, root, version: 1 })
})

test('contract 6 two changes that begin alike are two', () => {
  const changes = open()
  expect(changes.begin(start)).not.toBe(changes.begin(start))
})

test('contract 6 what was altered on disk is not used, and that is said', () => {
  const handle = open().begin(start)
  const folder = join(state, 'changes')
  const [workspace = ''] = readdirSync(folder)
  const file = join(folder, workspace, `${handle.slice(2)}.json`)
  writeFileSync(file, readFileSync(file, 'utf8').replace('one', 'two'))
  expect(() => open().get(handle)).toThrow(/there is no change/)
  expect(logged).toEqual([expect.stringContaining('damaged')])
})

test('D06 another change-set shares a file unless it left what this one began with', () => {
  const changes = open()
  const [mine, theirs] = [changes.begin(start), changes.begin(start)]
  expect(changes.sharers(mine, 'a.ts', 'one')).toEqual([])
  changes.claim(theirs, 'a.ts', 'two')
  changes.claim(mine, 'a.ts', 'three')
  expect(changes.sharers(mine, 'a.ts', 'one')).toEqual([theirs])
  expect(changes.sharers(mine, 'a.ts', 'two')).toEqual([])
  expect(changes.sharers(mine, 'b.ts', 'one')).toEqual([])
})

test('D06 a file belongs to a change that was announced for it later, if it was still as it had been', () => {
  const changes = open()
  const files = [{ file: 'a.ts', text: 'one' }, { file: 'new.ts' }, { file: 'b.ts', unread: 'binary' }]
  const mine = changes.begin({ named: ['c.ts'], files })
  const theirs = changes.begin({ named: ['a.ts', 'new.ts', 'b.ts'], files })
  expect(changes.announcedLater(mine, 'a.ts', 'one')).toBe(theirs)
  expect(changes.announcedLater(mine, 'a.ts', 'other')).toBeUndefined()
  expect(changes.announcedLater(mine, 'new.ts', undefined)).toBe(theirs)
  expect(changes.announcedLater(mine, 'b.ts', undefined)).toBeUndefined()
  expect(changes.announcedLater(mine, 'd.ts', undefined)).toBeUndefined()
})
