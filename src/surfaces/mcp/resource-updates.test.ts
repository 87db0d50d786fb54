import fc from 'fast-check'
import { expect, test } from 'vitest'
import { virtualClock } from '../../../test/virtual-clock.js'
import { type BridgeEvent, Events } from '../../events.js'
import { followSubscriptions, pauseMilliseconds } from './resource-updates.js'
import { Subscriptions } from './subscriptions.js'

const server = { server: 'typescript', root: '/w' }
const moved: BridgeEvent = { type: 'workspace.changed' }
const synced: BridgeEvent = { type: 'document.synced', uri: 'file:///w/a.ts', version: 2, ...server }
const pushed: BridgeEvent = { type: 'diagnostics.published', uri: 'file:///w/a.ts', count: 1, ...server }
const other: BridgeEvent = { type: 'server.progress', message: 'indexing', ...server }

/** The world holds one number per resource, which is its state; a look takes its time. */
function setUp({ lookMilliseconds = 0, echo = false } = {}) {
  const clock = virtualClock()
  const events = new Events()
  const subscriptions = new Subscriptions()
  const world = new Map<string, number>()
  const told: string[] = []
  let looks = 0
  const stateOf = (uri: string) => String(world.get(uri) ?? 0)
  const follower = followSubscriptions({
    subscriptions,
    events,
    clock,
    onUpdate: uri => told.push(uri),
    hear: () => false,
    async look(uri) {
      looks += 1
      // Opening a document to look at it is itself an event.
      if (echo && looks === 1) events.emit(synced)
      const state = stateOf(uri)
      if (lookMilliseconds > 0) {
        await new Promise<void>(resolve => {
          clock.after(lookMilliseconds, resolve)
        })
      }
      return state
    },
  })
  const change = (uri: string) => world.set(uri, (world.get(uri) ?? 0) + 1)
  const read = (uri: string) => follower.wasRead(uri, stateOf(uri))
  return { clock, events, subscriptions, told, follower, change, read, stateOf, looks: () => looks }
}

test('R-174 whoever read and subscribed is told of every change, once, and of nothing else', async () => {
  const uris = ['u1', 'u2', 'u3']
  const step = fc.oneof(
    fc.record({ do: fc.constant('change' as const), uri: fc.constantFrom(...uris) }),
    fc.record({ do: fc.constantFrom('subscribe', 'unsubscribe', 'read'), uri: fc.constantFrom(...uris) }),
    fc.record({ do: fc.constant('pause' as const), uri: fc.constantFrom(...uris) }),
    fc.record({ do: fc.constant('noise' as const), uri: fc.constantFrom(...uris) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat({ max: 600 }), async (story, slow) => {
      const { clock, events, subscriptions, told, change, read, stateOf } = setUp({ lookMilliseconds: slow })
      /** What the client believes: what it read, or would read when told. */
      const believed = new Map<string, string>()
      let changes = 0
      const listen = () => {
        for (const uri of told.splice(0)) {
          changes -= 1
          believed.set(uri, stateOf(uri))
        }
      }
      for (const { do: act, uri } of story) {
        if (act === 'change') {
          change(uri)
          changes += 1
          events.emit(moved)
        } else if (act === 'read') {
          read(uri)
          believed.set(uri, stateOf(uri))
        } else if (act === 'subscribe') subscriptions.subscribe(uri)
        else if (act === 'unsubscribe') subscriptions.unsubscribe(uri)
        else if (act === 'noise') events.emit(pushed)
        else await clock.advance(pauseMilliseconds)
        listen()
      }
      await clock.advance(60_000)
      listen()
      for (const uri of subscriptions.uris)
        if (believed.has(uri)) expect(believed.get(uri)).toBe(stateOf(uri))
      // Three at most are told once without cause: files moved before there was anything to compare with.
      expect(changes).toBeGreaterThanOrEqual(-uris.length)
      expect(clock.timers).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test('R-174 a thousand events are one look and one update', async () => {
  const { clock, events, subscriptions, told, change, read, looks } = setUp()
  read('u')
  subscriptions.subscribe('u')
  await clock.advance(pauseMilliseconds)
  const before = looks()
  change('u')
  for (let count = 0; count < 1000; count += 1) events.emit([moved, synced, pushed][count % 3] ?? moved)
  await clock.advance(pauseMilliseconds * 4)
  expect({ looks: looks() - before, told }).toEqual({ looks: 1, told: ['u'] })
})

test('R-174 a push about a trial text is a reason to look, not to tell', async () => {
  const { clock, events, subscriptions, told, read } = setUp()
  read('u')
  subscriptions.subscribe('u')
  await clock.advance(pauseMilliseconds)
  events.emit(synced)
  events.emit(pushed)
  await clock.advance(60_000)
  expect(told).toEqual([])
})

test('R-174 without subscribers nobody is asked, and what a look stirs up ends', async () => {
  const idle = setUp()
  idle.events.emit(moved)
  await idle.clock.advance(60_000)
  expect({ looks: idle.looks(), timers: idle.clock.timers }).toEqual({ looks: 0, timers: 0 })

  const { clock, events, subscriptions, looks } = setUp({ echo: true })
  subscriptions.subscribe('u')
  events.emit(other)
  await clock.advance(60_000)
  expect(looks()).toBe(2)
})

test('R-174 a file that moves right after the subscription is told of, although nothing was read before', async () => {
  const { clock, events, subscriptions, told, change } = setUp({ lookMilliseconds: 500 })
  subscriptions.subscribe('u')
  change('u')
  events.emit(moved)
  await clock.advance(60_000)
  expect(told).toEqual(['u'])
})

test('R-174 a slow server is not asked without a pause of the same length', async () => {
  const { clock, events, subscriptions, looks } = setUp({ lookMilliseconds: 5000 })
  subscriptions.subscribe('u')
  for (let second = 0; second < 60; second += 1) {
    events.emit(pushed)
    await clock.advance(1000)
  }
  expect(looks()).toBeLessThanOrEqual(7)
})

test('R-174 after the end nothing is told and no timer is left', async () => {
  const { clock, events, subscriptions, told, change, read, follower } = setUp({ lookMilliseconds: 100 })
  read('u')
  subscriptions.subscribe('u')
  change('u')
  events.emit(moved)
  await clock.advance(pauseMilliseconds + 50)
  follower.close()
  events.emit(moved)
  await clock.advance(60_000)
  expect({ told, timers: clock.timers }).toEqual({ told: [], timers: 0 })
})
