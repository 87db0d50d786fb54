// The library as a program that embeds it sees it: typed methods, the answer field by field, handles that survive an
// edit, deadlines and cancellation, and no process left behind.
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import {
  type Answer,
  type AnsweringServer,
  type Bridge,
  type Completeness,
  createBridge,
  type Freshness,
  type Place,
  type Success,
} from '../src/index.js'
import { operations } from '../src/operations/index.js'
import { systemProcesses } from '../src/supervisor/process-table.js'
import { ownerVariable } from '../src/supervisor/sweep.js'
import { contentHash } from '../src/text/hash.js'
import { type EmbeddedBridge, embeddedBridge } from './embedded-bridge.js'
import { fixture } from './fixture/index.js'

const story = fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true }, "include": ["src"] }
-- src/shapes.ts --
/** A figure. */
export class Shape {
  constructor(readonly sides: number) {}
  area(): number { return this.sides }
}
-- src/main.ts --
import { Shape } from './shapes'

export const square = new Shape(4)
export const size: string = square.area()
`

let opened: EmbeddedBridge
let bridge: Bridge

beforeAll(async () => {
  opened = await embeddedBridge(story)
  bridge = opened.bridge
})

afterAll(() => opened[Symbol.asyncDispose]())

test('contract 3 the methods are the operations in camel case, typed by their declarations', () => {
  const named = operations.map(({ name }) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()))
  expect(Object.keys(bridge).sort()).toEqual(
    [
      'assembleContext',
      'close',
      'events',
      'noteRead',
      'reload',
      'root',
      'tools',
      'turn',
      'warnings',
      ...named,
    ].sort(),
  )
  expect(bridge.root).toBe(opened.workspace.root)
  type Returned = Awaited<ReturnType<Bridge['findReferences']>>
  expectTypeOf<Returned>().toExtend<Answer<{ references: Place[] }>>()
  expectTypeOf(bridge.findReferences).parameter(0).toHaveProperty('include_declaration')
  expectTypeOf(bridge.findSymbol).parameter(0).toMatchTypeOf<{ query: string }>()
  expectTypeOf<{ symbol: string; timeout_ms: number }>().toExtend<Parameters<Bridge['findReferences']>[0]>()
  expectTypeOf<{ simbol: string; file: number }>().not.toExtend<Parameters<Bridge['findReferences']>[0]>()
  expectTypeOf<Success<unknown>['completeness']>().toEqualTypeOf<Completeness>()
  expectTypeOf<Success<unknown>['freshness']>().toEqualTypeOf<Freshness>()
  expectTypeOf<Success<unknown>['servers'][number]>().toEqualTypeOf<AnsweringServer>()
})

describe('contract 3.2, 3.3 the answer, field by field', () => {
  const evidence = expect.stringMatching(/^ev:/)
  /** What every complete answer about a file has. */
  const envelope = async (file: string) => ({
    ok: true,
    completeness: { verdict: 'complete' },
    freshness: {
      verdict: 'current',
      content: contentHash(await readFile(opened.workspace.path(file))),
      queried_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
    servers: [{ id: 'typescript', name: expect.any(String), version: expect.stringMatching(/^7\./) }],
    evidence,
  })
  const areaTarget = {
    file: 'src/shapes.ts',
    line: 4,
    column: 3,
    symbol: 'area',
    handle: expect.stringMatching(/^s:[0-9a-f]{12}:4:3:src\/shapes\.ts#area$/),
  }
  const declaration = {
    file: 'src/shapes.ts',
    line: 4,
    column: 3,
    end_line: 4,
    end_column: 7,
    text: 'area(): number { return this.sides }',
  }
  const use = {
    file: 'src/main.ts',
    line: 4,
    column: 36,
    end_line: 4,
    end_column: 40,
    text: 'export const size: string = square.area()',
  }

  test('R-153 find_references', async () => {
    const pointed = { file: 'src/shapes.ts', symbol: 'Shape.area' }
    expect(await bridge.findReferences(pointed)).toEqual({
      ...(await envelope('src/shapes.ts')),
      target: areaTarget,
      result: { references: [use, declaration] },
    })
    const uses = await bridge.findReferences({ ...pointed, include_declaration: false })
    expect(uses).toMatchObject({ result: { references: [use] } })
  })

  test('go_to_definition', async () => {
    expect(await bridge.goToDefinition({ file: 'src/main.ts', line: 4, symbol: 'area' })).toEqual({
      ...(await envelope('src/main.ts')),
      target: {
        file: 'src/main.ts',
        line: 4,
        column: 36,
        symbol: 'area',
        handle: expect.stringMatching(/^s:.*#area$/),
      },
      result: { places: [declaration] },
    })
  })

  test('inspect_symbol', async () => {
    expect(await bridge.inspectSymbol({ file: 'src/main.ts', line: 3, symbol: 'Shape' })).toEqual({
      ...(await envelope('src/main.ts')),
      target: expect.objectContaining({ line: 3, column: 27 }),
      result: {
        signature: expect.stringContaining('Shape'),
        documentation: 'A figure.',
        place: expect.objectContaining({ file: 'src/main.ts', line: 3, column: 27, end_column: 32 }),
      },
    })
  })

  test('list_symbols', async () => {
    const answer = await bridge.listSymbols({ file: 'src/shapes.ts' })
    expect(answer).toEqual({
      ...(await envelope('src/shapes.ts')),
      result: {
        symbols: [
          {
            name: 'Shape',
            kind: 'class',
            path: 'Shape',
            file: 'src/shapes.ts',
            line: 2,
            column: 14,
            end_line: 2,
            end_column: 19,
            text: 'export class Shape {',
            children: expect.arrayContaining([
              { name: 'area', kind: 'method', path: 'Shape.area', ...declaration },
            ]),
          },
        ],
      },
    })
  })

  test('find_symbol', async () => {
    const { freshness, ...answer } = succeeded(await bridge.findSymbol({ query: 'area' }))
    expect(answer).toEqual({
      ok: true,
      completeness: { verdict: 'complete' },
      servers: [expect.objectContaining({ id: 'typescript' })],
      evidence,
      result: { symbols: [{ name: 'area', kind: 'method', path: 'Shape.area', ...declaration }], total: 1 },
    })
    expect(freshness).toEqual({ verdict: 'current', queried_at: expect.any(String) })
  })

  test('get_diagnostics', async () => {
    const content = contentHash(await readFile(opened.workspace.path('src/main.ts')))
    expect(await bridge.getDiagnostics({ file: 'src/main.ts' })).toEqual({
      ...(await envelope('src/main.ts')),
      result: {
        files: [
          {
            file: 'src/main.ts',
            content,
            verdict: 'settled',
            diagnostics: [
              {
                severity: 'error',
                message: "Type 'number' is not assignable to type 'string'.",
                code: '2322',
                source: expect.any(String),
                ...use,
                column: 14,
                end_column: 18,
              },
            ],
          },
        ],
      },
    })
  })

  test('server_status', async () => {
    const answer = succeeded(await bridge.serverStatus({}))
    expect(answer.result).toEqual({
      languages: [{ language: 'typescript', files: 2 }],
      servers: [
        {
          id: 'typescript',
          name: expect.any(String),
          version: expect.stringMatching(/^7\./),
          language: 'typescript',
          root: '.',
          how: 'embedded',
          state: 'ready',
          memory_mb: expect.any(Number),
          restarts: 0,
        },
      ],
    })
    expect(answer.result.servers[0]?.memory_mb).toBeGreaterThan(1)
  })
})

test('contract 3.1 a target without a file is looked up in the workspace', async () => {
  const byName = succeeded(await bridge.findReferences({ symbol: 'area' }))
  const byPath = succeeded(await bridge.findReferences({ symbol: 'Shape.area' }))
  expect(byName.target).toMatchObject({ file: 'src/shapes.ts', line: 4, column: 3 })
  expect(byPath.result).toEqual(byName.result)
  expect(byPath.completeness).toEqual({ verdict: 'complete' })
})

test('contract 3.1 a handle from one answer works in the next, also after an edit above it', async () => {
  await using own = await embeddedBridge(story)
  const { target } = succeeded(
    await own.bridge.findReferences({ file: 'src/shapes.ts', symbol: 'Shape.area' }),
  )
  const handle = target?.handle
  const same = succeeded(await own.bridge.inspectSymbol({ handle }))
  expect(same.target).toEqual(target)

  const file = own.workspace.path('src/shapes.ts')
  const text = await readFile(file, 'utf8')
  await writeFile(file, `// one\n// two\n${text}`)
  const moved = succeeded(await own.bridge.findReferences({ handle }))
  expect(moved.target).toMatchObject({ line: 6, column: 3, note: 'the line moved from 4 to 6' })
  expect(moved.result.references.map(({ file: where, line }) => `${where}:${line}`)).toEqual([
    'src/main.ts:4',
    'src/shapes.ts:6',
  ])
  expect(moved.freshness.content).toBe(contentHash(await readFile(file)))

  await writeFile(file, text.replace('area()', 'surface()'))
  expect(await own.bridge.findReferences({ handle })).toMatchObject({
    ok: false,
    kind: 'SymbolNotFound',
    error: expect.stringContaining('stale'),
  })
})

test('R-125 what is edited on disk is in the next answer', async () => {
  await using own = await embeddedBridge(story)
  const count = async () =>
    succeeded(await own.bridge.findReferences({ file: 'src/shapes.ts', symbol: 'Shape' })).result.references
      .length
  expect(await count()).toBe(3)
  await appendFile(own.workspace.path('src/main.ts'), 'export const other = new Shape(3)\n')
  expect(await count()).toBe(4)
  await writeFile(own.workspace.path('src/new.ts'), "import { Shape } from './shapes'\n")
  expect(await count()).toBe(5)
})

test('R-145 an answer larger than limit_kb is cut, and says by how much', async () => {
  const uses = Array.from({ length: 200 }, (_, index) => `export const size${index} = square.area()`)
  const files = new Map(story.files)
  files.set('src/uses.ts', ["import { square } from './main'", ...uses, ''].join('\n'))
  await using own = await embeddedBridge({ files }, { settings: { limit_kb: 1 } })
  const answer = succeeded(await own.bridge.findReferences({ symbol: 'Shape.area' }))
  expect(answer.truncated?.total).toBe(202)
  expect(answer.truncated?.shown).toBe(answer.result.references.length)
  expect(answer.result.references.length).toBeLessThan(30)
  expect(answer.completeness).toEqual({ verdict: 'complete' })
})

test('C25 an aborted call ends at once as Cancelled, before and during', async () => {
  const target = { file: 'src/shapes.ts', symbol: 'Shape.area' }
  expect(await bridge.findReferences(target, { signal: AbortSignal.abort() })).toMatchObject({
    ok: false,
    kind: 'Cancelled',
    hint: expect.stringMatching(/./),
  })
  // A bridge whose server has yet to be started: the call cannot be over when it is aborted.
  const fresh = await opened.another()
  const abort = new AbortController()
  const answer = fresh.findReferences(target, { signal: abort.signal })
  let isReady = false
  fresh.events.subscribe(event => {
    if (event.type === 'server.stateChanged' && event.to === 'ready') isReady = true
  })
  abort.abort()
  expect(await answer).toMatchObject({ ok: false, kind: 'Cancelled' })
  expect(isReady).toBe(false)
  // Nobody else is disturbed by it.
  expect(await fresh.findReferences(target)).toMatchObject({ ok: true })
})

test('R-147 a deadline that is too short is a RequestTimeout that names what was waited for', async () => {
  const fresh = await opened.another()
  const answer = await fresh.findReferences({ file: 'src/shapes.ts', symbol: 'Shape', timeout_ms: 1 })
  expect(answer).toMatchObject({
    ok: false,
    kind: 'RequestTimeout',
    error: expect.stringMatching(/waiting for|still starting/),
    hint: expect.stringContaining('timeout_ms'),
  })
  expect(await fresh.findReferences({ file: 'src/shapes.ts', symbol: 'Shape' })).toMatchObject({ ok: true })
})

test('R-146 a call that is only waiting keeps the process alive, and one that is over does not', async () => {
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  const before = timers()
  const answer = bridge.findReferences({ file: 'src/shapes.ts', symbol: 'Shape' })
  expect(timers()).toBeGreaterThan(before)
  expect(await answer).toMatchObject({ ok: true })
  expect(timers()).toBeLessThanOrEqual(before)
})

test('O4 two bridges on one folder do not disturb each other, and closing leaves no process', async () => {
  await using own = await embeddedBridge(story)
  const before = new Set(ownedProcesses())
  const first = await own.another()
  const second = await own.another()
  const target = { file: 'src/shapes.ts', symbol: 'Shape.area' }
  const answers = await Promise.all([first, second].map(each => each.findReferences(target)))
  for (const answer of answers) {
    expect(succeeded(answer).result.references).toHaveLength(2)
  }
  const started = ownedProcesses().filter(pid => !before.has(pid))
  expect(started.length).toBeGreaterThanOrEqual(2)

  await first.close()
  await appendFile(own.workspace.path('src/main.ts'), 'square.area()\n')
  expect(succeeded(await second.findReferences(target)).result.references).toHaveLength(3)
  const closed = await first.findReferences(target)
  expect(closed).toMatchObject({ ok: false, hint: expect.stringMatching(/./) })

  await second.close()
  await second.close()
  expect(ownedProcesses().filter(pid => started.includes(pid))).toEqual([])
})

test('R-146 a folder that does not exist is the one thing that throws, because there is no bridge to answer', async () => {
  await expect(createBridge({ root: opened.workspace.path('nowhere') })).rejects.toMatchObject({
    kind: 'InvalidArguments',
    hint: expect.stringContaining('--root'),
  })
})

/** Every process that carries the mark of this one as its owner. */
function ownedProcesses(): number[] {
  return systemProcesses.list().filter(pid => {
    const mark = systemProcesses.variable(pid, ownerVariable)
    return mark?.startsWith(`${process.pid}/`) === true && systemProcesses.read(pid)?.zombie === false
  })
}

function succeeded<R>(answer: Answer<R>): Success<R> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}

test('R-13 R-43 the library exports the bridge, the plugin and what hosts need; the adapters are entries of their own', async () => {
  expect(Object.keys(await import('../src/index.js')).sort()).toEqual([
    'BridgeError',
    'builtInRegistry',
    'createBridge',
    'createPlugin',
    'defaultSyncRules',
    'errorKinds',
    'pluginBuilder',
    'readOnlyOperations',
  ])
  const { exports, dependencies, peerDependencies } = packageFile.parse(
    JSON.parse(await readFile(resolve(import.meta.dirname, '../package.json'), 'utf8')),
  )
  expect(Object.keys(exports)).toEqual([
    '.',
    './ai',
    './openai-agents',
    './langchain',
    './claude-agent',
    './package.json',
  ])
  // No framework is asked of whoever installs Alidade.
  const asked = Object.keys({ ...dependencies, ...peerDependencies })
  for (const framework of ['ai', '@openai/agents', '@langchain/core']) expect(asked).not.toContain(framework)
})

const packageFile = z.object({
  exports: z.record(z.string(), z.unknown()),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
})
