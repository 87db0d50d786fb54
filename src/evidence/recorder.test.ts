import { expect, test } from 'vitest'
import {
  diskError,
  type LogHome,
  type LogSetting,
  logHome,
  openLog,
  root,
} from '../../test/evidence/harness.js'
import { Events } from '../events.js'
import type { CallRecord } from './evidence.js'
import { createRecorder } from './recorder.js'
import type { EventOfKind, EvidenceKind } from './shapes.js'

const clock = {
  now: () => 0,
  date: () => new Date(Date.UTC(2030, 0, 1)),
  after: () => ({ cancel: () => {} }),
}

function opened(home: LogHome, mode: 'required' | 'best-effort', setting: LogSetting = {}) {
  const events = new Events()
  const log = openLog(home, setting)
  const recorder = createRecorder({ log, mode, events, clock, root, folder: home.folders.log })
  return { events, recorder }
}

function eventsOf<Kind extends EvidenceKind>(home: LogHome, kind: Kind): EventOfKind<Kind>[] {
  return home.records().flatMap(({ event }) => (isKind(event, kind) ? [event] : []))
}

function isKind<Kind extends EvidenceKind>(
  event: { readonly kind: string } | undefined,
  kind: Kind,
): event is EventOfKind<Kind> {
  return event?.kind === kind
}

const servers = [{ id: 'typescript', name: 'typescript-go', version: '7.0.2' }]
const place = { server: 'typescript', root: `${root}/web` }

const record: CallRecord = {
  operation: 'find_references',
  effect: 'read',
  caller: 'model',
  ok: true,
  milliseconds: 12.345,
  servers,
  input: { file: 'src/a.ts', symbol: 'area', near: 'const canary = area(2)' },
  answer: {
    result: { references: [{ file: 'src/a.ts', text: 'const canary = area(2)' }] },
    target: { file: 'src/a.ts', line: 12, column: 8, symbol: 'area', handle: 's:1' },
    freshness: {
      verdict: 'current',
      content: `sha256:${'0'.repeat(64)}`,
      queried_at: '2030-01-01T00:00:00.000Z',
    },
    completeness: { verdict: 'complete' },
  },
}

test('R-190 a call becomes one batch: servers, methods, outcomes, bytes, targets, content', async () => {
  using home = logHome()
  const { events, recorder } = opened(home, 'best-effort')
  const [trace, other] = [recorder.begin(), recorder.begin()]
  const finished = { type: 'request.finished', id: 1, milliseconds: 2, ...place } as const
  const { call } = trace
  events.emit({ ...finished, method: 'textDocument/references', outcome: 'responded', bytes: 700, call })
  events.emit({ ...finished, method: 'textDocument/references', outcome: 'responded', bytes: 300, call })
  events.emit({ ...finished, method: 'textDocument/hover', outcome: 'error', bytes: 50, call })
  events.emit({ ...finished, method: 'textDocument/hover', outcome: 'cancelled', call })
  // Of another call, and of none.
  events.emit({ ...finished, method: 'textDocument/rename', outcome: 'timed_out', call: other.call })
  events.emit({ ...finished, method: 'initialize', outcome: 'responded' })
  const id = await trace.close(record)
  await recorder.close()
  const [batch, ...more] = eventsOf(home, 'lsp_query_batch')
  expect(more).toEqual([])
  expect(home.records().at(-1)?.id).toBe(id)
  expect(batch).toEqual({
    kind: 'lsp_query_batch',
    operation: 'find_references',
    caller: 'model',
    ok: true,
    outcome: 'error',
    milliseconds: 12.35,
    servers,
    queries: [
      {
        server: 'typescript',
        method: 'textDocument/references',
        outcome: 'responded',
        count: 2,
        bytes: 1000,
        milliseconds: 4,
      },
      {
        server: 'typescript',
        method: 'textDocument/hover',
        outcome: 'error',
        count: 2,
        bytes: 50,
        milliseconds: 4,
        cancelled: 1,
      },
    ],
    response_bytes: 1050,
    targets: [{ file: 'src/a.ts', line: 12, column: 8, symbol: 'area', content: `sha256:${'0'.repeat(64)}` }],
    freshness: record.answer?.freshness,
    completeness: { verdict: 'complete' },
  })
})

test('R-190 a call that failed is recorded too, with what it was asked about', async () => {
  using home = logHome()
  const { recorder } = opened(home, 'best-effort')
  const { answer: _, ...failed } = record
  const input = { files: ['src/a.ts', '/home/ada/secret/b.ts'], line: 3 }
  await recorder.begin().close({ ...failed, ok: false, errorKind: 'RequestTimeout', input })
  await recorder.close()
  expect(eventsOf(home, 'lsp_query_batch')).toMatchObject([
    {
      ok: false,
      error_kind: 'RequestTimeout',
      outcome: 'timed_out',
      targets: [{ line: 3 }, { file: 'src/a.ts' }, { file: 'external:b.ts' }],
    },
  ])
})

test('states, crashes and decisions are recorded as they happen', async () => {
  using home = logHome()
  const { events, recorder } = opened(home, 'best-effort')
  const trace = recorder.begin()
  const decided = { type: 'policy.decided', operation: 'rename_symbol', effect: 'propose' } as const
  events.emit({ ...decided, caller: 'model', decision: 'deny', reason: 'not here', call: trace.call })
  const id = await trace.close(record)
  events.emit({ type: 'server.stateChanged', from: 'ready', to: 'restarting', reason: 'it died', ...place })
  events.emit({ type: 'server.crashed', cause: 'killed by SIGSEGV', ...place })
  events.emit({ type: 'server.refused', request: 'workspace/applyEdit', ...place })
  await recorder.close()
  expect(eventsOf(home, 'policy_decision')).toEqual([
    {
      kind: 'policy_decision',
      call: id,
      operation: 'rename_symbol',
      effect: 'propose',
      caller: 'model',
      decision: 'deny',
      reason: 'not here',
    },
    expect.objectContaining({
      operation: 'workspace/applyEdit',
      decision: 'deny',
      caller: 'server typescript',
    }),
  ])
  const [server] = servers
  expect(eventsOf(home, 'server_state')).toEqual([
    { kind: 'server_state', server, root: 'web', from: 'ready', to: 'restarting', reason: 'it died' },
  ])
  expect(eventsOf(home, 'lsp_server_crashed')).toEqual([
    { kind: 'lsp_server_crashed', server, root: 'web', cause: 'killed by SIGSEGV' },
  ])
})

const finding = {
  severity: 'error',
  message: "Cannot find name 'x'.",
  code: 2304,
  source: 'ts',
  file: 'src/a.ts',
  line: 3,
  column: 5,
  end_line: 3,
  end_column: 6,
  text: 'const canary = x',
}
const change = {
  class: 'new_errors',
  scope: 'dependents',
  files: [
    {
      file: 'src/a.ts',
      class: 'new_errors',
      verdict: 'settled',
      new: [finding],
      resolved: [finding, finding],
    },
    { file: 'src/b.ts', class: 'clean', verdict: 'settled', new: [], resolved: [] },
  ],
}

function judging(operation: string, result: object): CallRecord {
  if (record.answer === undefined) throw new Error('the record has no answer')
  const { target: _, ...answer } = record.answer
  return { ...record, operation, effect: 'edit', input: { handle: 'p:1' }, answer: { ...answer, result } }
}

test('R-06 R-212 a change that brings errors is recorded as validated, as a regression, and as applied', async () => {
  using home = logHome()
  const { recorder } = opened(home, 'best-effort')
  const applied = [{ file: 'src/a.ts', change: 'modified' }]
  const call = await recorder.begin().close(judging('apply_edit', { ...change, applied }))
  await recorder.close()
  expect(eventsOf(home, 'edit_applied')).toEqual([
    {
      kind: 'edit_applied',
      call,
      operation: 'apply_edit',
      handle: 'p:1',
      class: 'new_errors',
      files: applied,
    },
  ])
  expect(eventsOf(home, 'diagnostic_validation')).toEqual([
    {
      kind: 'diagnostic_validation',
      call,
      operation: 'apply_edit',
      class: 'new_errors',
      disposition: 'self_correct',
      scope: 'dependents',
      preview: false,
      servers,
      files: [
        {
          file: 'src/a.ts',
          class: 'new_errors',
          verdict: 'settled',
          new_errors: 1,
          new_warnings: 0,
          resolved: 2,
        },
        { file: 'src/b.ts', class: 'clean', verdict: 'settled', new_errors: 0, new_warnings: 0, resolved: 0 },
      ],
    },
  ])
  const { severity, message, source, file, line, column } = finding
  expect(eventsOf(home, 'diagnostic_regression')).toEqual([
    {
      kind: 'diagnostic_regression',
      call,
      operation: 'apply_edit',
      servers,
      diagnostics: [{ severity, message, source, file, line, column, code: '2304' }],
    },
  ])
  expect(home.segments().map(home.read).join('')).not.toContain('canary')
})

test('R-211 what an edit would break is validated and is no regression', async () => {
  using home = logHome()
  const { recorder } = opened(home, 'best-effort')
  await recorder.begin().close(judging('preview_edit', change))
  await recorder.close()
  expect(eventsOf(home, 'diagnostic_validation')).toMatchObject([{ preview: true, class: 'new_errors' }])
  expect(eventsOf(home, 'diagnostic_regression')).toEqual([])
})

test('a poller that asks no server leaves no record', async () => {
  using home = logHome()
  const { recorder } = opened(home, 'best-effort')
  expect(await recorder.begin().close({ ...record, synthetic: true })).toBeUndefined()
  await recorder.close()
  expect(home.segments()).toEqual([])
})

test('R-200 required: the record is on the disk before the call is closed', async () => {
  using home = logHome()
  const { recorder } = opened(home, 'required')
  const trace = recorder.begin()
  await trace.admit()
  const id = await trace.close(record)
  expect(home.records().map(entry => entry.id)).toContain(id)
})

test('R-200 E01 required: a call is refused before it begins while nothing can be kept, and taken afterwards', async () => {
  using home = logHome()
  let isFull = true
  const { recorder } = opened(home, 'required', {
    hook: () => {
      if (isFull) throw diskError('ENOSPC')
      return undefined
    },
  })
  await expect(recorder.begin().admit()).rejects.toMatchObject({ kind: 'EvidenceUnavailable' })
  expect(recorder.status()).toMatchObject({ mode: 'required', state: 'failing', cause: 'ENOSPC' })
  isFull = false
  await recorder.begin().admit()
  expect(recorder.status()).toMatchObject({ state: 'working' })
})

test('E01 required: an answer whose record fails is not released, and an edit that was made is told', async () => {
  using home = logHome()
  let isFull = false
  const { recorder } = opened(home, 'required', {
    hook: () => {
      if (isFull) throw diskError('EDQUOT')
      return undefined
    },
  })
  const trace = recorder.begin()
  await trace.admit()
  await trace.secure()
  isFull = true
  await expect(trace.close({ ...record, effect: 'edit', operation: 'apply_edit' })).rejects.toMatchObject({
    kind: 'EvidenceUnavailable',
    message: expect.stringMatching(/^apply_edit was carried out, but .*EDQUOT/),
  })
  await expect(recorder.begin().close(record)).rejects.toMatchObject({ kind: 'EvidenceUnavailable' })
})

test('E01 best effort: answers go on without an id, and the gap is told and recorded', async () => {
  using home = logHome()
  let isFull = true
  let told = () => {}
  const failing = new Promise<void>(resolve => {
    told = resolve
  })
  const { recorder } = opened(home, 'best-effort', {
    flushMilliseconds: 0,
    onChange: () => told(),
    hook: () => {
      if (isFull) throw diskError('ENOSPC')
      return undefined
    },
  })
  const trace = recorder.begin()
  await trace.admit()
  await trace.secure()
  expect(await trace.close(record)).toMatch(/^ev:/)
  await failing
  expect(recorder.status()).toMatchObject({ mode: 'best-effort', state: 'failing' })
  expect(await recorder.begin().close(record)).toBeUndefined()
  isFull = false
  await recorder.close()
  expect(eventsOf(home, 'evidence_gap')).toMatchObject([{ cause: 'ENOSPC', lost: 0, delayed: 2 }])
  expect(eventsOf(home, 'lsp_query_batch')).toHaveLength(2)
})
