// The errors of a file, through a real bridge whose server is a fake: for the content on disk, or not at all.
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Act, Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { ServerDefinition } from '../servers/definition.js'
import { contentHash } from '../text/hash.js'
import type { Answer } from './answer.js'
import { getDiagnostics } from './get-diagnostics.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
def area
ERROR no width
`
const whole = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
const hides: ServerDefinition['hides'] = found =>
  found.some(({ message }) => message.includes('FATAL')) ? 'tells no more after that' : undefined
const quick = { file: 'shapes.fake', timeout_ms: 1000 }

test('R-104 a settled report names the content it is for, and every diagnostic its place', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = succeeded(await opened.bridge.getDiagnostics({ file: 'shapes.fake' }))
  expect(answer.result).toEqual({
    files: [
      {
        file: 'shapes.fake',
        content: contentHash('def area\nERROR no width\n'),
        verdict: 'settled',
        diagnostics: [
          expect.objectContaining({
            severity: 'error',
            file: 'shapes.fake',
            line: 2,
            column: 1,
            text: 'ERROR no width',
          }),
        ],
      },
    ],
  })
  expect(answer.freshness).toMatchObject({ verdict: 'current', content: answer.result.files[0]?.content })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
})

test('R-126 after every edit on disk the report is for the new content', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  for (const text of ['def area\n', 'ERROR one\nERROR two\n', 'def area\n', 'ERROR one\n']) {
    writeFileSync(opened.workspace.path('shapes.fake'), text)
    const { files } = succeeded(await opened.bridge.getDiagnostics({ file: 'shapes.fake' })).result
    expect(files).toMatchObject([{ content: contentHash(text), verdict: 'settled' }])
    expect(files[0]?.diagnostics.length).toBe(text.split('ERROR').length - 1)
  }
})

test('D04 where one error keeps the server from telling others, the answer is not called complete', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { hides } }])
  const asked = { file: 'shapes.fake' }
  expect(succeeded(await opened.bridge.getDiagnostics(asked)).completeness).toEqual({ verdict: 'complete' })
  writeFileSync(opened.workspace.path('shapes.fake'), 'ERROR FATAL\n')
  const answer = succeeded(await opened.bridge.getDiagnostics(asked))
  expect(answer.result.files).toMatchObject([{ verdict: 'settled', diagnostics: [{ line: 1 }] }])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: 'shapes.fake: Fake fake tells no more after that',
  })
})

test.each<[string, Script, RegExp]>([
  ['says nothing', { diagnostics: 'none' }, /has not reported on this content/],
  ['does not say for which version', { diagnostics: 'push' }, /which version/],
])('R-143 a server that %s leaves the file unknown, never clean', async (_, script, reason) => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  await opened.warm('shapes.fake')
  const answer = succeeded(await opened.bridge.getDiagnostics(quick))
  const [file] = answer.result.files
  expect(file).toMatchObject({ verdict: 'unknown', reason: expect.stringMatching(reason) })
  expect(answer.completeness).toMatchObject({
    verdict: 'unknown',
    reason: file?.reason,
    hint: expect.stringContaining('no errors'),
  })
  const text = renderAnswer(getDiagnostics, answer)
  expect(text).toMatch(/^diagnostics of shapes\.fake are unknown \[unknown; fake/)
  expect(text).not.toContain('no diagnostics')
})

test('contract 3.3 the worst come first, the rest can be left out, and messages are cleaned', async () => {
  const found = (severity: number | null, line: number, message: string) => ({
    range: { start: { line, character: 0 }, end: { line, character: 3 } },
    ...(severity === null ? {} : { severity }),
    message,
    code: 12,
    source: 'lint',
  })
  const script: Script = {
    rules: [
      {
        on: 'textDocument/didOpen',
        do: [
          {
            act: 'publish',
            version: 'current',
            diagnostics: [
              found(4, 0, 'a hint'),
              found(2, 1, 'a warning'),
              found(1, 1, 'late \u001b[31merror\u0007'),
              found(null, 0, 'early error'),
              found(3, 0, 'information'),
            ],
          },
        ],
      },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const all = succeeded(await opened.bridge.getDiagnostics({ file: 'shapes.fake' })).result.files[0]
    ?.diagnostics
  expect(all?.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    'error: early error',
    'error: late error',
    'warning: a warning',
    'information: information',
    'hint: a hint',
  ])
  expect(all?.[0]).toMatchObject({ code: '12', source: 'lint', line: 1, end_column: 4 })
  const errors = succeeded(await opened.bridge.getDiagnostics({ file: 'shapes.fake', severity: 'error' }))
  expect(errors.result.files[0]).toMatchObject({ diagnostics: { length: 2 }, left_out: 3 })
  expect(renderAnswer(getDiagnostics, errors)).toMatch(
    /^shapes\.fake: 2 errors, 3 less severe left out, settled/,
  )
})

test('contract 3.2 what was not asked for is not nothing', async () => {
  const warning = { range: whole, severity: 2, message: 'a warning' }
  const script: Script = {
    rules: [
      {
        on: 'textDocument/didOpen',
        do: [{ act: 'publish', version: 'current', diagnostics: [warning] }],
      },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.getDiagnostics({ file: 'shapes.fake', severity: 'error' }))
  const text = renderAnswer(getDiagnostics, answer)
  expect(text).toMatch(/^shapes\.fake: 1 less severe left out, settled/)
  expect(text).not.toContain('no diagnostics')
})

const two = fixture`
-- shapes.fake --
def area
ERROR no width
-- clean.fake --
use area
`

test('contract 3.3 several files are answered for at once, each for its own content', async () => {
  await using opened = await fakeBridge(two, [{ language: 'fake' }])
  const answer = succeeded(
    await opened.bridge.getDiagnostics({ file: 'shapes.fake', files: ['clean.fake', 'shapes.fake'] }),
  )
  expect(answer.result.files).toMatchObject([
    { file: 'shapes.fake', verdict: 'settled', diagnostics: [{ line: 2 }] },
    { file: 'clean.fake', content: contentHash('use area\n'), verdict: 'settled', diagnostics: [] },
  ])
  expect(answer.freshness).toEqual({ verdict: 'current', queried_at: expect.any(String) })
  expect(renderAnswer(getDiagnostics, answer)).toMatch(
    /^shapes\.fake: 1 error, settled for \S+; clean\.fake: no diagnostics, settled/,
  )
})

test('contract 3.3 of several files, one that cannot be looked at is unknown and hides none of the others', async () => {
  await using opened = await fakeBridge(two, [{ language: 'fake' }])
  const answer = succeeded(
    await opened.bridge.getDiagnostics({ files: ['gone.fake', 'notes.txt', 'shapes.fake'] }),
  )
  expect(answer.result.files).toMatchObject([
    { file: 'gone.fake', verdict: 'unknown', reason: expect.stringContaining('gone.fake') },
    { file: 'notes.txt', verdict: 'unknown' },
    { file: 'shapes.fake', verdict: 'settled', diagnostics: [{ line: 2 }] },
  ])
  expect(answer.completeness.verdict).toBe('unknown')
  expect(await opened.bridge.getDiagnostics({ files: ['../x.fake', 'shapes.fake'] })).toMatchObject({
    kind: 'PathOutsideWorkspace',
  })
  expect(await opened.bridge.getDiagnostics({})).toMatchObject({ kind: 'InvalidArguments' })
})

describe('a server that does not know what it should', () => {
  const logLine = { kind: 'log-line', pattern: /^loaded$/, reason: 'It says so.' } as const

  test('R-143, O9 settles nothing while it loads, and what it has found is told all the same', async () => {
    await using opened = await fakeBridge(two, [{ language: 'fake', definition: { readiness: logLine } }])
    await opened.warm('shapes.fake')
    const answer = succeeded(
      await opened.bridge.getDiagnostics({ files: ['shapes.fake', 'clean.fake'], timeout_ms: 1500 }),
    )
    const reason = expect.stringContaining('has not said yet that its view of the workspace is complete')
    expect(answer.result.files).toMatchObject([
      { file: 'shapes.fake', verdict: 'unknown', reason, diagnostics: [{ line: 2 }] },
      { file: 'clean.fake', verdict: 'unknown', reason, diagnostics: [] },
    ])
    expect(answer.completeness).toMatchObject({ verdict: 'unknown', reason })
    expect(renderAnswer(getDiagnostics, answer)).not.toMatch(/settled|no diagnostics/)
  })

  test('R-143, W08 settles nothing while there is a change it has not taken in', async () => {
    const silence: Script['rules'] = [
      { on: 'textDocument/didOpen', file: 'clean.fake', do: [{ act: 'hang' }] },
      { on: 'textDocument/didChange', file: 'clean.fake', do: [{ act: 'hang' }] },
    ]
    const quirks = { changedFilesMustBeOpened: 'It reads a changed file only when it is shown.' }
    await using opened = await fakeBridge(two, [
      { language: 'fake', script: { rules: silence }, definition: { quirks } },
    ])
    await opened.bridge.getDiagnostics(quick)
    writeFileSync(opened.workspace.path('clean.fake'), 'use area\nuse area\n')
    const answer = succeeded(await opened.bridge.getDiagnostics(quick))
    expect(answer.result.files).toMatchObject([
      {
        verdict: 'unknown',
        reason: expect.stringContaining('not taken in every changed file'),
        diagnostics: [{ line: 2 }],
      },
    ])
  })

  test('contract 3.2 is believed where the file is all that its report rests on', async () => {
    const diagnostics = {
      kind: 'standard',
      quietMs: 0,
      reason: 'Pushes carry the version.',
      restsOnFileAlone: 'It parses the file.',
    } as const
    await using opened = await fakeBridge(story, [
      { language: 'fake', definition: { readiness: logLine, diagnostics } },
    ])
    const answer = succeeded(await opened.bridge.getDiagnostics(quick))
    expect(answer.result.files).toMatchObject([{ verdict: 'settled', diagnostics: [{ line: 2 }] }])
    expect(answer.completeness).toMatchObject({ verdict: 'partial' })
  })

  test('contract 3.2 is believed on the very text where nothing can show what it knows, unless it is at work', async () => {
    const readiness = { kind: 'unproven', reason: 'nothing is known of this server' } as const
    await using opened = await fakeBridge(story, [{ language: 'fake', definition: { readiness } }])
    const answer = succeeded(await opened.bridge.getDiagnostics(quick))
    expect(answer.result.files).toMatchObject([{ verdict: 'settled', diagnostics: [{ line: 2 }] }])
    expect(answer.completeness).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('known'),
    })
    const begin: Act = {
      act: 'notify',
      method: '$/progress',
      params: { token: 'index', value: { kind: 'begin', title: 'Indexing' } },
    }
    const script: Script = { rules: [{ on: 'initialize', also: true, do: [begin] }] }
    await using busy = await fakeBridge(story, [{ language: 'fake', script, definition: { readiness } }])
    const early = succeeded(await busy.bridge.getDiagnostics(quick))
    expect(early.result.files).toMatchObject([{ verdict: 'unknown', diagnostics: [{ line: 2 }] }])
  })
})

test('W08 a file edited while it is asked about is asked about again', async () => {
  const rules: Script['rules'] = [
    {
      on: 'textDocument/diagnostic',
      nth: 1,
      do: [{ act: 'wait', for: 'textDocument/didChange' }, { act: 'built-in' }],
    },
  ]
  await using opened = await fakeBridge(two, [{ language: 'fake', script: { diagnostics: 'pull', rules } }])
  const asked = opened.bridge.getDiagnostics({ file: 'shapes.fake' })
  await opened.servers[0]?.received('textDocument/diagnostic')
  writeFileSync(opened.workspace.path('shapes.fake'), 'right\n')
  // Another question tells the server of the edit, which lets it answer the first.
  const [answer] = await Promise.all([asked, opened.bridge.listSymbols({ file: 'shapes.fake' })])
  expect(succeeded(answer).result.files).toMatchObject([
    { content: contentHash('right\n'), verdict: 'settled', diagnostics: [] },
  ])
})

test('W08 what was doubted of the text that is gone is not doubted of the one that was asked about again', async () => {
  const fatal = { kind: 'full', items: [{ range: whole, severity: 1, message: 'FATAL' }] }
  const rules: Script['rules'] = [
    {
      on: 'textDocument/diagnostic',
      file: 'shapes.fake',
      nth: 1,
      do: [
        { act: 'wait', for: 'textDocument/didChange' },
        { act: 'answer', result: fatal },
      ],
    },
  ]
  const script: Script = { diagnostics: 'pull', rules }
  await using opened = await fakeBridge(two, [{ language: 'fake', script, definition: { hides } }])
  const asked = opened.bridge.getDiagnostics({ files: ['shapes.fake', 'clean.fake'], timeout_ms: 5000 })
  await opened.servers[0]?.received('textDocument/diagnostic')
  writeFileSync(opened.workspace.path('shapes.fake'), 'right\n')
  const [answer] = await Promise.all([asked, opened.bridge.listSymbols({ file: 'shapes.fake' })])
  expect(succeeded(answer).result.files[0]).toMatchObject({ verdict: 'settled', diagnostics: [] })
  expect(succeeded(answer).completeness).toEqual({ verdict: 'complete' })
})

test('contract 3.2 what a server never checks is said beside a clean report', async () => {
  const limits = () => [
    { methods: ['textDocument/diagnostic'], reason: 'it checks no types', hint: 'Run tsc.' },
  ]
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { limits } }])
  const answer = succeeded(await opened.bridge.getDiagnostics({ file: 'shapes.fake' }))
  expect(answer.completeness).toEqual({ verdict: 'partial', reason: 'it checks no types', hint: 'Run tsc.' })
})

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
