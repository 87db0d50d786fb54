// The six ways a server fails a session and the six things that hold whatever happens (LSP-FH-001 to 006, INV-LSP-001 to
// 006), in the governed preset and in those where the model may ask too. Faults need a fake server; what needs none is
// shown on a real one in `check.test.ts`.
import { appendFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { presets } from '../src/config/presets.js'
import type { Script } from './fake-server/index.js'
import type { LogEntry } from './fake-server/log.js'
import { nameOf } from './fake-server/message.js'
import { killProcessesOf } from './faults/judge.js'
import { fixture } from './fixture/index.js'
import { type RecordedBridge, recordedBridge } from './recorded-bridge.js'

const story = fixture`
-- shapes.fake --
def area
  width
-- main.fake --
use area
-- other.mock --
def other
`
const refusing = (method: string): Script['rules'] => [
  { on: method, do: [{ act: 'error', code: -32603, message: 'no way' }] },
]

describe.each(['governed', 'default', 'full'] as const)('%s', preset => {
  const open = (script: Script) =>
    recordedBridge(story, [{ language: 'fake', script }, { language: 'mock' }], { preset })

  test('LSP-FH-001, INV-LSP-005 a server that does not start is unavailable, and the session goes on without it', async () => {
    await using opened = await open({ rules: [{ on: 'initialize', do: [{ act: 'exit', code: 1 }] }] })
    const report = await editedTurn(opened)
    expect(report).toMatchObject({ class: 'lsp_unavailable', next: { action: 'unvalidated' } })
    await othersAreServed(opened)
    expect(await validations(opened)).toEqual([absence])
  })

  test('LSP-FH-002 a question that is not answered in time yields an empty, marked result; three in a row are looked into', async () => {
    const rules: Script['rules'] = [
      { on: 'textDocument/diagnostic', do: [{ act: 'hang' }] },
      { on: 'textDocument/documentSymbol', do: [{ act: 'hang' }] },
    ]
    await using opened = await open({ diagnostics: 'pull', rules })
    const report = await editedTurn(opened, 4000)
    expect(report.answer).toMatchObject({
      ok: true,
      result: { class: 'lsp_unavailable', files: [{ file: 'shapes.fake', verdict: 'unknown', new: [] }] },
      completeness: { verdict: 'unknown' },
    })
    expect(await opened.servers[0]?.received('alidade/ping')).toBeDefined()
    await opened.bridge.close()
    const batches = await opened.recorded('lsp_query_batch')
    const check = batches.find(({ operation }) => operation === 'check_change')
    expect(check).toMatchObject({ outcome: 'timed_out' })
    expect(check?.queries).toContainEqual(
      expect.objectContaining({ method: 'textDocument/diagnostic', outcome: 'timed_out' }),
    )
  })

  test('LSP-FH-004, INV-LSP-002 what a server does not declare is never sent, and nothing is made up in its place', async () => {
    const capabilities = { referencesProvider: null, documentSymbolProvider: null, diagnosticProvider: null }
    await using opened = await open({ capabilities })
    const report = await editedTurn(opened)
    expect(report.answer).toMatchObject({
      result: {
        class: 'lsp_unavailable',
        scope: 'modified',
        files: [{ class: 'clean', verdict: 'settled' }],
      },
      completeness: { verdict: 'partial', reason: expect.stringContaining('cannot say who refers') },
    })
    const sent = methodsOf(opened.servers[0]?.log() ?? [])
    for (const method of ['references', 'documentSymbol', 'diagnostic'])
      expect(sent).not.toContain(`textDocument/${method}`)
  })

  test('LSP-FH-005, INV-LSP-003 a file that changes meanwhile is asked about again; one that keeps changing is marked', async () => {
    await using opened = await open({ diagnostics: 'pull' })
    const { bridge, workspace } = opened
    const turn = await bridge.turn({ timeoutMs: 20_000 })
    const file = workspace.path('shapes.fake')
    let writes = 0
    bridge.events.subscribe(event => {
      if (event.type !== 'request.finished' || event.method !== 'textDocument/diagnostic') return
      writes += 1
      writeFileSync(file, `def area\n  # ${writes}\n`)
    })
    writeFileSync(file, 'def area\n  # 0\n')
    const report = await turn.close()
    expect(writes).toBeGreaterThan(2)
    expect(report.answer).toMatchObject({
      result: { class: 'lsp_unavailable' },
      freshness: { verdict: 'stale', reason: expect.stringContaining('kept changing') },
      completeness: { verdict: 'unknown' },
    })
  })

  test('INV-LSP-003 what was recorded of a file when the turn began does not stand for what it has become, announced or not', async () => {
    await using opened = await open({ diagnostics: 'pull' })
    const { bridge, workspace } = opened
    const turn = await bridge.turn({ files: ['shapes.fake'] })
    appendFileSync(workspace.path('main.fake'), 'ERROR that nobody announced\n')
    writeFileSync(workspace.path('shapes.fake'), 'def area\n  height\n')
    const { answer } = await turn.close()
    expect(answer).toMatchObject({
      result: {
        class: 'new_errors',
        files: [
          { file: 'main.fake', class: 'new_errors', new: [{ line: 2 }] },
          { file: 'shapes.fake', class: 'clean' },
        ],
      },
    })
  })

  test('LSP-FH-006 a diagnostic question that is answered with an error: lsp_unavailable, and nothing is blocked', async () => {
    await using opened = await open({ diagnostics: 'pull', rules: refusing('textDocument/diagnostic') ?? [] })
    const report = await editedTurn(opened)
    const file = { class: 'lsp_unavailable', verdict: 'unknown', reason: expect.stringContaining('no way') }
    expect(report.answer).toMatchObject({
      result: {
        class: 'lsp_unavailable',
        files: [
          { file: 'shapes.fake', ...file },
          { file: 'main.fake', ...file },
        ],
      },
    })
    await othersAreServed(opened)
    expect(await validations(opened)).toMatchObject([
      { class: 'lsp_unavailable', disposition: 'absence_recorded', files: [file, file] },
    ])
  })

  test('INV-LSP-001 what is fed back has a record of its source, its questions and their time', async () => {
    await using opened = await open({ diagnostics: 'pull' })
    const turn = await opened.bridge.turn()
    writeFileSync(opened.workspace.path('shapes.fake'), 'def area\n  ERROR\n')
    const { next, answer } = await turn.check()
    expect(next.action).toBe('correct')
    if (!answer.ok) throw new Error(answer.error)
    await opened.bridge.close()
    const batches = await opened.recorded('lsp_query_batch')
    const own = batches.filter(({ operation }) => operation === 'check_change')
    expect(own[0]).toMatchObject({
      servers: [{ id: 'fake', name: 'fake', version: expect.any(String) }],
      queries: expect.arrayContaining([
        expect.objectContaining({ server: 'fake', method: 'textDocument/diagnostic', outcome: 'responded' }),
      ]),
      outcome: 'responded',
      response_bytes: expect.any(Number),
      freshness: { verdict: 'current', queried_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
    })
    const [validation] = await opened.recorded('diagnostic_validation')
    expect(validation?.call).toBe(answer.evidence)
  })

  test('INV-LSP-004, R-105 a turn sends nothing that could modify a file, and only what the governed list has', async () => {
    await using opened = await open({})
    await editedTurn(opened)
    await opened.bridge.close()
    const { methods } = presets.governed
    const lifecycle = ['initialize', 'initialized', 'shutdown', 'exit', '$/setTrace']
    const sync = ['didOpen', 'didChange', 'didClose', 'didSave'].map(name => `textDocument/${name}`)
    const told = ['workspace/didChangeConfiguration', 'workspace/didChangeWatchedFiles', '$/cancelRequest']
    const permitted = new Set([...methods, ...lifecycle, ...sync, ...told])
    const sent = methodsOf(opened.servers[0]?.log() ?? [])
    expect(sent).toContain('textDocument/references')
    expect(sent.filter(method => !permitted.has(method))).toEqual([])
  })

  test('INV-LSP-006 every turn that changed code attempts to validate it, also with the server gone', async () => {
    await using opened = await open({})
    const turn = await opened.bridge.turn({ files: ['shapes.fake'] })
    const crashed = opened.bridge.events.until('server.crashed')
    killProcessesOf(...opened.servers)
    await crashed
    writeFileSync(opened.workspace.path('shapes.fake'), 'def area\n  ERROR\n')
    const report = await turn.close()
    // It was started again, or it was not: either way the attempt is on record.
    expect(['new_errors', 'lsp_unavailable']).toContain(report.class)
    expect(await validations(opened)).toMatchObject([{ class: report.class, round: 0, rounds: 2 }])
  })
})

test.each(['governed', 'default'] as const)(
  'LSP-FH-003 (%s) a crash: started again, in governed once and then unavailable for the session',
  async preset => {
    // Every start after the first gets through the handshake and dies of the first question about a text.
    const rules: Script['rules'] = [
      { on: 'textDocument/didOpen', run: { from: 2 }, do: [{ act: 'exit', code: 1 }] },
    ]
    await using opened = await recordedBridge(story, [{ language: 'fake', script: { rules } }], { preset })
    const { bridge, servers } = opened
    expect(await bridge.listSymbols({ file: 'main.fake' })).toMatchObject({ ok: true })
    const crashed = bridge.events.until('server.crashed')
    killProcessesOf(...servers)
    await crashed
    expect(await editedTurn(opened)).toMatchObject({ class: 'lsp_unavailable' })
    const starts = () => servers[0]?.log().filter(({ event }) => event === 'started').length ?? 0
    const second = await bridge.listSymbols({ file: 'main.fake', timeout_ms: 2000 })
    expect(second).toMatchObject({ ok: false })
    if (preset === 'governed') {
      expect(starts()).toBe(2)
      const status = await bridge.serverStatus({})
      expect(status).toMatchObject({ ok: true, result: { servers: [{ state: 'failed' }] } })
    } else expect(starts()).toBeGreaterThan(2)
    await bridge.close()
    expect((await opened.recorded('lsp_server_crashed')).length).toBeGreaterThanOrEqual(2)
  },
)

const absence = {
  kind: 'diagnostic_validation',
  call: expect.stringMatching(/^ev:/),
  operation: 'check_change',
  class: 'lsp_unavailable',
  disposition: 'absence_recorded',
  scope: 'modified',
  preview: false,
  servers: expect.any(Array),
  files: [
    {
      file: 'shapes.fake',
      class: 'lsp_unavailable',
      verdict: 'unknown',
      reason: expect.any(String),
      content: expect.stringMatching(/^sha256:/),
      new_errors: 0,
      new_warnings: 0,
      resolved: 0,
    },
  ],
  baseline: expect.stringMatching(/^change c:/),
  round: 0,
  rounds: 2,
}

/** A turn that changes a line of a declaration. */
async function editedTurn({ bridge, workspace }: RecordedBridge, timeoutMs?: number) {
  const turn = await bridge.turn(timeoutMs === undefined ? {} : { timeoutMs })
  writeFileSync(workspace.path('shapes.fake'), 'def area\n  # height\n')
  return turn.close()
}

/** What is kept beside the answers is there when the bridge is closed. */
async function validations(opened: RecordedBridge) {
  await opened.bridge.close()
  return opened.recorded('diagnostic_validation')
}

async function othersAreServed({ bridge }: RecordedBridge): Promise<void> {
  const answer = await bridge.listSymbols({ file: 'other.mock' })
  expect(answer).toMatchObject({ ok: true, result: { symbols: [{ name: 'other' }] } })
}

function methodsOf(log: readonly LogEntry[]): string[] {
  return log.flatMap(entry => (entry.event === 'received' ? [nameOf(entry.message)] : []))
}
