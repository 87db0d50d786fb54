// Renaming through a real bridge whose server is a fake: a proposal for every use, never a guess, never a word written.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Act, Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { prepareRename } from './prepare-rename.js'
import { renameSymbol } from './rename-symbol.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
def area
def size
  area twice: area
-- uses.fake --
area

size
-- vendor/old.fake --
area
`
const wordly = [{ language: 'fake' }]
const area = { file: 'shapes.fake', line: 1, symbol: 'area' }

test('contract 3.3 every use in every file is in the diff, under one handle, and nothing is written', async () => {
  await using opened = await fakeBridge(story, wordly)
  const answer = succeeded(await opened.bridge.renameSymbol({ ...area, new_name: 'surface' }))
  expect(answer.result).toMatchObject({
    handle: expect.stringMatching(/^p:/),
    files: [
      { file: 'shapes.fake', edits: 3 },
      { file: 'uses.fake', edits: 1 },
      { file: 'vendor/old.fake', edits: 1 },
    ],
    new_name: 'surface',
  })
  expect(answer.result.diff).toContain('-  area twice: area\n+  surface twice: surface\n')
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(readFileSync(opened.workspace.path('uses.fake'), 'utf8')).toContain('area')
  const text = renderAnswer(renameSymbol, answer)
  expect(text).toMatch(/^renaming area \(shapes\.fake:1:5\) to surface: 5 edits in 3 files \[complete; fake/)
  expect(text).toContain('--- a/uses.fake\n+++ b/uses.fake\n')
  expect(text).toContain(`proposal: ${answer.result.handle}\n`)
  expect(text).toMatch(/apply_edit .* preview_edit/)
  expect(text).not.toContain('warning')
})

test('contract 3.3 equal renames have one handle, others have others', async () => {
  await using opened = await fakeBridge(story, wordly)
  const handleOf = async (new_name: string) =>
    succeeded(await opened.bridge.renameSymbol({ ...area, new_name })).result.handle
  const first = await handleOf('surface')
  expect(await handleOf('surface')).toBe(first)
  expect(await handleOf('extent')).not.toBe(first)
})

test('requirements 4.11 excluded files stay out of the proposal, are named, and the text says what that does', async () => {
  await using opened = await fakeBridge(story, wordly)
  const exclude = ['vendor/**']
  const answer = succeeded(await opened.bridge.renameSymbol({ ...area, new_name: 'surface', exclude }))
  expect(answer.result.files.map(({ file }) => file)).toEqual(['shapes.fake', 'uses.fake'])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: '1 file left out as asked: vendor/old.fake',
  })
  expect(renderAnswer(renameSymbol, answer)).toMatch(/^warning: .*breaks what it does not reach$/m)
})

test('contract 3.2 an index that is not complete makes the rename dangerous, and the text says so', async () => {
  const readiness = {
    kind: 'notification' as const,
    method: 'fake/ready',
    reason: 'It says when.',
    read: () => ({ ready: true, complaint: undefined }),
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { readiness } }])
  await opened.warm('uses.fake')
  const asked = { ...area, new_name: 'surface', timeout_ms: 2000 }
  const answer = succeeded(await opened.bridge.renameSymbol(asked))
  expect(answer.completeness.verdict).toBe('partial')
  expect(renderAnswer(renameSymbol, answer)).toMatch(/^warning: this rename may not reach every use/m)
})

test('contract 3.1 a name that stands twice on the line is not guessed at; each candidate works verbatim', async () => {
  await using opened = await fakeBridge(story, wordly)
  const asked = { file: 'shapes.fake', line: 3, symbol: 'area', new_name: 'surface' }
  const refused = await opened.bridge.renameSymbol(asked)
  if (refused.ok) throw new Error('it guessed')
  expect(refused).toMatchObject({ kind: 'SymbolAmbiguous' })
  expect(refused.candidates?.map(({ symbol }) => symbol)).toEqual(['area#1', 'area#2'])
  for (const { file, line, symbol } of refused.candidates ?? []) {
    const answer = succeeded(await opened.bridge.renameSymbol({ file, line, symbol, new_name: 'surface' }))
    expect(answer.result.files).toHaveLength(3)
  }
})

test('contract 3.1 a symbol found on another line than the given one is told in the text', async () => {
  await using opened = await fakeBridge(story, wordly)
  const asked = { file: 'uses.fake', line: 2, symbol: 'size', new_name: 'extent' }
  const answer = succeeded(await opened.bridge.renameSymbol(asked))
  expect(answer.target).toMatchObject({ line: 3, note: 'line 2 has no size; it stands on line 3' })
  expect(renderAnswer(renameSymbol, answer)).toMatch(/^note: line 2 has no size; it stands on line 3$/m)
  // At equal distance above and below, nobody knows which one is meant.
  const between = fixture`
-- shapes.fake --
def area

area
`
  await using other = await fakeBridge(between, wordly)
  const torn = await other.bridge.renameSymbol({ ...area, line: 2, new_name: 'surface' })
  expect(torn).toMatchObject({ ok: false, kind: 'SymbolAmbiguous' })
})

test('requirements 3.4 a keyword cannot be renamed, and both operations say so', async () => {
  await using opened = await fakeBridge(story, wordly)
  const keyword = { file: 'shapes.fake', line: 1, symbol: 'def' }
  const refused = await opened.bridge.renameSymbol({ ...keyword, new_name: 'surface' })
  expect(refused).toMatchObject({
    ok: false,
    kind: 'InvalidArguments',
    error: 'def at shapes.fake:1:1 cannot be renamed: fake finds nothing there that can be renamed',
  })
  const prepared = succeeded(await opened.bridge.prepareRename(keyword))
  expect(prepared.result).toMatchObject({
    can_rename: false,
    reason: expect.stringContaining('nothing there'),
  })
  expect(renderAnswer(prepareRename, prepared)).toMatch(/^def \(shapes\.fake:1:1\) cannot be renamed: fake /)
})

test('contract 3.1 a server that would rename another symbol than the one pointed at is not followed', async () => {
  // Both servers for TypeScript take the keyword `function` for the name behind it.
  const range = { start: { line: 0, character: 4 }, end: { line: 0, character: 8 } }
  const script = answering('textDocument/prepareRename', { range, placeholder: 'area' })
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const refused = await opened.bridge.renameSymbol({ ...area, symbol: 'def', new_name: 'surface' })
  expect(refused).toMatchObject({
    ok: false,
    kind: 'InvalidArguments',
    error: expect.stringContaining('fake would rename area at 1:5, not def'),
  })
})

test("contract 3.2 a server's own words are passed on, cleaned", async () => {
  const script: Script = {
    rules: [
      {
        on: 'textDocument/rename',
        do: [{ act: 'error', code: -32602, message: 'invalid name: \u001b[31m1abc' }],
      },
      {
        on: 'textDocument/prepareRename',
        nth: 2,
        do: [{ act: 'error', code: -32803, message: 'You cannot rename this element.' }],
      },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const refused = await opened.bridge.renameSymbol({ ...area, new_name: '1abc' })
  expect(refused).toMatchObject({
    ok: false,
    kind: 'ServerError',
    error: expect.stringContaining('name: 1abc'),
  })
  const prepared = succeeded(await opened.bridge.prepareRename(area))
  expect(prepared.result).toMatchObject({
    can_rename: false,
    reason: expect.stringContaining('You cannot rename this element.'),
  })
})

test.each(['', '  ', 'a\nb', 'a\u0000b'])(
  'requirements 3.4 the new name %j never reaches a server',
  async new_name => {
    await using opened = await fakeBridge(story, wordly)
    const refused = await opened.bridge.renameSymbol({ ...area, new_name })
    expect(refused).toMatchObject({ ok: false, kind: 'InvalidArguments' })
  },
)

test('contract 3.2 what a server does not check is checked in its place', async () => {
  const newNames = { reserved: ['class'], doubtful: ['delete'], reason: 'It takes anything.' }
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { newNames } }])
  const rename = (new_name: string) => opened.bridge.renameSymbol({ ...area, new_name })
  for (const name of ['1abc', 'a b', 'a.b', 'class', 'a(']) {
    expect(await rename(name)).toMatchObject({ ok: false, kind: 'InvalidArguments' })
  }
  const doubtful = succeeded(await rename('delete'))
  expect(doubtful.result.warnings).toEqual([expect.stringContaining('reserved word')])
  expect(renderAnswer(renameSymbol, doubtful)).toMatch(/^warning: delete is a reserved word/m)
  expect(succeeded(await rename('#hidden')).result.warnings).toBeUndefined()
})

test('contract 3.2 a name that is taken already is pointed out', async () => {
  await using opened = await fakeBridge(story, wordly)
  const answer = succeeded(await opened.bridge.renameSymbol({ ...area, new_name: 'size' }))
  expect(answer.result.warnings).toEqual([
    'size already stands at shapes.fake:2, uses.fake:3; the two may clash',
  ])
})

test.each([
  ['null', null],
  ['an empty list, as pylsp does', []],
  ['an edit without changes', {}],
  ['changes that change nothing', { documentChanges: [editOf('{root}/shapes.fake', 'area')] }],
])('contract 3.3 %s is said to change nothing', async (_, result) => {
  const script = answering('textDocument/rename', result)
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.renameSymbol({ ...area, new_name: 'surface' }))
  expect(answer.result).toEqual({ files: [], diff: '', new_name: 'surface' })
  expect(renderAnswer(renameSymbol, answer)).toMatch(/^nothing would change by renaming area /)
})

test('R-109 a rename that moves a file is one proposal with it', async () => {
  const script = answering('textDocument/rename', {
    documentChanges: [
      editOf('{root}/shapes.fake', 'surface'),
      { kind: 'rename', oldUri: '{root}/shapes.fake', newUri: '{root}/surface.fake' },
    ],
  })
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const { result } = succeeded(await opened.bridge.renameSymbol({ ...area, new_name: 'surface' }))
  expect(result.files).toEqual([{ file: 'surface.fake', edits: 1 }])
  expect(result.diff).toContain('rename to surface.fake')
})

test('requirements 4.3 a rename that would leave the workspace is refused whole', async () => {
  const script = answering('textDocument/rename', {
    documentChanges: [editOf('{root}/shapes.fake', 'surface'), editOf('file:///etc/hosts', 'surface')],
  })
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const refused = await opened.bridge.renameSymbol({ ...area, new_name: 'surface' })
  expect(refused).toMatchObject({ ok: false, kind: 'PathOutsideWorkspace' })
})

test('contract 3.2 a long diff is cut after a line, and the handle still stands for all of it', async () => {
  const text = Array.from({ length: 200 }, (_, number) => `area${'.'.repeat(number % 7)}\nn${number}\n`).join(
    '',
  )
  const many = { files: new Map([['many.fake', `def area\n${text}`]]) }
  await using opened = await fakeBridge(many, wordly, { settings: { limit_kb: 4 } })
  const asked = { file: 'many.fake', line: 1, symbol: 'area', new_name: 'surface' }
  const answer = succeeded(await opened.bridge.renameSymbol(asked))
  expect(answer.result.files).toEqual([{ file: 'many.fake', edits: 201 }])
  const shown = answer.result.diff.split('\n').length - 1
  expect(answer.truncated?.shown).toBe(shown)
  const rendered = renderAnswer(renameSymbol, answer)
  expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(4096)
  expect(rendered).toContain(
    `the diff is cut after ${shown} of ${answer.truncated?.total} lines; the proposal`,
  )
  expect(rendered).toContain(`proposal: ${answer.result.handle}`)
})

test('contract 3 a symbol that can be renamed is shown with its exact name and place', async () => {
  await using opened = await fakeBridge(story, wordly)
  const answer = succeeded(await opened.bridge.prepareRename(area))
  expect(answer.result).toEqual({
    can_rename: true,
    placeholder: 'area',
    place: { file: 'shapes.fake', line: 1, column: 5, end_line: 1, end_column: 9, text: 'def area' },
  })
  expect(renderAnswer(prepareRename, answer)).toMatch(/^name to replace: area at 1:5 to 1:9 {2}def area$/m)
})

test('R-109 a bare range and "do as usual" are answers as well', async () => {
  for (const [result, place] of [
    [at(0, 4, 8), expect.objectContaining({ column: 5, end_column: 9 })],
    [{ defaultBehavior: true }, undefined],
  ] as const) {
    const script = answering('textDocument/prepareRename', result)
    await using opened = await fakeBridge(story, [{ language: 'fake', script }])
    const answer = succeeded(await opened.bridge.prepareRename(area))
    expect(answer.result).toEqual({ can_rename: true, placeholder: 'area', ...(place && { place }) })
  }
})

test('contract 3.2 a server that cannot tell beforehand is asked for the rename itself', async () => {
  const script: Script = { capabilities: { renameProvider: true } }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  expect(
    succeeded(await opened.bridge.renameSymbol({ ...area, new_name: 'surface' })).result.files,
  ).toHaveLength(3)
  expect(await opened.bridge.prepareRename(area)).toMatchObject({
    ok: false,
    kind: 'CapabilityMissing',
    hint: expect.stringContaining('rename_symbol'),
  })
})

function answering(on: string, result: Extract<Act, { act: 'answer' }>['result']): Script {
  return { rules: [{ on, do: [{ act: 'answer', result }] }] }
}

/** An edit of the first word that is declared. */
function editOf(uri: string, newText: string) {
  return { textDocument: { uri, version: null }, edits: [{ range: at(0, 4, 8), newText }] }
}

function at(line: number, from: number, to: number) {
  return { start: { line, character: from }, end: { line, character: to } }
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
