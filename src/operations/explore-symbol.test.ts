// Everything about a symbol in one answer, through a real bridge whose server is a fake: what arrives is told, and what
// does not is told too.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Rule, Script } from '../../test/fake-server/script.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { exploreSymbol } from './explore-symbol.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
def $0area
  width
  height
class Shape
  def grow
    area
-- app.fake --
import area
def draw
  $1area
  area
def main
  draw
-- shapes_test.fake --
def testArea
  area
`

const question = { file: 'shapes.fake', symbol: 'area', line: 1 }

test('contract 3 signature, source, uses and users in one answer', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = succeeded(await opened.bridge.exploreSymbol(question))
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result).toMatchObject({
    symbol: 'area',
    kind: 'function',
    signature: 'def area',
    definitions: [{ file: 'shapes.fake', line: 1, column: 5 }],
    first_line: 1,
    last_line: 3,
    source: 'def area\n  width\n  height',
    references: 5,
    files: [
      { file: 'app.fake', count: 3 },
      { file: 'shapes.fake', count: 1 },
      { file: 'shapes_test.fake', count: 1 },
    ],
    callers_by: 'references',
    missing: [],
  })
  // Tests come last, and what only imports the name is no user where something else is.
  expect(answer.result.callers.map(({ file, symbol, calls }) => `${file} ${symbol} ${calls}`)).toEqual([
    'app.fake draw 2',
    'shapes.fake Shape.grow 1',
    'shapes_test.fake testArea 1',
  ])
  expect(renderAnswer(exploreSymbol, answer)).toMatchInlineSnapshot(`
    "function area, shapes.fake:1:5 [complete; fake 1.0.0]
      def area
        width
        height
    used 5 times in 3 files: app.fake 3, shapes.fake 1, shapes_test.fake 1
    used by (3): app.fake draw:2 (2 times); shapes.fake Shape.grow:5; shapes_test.fake testArea:1
    handle: s:deccca2f317e:1:5:shapes.fake#area"
  `)
})

test('contract 3.1 asked where it is used, it answers the same', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { result } = succeeded(await opened.bridge.exploreSymbol(question))
  const { file, line, column } = story.cursor(1)
  const used = succeeded(await opened.bridge.exploreSymbol({ file, line, column }))
  expect(used.result).toEqual(result)
  expect(renderAnswer(exploreSymbol, used)).toMatch(
    /^function area, shapes\.fake:1:5, asked at app\.fake:3:3 \[/,
  )
})

const selection = { start: { line: 1, character: 4 }, end: { line: 1, character: 8 } }
const hierarchy: Script = {
  capabilities: { callHierarchyProvider: true },
  rules: [
    {
      on: 'textDocument/prepareCallHierarchy',
      do: [
        {
          act: 'answer',
          result: [{ name: 'area', kind: 12, uri: '{uri}', range: selection, selectionRange: selection }],
        },
      ],
    },
    {
      on: 'callHierarchy/incomingCalls',
      do: [
        {
          act: 'answer',
          result: [
            {
              from: {
                name: 'draw',
                kind: 12,
                uri: '{root}/app.fake',
                range: selection,
                selectionRange: selection,
              },
              fromRanges: [
                { start: { line: 2, character: 2 }, end: { line: 2, character: 6 } },
                { start: { line: 3, character: 2 }, end: { line: 3, character: 6 } },
              ],
            },
          ],
        },
      ],
    },
  ],
}

test('contract 3 where the server knows who calls, callers are those', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script: hierarchy }])
  const answer = succeeded(await opened.bridge.exploreSymbol(question))
  expect(answer.result).toMatchObject({
    callers_by: 'calls',
    callers: [{ symbol: 'draw', file: 'app.fake', calls: 2 }],
    callers_total: 1,
  })
  expect(renderAnswer(exploreSymbol, answer)).toContain('callers (1): app.fake draw:2 (2 times)')
})

test.each<[string, Script['capabilities'], object]>([
  [
    'references',
    { referencesProvider: null },
    { source: expect.any(String), signature: 'def area', files: [] },
  ],
  ['hover', { hoverProvider: null }, { source: expect.any(String), references: 5 }],
  [
    'definition',
    { definitionProvider: null },
    { signature: 'def area', source: 'def area\n  width\n  height' },
  ],
])('contract 3.2 without %s the rest is told, and that it is missing', async (part, capabilities, rest) => {
  await using opened = await fakeBridge(story, [
    { language: 'fake', script: { capabilities: capabilities ?? {} } },
  ])
  const answer = succeeded(await opened.bridge.exploreSymbol(question))
  expect(answer.result).toMatchObject({ ...rest, missing: [part] })
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining(`${part} missing`),
  })
  // An unknown number of uses is not none.
  if (part === 'references') {
    expect(answer.result.references).toBeUndefined()
    expect(renderAnswer(exploreSymbol, answer)).not.toMatch(/not used|no callers/)
  }
})

test.each<[string, Rule['do'][number]]>([
  ['an error', { act: 'error', code: -32603, message: 'no such luck' }],
  ['nothing at all', { act: 'hang' }],
  ['nonsense', { act: 'answer', result: { contents: 12 } }],
])('contract 3.2 a part that gets %s is left out in time, by its name', async (_, act) => {
  const rules = [{ on: 'textDocument/hover', do: [act] }]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  await opened.warm(question.file)
  const answer = succeeded(await opened.bridge.exploreSymbol({ ...question, timeout_ms: 4000 }))
  expect(answer.result).toMatchObject({ references: 5, source: expect.any(String), missing: ['hover'] })
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('hover missing'),
  })
})

test('contract 3.2 when nothing answers the failure is the answer, never an empty success', async () => {
  const rules = ['hover', 'definition', 'references', 'documentSymbol'].map(method => ({
    on: `textDocument/${method}`,
    do: [{ act: 'error', code: -32603, message: 'out of order' } as const],
  }))
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  expect(await opened.bridge.exploreSymbol({ ...question, column: 5 })).toMatchObject({
    ok: false,
    kind: 'ServerError',
    error: expect.stringContaining('out of order'),
  })
})

test('contract 3 what the server knows nothing about is said to be so', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = succeeded(
    await opened.bridge.exploreSymbol({ file: 'shapes.fake', line: 2, symbol: 'width' }),
  )
  expect(answer.result).toMatchObject({ definitions: [], references: 1 })
  const rules = ['hover', 'definition', 'references'].map(method => ({
    on: `textDocument/${method}`,
    do: [{ act: 'answer', result: null } as const],
  }))
  await using silent = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  const nothing = succeeded(
    await silent.bridge.exploreSymbol({ file: 'shapes.fake', line: 2, symbol: 'width' }),
  )
  expect(nothing.completeness).toEqual({ verdict: 'complete' })
  expect(renderAnswer(exploreSymbol, nothing)).toMatch(
    /^the server knows little about width \(shapes\.fake:2:3\) \[complete/,
  )
})

test('contract 3 an answer is bounded whatever the symbol and the server are like, and its text says what was cut', async () => {
  const members = Array.from({ length: 60 }, (_, index) => `  def member${index}\n    Huge`).join('\n')
  const users = Array.from({ length: 50 }, (_, index) => `def user${index}\n  Huge`).join('\n')
  const files = new Map([['huge.fake', `class Huge\n${members}\n`]])
  for (let index = 0; index < 12; index += 1) files.set(`users${index}.fake`, users)
  const words = `\u001b[31m${'very '.repeat(5000)}\u0007`
  const hover = { contents: { kind: 'markdown', value: `\`\`\`fake\n${words}\n\`\`\`\n${words}\n\nmore` } }
  const rules = [{ on: 'textDocument/hover', do: [{ act: 'answer', result: hover } as const] }]
  await using opened = await fakeBridge({ files }, [{ language: 'fake', script: { rules } }])
  const answer = succeeded(await opened.bridge.exploreSymbol({ file: 'huge.fake', symbol: 'Huge', line: 1 }))
  const text = renderAnswer(exploreSymbol, answer)
  expect(text.length).toBeLessThan(10_000)
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  expect(text).toContain('more lines, to line 121')
  expect(text).toContain('+20 more')
  expect(text).toContain('used 660 times in 13 files')
  expect(text).toContain('12 of ')
  const { result } = answer
  expect(result.members.length).toBe(40)
  expect(result.members_total).toBe(60)
  expect(result.source?.split('\n').length).toBe(12)
})

test('contract 3.2 the text alone holds every name, place and number', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = succeeded(await opened.bridge.exploreSymbol({ file: 'shapes.fake', symbol: 'Shape' }))
  const text = renderAnswer(exploreSymbol, answer)
  const { result } = answer
  for (const { file, count } of result.files) expect(text).toContain(`${file} ${count}`)
  for (const { symbol, file, line } of result.callers)
    expect(text).toMatch(new RegExp(`${file} .*${symbol}:${line}`))
  for (const line of result.source?.split('\n') ?? []) expect(text).toContain(line)
  expect(text).toContain('not used')
})

function succeeded<R>(answer: Answer<R>) {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer
}
