// OpenTelemetry as a host has it: the real API package, a provider of the host's, and a bridge that was opened afterwards.
import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  type Span,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { fakeBridge } from '../fake-bridge.js'
import { fixture } from '../fixture/index.js'

afterEach(() => trace.disable())

const story = fixture`
-- shapes.fake --
def area
`

interface Ended {
  readonly name: string
  readonly attributes: Attributes
}

/** Keeps what ended. */
function keeping(spans: Ended[]): TracerProvider {
  const startSpan: Tracer['startSpan'] = (name, options = {}) => {
    const span: Span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
    span.end = () => void spans.push({ name, attributes: options.attributes ?? {} })
    return span
  }
  const startActiveSpan = () => {
    throw new Error('not used')
  }
  return { getTracer: () => ({ startSpan, startActiveSpan }) }
}

test('R-190 a provider that the host configured gets every call as a span with the id of its record', async () => {
  const spans: Ended[] = []
  trace.setGlobalTracerProvider(keeping(spans))
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = await opened.bridge.listSymbols({ file: 'shapes.fake' })
  await opened.bridge.close()
  if (!answer.ok) throw new Error(answer.error)
  const span = spans.find(({ name }) => name === 'alidade.list_symbols')
  expect(span?.attributes).toMatchObject({
    'alidade.evidence.id': answer.evidence,
    'alidade.outcome': 'responded',
  })
  expect(JSON.stringify(spans)).not.toContain('def area')
})

test('R-07 a provider that throws costs nobody an answer', async () => {
  const fail = () => {
    throw new Error('the exporter is broken')
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: fail, startActiveSpan: fail }) })
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = await opened.bridge.listSymbols({ file: 'shapes.fake' })
  expect(answer).toMatchObject({ ok: true, evidence: expect.stringMatching(/^ev:/) })
})
