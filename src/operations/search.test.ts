// The search over the whole workspace, through a real bridge whose servers are fakes: what it finds, what it ranks first,
// and above all what it says when some of the workspace was not searched.
import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Act, Script } from '../../test/fake-server/index.js'
import { fixture, parseFixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { findSymbol } from './find-symbol.js'
import { renderAnswer } from './render.js'

const shapes = fixture`
-- shapes.fake --
class Shape
  def area
  def areas
def Area
-- main.fake --
def main
  area
`

/** What gopls says of the same kind of code: methods with their receiver, the package as a path. */
const goLike: Script = {
  rules: [
    answering('workspace/symbol', [
      { name: 'Shape', kind: 23, containerName: 'example.com/shapes', ...at('shapes.go', 0, 6) },
      { name: 'Shape.Area', kind: 6, containerName: 'example.com/shapes', ...at('shapes.go', 1, 13) },
      { name: 'Sides', kind: 12, containerName: 'shapes', ...at('shapes.go', 2, 0) },
    ]),
    answering('textDocument/documentSymbol', [
      { name: 'Shape', kind: 23, ...ranges(0, 6) },
      { name: '(*Shape).Area', kind: 6, ...ranges(1, 13) },
      { name: 'Sides', kind: 12, ...ranges(2, 6) },
    ]),
  ],
}
const goFiles = fixture`
-- shapes.go --
class Shape
func (*Shape) Area(Area int)
func  Sides(Sides)
`

test('contract find_symbol asks every language and puts the best match first', async () => {
  const other: Script = {
    rules: [answering('workspace/symbol', [{ name: 'area', kind: 12, ...at('x.other', 0, 4) }])],
  }
  await using opened = await fakeBridge(parseFixture(`${textOf(shapes)}-- x.other --\ndef area\n`), [
    { language: 'fake' },
    { language: 'other', script: other },
  ])
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(answer.result.symbols.map(({ name, file, line }) => `${name} ${file}:${line}`)).toEqual([
    'area shapes.fake:2',
    'area x.other:1',
    'Area shapes.fake:4',
    'areas shapes.fake:3',
  ])
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.servers.map(({ id }) => id).sort()).toEqual(['fake', 'other'])
  expect(answer.result.symbols[0]).toEqual({
    name: 'area',
    kind: 'method',
    path: 'area',
    file: 'shapes.fake',
    line: 2,
    column: 7,
    end_line: 2,
    end_column: 11,
    text: 'def area',
  })
})

test('contract find_symbol puts the project before its libraries, and says how many there are', async () => {
  const script: Script = {
    rules: [
      answering('workspace/symbol', [
        { name: 'area', kind: 12, location: { uri: 'file:///usr/lib/shapes.fake', range: range(0, 4) } },
        { name: 'area_of', kind: 12, ...at('shapes.fake', 1, 6) },
      ]),
    ],
  }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const all = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(all.result.symbols.map(({ name }) => name)).toEqual(['area_of', 'area'])
  expect(all.result.symbols[1]?.file).toMatch(/^external:/)
  const first = succeeded(await opened.bridge.findSymbol({ query: 'area', limit: 1 }))
  expect(first.result).toMatchObject({ symbols: [{ name: 'area_of' }], total: 2 })
  expect(renderAnswer(findSymbol, first)).toContain('1 of 2 symbols (raise limit for more)')
})

test('contract find_symbol ranks by the words of a name, and equal fits by their place', async () => {
  const found = (name: string, file: string, line: number, character = 4) => {
    return { name, kind: 12, ...at(file, line, character) }
  }
  const script: Script = {
    rules: [
      answering('workspace/symbol', [
        { name: 'rc', kind: 12, location: { uri: 'file:///usr/lib/shapes.fake', range: range(0, 4) } },
        found('arch', 'shapes.fake', 0),
        found('reference_count', 'shapes.fake', 2),
        found('ReferenceCount', 'shapes.fake', 2, 2),
        found('refCount', 'main.fake', 1),
        found('rcValue', 'shapes.fake', 3),
        found('unlike', 'main.fake', 0),
        found('RC', 'shapes.fake', 3),
      ]),
    ],
  }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const { symbols } = succeeded(await opened.bridge.findSymbol({ query: 'rc' })).result
  expect(symbols.map(({ name }) => name)).toEqual([
    'RC',
    'rcValue',
    'refCount',
    'ReferenceCount',
    'reference_count',
    'arch',
    'unlike',
    'rc',
  ])
})

test('S01 a language whose server is missing is named, and does not hide the others', async () => {
  await using opened = await fakeBridge(
    parseFixture(`${textOf(shapes)}-- x.other --\ndef area\nuse main, sides\n`),
    [{ language: 'fake' }, { language: 'other', definition: { command: 'no-such-program' } }],
  )
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(answer.result.symbols.length).toBe(3)
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('other was not searched'),
    hint: expect.stringContaining('npm install other-server'),
  })
  // The one that was found may not be the only one.
  const target = succeeded(await opened.bridge.inspectSymbol({ symbol: 'main' })).target
  expect(target).toMatchObject({ file: 'main.fake', note: expect.stringContaining('other was not searched') })
  const missing = await opened.bridge.inspectSymbol({ symbol: 'sides' })
  expect(missing).toMatchObject({
    ok: false,
    kind: 'SymbolNotFound',
    error: expect.stringContaining('other was not searched'),
  })
})

test('O9 a language whose files hold no such name is neither asked nor doubted', async () => {
  await using opened = await fakeBridge(parseFixture(`${textOf(shapes)}-- x.other --\ndef script\n`), [
    { language: 'fake' },
    { language: 'other' },
  ])
  const search = async (query: string) => succeeded(await opened.bridge.findSymbol({ query }))
  const starts = () =>
    opened.servers.map(server => server.log().filter(({ event }) => event === 'started').length)
  const answer = await search('area')
  expect(answer.result.symbols.length).toBe(3)
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(starts()).toEqual([1, 0])
  // One that came a moment ago, too.
  writeFileSync(opened.workspace.path('y.other'), 'def areas\n')
  await search('area')
  expect(starts()).toEqual([1, 1])
})

test('R-52 of several roots those with a server are searched, and the others are named', async () => {
  const files = fixture`
-- one/module --
-- one/a.fake --
def area
-- two/module --
-- two/b.fake --
def area
-- three/module --
-- three/c.fake --
def sides
`
  const root = { kind: 'nearest' as const, markers: ['module'] }
  await using opened = await fakeBridge(files, [{ language: 'fake', definition: { root } }])
  const first = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(first.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringMatching(/^fake was searched in (one|two|three) only, not in \w+, \w+$/),
    hint: expect.stringContaining('a file there'),
  })
  for (const file of ['one/a.fake', 'two/b.fake', 'three/c.fake']) {
    succeeded(await opened.bridge.listSymbols({ file }))
  }
  const all = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(all.result.symbols.map(({ file }) => file)).toEqual(['one/a.fake', 'two/b.fake'])
  expect(all.completeness).toEqual({ verdict: 'complete' })
  expect(await opened.bridge.inspectSymbol({ symbol: 'area' })).toMatchObject({ kind: 'SymbolAmbiguous' })
  expect(succeeded(await opened.bridge.serverStatus({})).result.servers).toHaveLength(3)
})

test('R-08 what a list by name lacks and a file declares is added, and said', async () => {
  const missing = answering('workspace/symbol', [{ name: 'areas', kind: 12, ...at('shapes.fake', 2, 6) }])
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script: { rules: [missing] } }])
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'Shape' }))
  expect(answer.result.symbols.map(({ path, file, line }) => `${path} ${file}:${line}`)).toContain(
    'Shape shapes.fake:1',
  )
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('missed 1 file that declares Shape'),
  })
  // By its name alone it is found as well, as a target.
  expect(succeeded(await opened.bridge.inspectSymbol({ symbol: 'Shape' })).target).toMatchObject({
    file: 'shapes.fake',
    line: 1,
  })
})

test('R-08 a text that only looks like a declaration changes nothing', async () => {
  const files = parseFixture(`${textOf(shapes)}-- text.fake --\nclass Shape\n`)
  const rules = [{ ...answering('textDocument/documentSymbol', []), file: 'text.fake' }]
  await using opened = await fakeBridge(files, [{ language: 'fake', script: { rules } }])
  const missing = answering('workspace/symbol', [{ name: 'Shape', kind: 5, ...at('shapes.fake', 0, 6) }])
  await using silent = await fakeBridge(files, [{ language: 'fake', script: { rules: [...rules, missing] } }])
  for (const { bridge } of [opened, silent]) {
    const answer = succeeded(await bridge.findSymbol({ query: 'Shape' }))
    expect(answer.result.symbols.filter(({ name }) => name === 'Shape')).not.toEqual([])
    expect(answer.completeness).toEqual({ verdict: 'complete' })
  }
})

test('R-08 a file that cannot be asked what it declares is named', async () => {
  const refusing: Act = { act: 'error', code: -32603, message: 'no way' }
  const rules = [answering('workspace/symbol', []), { on: 'textDocument/documentSymbol', do: [refusing] }]
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script: { rules } }])
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'Shape' }))
  expect(answer.result.symbols).toEqual([])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: '1 file that seems to declare Shape is not in the answer: shapes.fake',
  })
})

test('W10 a first file that is too large keeps no language from being searched', async () => {
  const quirks = { symbolSearchNeedsOpenDocument: 'With nothing open it finds nothing.' }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', definition: { quirks } }])
  for (const name of ['a', 'z']) {
    writeFileSync(opened.workspace.path(`${name}.fake`), Buffer.alloc(11 * 1024 * 1024, 'x'))
  }
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result.total).toBe(3)
  expect(opened.servers[0]?.log().some(entry => JSON.stringify(entry).includes('didOpen'))).toBe(true)
})

test('R-103 a server that cannot search leaves no empty answer', async () => {
  const script: Script = { capabilities: { workspaceSymbolProvider: null } }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(answer.result.symbols).toEqual([])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('workspace/symbol'),
  })
})

test.each([100, 128, 256])('contract %i symbols look like the most a server returns', async count => {
  const symbols = Array.from({ length: count }, (_, index) => ({
    name: `area${index}`,
    kind: 12,
    ...at('shapes.fake', 1, 6),
  }))
  const script: Script = { rules: [answering('workspace/symbol', symbols)] }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining(`exactly ${count}`),
  })
})

test('R-142 an empty query means all; a server that then lists nothing is not believed', async () => {
  await using honest = await fakeBridge(shapes, [{ language: 'fake' }])
  const all = succeeded(await honest.bridge.findSymbol({ query: '' }))
  expect(all.result.total).toBe(5)
  expect(all.completeness).toEqual({ verdict: 'complete' })

  const script: Script = { rules: [answering('workspace/symbol', [])] }
  await using mute = await fakeBridge(shapes, [{ language: 'fake', script }])
  const none = succeeded(await mute.bridge.findSymbol({ query: '' }))
  expect(none.completeness).toMatchObject({ verdict: 'unknown', hint: expect.stringContaining('name') })
  expect(succeeded(await mute.bridge.findSymbol({ query: 'x' })).completeness.verdict).toBe('complete')
})

test('contract a workspace without a known language is not a workspace without symbols', async () => {
  await using opened = await fakeBridge(parseFixture('-- main.zig --\nfn main\n'), [{ language: 'fake' }])
  const answer = succeeded(await opened.bridge.findSymbol({ query: 'main' }))
  expect(answer.completeness.verdict).toBe('unknown')
  expect(renderAnswer(findSymbol, answer)).toContain('unknown: no file of a language')
})

test('contract 3.1 a symbol without a file is looked up, and never chosen among several files', async () => {
  await using opened = await fakeBridge(parseFixture(`${textOf(shapes)}-- other.fake --\ndef area area\n`), [
    { language: 'fake' },
  ])
  const found = succeeded(await opened.bridge.findReferences({ symbol: 'areas' }))
  expect(found.target).toMatchObject({ file: 'shapes.fake', line: 3, column: 7, symbol: 'areas' })
  expect(found.target?.note).toBeUndefined()

  const several = await opened.bridge.findReferences({ symbol: 'area' })
  if (several.ok) throw new Error('one was chosen')
  expect(several).toMatchObject({ kind: 'SymbolAmbiguous' })
  expect(several.candidates?.map(({ file, symbol }) => `${file} ${symbol}`)).toEqual([
    'other.fake area#1',
    'shapes.fake area',
  ])
  for (const { file, line, symbol, column } of several.candidates ?? []) {
    const next = succeeded(await opened.bridge.findReferences({ file, line, symbol }))
    expect(next.target).toMatchObject({ file, line, column })
  }

  const missing = await opened.bridge.findReferences({ symbol: 'are' })
  expect(missing).toMatchObject({
    ok: false,
    kind: 'SymbolNotFound',
    hint: expect.stringContaining('shapes.fake:2'),
  })
})

test('contract 3.1 what a search prints works as the next symbol, whatever the server calls it', async () => {
  await using opened = await fakeBridge(goFiles, [{ language: 'go', script: goLike }])
  const { symbols } = succeeded(await opened.bridge.findSymbol({ query: 'Area' })).result
  expect(symbols.map(({ path }) => path)).toEqual(['Shape.Area', 'Shape', 'shapes.Sides'])
  const places = { Shape: '1:7', 'Shape.Area': '2:15', 'shapes.Sides': '3:7' }
  for (const [path, place] of Object.entries(places)) {
    for (const file of ['shapes.go', undefined]) {
      const { target } = succeeded(await opened.bridge.inspectSymbol({ file, symbol: path }))
      expect(`${target?.line}:${target?.column}`).toBe(place)
    }
  }
  const outline = succeeded(await opened.bridge.listSymbols({ file: 'shapes.go' })).result.symbols
  for (const { path, line } of outline) {
    const { target } = succeeded(await opened.bridge.inspectSymbol({ file: 'shapes.go', symbol: path }))
    expect(target?.line).toBe(line)
  }
  const unknown = await opened.bridge.inspectSymbol({ file: 'shapes.go', symbol: 'circles.Sides' })
  expect(unknown).toMatchObject({ ok: false, kind: 'SymbolNotFound' })
})

test('W06 candidates in a file that is gone are still told', async () => {
  const symbols = ['a.fake', 'b.fake'].map(file => ({ name: 'area', kind: 12, ...at(file, 0, 4) }))
  const script: Script = { rules: [answering('workspace/symbol', symbols)] }
  const files = parseFixture('-- a.fake --\ndef area\n-- b.fake --\ndef area\n')
  await using opened = await fakeBridge(files, [{ language: 'fake', script }])
  succeeded(await opened.bridge.findSymbol({ query: 'area' }))
  rmSync(opened.workspace.path('b.fake'))
  const answer = await opened.bridge.inspectSymbol({ symbol: 'area' })
  if (answer.ok) throw new Error('one was chosen')
  expect(answer.kind).toBe('SymbolAmbiguous')
  expect(answer.candidates?.map(({ file }) => file)).toEqual(['a.fake', 'b.fake'])
})

function answering(method: string, result: Extract<Act, { act: 'answer' }>['result']) {
  return { on: method, do: [{ act: 'answer' as const, result }] }
}

function range(line: number, character: number) {
  return { start: { line, character }, end: { line, character } }
}

function ranges(line: number, character: number) {
  return { range: range(line, character), selectionRange: range(line, character) }
}

function at(file: string, line: number, character: number) {
  return { location: { uri: `{root}/${file}`, range: range(line, character) } }
}

function textOf({ files }: { readonly files: ReadonlyMap<string, string> }): string {
  return [...files].map(([path, text]) => `-- ${path} --\n${text}`).join('')
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
