// The same events as spans and metrics, for a host that has OpenTelemetry running: one that registered it before us is
// found by the global its API leaves behind. Without one nothing is loaded and nothing is done.
import { property } from '../json.js'
import type { EventOfKind, EvidenceEvent } from './shapes.js'

export type OnEvent = (event: EvidenceEvent, id: string) => void

type Attributes = Record<string, string | number | boolean>

interface Span {
  setStatus(status: { code: number; message?: string }): unknown
  end(endTime?: number): void
}

interface Instrument {
  add?(value: number, attributes?: Attributes): void
  record?(value: number, attributes?: Attributes): void
}

/** What is used of `@opentelemetry/api`, version 1. */
export interface TelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { startTime: number; attributes: Attributes }): Span
    }
  }
  readonly metrics: {
    getMeter(name: string): {
      createCounter(name: string, options?: object): Instrument
      createHistogram(name: string, options?: object): Instrument
    }
  }
}

/** Undefined where nobody registered OpenTelemetry; then not even its package is looked for. */
export function findTelemetry(
  clean: (event: EvidenceEvent) => EvidenceEvent,
  load: () => Promise<unknown> = loadApi,
): OnEvent | undefined {
  if (!isRegistered()) return undefined
  let listener: OnEvent | undefined
  let waiting: Parameters<OnEvent>[] | undefined = []
  void load()
    .catch(() => undefined)
    .then(api => {
      if (isApi(api)) listener = guarded(telemetryOf(api, clean))
      for (const [event, id] of waiting ?? []) listener?.(event, id)
      waiting = undefined
    })
  return (event, id) => {
    if (waiting === undefined) listener?.(event, id)
    else waiting.push([event, id])
  }
}

/** A host's exporter that fails is the host's concern; the record stands without it. */
function guarded(listener: OnEvent): OnEvent {
  return (event, id) => {
    try {
      listener(event, id)
    } catch {
      // Told by whoever runs the exporter.
    }
  }
}

export function telemetryOf(
  api: TelemetryApi,
  clean: (event: EvidenceEvent) => EvidenceEvent,
  now: () => number = Date.now,
): OnEvent {
  const tracer = api.trace.getTracer('alidade')
  const meter = api.metrics.getMeter('alidade')
  const events = meter.createCounter('alidade.evidence.events', { description: 'Events by kind.' })
  const durations = meter.createHistogram('alidade.call.duration', { unit: 'ms' })
  const requests = meter.createCounter('alidade.lsp.requests', { description: 'Requests by outcome.' })
  const bytes = meter.createCounter('alidade.lsp.response.size', { unit: 'By' })
  return (raw, id) => {
    const event = clean(raw)
    const end = now()
    const attributes = { ...attributesOf(event), 'alidade.evidence.id': id }
    events.add?.(1, { kind: event.kind })
    if (event.kind !== 'lsp_query_batch') {
      tracer.startSpan(`alidade.${event.kind}`, { startTime: end, attributes }).end(end)
      return
    }
    const { operation, ok, milliseconds, queries, error_kind: kind } = event
    const startTime = end - milliseconds
    const span = tracer.startSpan(`alidade.${operation}`, { startTime, attributes })
    if (!ok) span.setStatus({ code: statusError, ...(kind === undefined ? {} : { message: kind }) })
    span.end(end)
    durations.record?.(milliseconds, { operation, ok })
    for (const query of queries) count(query, requests, bytes)
  }
}

/** `SpanStatusCode.ERROR` of the API. */
const statusError = 2

function count(
  { server, method, outcome, count: times, bytes: size }: EventOfKind<'lsp_query_batch'>['queries'][number],
  requests: Instrument,
  bytes: Instrument,
): void {
  requests.add?.(times, { server, method, outcome })
  if (size !== undefined) bytes.add?.(size, { server, method })
}

/** What is a single value of the event, and how many there are of what is a list. */
function attributesOf(event: EvidenceEvent): Attributes {
  const attributes: Attributes = {}
  for (const [key, value] of Object.entries(event)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      attributes[`alidade.${key}`] = value
    else if (Array.isArray(value)) attributes[`alidade.${key}.count`] = value.length
  }
  if ('server' in event) attributes['alidade.server'] = event.server.id
  return attributes
}

function isRegistered(): boolean {
  return Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1')) !== undefined
}

/** Put together, so that no bundler takes it for a dependency: it is the host's. */
function loadApi(): Promise<unknown> {
  return import(['@opentelemetry', 'api'].join('/'))
}

function isApi(value: unknown): value is TelemetryApi {
  return hasMethod(property(value, 'trace'), 'getTracer') && hasMethod(property(value, 'metrics'), 'getMeter')
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
}
