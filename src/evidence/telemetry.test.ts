import { afterEach, expect, test } from 'vitest'
import type { EvidenceEvent } from './shapes.js'
import { findTelemetry, type TelemetryApi, telemetryOf } from './telemetry.js'

const registered = Symbol.for('opentelemetry.js.api.1')
afterEach(() => {
  Reflect.deleteProperty(globalThis, registered)
})

function fakeApi() {
  const spans: object[] = []
  const metrics: object[] = []
  const instrument = (name: string) => ({
    add: (value: number, attributes?: object) => void metrics.push({ name, value, ...attributes }),
    record: (value: number, attributes?: object) => void metrics.push({ name, value, ...attributes }),
  })
  const api: TelemetryApi = {
    trace: {
      getTracer: () => ({
        startSpan(name, { startTime, attributes }) {
          const span = { name, startTime, attributes }
          return {
            setStatus: status => Object.assign(span, { status }),
            end: endTime => void spans.push({ ...span, endTime }),
          }
        },
      }),
    },
    metrics: { getMeter: () => ({ createCounter: instrument, createHistogram: instrument }) },
  }
  return { api, spans, metrics }
}

const batch: EvidenceEvent = {
  kind: 'lsp_query_batch',
  operation: 'find_references',
  caller: 'model',
  ok: false,
  error_kind: 'RequestTimeout',
  outcome: 'timed_out',
  milliseconds: 40,
  servers: [{ id: 'go' }],
  queries: [
    {
      server: 'go',
      method: 'textDocument/references',
      outcome: 'timed_out',
      count: 2,
      milliseconds: 30,
      bytes: 9,
    },
  ],
  response_bytes: 9,
  targets: [],
}

const same = (event: EvidenceEvent) => event

test('a call becomes a span as long as it took, and its requests are counted', () => {
  const { api, spans, metrics } = fakeApi()
  telemetryOf(api, same, () => 1000)(batch, 'ev:1')
  expect(spans).toEqual([
    {
      name: 'alidade.find_references',
      startTime: 960,
      endTime: 1000,
      status: { code: 2, message: 'RequestTimeout' },
      attributes: expect.objectContaining({
        'alidade.evidence.id': 'ev:1',
        'alidade.outcome': 'timed_out',
        'alidade.response_bytes': 9,
        'alidade.servers.count': 1,
      }),
    },
  ])
  const request = { server: 'go', method: 'textDocument/references' }
  expect(metrics).toEqual([
    { name: 'alidade.evidence.events', value: 1, kind: 'lsp_query_batch' },
    { name: 'alidade.call.duration', value: 40, operation: 'find_references', ok: false },
    { name: 'alidade.lsp.requests', value: 2, outcome: 'timed_out', ...request },
    { name: 'alidade.lsp.response.size', value: 9, ...request },
  ])
})

test('every other event becomes a span without length, cleaned like its record', () => {
  const { api, spans } = fakeApi()
  const clean = (event: EvidenceEvent) =>
    event.kind === 'lsp_server_crashed' ? { ...event, cause: 'cleaned' } : event
  telemetryOf(
    api,
    clean,
    () => 7,
  )({ kind: 'lsp_server_crashed', server: { id: 'go' }, root: '.', cause: 'x' }, 'ev:2')
  expect(spans).toMatchObject([
    {
      name: 'alidade.lsp_server_crashed',
      startTime: 7,
      endTime: 7,
      attributes: { 'alidade.server': 'go', 'alidade.cause': 'cleaned' },
    },
  ])
})

test('where nobody registered OpenTelemetry its package is not even looked for', () => {
  let loads = 0
  const found = findTelemetry(same, async () => {
    loads += 1
  })
  expect(found).toBeUndefined()
  expect(loads).toBe(0)
})

test('what happens before the package is loaded is told when it is; a package that is missing is no fault', async () => {
  Reflect.set(globalThis, registered, {})
  const { api, spans } = fakeApi()
  const loading = Promise.resolve(api)
  const found = findTelemetry(same, () => loading)
  found?.(batch, 'ev:1')
  expect(spans).toEqual([])
  await loading
    .then(() => {})
    .then(() => {})
    .then(() => {})
  found?.(batch, 'ev:2')
  expect(spans).toHaveLength(2)
  const missing = findTelemetry(same, () => Promise.reject(new Error('not installed')))
  missing?.(batch, 'ev:3')
  await Promise.resolve()
    .then(() => {})
    .then(() => {})
    .then(() => {})
  missing?.(batch, 'ev:4')
})
