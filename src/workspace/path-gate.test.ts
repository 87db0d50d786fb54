import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BridgeError } from '../errors.js'
import { pathToUri } from '../text/uri.js'
import { createPathGate, type PathGate, type PathGateOptions } from './path-gate.js'

const ways: NonNullable<PathGateOptions['containment']>[] =
  process.platform === 'linux' ? ['descriptor', 'identity'] : ['identity']

let top: string
let root: string
let gate: PathGate

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'gate-')))
  root = join(top, 'root')
  put('root/src/area.ts', 'inside')
  put('root-secret/key.ts', 'SECRET')
  put('outside/key.ts', 'SECRET')
  gate = createPathGate(root)
})

afterEach(() => rmSync(top, { recursive: true, force: true }))

describe('W01 names', () => {
  it.each(['src/area.ts', './src/area.ts', 'src/../src/area.ts', 'src//area.ts', '../root/src/area.ts'])(
    'W01 %s is inside',
    input => {
      expect(gate.locate(input)).toEqual({ absolute: join(root, 'src/area.ts'), relative: 'src/area.ts' })
      expect(read(gate, input)).toBe('inside')
    },
  )

  it('W01 accepts absolute paths and URIs inside, and relative ones to another folder', () => {
    const expected = { absolute: join(root, 'src/area.ts'), relative: 'src/area.ts' }
    expect(gate.locate(join(root, 'src/area.ts'))).toEqual(expected)
    expect(gate.locate(pathToUri(join(root, 'src/area.ts')))).toEqual(expected)
    expect(gate.locate('area.ts', join(root, 'src'))).toEqual(expected)
    expect(gate.locate('../area.ts', 'src/deeper')).toEqual(expected)
    expect(gate.locate('.')).toEqual({ absolute: root, relative: '.' })
  })

  it.each([
    ['..', 'PathOutsideWorkspace'],
    ['../outside/key.ts', 'PathOutsideWorkspace'],
    ['src/../../outside/key.ts', 'PathOutsideWorkspace'],
    ['../root-secret/key.ts', 'PathOutsideWorkspace'],
    ['/etc/passwd', 'PathOutsideWorkspace'],
    ['/no/such/thing', 'PathOutsideWorkspace'],
    ['file:///etc/passwd', 'PathOutsideWorkspace'],
    ['external:lodash/index.d.ts', 'PathOutsideWorkspace'],
    ['file://host/etc/passwd', 'InvalidArguments'],
    ['file:////etc/passwd', 'InvalidArguments'],
    ['file:///etc/passwd%00.ts', 'InvalidArguments'],
    ['file:///%zz', 'InvalidArguments'],
    ['http://example.com/a.ts', 'InvalidArguments'],
    ['src/area.ts\0.png', 'InvalidArguments'],
    ['a\ud800', 'InvalidArguments'],
    ['', 'InvalidArguments'],
  ])('W01 %j is %s', (input, kind) => {
    const error = thrown(() => gate.locate(input))
    expect(error.kind).toBe(kind)
    expect(error.hint).toBeTruthy()
  })

  it('W01 sees through encoded slashes and dots', () => {
    const uri = `${pathToUri(root)}/..%2f..%2Foutside/%2e%2e/outside/key.ts`
    expect(thrown(() => gate.locate(uri)).kind).toBe('PathOutsideWorkspace')
    expect(thrown(() => gate.open('..%2foutside%2fkey.ts')).kind).toBe('FileNotFound')
    expect(thrown(() => gate.open('src/area.ts.')).kind).toBe('FileNotFound')
  })

  it('W01 whatever is asked, what is located is below the root and what is opened is not the secret', () => {
    const parts = fc.constantFrom(
      '..',
      '.',
      'src',
      'area.ts',
      'outside',
      'key.ts',
      'root',
      'root-secret',
      '',
      '%2e%2e',
      '~',
    )
    const starts = fc.constantFrom(
      '',
      '/',
      './',
      'file://',
      `${root}/`,
      `${pathToUri(root)}/`,
      `${root}-secret/`,
    )
    fc.assert(
      fc.property(starts, fc.array(parts, { maxLength: 7 }), (start, names) => {
        const input = start + names.join('/')
        try {
          const { absolute, relative } = gate.locate(input)
          expect(absolute === root || absolute.startsWith(`${root}/`)).toBe(true)
          expect(join(root, relative)).toBe(absolute)
          expect(read(gate, input)).toBe('inside')
        } catch (error) {
          expect(error).toBeInstanceOf(BridgeError)
          expect(String(error)).not.toContain('SECRET')
        }
      }),
    )
  })

  it('O7 an error about a path outside repeats only its last name', () => {
    const error = thrown(() => gate.open(join(top, 'outside/key.ts')))
    expect(`${error.message} ${error.hint}`).not.toContain(top)
    expect(error.message).toContain('"key.ts"')
  })
})

describe.each(ways)('W02 links, shown to be inside by %s', containment => {
  beforeEach(() => {
    gate = createPathGate(root, { containment })
  })

  it('W02 a link that stays inside is followed, and says where it leads', () => {
    symlinkSync('area.ts', join(root, 'src/link.ts'))
    symlinkSync(join(root, 'src'), join(root, 'folder'))
    expect(read(gate, 'src/link.ts')).toBe('inside')
    const opened = gate.open('folder/link.ts')
    opened.close()
    expect(opened).toMatchObject({ relative: 'folder/link.ts', canonical: join(root, 'src/area.ts') })
  })

  it('W02 every way out through a link is refused in the same words, whether or not something is there', () => {
    symlinkSync(join(top, 'outside/key.ts'), join(root, 'a.ts'))
    symlinkSync('../outside/key.ts', join(root, 'b.ts'))
    symlinkSync(join(top, 'outside/none.ts'), join(root, 'c.ts'))
    symlinkSync(join(top, 'outside'), join(root, 'folder'))
    symlinkSync('folder/key.ts', join(root, 'd.ts'))
    symlinkSync(join(top, 'none'), join(root, 'nofolder'))
    symlinkSync('/dev/zero', join(root, 'e.ts'))
    const inputs = [
      'a.ts',
      'b.ts',
      'c.ts',
      'd.ts',
      'e.ts',
      'folder',
      'folder/key.ts',
      'folder/none.ts',
      'nofolder/x.ts',
    ]
    for (const input of inputs) {
      const error = thrown(() => gate.open(input))
      expect([error.kind, error.message]).toEqual([
        'PathOutsideWorkspace',
        `${JSON.stringify(input)} is outside the workspace`,
      ])
    }
  })

  it('W02 a chain of links is followed as far as the system does, and a loop ends', () => {
    symlinkSync('src/area.ts', join(root, 'link0'))
    for (let index = 1; index < 60; index++) symlinkSync(`link${index - 1}`, join(root, `link${index}`))
    expect(read(gate, 'link30')).toBe('inside')
    expect(thrown(() => gate.open('link59')).message).toContain('form a loop')
    symlinkSync('two', join(root, 'one'))
    symlinkSync('one', join(root, 'two'))
    expect(thrown(() => gate.open('one')).kind).toBe('FileNotFound')
    expect(thrown(() => gate.open('one/x.ts')).kind).toBe('FileNotFound')
  })

  it.each([
    ['a link to a file', 'swapped.ts', '../outside/key.ts', 'src/area.ts'],
    ['a link to a folder', 'swapped/key.ts', '../outside', 'twin'],
  ])(
    'W03 L8 no read leaks while %s is swapped',
    async (_, input, bad, good) => {
      put('root/twin/key.ts', 'inside')
      const link = join(root, input.split('/')[0] ?? '')
      symlinkSync(good, link)
      const flag = new Int32Array(new SharedArrayBuffer(8))
      const worker = new Worker(flipper, { eval: true, workerData: { link, targets: [bad, good], flag } })
      try {
        await new Promise(resolve => worker.once('message', resolve))
        const outcomes = { inside: 0, refused: 0, gone: 0 }
        for (let turn = 0; turn < 20_000; turn++) {
          try {
            expect(read(gate, input)).toBe('inside')
            outcomes.inside += 1
          } catch (error) {
            if (!(error instanceof BridgeError)) throw error
            outcomes[error.kind === 'PathOutsideWorkspace' ? 'refused' : 'gone'] += 1
          }
        }
        // Both sides of the swap were met, so the race was run.
        expect(outcomes.inside).toBeGreaterThan(100)
        expect(outcomes.refused).toBeGreaterThan(100)
        expect(Atomics.load(flag, 1)).toBeGreaterThan(100)
      } finally {
        Atomics.store(flag, 0, 1)
        await new Promise(resolve => worker.once('exit', resolve))
      }
    },
    60_000,
  )

  it('W04 a hard link is read and reported', () => {
    linkSync(join(root, 'src/area.ts'), join(root, 'twin.ts'))
    const opened = gate.open('twin.ts')
    opened.close()
    expect(opened.hardLinked).toBe(true)
  })

  it('W07 a file replaced by renaming is read, old or new, and never refused', () => {
    for (let turn = 0; turn < 200; turn++) {
      put('root/src/new.ts', 'inside')
      renameSync(join(root, 'src/new.ts'), join(root, 'src/area.ts'))
      expect(read(gate, 'src/area.ts')).toBe('inside')
    }
  })

  it('W05 no descriptor stays open, whatever happens', () => {
    symlinkSync(join(top, 'outside/key.ts'), join(root, 'a.ts'))
    const count = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)
    const before = count()
    for (const input of ['a.ts', 'src', 'none.ts', 'src/area.tss', '../x']) {
      for (let turn = 0; turn < 50; turn++) thrown(() => gate.open(input))
    }
    expect(count()).toBeLessThan(before + 20)
  })
})

describe.each(ways)('W03 a folder that is held (%s)', containment => {
  it('W03 is inside the root, whatever names lead to it', () => {
    const held = createPathGate(root, { containment })
    const folder = held.openFolder('src')
    expect(folder).toMatchObject({ canonical: join(root, 'src'), relative: 'src' })
    expect(readFileSync(folder.at('area.ts'), 'utf8')).toBe('inside')
    expect(readdirSync(folder.path)).toEqual(['area.ts'])
    expect(folder.isInPlace()).toBe(true)
    for (const name of ['', '.', '..', 'a/b', '../key.ts', 'a\0b']) {
      expect(() => folder.at(name), name).toThrow(expect.objectContaining({ kind: 'InvalidArguments' }))
    }
    folder.close()
    symlinkSync('src', join(root, 'link'))
    const linked = held.openFolder('link')
    expect(linked.relative).toBe('src')
    linked.close()
  })

  it('W02 is refused outside, and when it is none', () => {
    const held = createPathGate(root, { containment })
    symlinkSync('../outside', join(root, 'out'))
    for (const path of ['out', '../outside', top]) {
      expect(() => held.openFolder(path), path).toThrow(
        expect.objectContaining({ kind: 'PathOutsideWorkspace' }),
      )
    }
    expect(() => held.openFolder('src/area.ts')).toThrow(expect.objectContaining({ kind: 'NotAFile' }))
    expect(() => held.openFolder('nowhere')).toThrow(expect.objectContaining({ kind: 'FileNotFound' }))
  })

  it('W03 swapped for a link, it is no longer in place', () => {
    const held = createPathGate(root, { containment })
    const folder = held.openFolder('src')
    renameSync(join(root, 'src'), join(root, 'away'))
    symlinkSync('../outside', join(root, 'src'))
    expect(folder.isInPlace()).toBe(false)
    // The kernel's own path still leads to the folder; where there is none, only the question above can tell.
    if (containment === 'descriptor') expect(readdirSync(folder.path)).toEqual(['area.ts'])
    folder.close()
  })
})

describe('W05 things that are no files', () => {
  it('W05 a folder, a pipe, a device and a kernel file are refused at once', () => {
    spawnSync('mkfifo', [join(root, 'pipe.ts')])
    expect(thrown(() => gate.open('pipe.ts')).kind).toBe('NotAFile')
    expect(thrown(() => gate.open('src')).message).toBe('"src" is a folder')
    expect(thrown(() => gate.open('.')).kind).toBe('NotAFile')
    if (process.platform !== 'linux') return
    const everything = createPathGate('/')
    for (const input of ['/dev/zero', '/proc/self/environ', '/proc/self/mem']) {
      expect(thrown(() => everything.open(input)).kind).toBe('NotAFile')
    }
  })

  it('W05 a socket is refused', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(join(root, 's.ts'), resolve))
    expect(thrown(() => gate.open('s.ts')).kind).toBe('NotAFile')
    await new Promise(resolve => server.close(resolve))
  })
})

describe('W11 files that are not there', () => {
  it('W11 FileNotFound names at most three that are nearly so called', () => {
    for (const name of ['arena.ts', 'areas.ts', 'areb.ts', 'ar.ts', 'unlike.py']) put(`root/src/${name}`, '')
    const error = thrown(() => gate.open('src/Aera.ts'))
    expect(error.kind).toBe('FileNotFound')
    expect(error.hint).toMatch(/^Did you mean ("src\/[a-z]+\.ts"( or )?){1,3}\?$/)
    expect(thrown(() => gate.open('scr/area.ts')).hint).toBe('Did you mean "src"?')
    expect(thrown(() => gate.open('completely/other.md')).hint).toContain('relative to the workspace root')
    expect(thrown(() => gate.open('src/area.ts/x')).kind).toBe('FileNotFound')
    expect(thrown(() => gate.open('x'.repeat(300))).kind).toBe('InvalidArguments')
  })

  it('W11 names of strangers cannot command the terminal', () => {
    put('root/src/are\x1b[31ma.ts', '')
    const error = thrown(() => gate.open('src/are\x1b[32ma.ts'))
    expect(`${error.message}${error.hint}`).not.toMatch(/[\x00-\x1f]/)
  })

  it.runIf(process.getuid?.() !== undefined)(
    'W11 a file without permission is refused, inside and outside alike',
    () => {
      symlinkSync(join(top, 'outside/key.ts'), join(root, 'link.ts'))
      for (const path of [top, root, join(root, 'src'), join(top, 'outside')]) chmodSync(path, 0o755)
      for (const path of ['root/src/area.ts', 'outside/key.ts']) chmodSync(join(top, path), 0)
      asNobody(() => {
        const error = thrown(() => gate.open('src/area.ts'))
        expect([error.kind, error.message]).toEqual([
          'FileNotFound',
          '"src/area.ts" cannot be read: permission denied',
        ])
        expect(thrown(() => gate.open('link.ts')).kind).toBe('PathOutsideWorkspace')
      })
    },
  )

  it('W22 a root that is gone is said to be', () => {
    rmSync(root, { recursive: true })
    expect(thrown(() => gate.open('src/area.ts')).message).toContain('root no longer exists')
  })
})

describe('W23 the root', () => {
  it('W23 may be a link, and is known by both names and any other way to it', () => {
    const alias = join(top, 'alias')
    symlinkSync(root, alias)
    symlinkSync(top, join(top, 'around'))
    symlinkSync(join(alias, 'src/area.ts'), join(root, 'through.ts'))
    const linked = createPathGate(alias)
    expect(linked.root).toBe(root)
    for (const path of [
      join(alias, 'src/area.ts'),
      join(root, 'src/area.ts'),
      join(top, 'around/root/src/area.ts'),
    ]) {
      expect(linked.locate(path).relative).toBe('src/area.ts')
      expect(gate.locate(path).relative).toBe('src/area.ts')
      expect(read(linked, path)).toBe('inside')
    }
    expect(linked.display(join(alias, 'src/area.ts'))).toBe('src/area.ts')
    expect(read(linked, 'through.ts')).toBe('inside')
    expect(thrown(() => linked.locate(join(top, 'around/outside/key.ts'))).kind).toBe('PathOutsideWorkspace')
  })

  it('W23 has to be a folder', () => {
    expect(thrown(() => createPathGate(join(top, 'none'))).kind).toBe('FileNotFound')
    expect(thrown(() => createPathGate(join(root, 'src/area.ts'))).kind).toBe('NotAFile')
  })

  it('W23 may be the root of everything', () => {
    const everything = createPathGate('/')
    expect(everything.display('/etc/passwd')).toBe('etc/passwd')
    expect(read(everything, join(root, 'src/area.ts'))).toBe('inside')
  })
})

describe('W27 paths in answers', () => {
  it('W27 are relative inside and external outside', () => {
    expect(gate.display(join(root, 'src/area.ts'))).toBe('src/area.ts')
    expect(gate.display(join(root, 'src/../../outside/key.ts'))).toBe('external:key.ts')
    expect(gate.display(`${root}-secret/key.ts`)).toBe('external:key.ts')
    expect(gate.display('/x/node_modules/lodash/index.js')).toBe('external:lodash/index.js')
    expect(gate.display(root)).toBe('.')
    expect([gate.contains(join(root, 'x')), gate.contains(`${root}-secret`)]).toEqual([true, false])
  })

  it('W18 W19 names are kept as they are', () => {
    for (const name of [
      'a\nb',
      '"q"',
      '100%',
      'c#',
      '\u{1f600}',
      'A.ts',
      'a.ts',
      '\u00e9',
      'e\u0301',
      'file:x',
      '~',
    ]) {
      put(`root/${name}`, name)
      const opened = gate.open(name)
      expect(readFileSync(opened.descriptor, 'utf8')).toBe(name)
      opened.close()
      expect(gate.locate(gate.display(opened.absolute))).toEqual({
        absolute: opened.absolute,
        relative: name,
      })
      expect(read(gate, pathToUri(opened.absolute))).toBe(name)
    }
  })
})

const flipper = `
const { parentPort, workerData } = require('node:worker_threads')
const { renameSync, symlinkSync, rmSync } = require('node:fs')
const { link, targets, flag } = workerData
parentPort.postMessage('ready')
for (let turn = 0; Atomics.load(flag, 0) === 0; turn++) {
  rmSync(link + '.next', { force: true })
  symlinkSync(targets[turn % 2], link + '.next')
  renameSync(link + '.next', link)
  Atomics.add(flag, 1, 1)
}
`

function put(path: string, text: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), text)
}

function read(from: PathGate, input: string): string {
  const opened = from.open(input)
  try {
    return readFileSync(opened.descriptor, 'utf8')
  } finally {
    opened.close()
  }
}

/** The administrator may read everything, so the test has to be somebody else for a moment. */
function asNobody(action: () => void): void {
  if (process.getuid?.() !== 0) {
    action()
    return
  }
  process.seteuid?.(65534)
  try {
    action()
  } finally {
    process.seteuid?.(0)
  }
}

function thrown(action: () => unknown): BridgeError {
  try {
    action()
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
