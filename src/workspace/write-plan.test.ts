import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faultyDisk } from '../../test/faulty-disk.js'
import { contentHash } from '../text/hash.js'
import { systemDisk } from './disk.js'
import type { EditPlan, PlannedFile } from './edit-plan.js'
import { createPathGate } from './path-gate.js'
import { recoverPlans, type WritePlanOptions, writePlan } from './write-plan.js'

const healthy = faultyDisk({ fault: { kind: 'none' } })

let base: string
let root: string
let stateFolder: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'write-')))
  root = join(base, 'root')
  stateFolder = join(base, 'state')
  mkdirSync(root)
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

/** A random change of a random tree: edits, creations, deletions, renames, files that change places. */
const stories = fc
  .record({
    files: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f', 'g/h/i'), { minLength: 3 }),
    fates: fc.array(fc.constantFrom('edit', 'delete', 'rename', 'keep'), { minLength: 6, maxLength: 6 }),
    created: fc.subarray(['n', 'd/n', 'new/deep/n']),
    shift: fc.nat(5),
    changesOnRename: fc.boolean(),
  })
  .map(({ files, fates, created, shift, changesOnRename }) => {
    const before = new Map<string, string>(files.map(file => [file, `content of ${file}\n`]))
    const renamed: readonly string[] = files.filter((_, index) => fates[index] === 'rename')
    const planned: PlannedFile[] = files.flatMap((file, index): PlannedFile[] => {
      const text = before.get(file) ?? ''
      const old = { file, content: contentHash(text), text, bom: false }
      if (fates[index] === 'edit') return [{ file, before: old, after: `${text}edited\n`, edits: 1 }]
      if (fates[index] === 'delete') return [{ file, before: old, after: undefined, edits: 0 }]
      if (fates[index] !== 'rename') return []
      // Names go round among the renamed files, so that each takes the place of the next one.
      const to = renamed[(renamed.indexOf(file) + shift) % renamed.length] ?? file
      const target = to === file ? `moved/${file}` : to
      return [{ file: target, before: old, after: changesOnRename ? `${text}too\n` : text, edits: 0 }]
    })
    for (const file of created) planned.push({ file, before: undefined, after: `new ${file}\n`, edits: 0 })
    const after = new Map(before)
    for (const { before: old } of planned) if (old !== undefined) after.delete(old.file)
    for (const { file, after: text } of planned) if (text !== undefined) after.set(file, text)
    const plan: EditPlan = { files: planned, folders: [], excluded: [] }
    return { before, after, plan }
  })

const faults = fc.oneof(
  fc.record({ kind: fc.constant('fail-once' as const), at: fc.nat(120) }),
  fc.record({ kind: fc.constant('fail-from' as const), at: fc.nat(120) }),
  fc.record({ kind: fc.constant('kill' as const), at: fc.nat(120) }),
)

describe('mistake 3: all or nothing', () => {
  it('mistake 3 random failures and kills leave every file as it was, or every file as planned', async () => {
    const seen = { untouched: 0, done: 0, takenBackLater: 0 }
    await fc.assert(
      fc.asyncProperty(stories, faults, fc.boolean(), async ({ before, after, plan }, fault, hasLinks) => {
        fill(before)
        const untouched = treeOf(root)
        const disk = faultyDisk({ fault, hasLinks })
        const failed = await write(plan, { disk, owner: '1-1-1' }).then(
          () => false,
          () => true,
        )
        const rightAfter = treeOf(root)
        if (fault.kind === 'fail-once' && failed) expect(rightAfter).toEqual(untouched)
        // The next process finds the first one gone.
        await recoverPlans({
          gate: createPathGate(root),
          stateFolder,
          owner: '2-2-2',
          isAlive: () => false,
          disk: healthy,
        })
        const now = treeOf(root)
        const isDone = JSON.stringify(contentsOf(now)) === JSON.stringify([...after].sort())
        if (!failed) expect(isDone).toBe(true)
        if (isDone && after.size + before.size > 0) seen.done += 1
        else {
          expect(now).toEqual(untouched)
          if (JSON.stringify(rightAfter) === JSON.stringify(untouched)) seen.untouched += 1
          else seen.takenBackLater += 1
        }
        expect(journals()).toEqual([])
      }),
      { numRuns: 200 },
    )
    // The three outcomes have to have been seen, or the test says nothing.
    expect(Math.min(seen.untouched, seen.done, seen.takenBackLater)).toBeGreaterThan(10)
  })

  it('mistake 3 every single call in turn may fail, or be the last of the process', async () => {
    const before = new Map(['a', 'b', 'c', 'd', 'e'].map(name => [name, `${name}\n`]))
    const plan = planOf([
      modified('a', 'a\n', 'A\n'),
      { file: 'sub/b', before: beforeOf('b', 'b\n'), after: 'b\n', edits: 0 },
      { file: 'c', before: beforeOf('c', 'c\n'), after: undefined, edits: 0 },
      modified('d', 'd\n', 'D\n'),
      modified('e', 'e\n', 'E\n'),
      { file: 'f', before: undefined, after: 'F\n', edits: 0 },
    ])
    for (const kind of ['fail-once', 'kill'] as const) {
      let succeeded = 0
      for (let at = 0; ; at++) {
        fill(before)
        const untouched = treeOf(root)
        const disk = faultyDisk({ fault: { kind, at } })
        const failed = await write(plan, { disk, owner: '1-1-1' }).then(
          () => false,
          () => true,
        )
        if (kind === 'fail-once' && failed) expect(treeOf(root), `call ${at}`).toEqual(untouched)
        await recoverPlans({
          gate: createPathGate(root),
          stateFolder,
          owner: '2-2-2',
          isAlive: () => false,
          disk: healthy,
        })
        const names = readdirSync(root).sort().join(' ')
        if (!failed) expect(names).toBe('a d e f sub')
        else if (names !== 'a d e f sub') expect(treeOf(root), `call ${at}`).toEqual(untouched)
        if (!failed) succeeded += 1
        if (disk.calls <= at) break
      }
      expect(succeeded).toBeGreaterThan(0)
    }
  })

  it('mistake 3 after a real kill at any call, the next start takes everything back', async () => {
    const before = new Map(Array.from({ length: 5 }, (_, index) => [`f${index}`, 'area\n'.repeat(50)]))
    const plan = planOf(
      [...before].map(([file, text]) => modified(file, text, text.replaceAll('area', 'size'))),
    )
    fill(before)
    const counting = faultyDisk({ fault: { kind: 'none' } })
    await write(plan, { disk: counting })
    const done = treeOf(root)
    const program = childProgram(plan)
    const outcomes = { untouched: 0, done: 0, broken: 0 }
    for (let at = 0; at < counting.calls; at += 5) {
      fill(before)
      const untouched = treeOf(root)
      const { signal } = spawnSync(process.execPath, [program, root, stateFolder, `${at}`], {
        stdio: 'inherit',
      })
      expect(signal).toBe('SIGKILL')
      const isBroken = ![untouched, done].some(tree => JSON.stringify(tree) === JSON.stringify(treeOf(root)))
      if (isBroken) outcomes.broken += 1
      await recoverPlans({ gate: createPathGate(root), stateFolder })
      const now = treeOf(root)
      expect([untouched, done], `killed at call ${at}`).toContainEqual(now)
      if (JSON.stringify(now) === JSON.stringify(done)) outcomes.done += 1
      else outcomes.untouched += 1
      expect(journals()).toEqual([])
    }
    expect(Math.min(outcomes.untouched, outcomes.done, outcomes.broken)).toBeGreaterThan(0)
  })
})

describe('StaleProposal', () => {
  it('W07 names the file that changed, was deleted, moved, or came into being', async () => {
    const plan = planOf([
      modified('a', 'a', 'A'),
      { file: 'sub/new', before: undefined, after: 'new', edits: 0 },
      modified('sub/b', 'b', 'B'),
    ])
    const changes: [string, () => void][] = [
      ['sub/b', () => writeFileSync(join(root, 'sub/b'), 'x')],
      ['sub/b', () => rmSync(join(root, 'sub/b'))],
      ['a', () => rmSync(join(root, 'a'))],
      ['sub/new', () => writeFileSync(join(root, 'sub/new'), 'somebody else')],
      ['sub/b', () => renameSync(join(root, 'sub'), join(root, 'other'))],
    ]
    for (const [file, change] of changes) {
      rmSync(root, { recursive: true, force: true })
      fill(
        new Map([
          ['a', 'a'],
          ['sub/b', 'b'],
        ]),
      )
      change()
      const untouched = treeOf(root)
      await expect(write(plan)).rejects.toMatchObject({
        kind: 'StaleProposal',
        message: expect.stringContaining(JSON.stringify(file)),
      })
      expect(treeOf(root)).toEqual(untouched)
    }
  })

  it('W08 a change at any moment before the file is put in place is seen, and never lost', async () => {
    const plan = planOf([modified('a', 'a', 'A'), modified('b', 'b', 'B'), modified('c', 'c', 'C')])
    for (const [how, change] of [
      ['in place', () => writeFileSync(join(root, 'b'), 'mine')],
      [
        'by a rename',
        () => {
          writeFileSync(join(base, 'mine'), 'mine')
          renameSync(join(base, 'mine'), join(root, 'b'))
        },
      ],
    ] as const) {
      for (let at = 0; ; at++) {
        fill(
          new Map([
            ['a', 'a'],
            ['b', 'b'],
            ['c', 'c'],
          ]),
        )
        let hasHappened = false
        const disk = faultyDisk({
          fault: { kind: 'none' },
          before(call) {
            if (call !== at) return
            hasHappened = true
            change()
          },
        })
        const failed = await write(plan, { disk }).then(
          () => false,
          () => true,
        )
        if (!hasHappened) break
        const texts = ['a', 'b', 'c'].map(name => readFileSync(join(root, name), 'utf8'))
        // Between the last look at the file and its replacement lies one call; that moment is not to be had.
        if (failed) expect(texts, `${how} before call ${at}`).toEqual(['a', 'mine', 'c'])
        else
          expect(
            [
              ['A', 'mine', 'C'],
              ['A', 'B', 'C'],
            ],
            `${how} before call ${at}`,
          ).toContainEqual(texts)
        expect(leftovers()).toEqual([])
      }
    }
  })

  it('W07 what was changed after a kill stays, and so does its former content', async () => {
    fill(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    )
    const plan = planOf([modified('a', 'a', 'A'), modified('b', 'b', 'B')])
    const killedAfterFirst = faultyDisk({
      fault: {
        kind: 'kill',
        at: await callsUntil(plan, () => readFileSync(join(root, 'a'), 'utf8') === 'A'),
      },
    })
    fill(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    )
    await expect(write(plan, { disk: killedAfterFirst, owner: '1-1-1' })).rejects.toThrow()
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('A')
    writeFileSync(join(root, 'a'), 'mine')
    const logged: string[] = []
    await recoverPlans({
      gate: createPathGate(root),
      stateFolder,
      owner: '2-2-2',
      isAlive: () => false,
      log: message => logged.push(message),
    })
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('mine')
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('b')
    const [kept, ...others] = leftovers()
    expect(others).toEqual([])
    expect(readFileSync(join(root, kept ?? ''), 'utf8')).toBe('a')
    expect(logged.join('\n')).toContain(kept)
  })
})

describe('what a file keeps', () => {
  it('mistake 3 mode, byte order mark and line ends', async () => {
    const text = 'a\r\nb\r\n'
    fill(
      new Map([
        ['run.sh', `\ufeff${text}`],
        ['private', 'p'],
      ]),
    )
    chmodSync(join(root, 'run.sh'), 0o755)
    chmodSync(join(root, 'private'), 0o600)
    const script = { ...modified('run.sh', text, 'c\r\nb\r\n') }
    const marked = { file: 'run.sh', content: contentHash(`\ufeff${text}`), text, bom: true }
    await write(
      planOf([
        { ...script, before: marked },
        { file: 'moved', before: beforeOf('private', 'p'), after: 'q', edits: 1 },
      ]),
    )
    expect(readFileSync(join(root, 'run.sh'), 'utf8')).toBe('\ufeffc\r\nb\r\n')
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(statSync(join(root, 'moved')).mode & 0o777).toBe(0o600)
  })

  it('W04 a hard link is cut: the other name keeps its content', async () => {
    writeFileSync(join(base, 'elsewhere'), 'a')
    linkSync(join(base, 'elsewhere'), join(root, 'a'))
    await write(planOf([modified('a', 'a', 'A')]))
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('A')
    expect(readFileSync(join(base, 'elsewhere'), 'utf8')).toBe('a')
  })

  it('W02 a file that became a link, or whose folder did, is not written through it', async () => {
    for (const target of ['../outside/a', 'b']) {
      fill(
        new Map([
          ['a', 'a'],
          ['b', 'a'],
        ]),
      )
      mkdirSync(join(base, 'outside'), { recursive: true })
      writeFileSync(join(base, 'outside/a'), 'a')
      rmSync(join(root, 'a'))
      symlinkSync(target, join(root, 'a'))
      await expect(write(planOf([modified('a', 'a', 'A')]))).rejects.toMatchObject({ kind: 'StaleProposal' })
      expect(readFileSync(join(base, 'outside/a'), 'utf8')).toBe('a')
      expect(lstatSync(join(root, 'a')).isSymbolicLink()).toBe(true)
    }
    fill(new Map([['real/a', 'a']]))
    symlinkSync('real', join(root, 'sub'))
    symlinkSync('../outside', join(root, 'out'))
    for (const file of ['sub/a', 'sub/new', 'out/a', 'out/new']) {
      const planned = file.endsWith('new')
        ? { file, before: undefined, after: 'x', edits: 0 }
        : modified(file, 'a', 'A')
      await expect(write(planOf([planned])), file).rejects.toThrow()
    }
    expect(readdirSync(join(base, 'outside'))).toEqual(['a'])
    expect(readdirSync(join(root, 'real'))).toEqual(['a'])
  })

  it('W03 a folder swapped for a link at any moment leads no write outside', async () => {
    const plan = planOf([
      modified('sub/a', 'a', 'A'),
      { file: 'sub/n', before: undefined, after: 'N', edits: 0 },
    ])
    for (let at = 0; ; at++) {
      fill(new Map([['sub/a', 'a']]))
      rmSync(join(base, 'outside'), { recursive: true, force: true })
      mkdirSync(join(base, 'outside'))
      writeFileSync(join(base, 'outside/a'), 'a')
      let hasHappened = false
      const disk = faultyDisk({
        fault: { kind: 'none' },
        before(call) {
          if (call !== at) return
          hasHappened = true
          renameSync(join(root, 'sub'), join(root, 'away'))
          symlinkSync('../outside', join(root, 'sub'))
        },
      })
      await write(plan, { disk }).catch(() => {})
      if (!hasHappened) break
      expect(readdirSync(join(base, 'outside')), `before call ${at}`).toEqual(['a'])
      expect(readFileSync(join(base, 'outside/a'), 'utf8')).toBe('a')
    }
  })

  it('W24 a read-only file is refused, and so is a plan without a place for its journal', async () => {
    fill(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    )
    const readOnly = { ...systemDisk, isWritable: async (path: string) => !path.endsWith('/b') }
    const plan = planOf([modified('a', 'a', 'A'), modified('b', 'b', 'B')])
    const untouched = treeOf(root)
    await expect(write(plan, { disk: readOnly })).rejects.toMatchObject({
      kind: 'InvalidArguments',
      message: expect.stringContaining('read-only'),
    })
    writeFileSync(join(base, 'file'), '')
    for (const folder of [undefined, join(base, 'file')]) {
      await expect(write(plan, { stateFolder: folder })).rejects.toMatchObject({
        kind: 'InvalidArguments',
        hint: expect.stringContaining('XDG_STATE_HOME'),
      })
    }
    expect(treeOf(root)).toEqual(untouched)
  })

  it('C25 a call that is cancelled before the first file is in place changes nothing', async () => {
    fill(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    )
    const untouched = treeOf(root)
    const plan = planOf([modified('a', 'a', 'A'), modified('b', 'b', 'B')])
    let cancelled = 0
    for (let at = 0; ; at++) {
      const controller = new AbortController()
      const disk = faultyDisk({
        fault: { kind: 'none' },
        before: call => (call === at ? controller.abort() : undefined),
      })
      const outcome = await write(plan, { disk, signal: controller.signal }).catch(error => error)
      if (outcome === undefined) break
      cancelled += 1
      expect(outcome).toMatchObject({ kind: 'Cancelled' })
      expect(treeOf(root)).toEqual(untouched)
    }
    expect(cancelled).toBeGreaterThan(5)
  })

  it('mistake 3 folders that a plan empties go, and those that it did not empty stay', async () => {
    fill(
      new Map([
        ['old/a', 'a'],
        ['old/sub/b', 'b'],
        ['kept/c', 'c'],
      ]),
    )
    await write({
      files: [
        { file: 'new/a', before: beforeOf('old/a', 'a'), after: 'a', edits: 0 },
        { file: 'new/sub/b', before: beforeOf('old/sub/b', 'b'), after: 'b', edits: 0 },
      ],
      folders: ['old', 'old/sub', 'kept'],
      excluded: [],
    })
    expect(readdirSync(root).sort()).toEqual(['kept', 'new'])
    expect(readFileSync(join(root, 'new/sub/b'), 'utf8')).toBe('b')
  })
})

describe('several processes', () => {
  it('mistake 3 the journal of a living process is left alone', async () => {
    fill(new Map([['a', 'a']]))
    const disk = faultyDisk({ fault: { kind: 'kill', at: 8 } })
    await write(planOf([modified('a', 'a', 'A')]), { disk, owner: '1-1-1' }).catch(() => {})
    const untouched = treeOf(root)
    const held = journals()
    expect(held).toHaveLength(1)
    await recoverPlans({ gate: createPathGate(root), stateFolder, owner: '2-2-2', isAlive: () => true })
    expect(treeOf(root)).toEqual(untouched)
    expect(journals()).toEqual(held)
  })

  it('mistake 3 of two that find the same journal, one takes it', async () => {
    fill(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    )
    const untouched = treeOf(root)
    const plan = planOf([modified('a', 'a', 'A'), modified('b', 'b', 'B')])
    const at = await callsUntil(plan, () => readFileSync(join(root, 'a'), 'utf8') === 'A')
    fill(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    )
    const disk = faultyDisk({ fault: { kind: 'kill', at } })
    await write(plan, { disk, owner: '1-1-1' }).catch(() => {})
    expect(treeOf(root)).not.toEqual(untouched)
    const gate = createPathGate(root)
    await Promise.all(
      ['2-2-2', '3-3-3', '4-4-4'].map(owner =>
        recoverPlans({ gate, stateFolder, owner, isAlive: name => name !== '1-1-1' }),
      ),
    )
    expect(treeOf(root)).toEqual(untouched)
    expect(journals()).toEqual([])
  })

  it('K06 a journal that names places outside does nothing there', async () => {
    fill(new Map([['a', 'a']]))
    writeFileSync(join(base, 'victim'), 'v')
    const plan = planOf([modified('a', 'a', 'A')])
    await write(plan, { disk: faultyDisk({ fault: { kind: 'kill', at: 6 } }), owner: '1-1-1' }).catch(
      () => {},
    )
    const [name = ''] = journals()
    const path = join(stateFolder, 'applying', readdirSync(join(stateFolder, 'applying'))[0] ?? '', name)
    const journal = JSON.parse(readFileSync(path, 'utf8'))
    for (const slot of [
      { folder: '..', name: 'victim', next: contentHash('v'), staged: 'none' },
      { folder: '.', name: '../victim', next: contentHash('v'), staged: 'none' },
    ]) {
      writeFileSync(path, JSON.stringify({ ...journal, slots: [slot] }))
      await recoverPlans({ gate: createPathGate(root), stateFolder, owner: '1-1-1' })
      expect(existsSync(join(base, 'victim'))).toBe(true)
    }
  })
})

it('W17 a plan of hundreds of files takes seconds at the most', async () => {
  const before = new Map(
    Array.from({ length: 300 }, (_, index) => [`d${index % 30}/f${index}`, 'area\n'.repeat(200)]),
  )
  fill(before)
  const plan = planOf(
    [...before].map(([file, text]) => modified(file, text, text.replaceAll('area', 'size'))),
  )
  const began = performance.now()
  await write(plan)
  expect(performance.now() - began).toBeLessThan(20_000)
  expect(leftovers()).toEqual([])
})

function write(plan: EditPlan, options: Partial<WritePlanOptions> = {}): Promise<void> {
  return writePlan(plan, { gate: createPathGate(root), stateFolder, ...options })
}

/** How many calls it takes until something is so. */
async function callsUntil(plan: EditPlan, isSo: () => boolean): Promise<number> {
  let found: number | undefined
  const disk = faultyDisk({
    fault: { kind: 'none' },
    before(call) {
      if (found === undefined && isSo()) found = call
    },
  })
  await write(plan, { disk })
  return found ?? 0
}

/** Applies the plan in a process of its own, which kills itself at the call it is told. */
function childProgram(plan: EditPlan): string {
  writeFileSync(join(base, 'plan.json'), JSON.stringify(plan))
  const outfile = join(base, 'child.mjs')
  buildSync({
    stdin: {
      contents: `
        import { readFileSync } from 'node:fs'
        import { faultyDisk } from './test/faulty-disk.js'
        import { createPathGate } from './src/workspace/path-gate.js'
        import { writePlan } from './src/workspace/write-plan.js'
        const [, , root, stateFolder, at] = process.argv
        const before = call => call === Number(at) && process.kill(process.pid, 'SIGKILL')
        const disk = faultyDisk({ fault: { kind: 'none' }, before })
        const plan = JSON.parse(readFileSync(${JSON.stringify(join(base, 'plan.json'))}, 'utf8'))
        await writePlan(plan, { gate: createPathGate(root), stateFolder, disk })`,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  return outfile
}

function planOf(files: readonly PlannedFile[]): EditPlan {
  return { files, folders: [], excluded: [] }
}

function modified(file: string, text: string, after: string): PlannedFile {
  return { file, before: beforeOf(file, text), after, edits: 1 }
}

function beforeOf(file: string, text: string) {
  return { file, content: contentHash(text), text, bom: false }
}

function fill(files: ReadonlyMap<string, string>): void {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root)
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}

interface TreeEntry {
  readonly path: string
  readonly mode: number
  readonly content: string | undefined
}

/** Names, kinds, modes and contents of everything below, folders included. */
function treeOf(folder: string, prefix = ''): TreeEntry[] {
  return readdirSync(folder)
    .sort()
    .flatMap(name => {
      const path = join(folder, name)
      const stats = lstatSync(path)
      const entry = { path: prefix + name, mode: stats.mode }
      if (stats.isDirectory()) return [{ ...entry, content: undefined }, ...treeOf(path, `${prefix}${name}/`)]
      return [{ ...entry, content: stats.isSymbolicLink() ? 'link' : readFileSync(path, 'utf8') }]
    })
}

function contentsOf(tree: readonly TreeEntry[]): [string, string][] {
  return tree
    .flatMap(({ path, content }): [string, string][] => (content === undefined ? [] : [[path, content]]))
    .sort()
}

function leftovers(): string[] {
  return treeOf(root).flatMap(({ path }) => (path.includes('.alidade-') ? [path] : []))
}

function journals(): string[] {
  const folder = join(stateFolder, 'applying')
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap(name => readdirSync(join(folder, name)))
}
