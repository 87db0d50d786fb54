import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Events } from '../events.js'
import { contentHash } from '../text/hash.js'
import type { EditPlan, PlannedFile } from './edit-plan.js'
import { createPathGate } from './path-gate.js'
import { Proposals } from './proposals.js'
import { SourceCache } from './source-file.js'
import { handleOf, parseStored } from './stored-plan.js'

let base: string
let root: string
let logged: string[]

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'proposals-')))
  root = join(base, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'a.ts'), 'area')
  logged = []
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

const plan = planOf([modified('a.ts', 'area', 'size')])

describe('C4 handles of proposals', () => {
  it('C4 are found again, by another process too, whole', () => {
    const renamed: EditPlan = {
      files: [
        modified('a.ts', 'area', 'size \u{1f600}\r\n'),
        { file: 'new/b.ts', before: undefined, after: 'b', edits: 0 },
      ],
      folders: ['old'],
      excluded: ['vendor/x.ts'],
    }
    const handle = open().add(renamed)
    expect(handle).toMatch(/^p:[0-9a-f]{12}$/)
    expect(open().get(handle)).toEqual(renamed)
  })

  it('C4 are equal for equal proposals and differ with anything in them', () => {
    const proposals = open()
    const variants: EditPlan[] = [
      plan,
      planOf([modified('a.ts', 'area', 'Size')]),
      planOf([{ ...modified('a.ts', 'area', 'size'), file: 'b.ts' }]),
      planOf([{ ...modified('a.ts', 'area', 'size'), edits: 2 }]),
      planOf([{ file: 'a.ts', before: modified('a.ts', 'area', '').before, after: undefined, edits: 1 }]),
      planOf([{ file: 'a.ts', before: undefined, after: 'size', edits: 1 }]),
      { ...plan, folders: ['x'] },
      { ...plan, excluded: ['x'] },
      planOf([]),
    ]
    const handles = variants.map(variant => proposals.add(variant))
    expect(new Set(handles).size).toBe(variants.length)
    expect(variants.map(variant => open().add(structuredClone(variant)))).toEqual(handles)
    mkdirSync(join(base, 'other'))
    expect(open({ folder: join(base, 'other') }).add(plan)).not.toBe(handles[0])
  })

  it('contract 3.1 the wrong kind is told which operation it is for', () => {
    const wrong = (handle: string) => {
      try {
        return open().get(handle)
      } catch (error) {
        return error
      }
    }
    expect(wrong('s:0123456789ab')).toMatchObject({ kind: 'InvalidArguments', message: /find_references/ })
    expect(wrong('c:0123456789ab')).toMatchObject({ kind: 'InvalidArguments', message: /check_change/ })
    expect(wrong('p:0123456789ab')).toMatchObject({ kind: 'InvalidArguments', hint: /make it again/ })
    for (const handle of ['', 'p:', 'p:0123456789AB', 'p:../../../etc', 'p:0123456789ab/..', 'p:\u001b[2J']) {
      expect(wrong(handle), handle).toMatchObject({ kind: 'InvalidArguments' })
    }
  })

  it('W07 are stale as soon as a file has another content, in memory and on disk', () => {
    const proposals = open()
    const handle = proposals.add(plan)
    writeFileSync(join(root, 'a.ts'), 'other')
    for (const kept of [proposals, open()]) {
      expect(() => kept.get(handle)).toThrow(
        expect.objectContaining({ kind: 'StaleProposal', message: expect.stringContaining('"a.ts"') }),
      )
    }
    writeFileSync(join(root, 'a.ts'), 'area')
    expect(proposals.get(handle)).toEqual(plan)
    rmSync(join(root, 'a.ts'))
    expect(() => proposals.get(handle)).toThrow(expect.objectContaining({ kind: 'StaleProposal' }))
  })
})

describe('K06 proposals on disk', () => {
  it('K06 are private, bounded in number, and their text before is not kept a second time', () => {
    const proposals = open()
    for (let index = 0; index < 120; index++)
      proposals.add(planOf([modified('a.ts', 'area', `size${index}`)]))
    expect(readdirSync(folder())).toHaveLength(100)
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder())) {
      expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600)
      expect(readFileSync(join(folder(), name), 'utf8')).not.toContain('area')
    }
  })

  it('K06 are forgotten after a week', () => {
    const handle = open().add(plan)
    const path = join(folder(), `${handle.slice(2)}.json`)
    const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
    utimesSync(path, old, old)
    expect(() => open().get(handle)).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
    open().add(planOf([]))
    expect(existsSync(path)).toBe(false)
  })

  it('K06 nothing can be smuggled in: any changed byte makes the proposal unknown', () => {
    const handle = open().add(plan)
    const path = join(folder(), `${handle.slice(2)}.json`)
    const text = readFileSync(path, 'utf8')
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('x', '"', ' ', '0', '}', '/'), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1)
        writeFileSync(path, changed)
        const isEqual = JSON.stringify(parse(changed)) === JSON.stringify(parse(text))
        if (isEqual) expect(open().get(handle)).toEqual(plan)
        else expect(() => open().get(handle)).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
      }),
    )
    writeFileSync(path, '{"__proto__":{}}')
    expect(() => open().get(handle)).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
    expect(logged.at(-1)).toContain('damaged')
  })

  it('W01 a file made to fit its own handle still cannot name a place outside, or of version control', () => {
    const handle = open().add(plan)
    const text = readFileSync(join(folder(), `${handle.slice(2)}.json`), 'utf8')
    for (const file of [
      '../x.ts',
      '/etc/passwd',
      '.git/hooks/pre-commit',
      './a.ts',
      '.',
      'b/../a.ts',
      'external:x',
    ]) {
      const stored = parseStored(text.replace('"file":"a.ts"', `"file":${JSON.stringify(file)}`))
      if (stored === undefined) throw new Error('not a plan')
      const forged = handleOf(stored)
      writeFileSync(join(folder(), `${forged.slice(2)}.json`), JSON.stringify(stored), { mode: 0o600 })
      expect(() => open().get(forged), file).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
    }
  })

  it('W24 a folder that cannot be written is only logged', () => {
    writeFileSync(join(base, 'state'), 'a file')
    const proposals = open()
    const handle = proposals.add(plan)
    expect(proposals.get(handle)).toEqual(plan)
    expect(logged).toEqual([expect.stringContaining('kept in memory only')])
    chmodSync(join(base, 'state'), 0o600)
  })

  it('W24 without a state folder everything stays in memory', () => {
    const proposals = open({ stateFolder: undefined })
    expect(proposals.get(proposals.add(plan))).toEqual(plan)
    expect(readdirSync(base)).toEqual(['root'])
  })
})

function open(options: { folder?: string; stateFolder?: string | undefined } = {}): Proposals {
  const gate = createPathGate(options.folder ?? root)
  const events = new Events()
  events.subscribe(event => {
    if (event.type === 'bridge.logged') logged.push(event.message)
  })
  const stateFolder = 'stateFolder' in options ? options.stateFolder : join(base, 'state')
  return new Proposals({ gate, cache: new SourceCache({ gate }), stateFolder, events })
}

function folder(): string {
  const proposals = join(base, 'state', 'proposals')
  return join(proposals, readdirSync(proposals)[0] ?? '')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function planOf(files: readonly PlannedFile[]): EditPlan {
  return { files, folders: [], excluded: [] }
}

function modified(file: string, text: string, after: string): PlannedFile {
  return { file, before: { file, content: contentHash(text), text, bom: false }, after, edits: 1 }
}
