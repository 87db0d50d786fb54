// Bringing a server's view up to date takes its time from whoever asks, and from nobody else: on a clock moved by hand.
import { setMaxListeners } from 'node:events'
import { expect, test } from 'vitest'
import { neverAborted, watched } from '../../test/client-harness.js'
import { settled, ViewFolder } from '../../test/view-harness.js'
import type { ServerDefinition } from '../servers/definition.js'

const folder = new ViewFolder()

const late: Partial<ServerDefinition> = {
  watches: ['*.toml'],
  projectFilesSeenAfter: { milliseconds: 5500, reason: 'it is reading its project files' },
}
const byHand = { waitsByHand: true }
const patient = { signal: neverAborted(), milliseconds: 60_000 }
setMaxListeners(0, patient.signal)

test('R-85 calls that were cancelled do not hold up the next one', async () => {
  const { view, open, clock, told } = await folder.opened(late, byHand)
  await open('main.fake')
  folder.put('fake.toml', '')
  const abort = new AbortController()
  const calls = Array.from({ length: 10 }, () =>
    watched(view.bringUpToDate({ ...patient, signal: abort.signal })),
  )
  await settled(clock)
  abort.abort()
  const gone = watched(view.bringUpToDate({ ...patient, signal: abort.signal }))
  const live = watched(view.bringUpToDate(patient))
  await settled(clock)
  for (const { outcome } of [...calls.slice(1), gone]) expect(outcome).toMatchObject({ kind: 'Cancelled' })
  await clock.advance(5500)
  await settled(clock)
  expect(live.outcome).toEqual({ current: true })
  expect(await told()).toContain('changed files: 1 fake.toml')
})

test('R-125 what a server looks at now and then counts from when it changed, not from each question', async () => {
  const { view, open, clock } = await folder.opened(late, byHand)
  await open('main.fake')
  folder.put('fake.toml', '')
  const hasty = { ...patient, milliseconds: 8000 }
  expect(await view.bringUpToDate(hasty)).toMatchObject({ current: false })
  await clock.advance(3000)
  // A change of something else does not begin the time anew.
  folder.put('other.fake', 'changed')
  const second = watched(view.bringUpToDate(hasty))
  await settled(clock)
  expect(second.outcome).toBeUndefined()
  await clock.advance(2500)
  await settled(clock)
  expect(second.outcome).toEqual({ current: true })
})

test('R-125 project files that change again are waited for again', async () => {
  const { view, open, clock } = await folder.opened(late, byHand)
  await open('main.fake')
  folder.put('fake.toml', '')
  const hasty = { ...patient, milliseconds: 8000 }
  await view.bringUpToDate(hasty)
  await clock.advance(3000)
  folder.put('fake.toml', 'changed')
  expect(await view.bringUpToDate(hasty)).toMatchObject({ current: false })
})

const loading: Partial<ServerDefinition> = {
  quirks: { announceOnlyWhenLoaded: 'It loses what it is told while it loads.' },
  readiness: { kind: 'log-line', pattern: /never/, reason: 'It says so.' },
}

test('R-85 a call behind another one still has time to ask when its turn comes', async () => {
  const { view, clock } = await folder.opened(loading, byHand)
  folder.put('other.fake', 'changed')
  const calls = [1, 2, 3].map(() => watched(view.bringUpToDate({ ...patient, milliseconds: 10_000 })))
  await clock.advance(9950)
  for (const { outcome } of calls) expect(outcome).toMatchObject({ current: false })
})

test('R-85 a call with little time does not wait for one with much, and says so', async () => {
  const { view, clock } = await folder.opened(loading, byHand)
  folder.put('other.fake', 'changed')
  const long = watched(view.bringUpToDate(patient))
  const short = watched(view.bringUpToDate({ ...patient, milliseconds: 4000 }))
  await clock.advance(3500)
  expect(short.outcome).toEqual({
    current: false,
    reason: 'the server is still being told of earlier changes',
  })
  expect(long.outcome).toBeUndefined()
})
