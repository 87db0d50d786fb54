// A model's turn as a host runs it, on fake servers: what is fed back, when the operator gets it, and what is on record,
// field by field. A turn ends whatever happens to the servers.
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Script } from './fake-server/index.js'
import { killProcessesOf } from './faults/judge.js'
import { fixture } from './fixture/index.js'
import { recordedBridge } from './recorded-bridge.js'

const story = fixture`
-- shapes.fake --
def area
  width
-- main.fake --
use area
-- old.fake --
ERROR old
`
const fake = [{ language: 'fake' }]
const servers = [{ id: 'fake', name: 'fake', version: expect.any(String) }]
const content = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)

test.each(['governed', 'default'] as const)(
  'R-212, R-213, D08 (%s) a broken edit, two corrections, then the operator; each attempt is on record with every field',
  async preset => {
    await using opened = await recordedBridge(story, fake, { preset })
    const { bridge, workspace } = opened
    const turn = await bridge.turn({ files: ['shapes.fake'] })
    const write = (text: string) => {
      writeFileSync(workspace.path('shapes.fake'), text)
      turn.edited('shapes.fake')
    }
    write('def area\n  ERROR one\n  ERROR two\n')
    const first = await turn.check()
    expect(first).toMatchObject({
      class: 'new_errors',
      round: 0,
      rounds: 2,
      next: { action: 'correct', round: 1, rounds: 2 },
    })
    expect(first.errors).toMatchObject([{ message: 'ERROR one' }, { message: 'ERROR two' }])
    expect(first.next.text.split('\n').slice(0, 6)).toEqual([
      'Your change introduced 2 errors (correction 1 of 2). Correct it before going on.',
      expect.stringMatching(/^check: new_errors: 2 new errors in 1 file, 2 files checked, scope dependents/),
      'shapes.fake: new_errors',
      '  2:3 error [fake error-line]: ERROR one',
      '      ERROR one',
      '  3:3 error [fake error-line]: ERROR two',
    ])
    write('def area\n  ERROR two\n')
    expect(await turn.check()).toMatchObject({ round: 1, next: { action: 'correct', round: 2 } })
    write('def area\n  ERROR other\n')
    const last = await turn.check()
    expect(last).toMatchObject({ round: 2, next: { action: 'operator', because: 'rounds_exhausted' } })
    const report = await turn.close()
    expect(report).toMatchObject({
      class: 'new_errors',
      errors: [{ message: 'ERROR other' }],
      next: { action: 'operator', because: 'rounds_exhausted' },
      attempts: [
        { round: 0, class: 'new_errors', errors: 2 },
        { round: 1, class: 'new_errors', errors: 1 },
        { round: 2, class: 'new_errors', errors: 1 },
      ],
    })
    expect(report.next.text).toMatch(/^Unresolved: the model has used up its corrections/)
    expect(report.next.text).toMatch(/\nattempt: after correction 2, new_errors, 1 new error, ev:/)
    await bridge.close()

    const validations = await opened.recorded('diagnostic_validation')
    const baseline = `change ${turn.change}`
    expect(validations).toEqual(
      [
        { round: 0, disposition: 'self_correct', new_errors: 2 },
        { round: 1, disposition: 'self_correct', new_errors: 1 },
        { round: 2, disposition: 'surface_to_operator', new_errors: 1 },
      ].map(({ round, disposition, new_errors }, index) => ({
        kind: 'diagnostic_validation',
        call: report.attempts[index]?.evidence,
        operation: 'check_change',
        class: 'new_errors',
        disposition,
        scope: 'dependents',
        preview: false,
        servers,
        files: [
          {
            file: 'shapes.fake',
            class: 'new_errors',
            verdict: 'settled',
            content,
            new_errors,
            new_warnings: 0,
            resolved: 0,
          },
          {
            file: 'main.fake',
            class: 'clean',
            verdict: 'settled',
            content,
            new_errors: 0,
            new_warnings: 0,
            resolved: 0,
          },
        ],
        baseline,
        round,
        rounds: 2,
      })),
    )
    const regressions = await opened.recorded('diagnostic_regression')
    expect(regressions).toHaveLength(3)
    expect(regressions[0]).toEqual({
      kind: 'diagnostic_regression',
      call: report.attempts[0]?.evidence,
      operation: 'check_change',
      servers,
      diagnostics: ['one', 'two'].map((word, index) => ({
        file: 'shapes.fake',
        line: index + 2,
        column: 3,
        severity: 'error',
        code: 'error-line',
        source: 'fake',
        message: `ERROR ${word}`,
      })),
    })
  },
)

test.each<[string, string, string, RegExp | '']>([
  ['continue', 'shapes.fake', 'def area\n  # width\n', ''],
  [
    'inform',
    'shapes.fake',
    'def area\n  WARNING width\n',
    /^Your change brought new warnings.\n.*WARNING width/s,
  ],
  ['continue', 'old.fake', '# moved\nERROR old\n', ''],
])('R-211 %s after a change of %s', async (action, file, text, told) => {
  await using opened = await recordedBridge(story, fake, { preset: 'governed' })
  const turn = await opened.bridge.turn()
  writeFileSync(opened.workspace.path(file), text)
  const { next } = await turn.close()
  expect(next).toMatchObject({ action, text: told === '' ? '' : expect.stringMatching(told) })
  await opened.bridge.close()
  const dispositions = {
    continue: file === 'old.fake' ? 'not_attributed' : 'continue',
    inform: 'surface_to_model',
  }
  expect(await opened.recorded('diagnostic_validation')).toMatchObject([
    { disposition: action === 'inform' ? dispositions.inform : dispositions.continue },
  ])
  expect(await opened.recorded('diagnostic_regression')).toEqual([])
})

test('R-213 errors that are corrected are forgiven, and the turn goes on', async () => {
  await using opened = await recordedBridge(story, fake)
  const turn = await opened.bridge.turn({ rounds: 1 })
  const write = (text: string) => writeFileSync(opened.workspace.path('shapes.fake'), text)
  write('def area\n  ERROR\n')
  expect((await turn.check()).next).toMatchObject({ action: 'correct', round: 1, rounds: 1 })
  write('def area\n  height\n')
  expect((await turn.check()).next.action).toBe('continue')
  expect(await turn.close()).toMatchObject({ class: 'clean', errors: [], next: { action: 'continue' } })
})

test('R-210 whoever closes without having looked has it looked at; closing twice is closing once', async () => {
  await using opened = await recordedBridge(story, fake)
  const turn = await opened.bridge.turn()
  appendFileSync(opened.workspace.path('shapes.fake'), 'ERROR\n')
  rmSync(opened.workspace.path('old.fake'))
  const report = await turn.close()
  expect(report).toMatchObject({
    class: 'new_errors',
    next: { action: 'operator', because: 'closed_with_errors' },
    attempts: [{ round: 0, class: 'new_errors' }],
  })
  expect(await turn.close()).toBe(report)
  expect(await turn.check()).toBe(report)
})

test('R-12, INV-LSP-006 a turn that nobody closed is closed with the bridge', async () => {
  await using opened = await recordedBridge(story, fake)
  await opened.bridge.turn()
  appendFileSync(opened.workspace.path('shapes.fake'), 'ERROR\n')
  await opened.bridge.close()
  expect(await opened.recorded('diagnostic_validation')).toMatchObject([
    { class: 'new_errors', disposition: 'surface_to_operator' },
  ])
})

test('a turn that changed nothing starts no server', async () => {
  await using opened = await recordedBridge(story, fake)
  const turn = await opened.bridge.turn()
  expect(await turn.close()).toMatchObject({ class: 'clean', next: { action: 'continue' } })
  expect(opened.servers[0]?.log()).toEqual([])
})

test('D06 two turns at once: each is told of its own edits, and a file of both is shared', async () => {
  await using opened = await recordedBridge(story, fake)
  const { bridge, workspace } = opened
  const [ada, ben] = await Promise.all([bridge.turn(), bridge.turn()])
  const edit = (turn: typeof ada, file: string, text: string) => {
    appendFileSync(workspace.path(file), text)
    turn.edited(file)
  }
  edit(ada, 'shapes.fake', 'ERROR of Ada\n')
  edit(ben, 'main.fake', 'ERROR of Ben\n')
  const [first, second] = await Promise.all([ada.check(), ben.check()])
  expect(first.errors.map(({ message }) => message)).toEqual(['ERROR of Ada'])
  expect(second.errors.map(({ message }) => message)).toEqual(['ERROR of Ben'])
  edit(ben, 'shapes.fake', 'ERROR of Ben too\n')
  const both = await ben.check()
  expect(both.answer).toMatchObject({
    result: { files: [{ file: 'main.fake' }, { file: 'shapes.fake', shared_with: [ada.change] }] },
  })
  expect(both.next.text).toContain(`shared: shapes.fake was changed by ${ada.change} too`)
})

const dying: Script = { rules: [{ on: 'textDocument/documentSymbol', do: [{ act: 'exit', code: 1 }] }] }

test.each(['governed', 'default'] as const)(
  'INV-LSP-006, D09 (%s) a server that dies of the validation: the attempt is on record, and the turn closes',
  async preset => {
    await using opened = await recordedBridge(story, [{ language: 'fake', script: dying }], { preset })
    const turn = await opened.bridge.turn({ timeoutMs: 4000 })
    writeFileSync(opened.workspace.path('shapes.fake'), 'def area\n  height\n')
    const report = await turn.close()
    expect(report).toMatchObject({ class: 'lsp_unavailable', next: { action: 'unvalidated' } })
    await opened.bridge.close()
    expect(await opened.recorded('diagnostic_validation')).toMatchObject([
      { class: 'lsp_unavailable', disposition: 'absence_recorded', round: 0, rounds: 2 },
    ])
  },
)

test('INV-LSP-006 an attempt that is called off is an attempt', async () => {
  const rules: Script['rules'] = [{ on: 'textDocument/diagnostic', do: [{ act: 'hang' }] }]
  const languages = [{ language: 'fake', script: { diagnostics: 'pull' as const, rules } }]
  await using opened = await recordedBridge(story, languages, { preset: 'governed' })
  const calledOff = new AbortController()
  const turn = await opened.bridge.turn({ signal: calledOff.signal })
  writeFileSync(opened.workspace.path('shapes.fake'), 'def area\n  height\n')
  const closing = turn.close()
  await opened.servers[0]?.received('textDocument/diagnostic')
  calledOff.abort()
  expect(await closing).toMatchObject({
    class: 'lsp_unavailable',
    attempts: [{ reason: expect.stringMatching(/^Cancelled: /) }],
  })
  await opened.bridge.close()
  expect(await opened.recorded('diagnostic_validation')).toEqual([
    {
      kind: 'diagnostic_validation',
      call: expect.stringMatching(/^ev:/),
      operation: 'check_change',
      class: 'lsp_unavailable',
      disposition: 'absence_recorded',
      preview: false,
      servers,
      files: [],
      reason: 'Cancelled',
      round: 0,
      rounds: 2,
    },
  ])
})

test('LSP-006 errors that were told are not resolved by a server that is gone: the operator gets them', async () => {
  const rules: Script['rules'] = [
    {
      on: 'textDocument/diagnostic',
      run: { from: 2 },
      do: [{ act: 'error', code: -32603, message: 'gone' }],
    },
  ]
  const languages = [{ language: 'fake', script: { diagnostics: 'pull' as const, rules } }]
  await using opened = await recordedBridge(story, languages)
  const turn = await opened.bridge.turn()
  writeFileSync(opened.workspace.path('shapes.fake'), 'def area\n  ERROR\n')
  expect((await turn.check()).next.action).toBe('correct')
  writeFileSync(opened.workspace.path('shapes.fake'), 'def area\n  height\n')
  const crashed = opened.bridge.events.until('server.crashed')
  killProcessesOf(...opened.servers)
  await crashed
  expect(await turn.check()).toMatchObject({ class: 'lsp_unavailable', next: { action: 'unvalidated' } })
  expect((await turn.close()).next).toMatchObject({ action: 'operator', because: 'correction_unproven' })
})
