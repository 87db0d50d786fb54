// Everything a model gets wrong, put to a real bridge with a real server: each time a failure of the right kind that says
// what to do, never a throw, and the same server answers the next good question.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorKinds, type Failure } from '../src/index.js'
import { type EmbeddedBridge, embeddedBridge } from './embedded-bridge.js'
import { fixture } from './fixture/index.js'

const story = fixture`
-- tsconfig.json --
{}
-- src/shapes.ts --
export class Shape {
  area(): number { return 1 }
  sides(): number { return 4 }
}
export class Circle {
  area(): number { return area(area(1)) }
}
function area(radius: number) { return radius }
-- src/main.ts --
import { Shape } from './shapes'
export const shape = new Shape()
-- notes.zig --
const x = 1
-- Makefile --
all:
`
const good = { file: 'src/shapes.ts', line: 1, symbol: 'Shape' }

let opened: EmbeddedBridge
let outside: string

beforeAll(async () => {
  opened = await embeddedBridge(story, { timeoutMs: 20_000 })
  const { root, path } = opened.workspace
  outside = `${root}-outside`
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.ts'), 'export const SECRET = 1\n')
  symlinkSync(join(outside, 'secret.ts'), path('link.ts'))
  symlinkSync(outside, path('linked'))
  symlinkSync('loop.ts', path('loop.ts'))
  writeFileSync(path('large.ts'), `// ${'x'.repeat(11 * 1024 * 1024)}\n`)
  writeFileSync(path('binary.ts'), Buffer.from([0x66, 0, 0xff, 0xfe, 0x80]))
  execFileSync('mkfifo', [path('pipe.ts')])
})

afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  rmSync(outside, { recursive: true, force: true })
})

interface Mistake {
  readonly name: string
  readonly input: () => object
  readonly kind: Failure['kind']
  readonly hint: RegExp
}

const mistakes: readonly Mistake[] = [
  mistake('a missing file', { file: 'src/shape.ts', symbol: 'Shape' }, 'FileNotFound', /src\/shapes\.ts/),
  mistake('a missing folder', { file: 'sorc/main.ts', symbol: 'Shape' }, 'FileNotFound', /src/),
  mistake('a folder', { file: 'src', symbol: 'Shape' }, 'NotAFile', /file inside/),
  mistake('the workspace itself', { file: '.', symbol: 'Shape' }, 'NotAFile', /./),
  mistake('11 MB', { file: 'large.ts', symbol: 'x' }, 'FileTooLarge', /10485760/),
  mistake('no text', { file: 'binary.ts', symbol: 'f' }, 'InvalidArguments', /./),
  mistake('a pipe', { file: 'pipe.ts', symbol: 'f' }, 'NotAFile', /never read/),
  mistake('a loop of links', { file: 'loop.ts', symbol: 'f' }, 'FileNotFound', /./),
  mistake('an empty path', { file: '', symbol: 'f' }, 'InvalidArguments', /relative/),
  mistake('a NUL', { file: 'src/\0.ts', symbol: 'f' }, 'InvalidArguments', /relative/),
  mistake('a path upwards', { file: '../secret.ts', symbol: 'f' }, 'PathOutsideWorkspace', /--root/),
  mistake('an absolute path', { file: '/etc/passwd', line: 1, column: 1 }, 'PathOutsideWorkspace', /--root/),
  mistake('a URI', { file: 'file:///etc/passwd', line: 1, column: 1 }, 'PathOutsideWorkspace', /--root/),
  {
    name: 'a sibling that is called alike',
    input: () => ({ file: `../${basename(outside)}/secret.ts`, symbol: 'SECRET' }),
    kind: 'PathOutsideWorkspace',
    hint: /--root/,
  },
  {
    name: 'its absolute path',
    input: () => ({ file: join(outside, 'secret.ts'), symbol: 'SECRET' }),
    kind: 'PathOutsideWorkspace',
    hint: /--root/,
  },
  mistake('a link to outside', { file: 'link.ts', symbol: 'SECRET' }, 'PathOutsideWorkspace', /links/),
  mistake('a linked folder', { file: 'linked/secret.ts', symbol: 'S' }, 'PathOutsideWorkspace', /links/),
  mistake('line 0', { ...good, line: 0 }, 'InvalidArguments', /count from 1/),
  mistake('line -3', { ...good, line: -3 }, 'InvalidArguments', /count from 1/),
  mistake('half a line', { ...good, line: 1.5 }, 'InvalidArguments', /It takes/),
  mistake('a line past the end', { ...good, line: 99 }, 'InvalidArguments', /has 9 lines/),
  mistake('column 0', { file: good.file, line: 1, column: 0 }, 'InvalidArguments', /20 characters/),
  mistake(
    'a column past the end',
    { file: good.file, line: 1, column: 99 },
    'InvalidArguments',
    /20 characters/,
  ),
  mistake('white space', { file: good.file, line: 2, column: 1 }, 'InvalidArguments', /area, number/),
  mistake(
    'an unknown extension',
    { file: 'notes.zig', symbol: 'x' },
    'NoServerForExtension',
    /\.ts .*"servers"/,
  ),
  mistake('no extension', { file: 'Makefile', symbol: 'all' }, 'NoServerForExtension', /\.ts/),
  mistake(
    'a misspelled symbol',
    { file: good.file, symbol: 'Shpae' },
    'SymbolNotFound',
    /Did you mean Shape/,
  ),
  mistake('a misspelled path', { file: good.file, symbol: 'Shape.side' }, 'SymbolNotFound', /Shape\.sides/),
  mistake('a symbol that is nowhere', { symbol: 'Xylophone' }, 'SymbolNotFound', /./),
  mistake('nothing at all', {}, 'InvalidArguments', /Give file and symbol/),
  mistake('a file alone', { file: good.file }, 'InvalidArguments', /Give symbol/),
  mistake(
    'text that is nowhere',
    { file: good.file, near: 'class Square', symbol: 'Shape' },
    'SymbolNotFound',
    /verbatim/,
  ),
  mistake('a proposal', { handle: 'p:1234' }, 'InvalidArguments', /"s:"/),
  mistake('a change', { handle: 'c:1234' }, 'InvalidArguments', /"s:"/),
  mistake('no handle', { handle: 'area' }, 'InvalidArguments', /"s:"/),
  mistake(
    'a handle to outside',
    { handle: 's:abcdefabcdef:1:1:../x.ts#area' },
    'PathOutsideWorkspace',
    /--root/,
  ),
  mistake(
    'a forged handle',
    { handle: 's:abcdefabcdef:1:1:src/main.ts#area' },
    'SymbolNotFound',
    /Point at it anew/,
  ),
  mistake('an unknown argument', { ...good, simbol: 'x' }, 'InvalidArguments', /Did you mean symbol/),
  mistake('a string for a number', { ...good, line: '1' }, 'InvalidArguments', /It takes/),
  mistake('no time', { ...good, timeout_ms: 0 }, 'InvalidArguments', /It takes/),
]

test.each(mistakes)('what it must show 5: $name is $kind', async ({ input, kind, hint }) => {
  for (const ask of [opened.bridge.findReferences, opened.bridge.inspectSymbol]) {
    const answer: unknown = await Reflect.apply(ask, undefined, [input()])
    expect(answer).toMatchObject({ ok: false, kind, hint: expect.stringMatching(hint) })
    const { error } = failure(answer)
    expect(error).not.toBe('')
    expect(errorKinds).toContain(kind)
    // The path of an absolute file outside is nobody's business.
    expect(JSON.stringify(answer)).not.toContain('SECRET = ')
  }
})

test('what it must show 5: operations on a file refuse the same', async () => {
  for (const ask of [opened.bridge.getDiagnostics, opened.bridge.listSymbols]) {
    expect(await ask({ file: 'src/shape.ts' })).toMatchObject({ kind: 'FileNotFound' })
    expect(await ask({ file: 'src' })).toMatchObject({ kind: 'NotAFile' })
    expect(await ask({ file: 'large.ts' })).toMatchObject({ kind: 'FileTooLarge' })
    expect(await ask({ file: '../x.ts' })).toMatchObject({ kind: 'PathOutsideWorkspace' })
    expect(await ask({ file: 'link.ts' })).toMatchObject({ kind: 'PathOutsideWorkspace' })
    expect(await ask({ file: 'notes.zig' })).toMatchObject({ kind: 'NoServerForExtension' })
  }
})

test('what it must show 5, S01: a missing server is ServerUnavailable, and the other languages go on', async () => {
  const files = fixture`
-- main.go --
package main
-- main.ts --
export const shape = 1
`
  const settings = { servers: { go: { language: 'go', command: '/nonexistent/gopls' } } }
  await using both = await embeddedBridge(files, { settings })
  // Again and again: where there is nothing to start, nothing is waited for either.
  const waits: string[] = []
  both.bridge.events.subscribe(event => {
    if (event.type === 'server.stateChanged' && event.to === 'restarting') waits.push(event.server)
  })
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const answer = await both.bridge.findReferences({ file: 'main.go', line: 1, symbol: 'main' })
    expect(answer).toMatchObject({
      ok: false,
      kind: 'ServerUnavailable',
      error: expect.stringContaining('gopls'),
      hint: expect.stringContaining('go install golang.org/x/tools/gopls@latest'),
    })
  }
  expect(waits).toEqual([])
  const other = await both.bridge.findReferences({ file: 'main.ts', symbol: 'shape' })
  expect(other).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
})

test.each(['src/shapes.ts', 7, [], true, () => undefined])(
  'what it must show 5: %j is no input',
  async input => {
    const answer: unknown = await Reflect.apply(opened.bridge.findReferences, undefined, [input])
    expect(answer).toMatchObject({
      ok: false,
      kind: 'InvalidArguments',
      hint: expect.stringMatching(/It takes/),
    })
  },
)

test('contract 3.1 an ambiguous symbol: every candidate works verbatim', async () => {
  const ambiguities = [
    { file: 'src/shapes.ts', symbol: 'Circle.area', line: 6, near: undefined },
    { file: 'src/shapes.ts', line: 6, symbol: 'area' },
    { file: 'src/shapes.ts', symbol: 'number' },
    { file: 'src/shapes.ts', near: 'return', symbol: 'number' },
  ]
  const told: string[] = []
  for (const input of ambiguities) {
    const answer = await opened.bridge.findReferences(input)
    if (answer.ok) {
      told.push(`found at ${answer.target?.line}:${answer.target?.column}`)
      continue
    }
    expect(answer.kind).toBe('SymbolAmbiguous')
    expect(answer.candidates?.length).toBeGreaterThan(1)
    told.push(`${answer.candidates?.length} candidates`)
    for (const { file, line, column, symbol } of answer.candidates ?? []) {
      for (const next of [
        { file, line, symbol },
        { file, line, column, symbol },
      ]) {
        const chosen = await opened.bridge.inspectSymbol(next)
        expect(chosen).toMatchObject({ ok: true, target: { file, line, column } })
      }
    }
  }
  expect(told).toEqual(['found at 6:3', '3 candidates', '4 candidates', '4 candidates'])
})

test('W03 a link swapped in while files are read never shows what is outside', async () => {
  const { path } = opened.workspace
  const flips = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(swapper, {
    eval: true,
    workerData: { file: path('flip.ts'), secret: join(outside, 'secret.ts'), flips },
  })
  try {
    // Not before it has begun.
    await new Promise(resolve => worker.once('message', resolve))
    const kinds = new Set<string>()
    for (let round = 0; round < 300 || (kinds.size < 2 && round < 20_000); round += 1) {
      const answer = await opened.bridge.listSymbols({ file: 'flip.ts' })
      expect(JSON.stringify(answer)).not.toContain('SECRET')
      kinds.add(answer.ok ? 'ok' : answer.kind)
    }
    expect([...kinds].filter(kind => !['ok', 'PathOutsideWorkspace', 'FileNotFound'].includes(kind))).toEqual(
      [],
    )
    expect(kinds.size).toBeGreaterThan(1)
    expect(Atomics.load(flips, 0)).toBeGreaterThan(100)
  } finally {
    Atomics.store(flips, 1, 1)
    await new Promise(resolve => worker.once('exit', resolve))
    rmSync(path('flip.ts'), { force: true })
  }
})

test('what it must show 5: after all that the same server answers a good question', async () => {
  const answer = await opened.bridge.findReferences(good)
  expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
  const status = await opened.bridge.serverStatus({})
  if (!status.ok) throw new Error(status.error)
  const server = status.result.servers.find(({ language }) => language === 'typescript')
  expect(server).toMatchObject({ restarts: 0, state: 'ready' })
})

const swapper = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { renameSync, symlinkSync, writeFileSync } = require('node:fs')
  const { file, secret, flips } = workerData
  for (let count = 0; Atomics.load(flips, 1) === 0; count += 1) {
    if (count % 2 === 0) symlinkSync(secret, file + '.new')
    else writeFileSync(file + '.new', 'export const harmless = 1\\n')
    renameSync(file + '.new', file)
    Atomics.add(flips, 0, 1)
    if (count === 1) parentPort.postMessage('begun')
  }
`

function mistake(name: string, input: object, kind: Failure['kind'], hint: RegExp): Mistake {
  return { name, input: () => input, kind, hint }
}

function failure(answer: unknown): { error: string } {
  if (
    typeof answer === 'object' &&
    answer !== null &&
    'error' in answer &&
    typeof answer.error === 'string'
  ) {
    return { error: answer.error }
  }
  throw new Error('no failure')
}
