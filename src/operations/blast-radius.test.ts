// What a change reaches, through a real bridge on a real repository whose language server is a fake.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { embeddedBridge } from '../../test/embedded-bridge.js'
import { type FakeBridge, type FakeLanguage, fakeBridge } from '../../test/fake-bridge.js'
import { fixture } from '../../test/fixture/index.js'
import { type Repository, repository } from '../../test/repository.js'
import type { BridgeOptions } from '../bridge.js'
import type { Answer } from './answer.js'
import { blastRadius } from './blast-radius.js'
import type { Affected, Radius } from './radius.js'
import { renderAnswer } from './render.js'

// Each word is a use of what is declared under it anywhere.
const story = fixture`
-- shapes.fake --
def area
  width height
def sides
  four
class Shape
  def grow
    area
  def shrink
    sides
def lonely
  nothing
-- app.fake --
import area
def draw
  area
  sides
def main
  draw
-- page.fake --
def page
  main
-- shapes_test.fake --
def testArea
  area
def testBoth
  area sides
-- page_test.fake --
def testPage
  page
`

interface Committed extends AsyncDisposable {
  readonly opened: FakeBridge
  readonly repo: Repository
  edit(file: string, change: (text: string) => string): void
}

async function committed(
  language: Partial<FakeLanguage> = {},
  options: BridgeOptions = {},
): Promise<Committed> {
  const opened = await fakeBridge(story, [{ language: 'fake', ...language }], options)
  const repo = repository(opened.workspace.root)
  repo.commit()
  return {
    opened,
    repo,
    edit: (file, change) => repo.write(file, change(readFileSync(repo.path(file), 'utf8'))),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      repo[Symbol.dispose]()
    },
  }
}

const bodies = (text: string) =>
  text.replace('width height', 'width times height').replace('four', 'four of them')

test('mistake 10: a test is credited to every symbol it covers, and only what none covers is untested', async () => {
  await using made = await committed()
  made.edit('shapes.fake', text => bodies(text).replace('nothing', 'nothing at all'))
  const { result, completeness } = succeeded(await made.opened.bridge.blastRadius({}))
  expect(completeness).toEqual({ verdict: 'complete' })
  expect(result.symbols.map(summary)).toEqual([
    'shapes.fake:1 area modified used by app.fake draw:3, shapes.fake Shape.grow:7; tested by shapes_test.fake testArea:2, shapes_test.fake testBoth:4',
    'shapes.fake:3 sides modified used by app.fake draw:4, shapes.fake Shape.shrink:9; tested by shapes_test.fake testBoth:4',
    'shapes.fake:10 lonely modified untested',
  ])
  expect(result.tests.map(({ symbol }) => symbol)).toEqual(['testArea', 'testBoth'])
  expect(result.untested).toEqual([{ file: 'shapes.fake', symbol: 'lonely', line: 10 }])
  expect(result.files).toEqual(['app.fake', 'shapes.fake', 'shapes_test.fake'])
})

test('mistake 10: users of users are found from where a name stands, never from column 0, and are not tests alone', async () => {
  await using made = await committed()
  made.edit('shapes.fake', text => text.replace('width height', 'width'))
  const { result } = succeeded(await made.opened.bridge.blastRadius({ depth: 3 }))
  const [area] = result.symbols
  expect(area?.users.map(({ symbol, depth }) => `${symbol} ${depth}`)).toEqual([
    'draw 1',
    'Shape.grow 1',
    'main 2',
    'page 3',
  ])
  const near = succeeded(await made.opened.bridge.blastRadius({ depth: 1 })).result
  expect(near.symbols[0]?.users.map(({ symbol }) => symbol)).toEqual(['draw', 'Shape.grow'])
  const asked = made.opened.servers[0]?.log().flatMap(entry => {
    if (entry.event !== 'received' || entry.message.method !== 'textDocument/references') return []
    return [JSON.parse(JSON.stringify(entry.message.params)).position.character]
  })
  expect(asked?.length).toBeGreaterThan(3)
  expect(Math.min(...(asked ?? []))).toBe('def '.length)
})

test('mistake 10: a test some steps away is credited to what it reaches', async () => {
  await using made = await committed()
  made.edit('app.fake', text => text.replace('  draw\n', '  draw again\n'))
  const one = succeeded(await made.opened.bridge.blastRadius({ depth: 1 })).result
  expect(one.symbols.map(summary)).toEqual(['app.fake:5 main modified used by page.fake page:2 untested'])
  const two = succeeded(await made.opened.bridge.blastRadius({ depth: 2 })).result
  expect(two.symbols[0]).toMatchObject({
    untested: false,
    tests: [{ file: 'page_test.fake', symbol: 'testPage', depth: 2 }],
  })
  expect(two.untested).toEqual([])
})

test('mistake 10: in whatever order the server answers, the answer is the same', async () => {
  const answers = new Set<string>()
  for (const seed of [1, 2, 3]) {
    const delay = { act: 'delay', milliseconds: { from: 0, to: 25 } } as const
    const script = { seed, rules: [{ on: '@query', also: true, do: [delay] }] }
    await using made = await committed({ script })
    made.edit('shapes.fake', bodies)
    const { result } = succeeded(await made.opened.bridge.blastRadius({ depth: 3 }))
    answers.add(JSON.stringify(result))
    const places = result.symbols.map(({ file, line }) => `${file}:${String(line).padStart(4, '0')}`)
    expect(places).toEqual([...places].sort())
  }
  expect(answers.size).toBe(1)
})

test('mistake 10: the text holds every user of every symbol, and every warning', async () => {
  // It says of one symbol only that it is hanging.
  const rules = [
    {
      on: 'textDocument/references',
      nth: 2,
      do: [{ act: 'error', code: -32603, message: 'too tired' } as const],
    },
  ]
  await using made = await committed({ script: { rules } })
  made.edit('shapes.fake', text => bodies(text).replace('nothing', 'nothing more'))
  const answer = succeeded(await made.opened.bridge.blastRadius({ depth: 2 }))
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('too tired'),
  })
  const text = renderAnswer(blastRadius, answer)
  expect(text).toContain('too tired')
  for (const { symbol, users, tests, references } of answer.result.symbols) {
    expect(text).toContain(symbol)
    if (references !== undefined) expect(text).toContain(`${references} reference`)
    for (const user of [...users, ...tests]) expect(text).toContain(`${user.symbol}:${user.line}`)
  }
  for (const file of [...answer.result.files, ...answer.result.tests.map(found => found.file)])
    expect(text).toContain(file)
  // Of what could not be asked nobody says that it is untested.
  const unknown = answer.result.symbols.filter(({ references }) => references === undefined)
  expect(unknown.map(({ untested }) => untested)).toEqual([false])
})

test('contract 3 what was removed is told with those who still use it, in its own file too', async () => {
  await using made = await committed()
  made.edit('shapes.fake', text => text.replace('def area\n  width height\n', ''))
  const answer = succeeded(await made.opened.bridge.blastRadius({}))
  expect(answer.result.symbols.map(summary)).toEqual([
    'shapes.fake:1 area removed used by app.fake draw:3, shapes.fake Shape.grow:5; tested by shapes_test.fake testArea:2, shapes_test.fake testBoth:4',
  ])
  expect(renderAnswer(blastRadius, answer)).toContain('1 function area, removed, 5 references left')
  // The old text was only shown, and taken back.
  const { result } = succeeded(await made.opened.bridge.listSymbols({ file: 'shapes.fake' }))
  expect(result.symbols.map(({ name }) => name)).toEqual(['sides', 'Shape', 'lonely'])
  expect(made.opened.servers[0]?.log().filter(({ event }) => event === 'complained')).toEqual([])
})

test('contract 3 what nobody uses any more, a renamed symbol, and a member that is gone', async () => {
  await using made = await committed()
  made.edit('shapes.fake', text =>
    text
      .replace('def lonely\n  nothing\n', '')
      .replace('def sides', 'def edges')
      .replace('  def shrink\n    sides\n', ''),
  )
  const answer = succeeded(await made.opened.bridge.blastRadius({}))
  expect(
    answer.result.symbols.map(({ symbol, change, references }) => `${symbol} ${change} ${references}`),
  ).toEqual(['sides removed 2', 'edges added 0', 'Shape.shrink removed 0', 'lonely removed 0'])
  expect(renderAnswer(blastRadius, answer)).toContain(
    'removed, not used any more: method Shape.shrink (line 8), function lonely (line 10)',
  )
})

test('contract 3 a deleted file takes all it declared with it; a moved one only what is still looked for there', async () => {
  await using made = await committed()
  rmSync(made.repo.path('page.fake'))
  renameSync(made.repo.path('app.fake'), made.repo.path('moved.fake'))
  const { result } = succeeded(await made.opened.bridge.blastRadius({}))
  expect(result.changed).toEqual([
    { file: 'moved.fake', change: 'renamed', note: 'was app.fake' },
    { file: 'page.fake', change: 'deleted' },
  ])
  expect(result.symbols.find(({ symbol }) => symbol === 'page')).toMatchObject({
    change: 'removed',
    tests: [{ file: 'page_test.fake', symbol: 'testPage' }],
  })
})

test('contract 3 a change inside belongs to the smallest symbol around it that others can use', async () => {
  const nested = fixture`
-- a.fake --
class Shape
  def area
    def inner
      width
    inner
  def sides
    four
# a remark

def other
  x
`
  const cases: [string, (text: string) => string, string[]][] = [
    ['inside a local function', text => text.replace('width', 'height'), ['Shape.area modified']],
    ['in the head of a class', text => text.replace('class Shape', 'class Shape big'), ['Shape modified']],
    [
      'a new member',
      text => text.replace('  def sides', '  def corners\n    four\n  def sides'),
      ['Shape.corners added'],
    ],
    ['a line taken out', text => text.replace('    inner\n', ''), ['Shape.area modified']],
    ['a remark', text => text.replace('a remark', 'another remark'), []],
    ['an empty line', text => text.replace('# a remark\n', '# a remark\n\n\n'), []],
    ['nothing but the end of the file', text => `${text}def last\n  y\n`, ['last added']],
  ]
  await using opened = await fakeBridge(nested, [{ language: 'fake' }])
  using repo = repository(opened.workspace.root)
  repo.commit()
  const text = readFileSync(repo.path('a.fake'), 'utf8')
  for (const [name, change, expected] of cases) {
    writeFileSync(repo.path('a.fake'), change(text))
    const { result } = succeeded(await opened.bridge.blastRadius({}))
    expect(
      result.symbols.map(({ symbol, change: what }) => `${symbol} ${what}`),
      name,
    ).toEqual(expected)
  }
})

test('contract 3 a range is followed through what was changed since', async () => {
  await using made = await committed()
  made.edit('shapes.fake', text => text.replace('four', 'five'))
  made.repo.commit()
  made.edit('shapes.fake', text => `def first\n  one\n\n${text.replace('nothing', 'something')}`)
  const names = async (since: string) =>
    succeeded(await made.opened.bridge.blastRadius({ since })).result.symbols.map(
      ({ symbol, line }) => `${symbol}:${line}`,
    )
  expect(await names('HEAD~1..HEAD')).toEqual(['sides:6'])
  expect(await names('HEAD')).toEqual(['first:1', 'lonely:13'])
  expect(await names('HEAD~1')).toEqual(['first:1', 'sides:6', 'lonely:13'])
  const only = { since: 'HEAD~1', files: ['app.fake'] }
  expect(succeeded(await made.opened.bridge.blastRadius(only)).result.symbols).toEqual([])
})

test('contract 3 files that are named need no git: all they declare is followed, members too', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { result } = succeeded(await opened.bridge.blastRadius({ files: ['shapes.fake', 'page.fake'] }))
  expect(result.symbols.map(({ symbol }) => symbol)).toEqual([
    'page',
    'area',
    'sides',
    'Shape',
    'Shape.grow',
    'Shape.shrink',
    'lonely',
  ])
  const failed = await opened.bridge.blastRadius({})
  expect(failed).toMatchObject({
    ok: false,
    kind: 'InvalidArguments',
    hint: expect.stringContaining('Name the files'),
  })
  expect(await opened.bridge.blastRadius({ files: ['absent.fake'] })).toMatchObject({
    ok: false,
    kind: 'FileNotFound',
  })
  expect(await opened.bridge.blastRadius({ files: ['../x.fake'] })).toMatchObject({
    ok: false,
    kind: 'PathOutsideWorkspace',
  })
})

test('contract 3.2 what a limit leaves out is said, and the outside comes before the inside', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = succeeded(await opened.bridge.blastRadius({ files: ['shapes.fake'], limit: 4 }))
  expect(answer.result.symbols.map(({ symbol }) => symbol)).toEqual(['area', 'sides', 'Shape', 'lonely'])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('leaves out 2 of the 6 changed symbols'),
  })
})

test('contract 3.2 a server that is silent costs its own answers, within the time there is', async () => {
  const rules = [{ on: 'textDocument/references', file: 'shapes.fake', do: [{ act: 'hang' } as const] }]
  await using made = await committed({ script: { rules } })
  await made.opened.warm('shapes.fake')
  made.edit('shapes.fake', bodies)
  made.edit('page.fake', text => text.replace('main', 'main more'))
  const answer = succeeded(await made.opened.bridge.blastRadius({ timeout_ms: 3000 }))
  expect(answer.result.symbols.map(({ symbol, references }) => `${symbol} ${references}`)).toEqual([
    'page 1',
    'area undefined',
    'sides undefined',
  ])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringMatching(/area .*sides/),
  })
  expect(answer.result.untested).toEqual([])
})

test('W08 a file that is edited while its change is followed makes the answer stale, not wrong', async () => {
  const rules = [
    {
      on: 'textDocument/references',
      do: [{ act: 'wait', for: 'alidade/go-on' } as const, { act: 'built-in' } as const],
    },
  ]
  await using made = await committed({ script: { rules } })
  await made.opened.warm('page.fake')
  made.edit('page.fake', text => text.replace('main', 'main more'))
  const asked = made.opened.bridge.blastRadius({ timeout_ms: 3000 })
  await made.opened.servers[0]?.received('textDocument/references')
  made.edit('page.fake', text => `def above\n${text}`)
  const answer = succeeded(await asked)
  expect(answer.freshness).toMatchObject({ verdict: 'stale', reason: expect.stringContaining('page.fake') })
  expect(answer.completeness).toMatchObject({ verdict: 'unknown' })
})

test('contract 3 several languages are asked each of its own server, and others are named', async () => {
  const mixed = fixture`
-- a.fake --
def one
  x
-- b.other --
def two
  one
-- readme.txt --
words
`
  await using opened = await fakeBridge(mixed, [{ language: 'fake' }, { language: 'other' }])
  using repo = repository(opened.workspace.root)
  repo.commit()
  repo.write('a.fake', 'def one\n  y\n')
  repo.write('b.other', 'def two\n  y\n')
  repo.write('readme.txt', 'more words\n')
  const answer = succeeded(await opened.bridge.blastRadius({}))
  expect(answer.servers.map(({ id }) => id).sort()).toEqual(['fake', 'other'])
  expect(answer.result.symbols.map(({ file }) => file)).toEqual(['a.fake', 'b.other'])
  expect(renderAnswer(blastRadius, answer)).toContain('readme.txt')
  expect(answer.completeness).toEqual({ verdict: 'complete' })
})

test('contract 3 a changed test is one to run, also where only its top level changed', async () => {
  await using made = await committed()
  made.edit('shapes_test.fake', text => text.replace('  area\n', '  area twice\n'))
  made.edit('page_test.fake', text => `${text}page\n`)
  const { result } = succeeded(await made.opened.bridge.blastRadius({}))
  expect(result.tests).toEqual([
    { file: 'page_test.fake', symbol: '', line: 3 },
    { file: 'shapes_test.fake', symbol: 'testArea', line: 1 },
  ])
  expect(result.untested).toEqual([])
})

test('mistake 10: whoever is reached by some edits is reached by all of them together', async () => {
  await using made = await committed()
  const original = readFileSync(made.repo.path('shapes.fake'), 'utf8')
  const edits = ['width height', 'four', 'nothing'] as const
  const reached = async (chosen: readonly string[]) => {
    const text = chosen.reduce((before, part) => before.replace(part, `${part} more`), original)
    made.repo.write('shapes.fake', text)
    const { result } = succeeded(await made.opened.bridge.blastRadius({ depth: 2 }))
    return new Map(result.symbols.map(({ symbol, users, tests }) => [symbol, JSON.stringify([users, tests])]))
  }
  await fc.assert(
    fc.asyncProperty(fc.subarray([...edits], { minLength: 1 }), async chosen => {
      const together = await reached(chosen)
      expect(together.size).toBe(chosen.length)
      for (const one of chosen) {
        for (const [symbol, found] of await reached([one])) expect(together.get(symbol)).toBe(found)
      }
    }),
    { numRuns: 5 },
  )
})

const typescript = fixture`
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "noEmit": true } }
-- src/shapes.ts --
export interface Size {
  width: number
}
export function area(size: Size): number {
  return size.width * 2
}
export function gone(): number {
  return 1
}
-- src/app.ts --
import { area, gone } from './shapes.js'

export function draw(): number {
  return area({ width: gone() })
}
-- src/old.ts --
export const legacy = 1
-- src/page.ts --
import { draw } from './app.js'
import { legacy } from './old.js'

export class Page {
  #size = legacy
  show(): number {
    return draw() + this.#size
  }
}
-- src/shapes.test.ts --
import { area } from './shapes.js'
import { test } from './test.js'

test('area doubles', () => {
  area({ width: 1 })
})
-- src/test.ts --
export function test(name: string, run: () => void): void {
  run()
}
`

test('mistake 10: TypeScript: an edited import changes nothing, what is gone is found by its users, a callback is a test', async () => {
  await using opened = await embeddedBridge(typescript)
  using repo = repository(opened.workspace.root)
  repo.commit()
  const edit = (file: string, from: string, to: string) =>
    repo.write(file, readFileSync(repo.path(file), 'utf8').replace(from, to))
  edit('src/shapes.ts', 'size.width * 2', 'size.width + size.width')
  edit('src/shapes.ts', 'export function gone(): number {\n  return 1\n}\n', '')
  edit('src/app.ts', '{ area, gone }', '{ gone, area }')
  rmSync(repo.path('src/old.ts'))
  const answer = succeeded(await opened.bridge.blastRadius({ depth: 2 }))
  expect(answer.result.symbols.map(summary)).toEqual([
    'src/old.ts:1 legacy removed used by src/page.ts Page.#size:5, src/page.ts Page.show:7',
    "src/shapes.ts:4 area modified used by src/app.ts draw:4, src/page.ts Page.show:7; tested by src/shapes.test.ts test('area doubles') callback:5",
    'src/shapes.ts:7 gone removed used by src/app.ts draw:4, src/page.ts Page.show:7',
  ])
  expect(renderAnswer(blastRadius, answer)).toContain("tests: src/shapes.test.ts 'area doubles':5")
})

const python = fixture`
-- shapes.py --
def area(width: int) -> int:
    return width * 2


class Shape:
    def grow(self) -> int:
        return area(1)
-- old.py --
def legacy() -> int:
    return 1
-- app.py --
from shapes import area as size, Shape
from old import legacy


def draw(shape: Shape) -> int:
    return size(3) + shape.grow() + legacy()
-- tests/test_shapes.py --
from shapes import area, Shape


class TestShapes:
    def test_both(self) -> None:
        assert area(1) == Shape().grow()
`

test('mistake 10: Python: uses under another name count, and of a deleted module its importers are told', async () => {
  await using opened = await embeddedBridge(python)
  using repo = repository(opened.workspace.root)
  repo.commit()
  const text = readFileSync(repo.path('shapes.py'), 'utf8')
  repo.write('shapes.py', text.replace('width * 2', 'width + width').replace('area(1)', 'area(2)'))
  rmSync(repo.path('old.py'))
  const { result, completeness } = succeeded(await opened.bridge.blastRadius({}))
  expect(result.symbols.map(summary)).toEqual([
    expect.stringMatching(/^old\.py:1 legacy removed used by app\.py /),
    'shapes.py:1 area modified used by app.py draw:6, shapes.py Shape.grow:7; tested by tests/test_shapes.py TestShapes.test_both:6',
    'shapes.py:6 Shape.grow modified used by app.py draw:6; tested by tests/test_shapes.py TestShapes.test_both:6',
  ])
  // Pyright sees no module where there is no file, so that much is known by the text alone.
  expect(completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('by their text alone'),
  })
})

function summary({ file, line, symbol, change, users, tests, untested }: Affected): string {
  const listed = (found: Affected['users']) =>
    found.map(user => `${user.file} ${user.symbol}:${user.line}`).join(', ')
  const parts = [
    ...(users.length === 0 ? [] : [`used by ${listed(users)}`]),
    ...(tests.length === 0 ? [] : [`tested by ${listed(tests)}`]),
  ]
  return [
    `${file}:${line} ${symbol} ${change}`,
    ...(parts.length === 0 ? [] : [parts.join('; ')]),
    ...(untested ? ['untested'] : []),
  ].join(' ')
}

function succeeded<R = Radius>(answer: Answer<R>) {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer
}
