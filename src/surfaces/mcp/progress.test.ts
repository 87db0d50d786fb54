import fc from 'fast-check'
import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/virtual-clock.js'
import { type BridgeEvent, Events } from '../../events.js'
import { type ProgressStep, passOnProgress, progressIntervalMilliseconds } from './progress.js'

const server = { server: 'typescript', root: '/w' }
const told: fc.Arbitrary<BridgeEvent> = fc.oneof(
  fc.string().map(message => ({ type: 'server.progress' as const, message, ...server })),
  fc.constant({
    type: 'server.stateChanged' as const,
    from: 'idle' as const,
    to: 'starting' as const,
    ...server,
  }),
  fc.constant({ type: 'server.chosen' as const, how: 'embedded', command: ['tsc'], ...server }),
)
const kept: fc.Arbitrary<BridgeEvent> = fc.constant({
  type: 'request.started' as const,
  method: 'm',
  id: 1,
  ...server,
})

function setUp() {
  const clock = virtualClock()
  const events = new Events()
  const abort = new AbortController()
  const steps: (ProgressStep & { at: number })[] = []
  const stop = passOnProgress({
    events,
    clock,
    signal: abort.signal,
    send: step => steps.push({ ...step, at: clock.now() }),
  })
  return { clock, events, abort, steps, stop }
}

test('R-88 progress strictly increases, comes at most four times a second and ends with the latest word', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.oneof(told, kept), fc.nat({ max: 400 }))), async story => {
      const { clock, events, steps } = setUp()
      for (const [event, pause] of story) {
        events.emit(event)
        await clock.advance(pause)
      }
      await clock.advance(progressIntervalMilliseconds)
      steps.forEach((step, index) => {
        const before = steps[index - 1]
        if (before === undefined) return
        expect(step.progress).toBeGreaterThan(before.progress)
        expect(step.message).not.toBe(before.message)
        expect(step.at - before.at).toBeGreaterThanOrEqual(progressIntervalMilliseconds)
      })
      const last = story.map(([event]) => event).findLast(event => event.type !== 'request.started')
      if (last === undefined) expect(steps).toEqual([])
      else if (last.type === 'server.progress')
        expect(steps.at(-1)?.message).toBe(`typescript: ${last.message}`)
    }),
    { numRuns: 40 },
  )
})

test('R-88 says where a server stands and how far it has come', () => {
  const { events, steps } = setUp()
  events.emit({ type: 'server.progress', message: 'indexing', percent: 40, ...server })
  expect(steps).toMatchObject([{ progress: 1, message: 'typescript: indexing (40%)' }])
})

test('R-99 after the end of the call, or its cancellation, nothing is sent and no timer is left', async () => {
  for (const end of ['stop', 'cancel'] as const) {
    const { clock, events, abort, steps, stop } = setUp()
    events.emit({ type: 'server.progress', message: 'first', ...server })
    events.emit({ type: 'server.progress', message: 'waiting for its turn', ...server })
    if (end === 'stop') stop()
    else abort.abort()
    events.emit({ type: 'server.progress', message: 'too late', ...server })
    await clock.advance(10_000)
    expect(steps).toHaveLength(1)
    expect(clock.timers).toBe(0)
  }
})
