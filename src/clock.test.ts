import { expect, test } from 'vitest'
import { virtualClock } from '../test/virtual-clock.js'
import { withDeadline } from './clock.js'
import { BridgeError } from './errors.js'

const late = () => new BridgeError({ kind: 'RequestTimeout', message: 'late' })

test('M15 a wait ends at its deadline on the monotonic clock', async () => {
  const clock = virtualClock()
  const wait = withDeadline(new Promise(() => {}), { clock, milliseconds: 100, onTimeout: late })
  const ended = expect(wait).rejects.toThrow('late')
  await clock.advance(100)
  await ended
})

test('R-05 a wait is longer by the time that does not count, and ends with it', async () => {
  const clock = virtualClock()
  let paused = 0
  const options = { clock, milliseconds: 100, paused: () => paused, onTimeout: late }
  let isOver = false
  const wait = withDeadline(new Promise(() => {}), options).catch(() => {
    isOver = true
  })
  paused = 500
  await clock.advance(599)
  expect(isOver).toBe(false)
  await clock.advance(1)
  await wait
  expect(clock.timers).toBe(0)
})

test('a wait that settles leaves no timer behind', async () => {
  const clock = virtualClock()
  await withDeadline(Promise.resolve(1), { clock, milliseconds: 100, onTimeout: late })
  expect(clock.timers).toBe(0)
})

test('R-99 a wait whose caller has already left takes the failure of what it would have waited for', async () => {
  const clock = virtualClock()
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listen)
  let fail: (error: Error) => void = () => {}
  const promise = new Promise<never>((_, reject) => {
    fail = reject
  })
  const wait = withDeadline(promise, {
    clock,
    milliseconds: 100,
    signal: AbortSignal.abort(),
    onTimeout: late,
  })
  await expect(wait).rejects.toMatchObject({ kind: 'Cancelled' })
  fail(new Error('nobody listens'))
  await new Promise(resolve => setImmediate(resolve))
  process.off('unhandledRejection', listen)
  expect(unhandled).toEqual([])
})
