// Writing a proposal through a real bridge whose server is a fake: all of it or nothing, whatever the server does, and with
// the errors that are new since.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, type FakeLanguage, fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { applyEdit } from './apply-edit.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
ERROR old
def area
-- main.fake --
use area
-- far.fake --
use nothing
`

test('contract 3 what is written, then what is new with its line, then what went', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const handle = await renaming(opened, 'ERROR_area')
  const answer = succeeded(await opened.bridge.applyEdit({ handle }))
  expect(answer.result).toEqual({
    class: 'new_errors',
    scope: 'dependents',
    files: [
      {
        file: 'main.fake',
        class: 'new_errors',
        verdict: 'settled',
        new: [expect.objectContaining({ line: 1, message: 'use ERROR_area', text: 'use ERROR_area' })],
        resolved: [],
      },
      {
        file: 'shapes.fake',
        class: 'new_errors',
        verdict: 'settled',
        new: [expect.objectContaining({ line: 2, message: 'def ERROR_area' })],
        resolved: [],
      },
    ],
    applied: [
      { file: 'main.fake', change: 'modified' },
      { file: 'shapes.fake', change: 'modified' },
    ],
  })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(text(opened, 'main.fake')).toBe('use ERROR_area\n')
  expect(renderAnswer(applyEdit, answer).split('\n')).toEqual([
    expect.stringMatching(/^applied to 2 files; new_errors: 2 new errors in 2 files, 2 files checked/),
    '  main.fake modified',
    '  shapes.fake modified',
    'main.fake: new_errors',
    '  1:1 error [fake error-line]: use ERROR_area',
    '      use ERROR_area',
    'shapes.fake: new_errors',
    '  2:1 error [fake error-line]: def ERROR_area',
    '      def ERROR_area',
  ])
  // The next question sees it.
  const back = succeeded(
    await opened.bridge.applyEdit({ handle: await renaming(opened, 'area', 'ERROR_area') }),
  )
  expect(back.result).toMatchObject({
    class: 'baseline_error',
    files: [
      { file: 'main.fake', class: 'clean', resolved: [{ line: 1 }] },
      { file: 'shapes.fake', class: 'baseline_error', resolved: [{ line: 2 }] },
    ],
  })
  expect(renderAnswer(applyEdit, back)).toContain('resolved main.fake:1:1 error')
})

test('R-214, contract 6 a file that only refers to a new name is looked at too', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = succeeded(await opened.bridge.applyEdit({ handle: await renaming(opened, 'nothing') }))
  expect(answer.result).toMatchObject({ class: 'baseline_error', scope: 'dependents' })
  expect(answer.result.files.map(({ file }) => file)).toEqual(['main.fake', 'shapes.fake', 'far.fake'])
})

test('contract 3 a stale proposal writes nothing and says nothing about errors', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const handle = await renaming(opened, 'surface')
  writeFileSync(opened.workspace.path('main.fake'), 'use area twice\n')
  const answer = await opened.bridge.applyEdit({ handle })
  expect(answer).toMatchObject({ ok: false, kind: 'StaleProposal' })
  expect(answer).not.toHaveProperty('result')
  expect(text(opened, 'shapes.fake')).toContain('def area')
  expect(await opened.bridge.applyEdit({ handle: 's:1' })).toMatchObject({ kind: 'InvalidArguments' })
})

/** From the proposal on, the server does this. */
const afterRename = (rules: NonNullable<Script['rules']>): FakeLanguage => ({
  language: 'fake',
  script: { rules },
})

test.each<[string, FakeLanguage, number]>([
  ['is silent', { language: 'fake', script: { diagnostics: 'none' } }, 2000],
  [
    'dies of the questions before the writing',
    afterRename([{ on: 'textDocument/documentSymbol', nth: { from: 2 }, do: [{ act: 'exit', code: 1 }] }]),
    20_000,
  ],
  [
    'hangs before the writing',
    afterRename([{ on: 'textDocument/documentSymbol', nth: { from: 2 }, do: [{ act: 'hang' }] }]),
    2000,
  ],
  [
    'dies of the writing',
    afterRename([{ on: 'textDocument/didChange', run: 1, nth: 1, do: [{ act: 'exit', code: 1 }] }]),
    20_000,
  ],
])('R-07, R-215 a server that %s does not keep it from being written', async (_, language, timeout_ms) => {
  await using opened = await fakeBridge(story, [language])
  const handle = await renaming(opened, 'surface')
  const answer = succeeded(await opened.bridge.applyEdit({ handle, timeout_ms }))
  expect(text(opened, 'main.fake')).toBe('use surface\n')
  expect(text(opened, 'shapes.fake')).toBe('ERROR old\ndef surface\n')
  expect(answer.result.applied).toHaveLength(2)
  expect(answer.result.class).not.toBe('clean')
  if (answer.result.class === 'lsp_unavailable') expect(answer.completeness).toHaveProperty('reason')
})

test('R-215 when nobody answers at all, it is written and the class says that nobody did', async () => {
  const rules: Script['rules'] = [
    { on: 'textDocument/hover', do: [{ act: 'exit', code: 1 }] },
    { on: '@start', run: { from: 2 }, do: [{ act: 'exit', code: 1 }] },
  ]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  const handle = await renaming(opened, 'surface')
  const gone = opened.bridge.events.until('server.crashed')
  await opened.bridge.inspectSymbol({ file: 'shapes.fake', symbol: 'area' })
  await gone
  const answer = succeeded(await opened.bridge.applyEdit({ handle, timeout_ms: 4000 }))
  expect(answer.result).toMatchObject({
    class: 'lsp_unavailable',
    scope: 'modified',
    files: [
      { file: 'main.fake', class: 'lsp_unavailable', verdict: 'unknown', reason: expect.any(String) },
      { file: 'shapes.fake', class: 'lsp_unavailable' },
    ],
    applied: [{ change: 'modified' }, { change: 'modified' }],
  })
  expect(answer.completeness.verdict).toBe('unknown')
  expect(text(opened, 'main.fake')).toBe('use surface\n')
})

test('contract 3 files of a language without a server are written too, and so are created, renamed and deleted ones', async () => {
  const edit = {
    documentChanges: [
      { kind: 'create', uri: '{root}/made.fake' },
      {
        textDocument: { uri: '{root}/made.fake', version: null },
        edits: [{ range: emptyRange, newText: 'ERROR made\n' }],
      },
      { kind: 'rename', oldUri: '{root}/main.fake', newUri: '{root}/moved.fake' },
      { kind: 'delete', uri: '{root}/far.fake' },
      {
        textDocument: { uri: '{root}/notes.txt', version: null },
        edits: [{ range: emptyRange, newText: 'written ' }],
      },
    ],
  }
  const rules: Script['rules'] = [{ on: 'textDocument/rename', do: [{ act: 'answer', result: edit }] }]
  const files = fixture`
-- shapes.fake --
def area
-- main.fake --
ERROR moves along
-- far.fake --
ERROR goes
-- notes.txt --
notes
`
  await using opened = await fakeBridge(files, [{ language: 'fake', script: { rules } }])
  const handle = await renaming(opened, 'surface')
  const answer = succeeded(await opened.bridge.applyEdit({ handle }))
  expect(answer.result.applied).toEqual(
    expect.arrayContaining([
      { file: 'made.fake', change: 'created' },
      { file: 'moved.fake', change: 'renamed', from: 'main.fake' },
      { file: 'far.fake', change: 'deleted' },
      { file: 'notes.txt', change: 'modified' },
    ]),
  )
  const byFile = new Map(answer.result.files.map(file => [file.file, file]))
  expect(byFile.get('made.fake')).toMatchObject({ class: 'new_errors', new: [{ line: 1 }] })
  expect(byFile.get('moved.fake')).toMatchObject({ class: 'baseline_error', new: [], resolved: [] })
  expect(byFile.get('far.fake')).toMatchObject({ class: 'clean', resolved: [{ line: 1 }] })
  expect(byFile.get('notes.txt')).toMatchObject({ class: 'lsp_unavailable', verdict: 'unknown' })
  expect(byFile.has('main.fake')).toBe(false)
  expect(text(opened, 'notes.txt')).toBe('written notes\n')
  expect(text(opened, 'moved.fake')).toBe('ERROR moves along\n')
  expect(renderAnswer(applyEdit, answer)).toContain('  main.fake -> moved.fake renamed')
})

test('M11 whoever called it off before the writing gets nothing written', async () => {
  const rules: Script['rules'] = [
    { on: 'textDocument/documentSymbol', nth: { from: 2 }, do: [{ act: 'hang' }] },
  ]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  const handle = await renaming(opened, 'surface')
  const calledOff = new AbortController()
  const answer = opened.bridge.applyEdit({ handle }, { signal: calledOff.signal })
  await opened.servers[0]?.received('textDocument/documentSymbol', 2)
  calledOff.abort()
  expect(await answer).toMatchObject({ ok: false, kind: 'Cancelled' })
  rmSync(opened.workspace.path('far.fake'))
  expect(text(opened, 'main.fake')).toBe('use area\n')
})

const emptyRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

async function renaming({ bridge }: FakeBridge, new_name: string, symbol = 'area'): Promise<string> {
  const target = { file: 'shapes.fake', symbol, new_name }
  return succeeded(await bridge.renameSymbol(target)).result.handle ?? ''
}

function text({ workspace }: FakeBridge, file: string): string {
  return readFileSync(workspace.path(file), 'utf8')
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
