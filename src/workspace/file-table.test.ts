// Whether an edit is seen decides whether an answer is true, so every way of editing is tried on a real folder: with
// watchers, and by the sweep alone. Time stands still, so that it is never a lucky sweep that sees what a watcher missed.
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Clock, systemClock } from '../clock.js'
import type { ChangeType } from './change-log.js'
import { FileTable, type FileTableOptions } from './file-table.js'

/** The code with which watching a folder fails, where it is to fail. */
const watching = vi.hoisted(() => ({ refuse: (_folder: string): string | undefined => undefined }))
vi.mock('node:fs', async original => {
  const real = await original<typeof import('node:fs')>()
  const watch = (folder: string, ...rest: [object, () => void]) => {
    const code = watching.refuse(folder)
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    return real.watch(folder, ...rest)
  }
  return { ...real, watch }
})

const frozen: Clock = { ...systemClock, now: () => 0 }
/** For whom nothing has happened lately. */
const later: Clock = { ...frozen, date: () => new Date(Date.now() + 60_000) }
const extensions = new Set(['.ts'])

let top: string
let root: string
let tables: FileTable[]

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-table-')))
  root = join(top, 'root')
  tables = []
  put('a.ts', 'one')
  put('src/b.ts', 'two')
  put('src/deep/c.ts', 'three')
  put('src/readme.md', 'words')
})

afterEach(() => {
  watching.refuse = () => undefined
  for (const table of tables) table.close()
  rmSync(top, { recursive: true, force: true })
})

const edits: [string, () => void, Record<string, ChangeType>][] = [
  ['a write in place', () => put('a.ts', 'longer than one'), { 'a.ts': 'changed' }],
  ['an edit of the same size', () => put('a.ts', 'eno'), { 'a.ts': 'changed' }],
  ['an edit of the same size and time', () => putWithOldTime('a.ts', 'eno'), { 'a.ts': 'changed' }],
  ['an append', () => appendFileSync(path('src/b.ts'), '!'), { 'src/b.ts': 'changed' }],
  ['a truncation', () => truncateSync(path('src/b.ts')), { 'src/b.ts': 'changed' }],
  ['a rename over it', () => saveByRename('src/b.ts', 'owt'), { 'src/b.ts': 'changed' }],
  ['a new file', () => put('src/new.ts', ''), { 'src/new.ts': 'created' }],
  ['a deleted file', () => rmSync(path('a.ts')), { 'a.ts': 'deleted' }],
  ['a renamed file', () => move('a.ts', 'z.ts'), { 'a.ts': 'deleted', 'z.ts': 'created' }],
  ['a file renamed into interest', () => move('src/readme.md', 'src/r.ts'), { 'src/r.ts': 'created' }],
  [
    'a new folder with files',
    () => {
      put('new/one.ts', '')
      put('new/deep/two.ts', '')
    },
    { 'new/one.ts': 'created', 'new/deep/two.ts': 'created' },
  ],
  [
    'a removed folder',
    () => rmSync(path('src'), { recursive: true }),
    { 'src/b.ts': 'deleted', 'src/deep/c.ts': 'deleted' },
  ],
  [
    'a renamed folder',
    () => move('src', 'lib'),
    {
      'src/b.ts': 'deleted',
      'src/deep/c.ts': 'deleted',
      'lib/b.ts': 'created',
      'lib/deep/c.ts': 'created',
    },
  ],
  ['a folder moved out', () => move('src/deep', '../deep'), { 'src/deep/c.ts': 'deleted' }],
  [
    'a folder put in the place of another',
    () => {
      put('../other/b.ts', 'two, but other')
      put('../other/deep/c.ts', 'three, but other')
      put('../other/deep/d.ts', 'four')
      move('src', '../old')
      move('../other', 'src')
    },
    { 'src/b.ts': 'changed', 'src/deep/c.ts': 'changed', 'src/deep/d.ts': 'created' },
  ],
  [
    'a folder removed and made again',
    () => {
      rmSync(path('src'), { recursive: true })
      put('src/b.ts', 'two again')
      put('src/deep/d.ts', 'four')
    },
    { 'src/b.ts': 'changed', 'src/deep/c.ts': 'deleted', 'src/deep/d.ts': 'created' },
  ],
  [
    'a file in the place of a folder',
    () => {
      move('src/deep', '../deep')
      put('src/deep', 'no folder')
    },
    { 'src/deep/c.ts': 'deleted' },
  ],
  [
    'a folder in the place of a file',
    () => {
      rmSync(path('a.ts'))
      put('a.ts/b.ts', '')
    },
    { 'a.ts': 'deleted', 'a.ts/b.ts': 'created' },
  ],
  ['a link to a file', () => symlinkSync('b.ts', path('src/link.ts')), { 'src/link.ts': 'created' }],
]

describe.each([
  ['by watchers', true],
  ['by the sweep alone', false],
])('%s', (_, useWatcher) => {
  test.each(edits)('R-125 %s is seen by the very next look', async (_name, edit, expected) => {
    const table = await scanned({ useWatcher })
    const before = table.revision
    expect(table.changesAfter(before)).toEqual([])
    edit()
    expect(await table.refresh()).toEqual({ current: true })
    expectSeen(table, before, expected)
    expect(known(table)).toEqual(onDisk())
  })

  test.each(edits)('R-125 what changes after %s is still seen', async (_name, edit) => {
    const table = await scanned({ useWatcher })
    edit()
    await table.refresh()
    for (const file of onDisk()) {
      const before = table.revision
      appendFileSync(path(file), '!')
      expect(await table.refresh()).toEqual({ current: true })
      expect(changes(table, before)).toMatchObject({ [file]: 'changed' })
    }
    const added = onDisk().map(file => join(dirname(file), 'added.ts'))
    for (const file of added) {
      put(file, 'added')
      expect(await table.refresh()).toEqual({ current: true })
      expect(known(table)).toContain(file)
    }
  })

  test('R-125 nothing is invented', async () => {
    const table = await scanned({ useWatcher, clock: later })
    expect(table.revision).toBe(0)
    const before = table.revision
    for (let look = 0; look < 5; look += 1) expect(await table.refresh()).toEqual({ current: true })
    statSync(path('a.ts'))
    readFileSync(path('a.ts'))
    put('src/readme.md', 'other words')
    expect(await table.refresh()).toEqual({ current: true })
    expect(changes(table, before)).toEqual({})
  })

  test('R-125 whoever knew a file since it was created hears of changes, not of a creation', async () => {
    const table = await scanned({ useWatcher, clock: later })
    const atFirst = table.revision
    put('new.ts', '1')
    await table.refresh()
    const afterCreation = table.revision
    put('new.ts', '22')
    await table.refresh()
    expect(changes(table, afterCreation)).toEqual({ 'new.ts': 'changed' })
    expect(changes(table, atFirst)).toEqual({ 'new.ts': 'created' })
    rmSync(path('new.ts'))
    await table.refresh()
    expect(changes(table, atFirst)).toEqual({ 'new.ts': 'deleted' })
  })

  test('R-125 any hundred edits in a row, each seen by the next look', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit(), { minLength: 100, maxLength: 100 }), async made => {
        rmSync(root, { recursive: true, force: true })
        put('a.ts', '0')
        put('b/c.ts', '0')
        put('b/d/e.ts', '0')
        const table = await scanned({ useWatcher })
        let model = contents()
        for (const [number, step] of made.entries()) {
          const before = table.revision
          perform(step, number)
          expect(await table.refresh()).toEqual({ current: true })
          const now = contents()
          expectSeen(table, before, difference(model, now))
          expect(known(table)).toEqual([...now.keys()].sort())
          model = now
        }
        table.close()
      }),
      { numRuns: 8, endOnFailure: true },
    )
  })

  test('W02 a link to a folder is not followed, nor a loop', async () => {
    put('../outside/secret.ts', '')
    symlinkSync(join(top, 'outside'), path('link'))
    symlinkSync('..', path('src/up'))
    symlinkSync('nowhere.ts', path('dangling.ts'))
    const table = await scanned({ useWatcher, clock: later })
    expect(known(table)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
    const before = table.revision
    put('../outside/other.ts', '')
    symlinkSync(join(top, 'outside'), path('src/another'))
    expect(await table.refresh()).toEqual({ current: true })
    expect(changes(table, before)).toEqual({})
  })

  test('R-125 a change behind a link to a file is seen', async () => {
    put('../outside/real.ts', 'one')
    symlinkSync(join(top, 'outside/real.ts'), path('link.ts'))
    const table = await scanned({ useWatcher })
    const before = table.revision
    put('../outside/real.ts', 'changed')
    expect(await table.refresh()).toEqual({ current: true })
    expect(changes(table, before)).toMatchObject({ 'link.ts': 'changed' })
  })

  test('W17 the folders of other programs are left alone, at the start and later', async () => {
    put('node_modules/x/index.ts', '')
    put('.git/hook.ts', '')
    put('built/CACHEDIR.TAG', '')
    put('built/x.ts', '')
    const table = await scanned({ useWatcher })
    expect(known(table)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
    put('node_modules/y/index.ts', '')
    put('src/node_modules/y/index.ts', '')
    put('built/y.ts', '')
    put('venv/pyvenv.cfg', '')
    put('venv/z.ts', '')
    expect(await table.refresh()).toEqual({ current: true })
    expect(known(table)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
  })

  test('W17 a root that is called like such a folder is a root all the same', async () => {
    root = join(top, 'node_modules')
    put('a.ts', '')
    const table = await scanned({ useWatcher })
    put('b.ts', '')
    expect(await table.refresh()).toEqual({ current: true })
    expect(known(table)).toEqual(['a.ts', 'b.ts'])
  })

  test('W22 a root that is gone is a workspace without files', async () => {
    const table = await scanned({ useWatcher })
    const before = table.revision
    rmSync(root, { recursive: true })
    expect(await table.refresh()).toEqual({ current: true })
    expect(changes(table, before)).toEqual({
      'a.ts': 'deleted',
      'src/b.ts': 'deleted',
      'src/deep/c.ts': 'deleted',
    })
    put('src/back.ts', '')
    expect(await table.refresh()).toEqual({ current: true })
    expect(known(table)).toEqual(['src/back.ts'])
  })

  test('W17 more files than can be kept in view are said to be', async () => {
    const table = await scanned({ useWatcher, maxFiles: 2 })
    expect(await table.refresh()).toEqual({
      current: false,
      reason: expect.stringContaining('more than 2 files'),
    })
    const grown = await scanned({ useWatcher, maxFiles: 3 })
    expect(await grown.refresh()).toEqual({ current: true })
    put('one-more.ts', '')
    expect(await grown.refresh()).toMatchObject({ current: false })
  })

  test('W08 what was changed shortly before or during the first listing is announced', async () => {
    const table = create({ useWatcher })
    put('src/deep/c.ts', 'changed before the listing came to it')
    await table.scan()
    expect(changes(table, 0)).toMatchObject({ 'src/deep/c.ts': 'changed' })
    // Whoever began before the listing must hear of it, whoever begins after it need not.
    expect(table.revisionBefore(Date.now() - 60_000)).toBe(0)
    expect(table.revisionBefore(Date.now() + 60_000)).toBe(table.revision)
  })

  test('contract before the first listing is done nothing is vouched for', async () => {
    const table = create({ useWatcher })
    expect(await table.refresh()).toMatchObject({ current: false, reason: expect.stringContaining('first') })
    await table.scan()
    expect(await table.refresh()).toEqual({ current: true })
    expect(table.size).toBe(3)
  })

  test('W18 an extension in capitals is the same extension', async () => {
    put('A.TS', '')
    const table = await scanned({ useWatcher, isInteresting: name => /\.ts$/i.test(name) })
    expect(known(table)).toContain('A.TS')
  })
})

test('contract a sweep that cannot finish vouches for nothing, until one has looked at everything at once', async () => {
  let now = 0
  const clock: Clock = { ...systemClock, now: () => now++ }
  const table = await scanned({ useWatcher: false, sweepMilliseconds: 0, clock })
  put('a.ts', 'changed')
  for (let look = 0; look < 20; look += 1) {
    expect(await table.refresh()).toEqual({
      current: false,
      reason: 'there was no time to look at every file of the workspace',
    })
  }
  // In pieces it still gets round.
  expect(changes(table, 0)).toMatchObject({ 'a.ts': 'changed' })
})

test('W20 after more events than the kernel may have kept, only a whole sweep is believed', async () => {
  let step = 0
  let now = 0
  const clock: Clock = { ...systemClock, now: () => (now += step) }
  const table = await scanned({ useWatcher: true, sweepMilliseconds: 0, clock })
  expect(await table.refresh()).toEqual({ current: true })
  // Two files in turn, because the kernel tells of equal events in a row only once.
  const files = ['a.ts', 'src/b.ts'].map(file => openSync(path(file), 'a'))
  for (let round = 0; round < 2500; round += 1) for (const file of files) writeSync(file, '!')
  for (const file of files) closeSync(file)
  expect(table.stampOf(path('a.ts'))).toBeDefined()
  step = 1
  expect(await table.refresh()).toMatchObject({ current: false })
  expect(table.stampOf(path('a.ts'))).toBeUndefined()
  step = 0
  for (let look = 0; look < 3; look += 1) await table.refresh()
  expect(await table.refresh()).toEqual({ current: true })
  expect(table.stampOf(path('a.ts'))).toBeGreaterThan(0)
})

test('W21 where nothing can be watched any more the sweep takes over', async () => {
  watching.refuse = folder => (folder === path('src') ? 'ENOSPC' : undefined)
  const table = await scanned({ useWatcher: true })
  put('src/b.ts', 'changed')
  put('src/new.ts', '')
  expect(await table.refresh()).toEqual({ current: true })
  expect(known(table)).toContain('src/new.ts')
  expect(table.stampOf(path('a.ts'))).toBeUndefined()
})

test('W22 a folder that goes away while it is being watched is no reason to give up watching', async () => {
  const table = await scanned({ useWatcher: true })
  put('new/x.ts', '')
  watching.refuse = folder => (folder === path('new') ? 'ENOENT' : undefined)
  expect(await table.refresh()).toEqual({ current: true })
  expect(table.stampOf(path('a.ts'))).toBeDefined()
})

test('contract a stamp is given only for what a watcher vouches for, and changes with the file', async () => {
  symlinkSync('a.ts', path('link.ts'))
  const table = await scanned({ useWatcher: true, clock: later })
  expect(table.stampOf(path('a.ts'))).toBe(0)
  // Who writes to a.ts leaves no trace at the link.
  expect(table.stampOf(path('link.ts'))).toBeUndefined()
  expect(table.stampOf(path('nowhere.ts'))).toBeUndefined()
  put('a.ts', 'changed')
  await table.refresh()
  expect(table.stampOf(path('a.ts'))).toBeGreaterThan(0)
  const unwatched = await scanned({ useWatcher: false })
  expect(unwatched.stampOf(path('a.ts'))).toBeUndefined()
})

test('W08 a session is told of what may have changed after it began', async () => {
  let date = 1000
  const table = await scanned({ useWatcher: true, clock: { ...frozen, date: () => new Date(date) } })
  const start = table.revision
  date = 2000
  put('a.ts', 'first change')
  await table.refresh()
  const first = table.revision
  date = 3000
  put('a.ts', 'second change')
  await table.refresh()
  expect(table.revisionBefore(2000)).toBe(start)
  // The file has been changed again, so whoever began in between must be told of it.
  expect(table.revisionBefore(2500)).toBeLessThan(table.revision)
  expect(changes(table, table.revisionBefore(2500))).toEqual({ 'a.ts': 'changed' })
  expect(table.revisionBefore(3500)).toBe(table.revision)
  expect(first).toBeLessThan(table.revision)
})

test('K09 a file is known by its last extension, by a longer one, and by its whole name', async () => {
  for (const file of ['Dockerfile', 'web.dockerfile', 'page.blade.php', 'mydockerfile', 'x.BLADE.PHP'])
    put(file, '')
  const table = await scanned({ isInteresting: () => true })
  const like = (...endings: readonly string[]) =>
    [...table.filesWith(new Set(endings))].map(file => relative(root, file)).sort()
  expect(like('dockerfile')).toEqual(['Dockerfile'])
  expect(like('dockerfile', '.dockerfile')).toEqual(['Dockerfile', 'web.dockerfile'])
  expect(like('.blade.php')).toEqual(['page.blade.php', 'x.BLADE.PHP'])
  expect(like('.php')).toEqual(like('.blade.php'))
})

type Step = { readonly kind: (typeof kinds)[number]; readonly one: number; readonly two: number }
const kinds = [
  'write',
  'same size',
  'truncate',
  'save',
  'create',
  'delete',
  'make folder',
  'remove folder',
  'move folder',
  'move file',
  'swap folders',
  'replace folder',
] as const

function edit(): fc.Arbitrary<Step> {
  return fc.record({ kind: fc.constantFrom(...kinds), one: fc.nat(), two: fc.nat() })
}

function perform({ kind, one, two }: Step, number: number): void {
  const files = onDisk()
  const folders = foldersOnDisk()
  const pick = (names: readonly string[], by: number) => names[by % Math.max(names.length, 1)]
  const file = pick(files, one)
  const folder = pick(folders, one)
  const other = pick(folders, two)
  const fresh = join(pick(['.', ...folders], two) ?? '.', `n${number}`)
  if (kind === 'create' || file === undefined) put(`${fresh}.ts`, String(number))
  else if (kind === 'write') put(file, `${number}`.repeat(1 + (two % 5)))
  else if (kind === 'same size')
    put(
      file,
      readFileSync(path(file), 'utf8').replace(/./gs, digit => next(digit)),
    )
  else if (kind === 'truncate') truncateSync(path(file))
  else if (kind === 'save') saveByRename(file, `saved ${number}`)
  else if (kind === 'delete') rmSync(path(file))
  else if (kind === 'move file') move(file, `${fresh}.ts`)
  else if (kind === 'make folder') put(`${fresh}/x/y.ts`, String(number))
  else if (folder === undefined) return
  else if (kind === 'remove folder') rmSync(path(folder), { recursive: true })
  else if (kind === 'replace folder') {
    rmSync(path(folder), { recursive: true })
    put(`${folder}/again.ts`, String(number))
  } else if (kind === 'move folder') move(folder, `n${number}`)
  else if (other !== undefined && !within(folder, other) && !within(other, folder)) {
    move(folder, '../swap')
    move(other, folder)
    move('../swap', other)
  }
}

function next(character: string): string {
  return character === '7' ? '3' : '7'
}

function within(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`)
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const found: Record<string, ChangeType> = {}
  for (const [file, content] of after) {
    if (!before.has(file)) found[file] = 'created'
    else if (before.get(file) !== content) found[file] = 'changed'
  }
  for (const file of before.keys()) if (!after.has(file)) found[file] = 'deleted'
  return found
}

function create(options: Partial<FileTableOptions>): FileTable {
  const table = new FileTable({
    root,
    clock: frozen,
    isInteresting: name => name.endsWith('.ts'),
    useWatcher: true,
    sweepMilliseconds: 1000,
    maxFiles: 1000,
    ...options,
  })
  tables.push(table)
  return table
}

async function scanned(options: Partial<FileTableOptions>): Promise<FileTable> {
  const table = create(options)
  await table.scan()
  await table.refresh()
  return table
}

function changes(table: FileTable, revision: number): Record<string, ChangeType> {
  return Object.fromEntries(
    table.changesAfter(revision).map(change => [relative(root, change.path), change.type]),
  )
}

/** A change that is told twice costs a look; one that is not told, or of a file that is not there, would be a lie. */
function expectSeen(table: FileTable, revision: number, expected: Record<string, ChangeType>): void {
  const seen = changes(table, revision)
  expect(seen).toMatchObject(expected)
  for (const [file, type] of Object.entries(seen)) {
    if (!(file in expected)) expect([file, type, existsSync(path(file))]).toEqual([file, 'changed', true])
  }
}

function known(table: FileTable): string[] {
  return [...table.filesWith(extensions)].map(file => relative(root, file)).sort()
}

function onDisk(): string[] {
  return entries()
    .filter(entry => entry.name.endsWith('.ts') && statSync(path(entry.name)).isFile())
    .map(entry => entry.name)
    .sort()
}

function foldersOnDisk(): string[] {
  return entries()
    .filter(entry => entry.isFolder)
    .map(entry => entry.name)
    .sort()
}

function entries(): { readonly name: string; readonly isFolder: boolean }[] {
  if (!existsSync(root)) return []
  return readdirSync(root, { withFileTypes: true, recursive: true }).map(entry => ({
    name: relative(root, join(entry.parentPath, entry.name)),
    isFolder: entry.isDirectory(),
  }))
}

function contents(): Map<string, string> {
  return new Map(onDisk().map(file => [file, readFileSync(path(file), 'utf8')]))
}

function path(file: string): string {
  return join(root, file)
}

function put(file: string, text: string): void {
  mkdirSync(dirname(path(file)), { recursive: true })
  writeFileSync(path(file), text)
}

function putWithOldTime(file: string, text: string): void {
  const { atime, mtime } = statSync(path(file))
  put(file, text)
  utimesSync(path(file), atime, mtime)
}

function saveByRename(file: string, text: string): void {
  put(`${file}.tmp`, text)
  renameSync(path(`${file}.tmp`), path(file))
}

function move(from: string, to: string): void {
  mkdirSync(dirname(path(to)), { recursive: true })
  renameSync(path(from), path(to))
}
