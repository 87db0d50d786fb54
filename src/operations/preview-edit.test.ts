// What an edit would break, through a real bridge whose server is a fake: an error is a line with ERROR in it. Nothing is
// written, nobody else sees what is tried, and what is not known is never clean.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { ServerDefinition } from '../servers/definition.js'
import type { Answer } from './answer.js'
import { previewEdit } from './preview-edit.js'
import { renderAnswer } from './render.js'

const shapes = 'def area\n  width\ndef sides\n'
const story = fixture`
-- shapes.fake --
def area
  width
def sides
-- main.fake --
use area
-- far.fake --
use nothing
`
const one = [{ language: 'fake' }]

test('story 2 an edit that breaks something previews as new_errors, with its place, and the disk stays as it is', async () => {
  await using opened = await fakeBridge(story, one)
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [{ file: 'shapes.fake', find: 'width', new_text: 'ERROR width' }],
    }),
  )
  expect(answer.result).toEqual({
    class: 'new_errors',
    scope: 'dependents',
    files: [
      {
        file: 'shapes.fake',
        class: 'new_errors',
        verdict: 'settled',
        new: [
          expect.objectContaining({
            severity: 'error',
            file: 'shapes.fake',
            line: 2,
            column: 3,
            text: 'ERROR width',
          }),
        ],
        resolved: [],
      },
      { file: 'main.fake', class: 'clean', verdict: 'settled', new: [], resolved: [] },
    ],
  })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(readFileSync(opened.workspace.path('shapes.fake'), 'utf8')).toBe(shapes)
  await isClean(opened, 'shapes.fake')
  const text = renderAnswer(previewEdit, answer)
  expect(text.split('\n')).toEqual([
    expect.stringMatching(
      /^preview: new_errors: 1 new error in 1 file, 2 files checked, scope dependents \[/,
    ),
    'shapes.fake: new_errors',
    '  2:3 error [fake error-line]: ERROR width',
    '      ERROR width',
    'clean: main.fake',
  ])
})

test('story 2 an edit that repairs something says so, and one that does nothing is clean', async () => {
  await using opened = await fakeBridge(
    fixture`
-- shapes.fake --
def area
ERROR old
`,
    one,
  )
  const edit = (find: string, new_text: string) =>
    opened.bridge.previewEdit({ edits: [{ file: 'shapes.fake', find, new_text }] })
  const repaired = succeeded(await edit('ERROR old', 'right'))
  expect(repaired.result).toMatchObject({
    class: 'clean',
    files: [{ class: 'clean', new: [], resolved: [{ line: 2 }] }],
  })
  expect(renderAnswer(previewEdit, repaired)).toContain('resolved shapes.fake:2:1 error')
  const nothing = succeeded(await edit('def area', 'def area '))
  expect(nothing.result).toMatchObject({ class: 'baseline_error', files: [{ new: [], resolved: [] }] })
})

test('mistake 7: a line inserted above an old error makes nothing new', async () => {
  await using opened = await fakeBridge(
    fixture`
-- shapes.fake --
def area
ERROR old
ERROR old
`,
    one,
  )
  const insert = (new_text: string) =>
    opened.bridge.previewEdit({ edits: [{ file: 'shapes.fake', line: 1, new_text }] })
  expect(succeeded(await insert('one\ntwo\n')).result).toMatchObject({
    class: 'baseline_error',
    files: [{ new: [], resolved: [] }],
  })
  // One more of the same is one more.
  expect(succeeded(await insert('ERROR old\n')).result).toMatchObject({
    class: 'new_errors',
    files: [{ new: [{ line: 1 }], resolved: [] }],
  })
})

test.each<[string, Script, RegExp]>([
  ['says nothing', { diagnostics: 'none' }, /has not reported on this content/],
  ['does not say for which version', { diagnostics: 'push' }, /which version/],
  [
    'refuses to say',
    {
      diagnostics: 'pull',
      rules: [{ on: 'textDocument/diagnostic', do: [{ act: 'error', code: -32603, message: 'no way' }] }],
    },
    /no way/,
  ],
])('mistake 5, R-215 a server that %s leaves the edit unknown, never clean', async (_, script, reason) => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  await opened.warm('far.fake')
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [{ file: 'far.fake', line: 1, new_text: '# nothing\n' }],
      timeout_ms: 1500,
    }),
  )
  expect(answer.result).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ class: 'lsp_unavailable', verdict: 'unknown', reason: expect.stringMatching(reason) }],
  })
  expect(answer.completeness).toMatchObject({ verdict: 'unknown', reason: expect.stringMatching(reason) })
  expect(renderAnswer(previewEdit, answer)).not.toMatch(/\bclean\b/)
})

test('mistake 5, R-215 a server that is still loading leaves the edit unknown, and what it found is told', async () => {
  const readiness = { kind: 'log-line', pattern: /^loaded$/, reason: 'It says so.' } as const
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { readiness } }])
  await opened.warm('far.fake')
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [{ file: 'far.fake', line: 1, new_text: '# nothing\n' }],
      timeout_ms: 1500,
    }),
  )
  expect(answer.result).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ class: 'lsp_unavailable', verdict: 'unknown', reason: expect.stringMatching(/not said yet/) }],
  })
  expect(answer.completeness).toMatchObject({ verdict: 'unknown' })
})

test('mistake 5: a server silent about the tried text alone leaves it unknown, and its past does not count', async () => {
  const rules: Script['rules'] = [{ on: 'textDocument/didChange', nth: 1, do: [] }]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  await opened.warm('far.fake')
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [{ file: 'far.fake', line: 1, new_text: 'ERROR\n' }],
      timeout_ms: 1500,
    }),
  )
  expect(answer.result).toMatchObject({ class: 'lsp_unavailable', files: [{ verdict: 'unknown', new: [] }] })
  await isClean(opened, 'far.fake')
})

test('mistake 9, story 3: a chain is safe up to the first step that is not', async () => {
  await using opened = await fakeBridge(story, one)
  const step = (number: number, new_text: string) => ({
    file: 'shapes.fake',
    line: 1,
    new_text,
    step: number,
  })
  const broken = succeeded(
    await opened.bridge.previewEdit({
      edits: [
        step(3, '# three\n'),
        step(1, '# one\n'),
        step(2, 'ERROR two\n'),
        { file: 'shapes.fake', find: 'ERROR two\n', new_text: '', step: 3 },
      ],
    }),
  )
  expect(broken.result).toMatchObject({
    class: 'clean',
    steps: [
      { step: 1, class: 'clean' },
      { step: 2, class: 'new_errors' },
      { step: 3, class: 'clean' },
    ],
    clean_through_step: 1,
  })
  expect(renderAnswer(previewEdit, broken)).toContain('every step up to 1 is shown to break nothing')
  const safe = succeeded(await opened.bridge.previewEdit({ edits: [step(1, '# one\n'), step(2, '# two\n')] }))
  expect(safe.result).toMatchObject({ clean_through_step: 2 })
  const never = succeeded(
    await opened.bridge.previewEdit({ edits: [step(1, 'ERROR\n'), step(2, '# two\n')] }),
  )
  expect(never.result).toMatchObject({ clean_through_step: 0, steps: [{ step: 1 }, { class: 'new_errors' }] })
  expect(renderAnswer(previewEdit, never)).toContain('no step is shown to break nothing')
  await isClean(opened, 'shapes.fake')
})

test('mistake 6: two previews at once do not see each other, and nobody else sees either', async () => {
  await using opened = await fakeBridge(story, one)
  const { bridge } = opened
  const preview = (new_text: string) =>
    bridge.previewEdit({ edits: [{ file: 'shapes.fake', find: 'def sides', new_text }] })
  for (let round = 0; round < 100; round += 1) {
    const [broken, harmless, references, diagnostics, own] = await Promise.all([
      preview('ERROR use area'),
      preview('use area'),
      // About another file, so that the question itself does not put the tried one right.
      bridge.findReferences({ file: 'main.fake', symbol: 'area' }),
      bridge.getDiagnostics({ file: 'shapes.fake' }),
      bridge.getDiagnostics({ file: 'main.fake' }),
    ])
    expect(succeeded(broken).result).toMatchObject({ class: 'new_errors' })
    expect(succeeded(harmless).result).toMatchObject({ class: 'clean' })
    for (const answer of [diagnostics, own]) {
      expect(succeeded(answer).result.files).toMatchObject([{ verdict: 'settled', diagnostics: [] }])
    }
    const places = succeeded(references).result.references.map(({ file, line }) => `${file}:${line}`)
    expect(places).toEqual(['main.fake:1', 'shapes.fake:1'])
  }
}, 60_000)

test('mistake 6: files that only refer to what is changed are looked at too, before and during the trial', async () => {
  await using opened = await fakeBridge(story, one)
  const files = async (edit: { file: string; find: string; new_text: string }) =>
    succeeded(await opened.bridge.previewEdit({ edits: [edit] })).result.files.map(({ file }) => file)
  // Inside the declaration of area; outside of every one; and a name that comes into being.
  expect(await files({ file: 'shapes.fake', find: 'width', new_text: 'height' })).toEqual([
    'shapes.fake',
    'main.fake',
  ])
  expect(await files({ file: 'main.fake', find: 'use', new_text: 'uses' })).toEqual(['main.fake'])
  expect(await files({ file: 'shapes.fake', find: 'sides', new_text: 'nothing' })).toEqual([
    'shapes.fake',
    'far.fake',
  ])
})

test('contract 6 without the dependents nothing is clean as a whole, and the answer says why', async () => {
  await using opened = await fakeBridge(story, one)
  const edits = [{ file: 'shapes.fake', line: 1, new_text: '# a\n' }]
  const alone = succeeded(await opened.bridge.previewEdit({ edits, dependents: false }))
  expect(alone.result).toMatchObject({
    class: 'lsp_unavailable',
    scope: 'modified',
    files: [{ class: 'clean' }],
  })
  expect(alone.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('as asked'),
  })

  const rules: Script['rules'] = [
    { on: 'textDocument/references', do: [{ act: 'error', code: -32603, message: 'lost' }] },
  ]
  await using blind = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  const inside = [{ file: 'shapes.fake', line: 2, new_text: '# a\n' }]
  const partly = succeeded(await blind.bridge.previewEdit({ edits: inside }))
  expect(partly.result).toMatchObject({ class: 'lsp_unavailable', scope: 'modified' })
  expect(partly.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringMatching(/who refers to area is unknown/),
  })
})

test('contract 6 what a server never checks keeps its silence from being clean', async () => {
  const limits = () => [
    { methods: ['textDocument/diagnostic'], reason: 'it checks no types', hint: 'Run tsc.' },
  ]
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { limits } }])
  const answer = succeeded(
    await opened.bridge.previewEdit({ edits: [{ file: 'far.fake', line: 1, new_text: '#\n' }] }),
  )
  expect(answer.result).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ class: 'lsp_unavailable', verdict: 'settled', reason: 'it checks no types' }],
  })
  expect(answer.completeness).toMatchObject({ verdict: 'partial', hint: 'Run tsc.' })
})

test('D04 behind an error that hides others nothing is called clean, and what it hid is not called new', async () => {
  const hides: ServerDefinition['hides'] = found =>
    found.some(({ message }) => message.includes('FATAL')) ? 'tells no more after that' : undefined
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { hides } }])
  const preview = async (new_text: string) =>
    succeeded(await opened.bridge.previewEdit({ edits: [{ file: 'far.fake', new_text }] })).result
  const reason = 'Fake fake tells no more after that'
  writeFileSync(opened.workspace.path('far.fake'), 'ERROR FATAL\n')
  expect(await preview('ERROR FATAL\n# more\n')).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ class: 'lsp_unavailable', new: [], reason: `no baseline: ${reason}` }],
  })
  expect(await preview('ERROR that was hidden\n')).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ class: 'lsp_unavailable', new: [], reason: `no baseline: ${reason}` }],
  })
  expect(await preview('right\n')).toMatchObject({ class: 'clean' })
  writeFileSync(opened.workspace.path('far.fake'), 'right\n')
  expect(await preview('ERROR FATAL\n')).toMatchObject({ class: 'new_errors' })
})

test('contract 3 a file that does not exist yet is tried under its future path, and is not there afterwards', async () => {
  await using opened = await fakeBridge(story, one)
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [
        { file: 'new.fake', new_text: 'def fresh\nERROR here\n' },
        { file: './shapes.fake', find: 'width', new_text: 'fresh' },
      ],
    }),
  )
  expect(answer.result.files).toMatchObject([
    { file: 'new.fake', class: 'new_errors', new: [{ file: 'new.fake', line: 2 }] },
    { file: 'shapes.fake', class: 'clean' },
    { file: 'main.fake', class: 'clean' },
  ])
  const found = succeeded(await opened.bridge.findSymbol({ query: 'fresh' }))
  expect(found.result.symbols).toEqual([])
  expect(await opened.bridge.getDiagnostics({ file: 'new.fake' })).toMatchObject({ kind: 'FileNotFound' })
})

test('C20 more files than may be open at once are tried all the same, each with its past', async () => {
  const names = Array.from({ length: 80 }, (_, index) => `many${index}.fake`)
  const files = new Map(names.map(name => [name, 'ERROR old\n']))
  await using opened = await fakeBridge({ files }, one)
  const edits = names.map(file => ({
    file,
    line: 1,
    new_text: file === 'many7.fake' ? 'ERROR new\n' : '#\n',
  }))
  const { result } = succeeded(await opened.bridge.previewEdit({ edits }))
  expect(result.files).toHaveLength(80)
  for (const file of result.files) {
    const isBroken = file.file === 'many7.fake'
    expect(file).toMatchObject({ verdict: 'settled', class: isBroken ? 'new_errors' : 'baseline_error' })
    expect(file.new).toHaveLength(isBroken ? 1 : 0)
  }
})

test('M11 while the server still indexes for a preview, others are answered', async () => {
  const readiness = { kind: 'log-line' as const, pattern: /done/, reason: 'It says so.' }
  const rules: Script['rules'] = [
    {
      on: 'textDocument/documentSymbol',
      nth: 1,
      do: [
        { act: 'built-in' },
        { act: 'notify', method: 'window/logMessage', params: { type: 3, message: 'done' } },
      ],
    },
  ]
  await using opened = await fakeBridge(story, [
    { language: 'fake', script: { rules }, definition: { readiness } },
  ])
  const preview = opened.bridge.previewEdit({ edits: [{ file: 'far.fake', line: 1, new_text: '#\n' }] })
  await opened.servers[0]?.received('textDocument/didOpen')
  // A question that needs no index; its answer is what the server says it is ready after.
  expect(await opened.bridge.listSymbols({ file: 'shapes.fake' })).toMatchObject({ ok: true })
  expect(succeeded(await preview).result.class).toBe('clean')
})

test('M11 a preview that is called off leaves nothing behind', async () => {
  const rules: Script['rules'] = [
    // The first question about the tried text is never answered.
    { on: 'textDocument/diagnostic', file: 'far.fake', nth: 2, do: [{ act: 'hang' }] },
  ]
  const script: Script = { diagnostics: 'pull', rules }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const [fake] = opened.servers
  const calledOff = new AbortController()
  const preview = opened.bridge.previewEdit(
    { edits: [{ file: 'far.fake', line: 1, new_text: 'ERROR\n' }] },
    { signal: calledOff.signal },
  )
  await fake?.received('textDocument/diagnostic', 2)
  const waiting = opened.bridge.getDiagnostics({ file: 'far.fake' })
  calledOff.abort()
  expect(await preview).toMatchObject({ ok: false, kind: 'Cancelled' })
  expect(succeeded(await waiting).result.files).toMatchObject([{ verdict: 'settled', diagnostics: [] }])
})

test('D09 a server that dies during a trial leaves the edit unknown, and the next one sees the disk', async () => {
  const rules: Script['rules'] = [
    { on: 'textDocument/diagnostic', run: 1, nth: 2, do: [{ act: 'exit', code: 1 }] },
  ]
  const script: Script = { diagnostics: 'pull', rules }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(
    await opened.bridge.previewEdit({ edits: [{ file: 'far.fake', line: 1, new_text: 'ERROR\n' }] }),
  )
  expect(answer.result).toMatchObject({ class: 'lsp_unavailable', files: [{ verdict: 'unknown' }] })
  await isClean(opened, 'far.fake')
})

test('R-158 files of two servers are tried one server after the other, in whatever order, without waiting for ever', async () => {
  const two = fixture`
-- a.fake --
def area
-- b.mock --
anything
`
  await using opened = await fakeBridge(two, [
    { language: 'fake' },
    { language: 'mock', script: { capabilities: { referencesProvider: null } } },
  ])
  const a = { file: 'a.fake', line: 1, new_text: 'ERROR a\n' }
  const b = { file: 'b.mock', line: 1, new_text: 'ERROR b\n' }
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all([
      opened.bridge.previewEdit({ edits: [a, b] }),
      opened.bridge.previewEdit({ edits: [b, a] }),
    ])
    for (const answer of answers) {
      const { result } = succeeded(answer)
      expect(result.class).toBe('new_errors')
      expect(result.files.map(({ file }) => file).sort()).toEqual(['a.fake', 'b.mock'])
      for (const file of result.files) expect(file.new).toHaveLength(1)
    }
  }
})

test('R-215 a file that nobody can be asked about does not keep the others from being tried', async () => {
  await using opened = await fakeBridge(story, one)
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [
        { file: 'notes.txt', new_text: 'hello' },
        { file: 'shapes.fake', line: 1, new_text: '# hello\n' },
      ],
    }),
  )
  expect(answer.result).toMatchObject({
    class: 'lsp_unavailable',
    scope: 'modified',
    files: [
      { file: 'notes.txt', class: 'lsp_unavailable', verdict: 'unknown' },
      { file: 'shapes.fake', class: 'clean' },
    ],
  })
})

test('W08 an edit of the disk during the preview is told', async () => {
  const rules: Script['rules'] = [
    { on: 'textDocument/diagnostic', file: 'far.fake', nth: 2, do: [{ act: 'wait', for: 'fake/go' }] },
  ]
  const script: Script = { diagnostics: 'pull', rules }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  await opened.warm('far.fake')
  const preview = opened.bridge.previewEdit({
    edits: [{ file: 'far.fake', line: 1, new_text: 'ERROR\n' }],
    timeout_ms: 3000,
  })
  await opened.servers[0]?.received('textDocument/diagnostic', 2)
  writeFileSync(opened.workspace.path('far.fake'), 'other\n')
  const answer = succeeded(await preview)
  expect(answer.freshness).toMatchObject({ verdict: 'stale', reason: expect.stringContaining('far.fake') })
  const { files } = succeeded(await opened.bridge.getDiagnostics({ file: 'far.fake' })).result
  expect(files).toMatchObject([{ verdict: 'settled', diagnostics: [] }])
})

test.each([
  ['nothing', {}, 'InvalidArguments', /neither edits nor a handle/],
  ['no edits', { edits: [] }, 'InvalidArguments', /neither edits nor a handle/],
  [
    'both',
    { handle: 'p:1', edits: [{ file: 'far.fake', new_text: '' }] },
    'InvalidArguments',
    /both edits and handle/,
  ],
  ['a path outside', { edits: [{ file: '../x.fake', new_text: '' }] }, 'PathOutsideWorkspace', /outside/],
  [
    'a part of no file',
    { edits: [{ file: 'no.fake', line: 1, new_text: '' }] },
    'FileNotFound',
    /does not exist/,
  ],
  [
    'a text that occurs twice',
    { edits: [{ file: 'shapes.fake', find: 'def', new_text: '' }] },
    'InvalidArguments',
    /2 times, on lines 1, 3/,
  ],
  ['an unknown field', { edits: [{ file: 'a.fake', text: '' }] }, 'InvalidArguments', /new_text/],
])('story 4 %s is refused before any server is bothered', async (_, input, kind, error) => {
  await using opened = await fakeBridge(story, one)
  const answer: unknown = await Reflect.apply(opened.bridge.previewEdit, undefined, [input])
  expect(answer).toMatchObject({ ok: false, kind, error: expect.stringMatching(error) })
  expect(opened.servers[0]?.log()).toEqual([])
})

test('contract 3 a proposal is tried by its handle, and refused when the disk has moved on', async () => {
  await using opened = await fakeBridge(story, one)
  const { bridge } = opened
  const target = { file: 'shapes.fake', symbol: 'area' }
  const { handle = '' } = succeeded(await bridge.renameSymbol({ ...target, new_name: 'ERROR_area' })).result
  const answer = succeeded(await bridge.previewEdit({ handle }))
  expect(answer.result).toMatchObject({
    class: 'new_errors',
    files: [
      { file: 'main.fake', new: [{ line: 1 }] },
      { file: 'shapes.fake', new: [{ line: 1 }] },
    ],
  })
  expect(readFileSync(opened.workspace.path('shapes.fake'), 'utf8')).toBe(shapes)
  writeFileSync(opened.workspace.path('main.fake'), 'use area twice\n')
  expect(await bridge.previewEdit({ handle })).toMatchObject({ ok: false, kind: 'StaleProposal' })
  rmSync(opened.workspace.path('main.fake'))
  expect(await bridge.previewEdit({ handle })).toMatchObject({ ok: false, kind: 'StaleProposal' })
})

async function isClean({ bridge }: FakeBridge, file: string): Promise<void> {
  const { files } = succeeded(await bridge.getDiagnostics({ file })).result
  expect(files).toMatchObject([{ verdict: 'settled', diagnostics: [] }])
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
