// Callers and callees, through a real bridge: with a scripted server where the conversation matters, and with the embedded
// ones for what only they do.
import { expect, test } from 'vitest'
import { embeddedBridge } from '../../test/embedded-bridge.js'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Act, Rule, Script } from '../../test/fake-server/index.js'
import type { Json } from '../../test/fake-server/script.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { findCallers } from './find-callers.js'
import { renderAnswer } from './render.js'

const shapes = fixture`
-- shapes.fake --
def area
def total
  area
  area
-- main.fake --
def main
  total
main
`
const area = item('area', 'shapes.fake', 0, 4)
const total = item('total', 'shapes.fake', 1, 4)
const main = item('main', 'main.fake', 0, 4)
const topLevel = { ...item('/somewhere/main.fake', 'main.fake', 0, 0), kind: 2 }

/** Prepares every word as the item of its name; `calls` answers by the name of the item that is asked about. */
function hierarchy(rules: readonly Rule[]): Script {
  return { capabilities: { callHierarchyProvider: true }, rules }
}

const prepares: Rule = answering('textDocument/prepareCallHierarchy', [area])
const callers: readonly Rule[] = [
  prepares,
  { ...answering('callHierarchy/incomingCalls', [call('from', total, [2, 3])]), nth: 1 },
  { ...answering('callHierarchy/incomingCalls', [call('from', main, [1])]), nth: 2 },
  {
    ...answering('callHierarchy/incomingCalls', [call('from', topLevel, [2]), call('from', total, [2])]),
    nth: 3,
  },
]

test('contract 3.3 a caller is told with its kind, its place and the place of every call', async () => {
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script: hierarchy(callers) }])
  const answer = succeeded(await opened.bridge.findCallers({ file: 'shapes.fake', symbol: 'area' }))
  expect(answer.result).toEqual({
    direction: 'incoming',
    callable: [expect.objectContaining({ symbol: 'area', file: 'shapes.fake', line: 1 })],
    incoming: [
      {
        symbol: 'total',
        kind: 'function',
        file: 'shapes.fake',
        line: 2,
        column: 5,
        end_line: 2,
        end_column: 10,
        text: 'def total',
        depth: 1,
        calls: [
          expect.objectContaining({ file: 'shapes.fake', line: 3, column: 3, text: 'area' }),
          expect.objectContaining({ line: 4 }),
        ],
      },
    ],
    outgoing: [],
  })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  // The server gets its own item back, with what only it understands.
  const asked = await opened.servers[0]?.received('callHierarchy/incomingCalls')
  expect(asked?.params).toMatchObject({ item: { name: 'area', data: { kept: 'area' } } })
  expect(renderAnswer(findCallers, answer).split('\n').slice(0, 5)).toEqual([
    '1 caller of area (shapes.fake:1:5) [complete; fake 1.0.0]',
    'shapes.fake',
    '  2:5 function total  def total',
    '    3:3  area',
    '    4:3  area',
  ])
})

test('R-100 deeper callers say what they lead to; a circle ends, and the top level of a file is no function', async () => {
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script: hierarchy(callers) }])
  const answer = succeeded(await opened.bridge.findCallers({ file: 'shapes.fake', symbol: 'area', depth: 5 }))
  expect(
    answer.result.incoming.map(({ symbol, kind, depth, via }) => ({ symbol, kind, depth, via })),
  ).toEqual([
    { symbol: 'total', kind: 'function', depth: 1, via: undefined },
    { symbol: 'main', kind: 'function', depth: 2, via: 'total (shapes.fake:2:5)' },
    { symbol: 'main.fake', kind: 'module', depth: 3, via: 'main (main.fake:1:5)' },
  ])
  const text = renderAnswer(findCallers, answer)
  expect(text).toContain('  1:5 function main, calls total (shapes.fake:2:5)  def main')
  expect(text).toContain('  top level of the file, calls main (main.fake:1:5)\n    3:3  main')
  // No name of a server leads out of the workspace.
  expect(text).not.toContain('/somewhere')
})

test('R-100 callees are placed in their files, and the calls in the file of who makes them', async () => {
  const script = hierarchy([
    answering('textDocument/prepareCallHierarchy', [main]),
    answering('callHierarchy/outgoingCalls', [call('to', total, [1])]),
  ])
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const answer = succeeded(
    await opened.bridge.findCallers({ file: 'main.fake', line: 1, symbol: 'main', direction: 'outgoing' }),
  )
  expect(answer.result.outgoing).toMatchObject([
    { symbol: 'total', file: 'shapes.fake', line: 2, calls: [{ file: 'main.fake', line: 2, text: 'total' }] },
  ])
  const text = renderAnswer(findCallers, answer)
  expect(text).toContain('1 callee of main (main.fake:1:5)')
  expect(text).toContain('    main.fake:2:3  total')
})

test('R-100 where a use gives nothing, the declaration is asked about before the answer is empty', async () => {
  const script = hierarchy([
    { ...answering('textDocument/prepareCallHierarchy', null), file: 'main.fake' },
    { ...answering('textDocument/prepareCallHierarchy', [total]), file: 'shapes.fake' },
    answering('callHierarchy/incomingCalls', [call('from', main, [1])]),
  ])
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.findCallers({ file: 'main.fake', line: 2, symbol: 'total' }))
  expect(answer.result.incoming.map(({ symbol }) => symbol)).toEqual(['main'])
  expect(renderAnswer(findCallers, answer)).toContain('declared: total (shapes.fake:2:5)')
})

test.each<[string, Act, { verdict?: string; kind?: string }]>([
  ['nothing', { act: 'answer', result: null }, { verdict: 'unknown' }],
  ['an empty list', { act: 'answer', result: [] }, { verdict: 'unknown' }],
  [
    'an error of its own',
    { act: 'error', code: 0, message: 'area is not a function' },
    { kind: 'ServerError' },
  ],
])(
  'contract 1 a server that prepares %s sees nothing callable, which is not "no callers"',
  async (_, act, expected) => {
    const script = hierarchy([{ on: 'textDocument/prepareCallHierarchy', do: [act] }])
    await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
    const answer = await opened.bridge.findCallers({ file: 'shapes.fake', symbol: 'area' })
    const text = renderAnswer(findCallers, answer)
    expect(text).not.toContain('0 callers')
    if (!answer.ok)
      return expect(answer).toMatchObject({
        kind: expected.kind,
        error: expect.stringContaining('not a function'),
      })
    expect(answer.completeness).toMatchObject({
      verdict: expected.verdict,
      reason: 'fake sees nothing callable there',
    })
    expect(text).toMatch(/^nothing callable at area/)
  },
)

test('contract 1 a server without call hierarchy says so', async () => {
  await using opened = await fakeBridge(shapes, [{ language: 'fake' }])
  expect(await opened.bridge.findCallers({ file: 'shapes.fake', symbol: 'area' })).toMatchObject({
    ok: false,
    kind: 'CapabilityMissing',
  })
})

test('contract 3.2 one direction that fails does not hide the other; if both fail, that is the answer', async () => {
  const failing = { act: 'error', code: -32603, message: 'it fell over' } as const
  const both = { file: 'shapes.fake', symbol: 'area', direction: 'both' } as const
  const half = hierarchy([prepares, ...callers, { on: 'callHierarchy/outgoingCalls', do: [failing] }])
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script: half }])
  const answer = succeeded(await opened.bridge.findCallers(both))
  expect(answer.result.incoming.length).toBe(1)
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('it fell over'),
  })
  const none = hierarchy([
    prepares,
    { on: 'callHierarchy/incomingCalls', do: [failing] },
    { on: 'callHierarchy/outgoingCalls', do: [failing] },
  ])
  await using other = await fakeBridge(shapes, [{ language: 'fake', script: none }])
  expect(await other.bridge.findCallers(both)).toMatchObject({ ok: false, kind: 'ServerError' })
})

test('contract 1 what is written like a call in a file without a caller lowers the verdict', async () => {
  const files = fixture`
-- shapes.fake --
def area
-- used.fake --
def main
  area()
`
  const script = hierarchy([prepares, answering('callHierarchy/incomingCalls', [])])
  await using opened = await fakeBridge(files, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.findCallers({ file: 'shapes.fake', symbol: 'area' }))
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: 'Fake fake left out 1 file with what looks like calls of area: used.fake',
  })
})

test('R-111 TypeScript 7: recursion, methods, the top level, and a script outside every project', async () => {
  const story = fixture`
-- tsconfig.json --
{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "types": [] }, "include": ["src"] }
-- src/shapes.ts --
export class Square { area() { return helper(2) } }
export function helper(x: number): number { return x > 0 ? helper(x - 1) : x }
-- src/main.ts --
import { helper, Square } from './shapes'
helper(1)
export const total = () => new Square().area()
-- scripts/run.ts --
import { helper as renamed } from '../src/shapes'
export function run() { return renamed(3) }
`
  await using opened = await embeddedBridge(story)
  const answer = succeeded(
    await opened.bridge.findCallers({ file: 'src/main.ts', line: 2, symbol: 'helper', depth: 2 }),
  )
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result.callable.map(({ file, line }) => `${file}:${line}`)).toEqual(['src/shapes.ts:2'])
  expect(answer.result.incoming.map(({ symbol, depth, via }) => [symbol, depth, via])).toEqual([
    ['run', 1, undefined],
    ['src/main.ts', 1, undefined],
    ['Square.area', 1, undefined],
    ['helper', 1, undefined],
    ['total', 2, 'Square.area (src/shapes.ts:1:23)'],
  ])
})

test('R-111 Pyright: calls through names that an import changed', async () => {
  const story = fixture`
-- base.py --
def call() -> int:
    return 1
-- use.py --
from base import call as c
c()
def f(): return c()
-- further.py --
from use import c as e
def g(): return e()
`
  await using opened = await embeddedBridge(story)
  const answer = succeeded(await opened.bridge.findCallers({ file: 'base.py', symbol: 'call' }))
  expect(answer.result.incoming.map(({ symbol, kind }) => `${kind} ${symbol}`)).toEqual([
    'function g',
    'module use.py',
    'function f',
  ])
  // Asked at the renamed use, Pyright prepares the import alone.
  const atUse = succeeded(await opened.bridge.findCallers({ file: 'further.py', line: 2, symbol: 'e' }))
  expect(atUse.result.incoming.map(({ symbol }) => symbol)).toEqual(['g', 'use.py', 'f'])
  const callees = succeeded(
    await opened.bridge.findCallers({ file: 'use.py', symbol: 'f', direction: 'outgoing' }),
  )
  expect(callees.result.outgoing.map(({ symbol, file }) => `${symbol} ${file}`)).toEqual(['call base.py'])
})

function item(name: string, file: string, line: number, character: number) {
  const range = { start: { line, character }, end: { line, character: character + name.length } }
  return { name, kind: 12, uri: `{root}/${file}`, range, selectionRange: range, data: { kept: name } }
}

/** Calls on these lines, two columns in. */
function call(end: 'from' | 'to', other: ReturnType<typeof item>, lines: readonly number[]): Json {
  const fromRanges = lines.map(line => ({ start: { line, character: 2 }, end: { line, character: 6 } }))
  return { [end]: other, fromRanges }
}

function answering(on: string, result: Json): Rule {
  return { on, do: [{ act: 'answer', result }] }
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
