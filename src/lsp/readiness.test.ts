// When a server may be believed to have seen the whole workspace, for each kind of signal, on a clock that moves by
// hand. Without the signal the answer is the reason, never a guess.
import { describe, expect, test } from 'vitest'
import { neverAborted, watched } from '../../test/client-harness.js'
import { virtualClock } from '../../test/virtual-clock.js'
import type { ProgressChange } from './progress.js'
import { describeReadiness, ReadinessMonitor, type ReadinessRule, type StatusReading } from './readiness.js'

function monitor(rule: ReadinessRule) {
  const clock = virtualClock()
  const changes: boolean[] = []
  const readiness = new ReadinessMonitor({ rule, clock, onChange: ready => changes.push(ready) })
  return {
    clock,
    changes,
    readiness,
    settle: (milliseconds = 10_000, signal = neverAborted()) =>
      watched(readiness.settle({ milliseconds, signal })),
  }
}

function progress(kind: ProgressChange['kind'], token = 'index', message?: string): ProgressChange {
  return { kind, token, title: 'Indexing', message, percent: undefined }
}

const ready = { ready: true, complaint: undefined }
const notReady = (reason: string) => ({ ready: false, reason: expect.stringContaining(reason) })

const rules = {
  blocks: { kind: 'blocks', reason: 'It waits.' },
  logLine: { kind: 'log-line', pattern: /^Found \d+ files$/, reason: 'It says so.' },
  progress: { kind: 'progress', token: 'index', beginsWithinMs: 1000, reason: 'It indexes.' },
  notification: {
    kind: 'notification',
    method: 'fake/status',
    reason: 'It says so.',
    read: params => ({
      ready: params !== 'busy',
      complaint: params === 'broken' ? 'no manifest' : undefined,
    }),
  },
  unproven: { kind: 'unproven', reason: 'nothing is known of this server' },
} as const satisfies Record<string, ReadinessRule>

test('R-89 a server that blocks is ready at once', async () => {
  const { settle, clock, readiness } = monitor(rules.blocks)
  readiness.progressed(progress('begin', 'other'))
  const answer = settle()
  await clock.settle()
  expect(answer.outcome).toEqual(ready)
})

describe('a line of the log', () => {
  test('R-89 makes it ready, and no other line does', async () => {
    const { settle, clock, readiness, changes } = monitor(rules.logLine)
    const answer = settle()
    readiness.logged('Loading')
    readiness.progressed(progress('begin'))
    readiness.progressed(progress('end'))
    await clock.advance(5000)
    expect(answer.outcome).toBeUndefined()
    readiness.logged('Found 12 files')
    await clock.settle()
    expect(answer.outcome).toEqual(ready)
    expect(changes).toEqual([true])
  })

  test('R-89, O9 carries what another line said is missing', () => {
    const { readiness } = monitor({ ...rules.logLine, complaint: /stopped after .*$/ })
    readiness.logged('WARNING stopped after 5 s')
    expect(readiness.current).toMatchObject({ ready: false })
    readiness.logged('Found 12 files')
    expect(readiness.current).toEqual({ ready: true, complaint: 'stopped after 5 s' })
  })

  test('O9, H12 at the limit the reason is told, with what the server is busy with', async () => {
    const { settle, clock, readiness } = monitor(rules.logLine)
    const first = settle(3000)
    await clock.advance(3000)
    expect(first.outcome).toEqual(notReady('has not said yet'))
    readiness.progressed(progress('report', 'other', '3 of 9'))
    const second = settle(3000)
    await clock.advance(3000)
    expect(second.outcome).toEqual(notReady('Indexing: 3 of 9'))
  })

  test('R-125 after new files it must be told again, or a grace must pass in which nothing happens', async () => {
    const { settle, clock, readiness, changes } = monitor(rules.logLine)
    readiness.logged('Found 12 files')
    readiness.disturbed('it lists the files again', 3000)
    const said = settle()
    await clock.advance(100)
    expect(said.outcome).toBeUndefined()
    readiness.logged('Found 13 files')
    await clock.settle()
    expect(said.outcome).toEqual(ready)
    readiness.disturbed('it lists the files again', 3000)
    const graced = settle()
    await clock.advance(2999)
    expect(graced.outcome).toBeUndefined()
    await clock.advance(1)
    expect(graced.outcome).toEqual(ready)
    expect(changes).toEqual([true, false, true, false, true])
  })

  test('R-125 work that began meanwhile is waited for, beyond the grace, and then the old state holds again', async () => {
    const { settle, clock, readiness } = monitor(rules.logLine)
    readiness.logged('Found 12 files')
    readiness.disturbed('it builds again', 3000)
    const busy = settle()
    readiness.progressed(progress('begin', 'build', '1 of 2'))
    readiness.progressed(progress('begin', 'search'))
    readiness.progressed(progress('end', 'search'))
    await clock.advance(5000)
    expect(busy.outcome).toBeUndefined()
    readiness.progressed(progress('end', 'build'))
    await clock.settle()
    expect(busy.outcome).toEqual(ready)
    readiness.disturbed('it builds again', 3000)
    readiness.progressed(progress('begin', 'build'))
    readiness.progressed(progress('end', 'build'))
    expect(readiness.current).toMatchObject({ ready: false })
    await clock.advance(3000)
    expect(readiness.current).toEqual(ready)
  })

  test('R-125 the grace of an old disturbance does not end a new one', async () => {
    const { clock, readiness } = monitor(rules.logLine)
    readiness.logged('Found 12 files')
    readiness.disturbed('first', 3000)
    await clock.advance(2000)
    readiness.logged('Found 13 files')
    readiness.disturbed('second', 3000)
    await clock.advance(1000)
    expect(readiness.current).toEqual(notReady('second'))
    await clock.advance(2000)
    expect(readiness.current).toEqual(ready)
  })
})

describe('told of a change more than once', () => {
  test('R-125 the grace begins anew with the second, and never ends earlier for it', async () => {
    const { clock, readiness } = monitor(rules.logLine)
    readiness.logged('Found 12 files')
    readiness.disturbed('first', 3000)
    await clock.advance(2900)
    readiness.disturbed('second', 3000)
    await clock.advance(2999)
    expect(readiness.current).toEqual(notReady('second'))
    await clock.advance(1)
    expect(readiness.current).toEqual(ready)
    readiness.disturbed('third', 3000)
    readiness.disturbed('fourth', 10)
    await clock.advance(2999)
    expect(readiness.current).toEqual(notReady('fourth'))
    await clock.advance(1)
    expect(readiness.current).toEqual(ready)
  })

  test('R-125 work that was begun after the first is waited for after the second', async () => {
    const { clock, readiness } = monitor(rules.logLine)
    readiness.logged('Found 12 files')
    readiness.disturbed('first', 3000)
    readiness.progressed(progress('begin', 'build'))
    readiness.disturbed('second', 3000)
    await clock.advance(5000)
    expect(readiness.current).toMatchObject({ ready: false })
    readiness.progressed(progress('end', 'build'))
    expect(readiness.current).toEqual(ready)
  })

  test('R-125 told before it is ready, the signal that follows may be on what was before', async () => {
    const { clock, readiness, changes } = monitor(rules.logLine)
    readiness.disturbed('it lists the files again', 3000)
    await clock.advance(5000)
    readiness.logged('Found 12 files')
    expect(readiness.current).toEqual(notReady('lists the files again'))
    await clock.advance(2999)
    expect(readiness.current).toMatchObject({ ready: false })
    await clock.advance(1)
    expect(readiness.current).toEqual(ready)
    expect(changes).toEqual([true])
  })

  test('R-125 told before it is ready, work that begins afterwards is on what it was told', () => {
    const { readiness } = monitor(rules.progress)
    readiness.documentOpened()
    readiness.disturbed('it loads again', 3000)
    readiness.progressed(progress('begin'))
    readiness.progressed(progress('end'))
    expect(readiness.current).toEqual(ready)
    readiness.progressed(progress('begin'))
    readiness.disturbed('it loads again', 3000)
    readiness.progressed(progress('report'))
    readiness.progressed(progress('end'))
    expect(readiness.current).toEqual(notReady('loads again'))
  })
})

test('R-08, R-125 a complaint within the grace is not forgotten when that is over', async () => {
  const { clock, readiness } = monitor({
    ...rules.notification,
    read: params => (params === 'ready' ? { ready: true } : { complaint: String(params) }),
  })
  readiness.notified('fake/status', 'ready')
  readiness.disturbed('it builds again', 1000)
  readiness.notified('fake/status', 'a library is missing')
  await clock.advance(1000)
  expect(readiness.current).toEqual({ ready: true, complaint: 'a library is missing' })
})

describe('a named progress', () => {
  test('R-88 makes it ready when it ends, each time; another progress does not', async () => {
    const { clock, readiness, changes, settle } = monitor(rules.progress)
    readiness.documentOpened()
    readiness.progressed(progress('begin', 'other'))
    readiness.progressed(progress('end', 'other'))
    expect(readiness.current).toMatchObject({ ready: false })
    readiness.progressed(progress('begin'))
    const answer = settle()
    await clock.advance(5000)
    expect(answer.outcome).toBeUndefined()
    readiness.progressed(progress('end'))
    await clock.settle()
    expect(answer.outcome).toEqual(ready)
    readiness.progressed(progress('begin', 'index', '1 of 2'))
    expect(readiness.current).toEqual(notReady('still indexing: Indexing: 1 of 2'))
    readiness.progressed(progress('end'))
    expect(changes).toEqual([true, false, true])
  })

  test('R-88 known by its title, makes it ready when the last of several ends', () => {
    const { readiness, changes } = monitor({
      kind: 'progress',
      title: /^Indexing/,
      beginsWithinMs: 1000,
      reason: 'It indexes.',
    })
    readiness.documentOpened()
    readiness.progressed(progress('begin', 'one'))
    readiness.progressed({ ...progress('begin', 'other'), title: 'Formatting' })
    readiness.progressed({ ...progress('end', 'other'), title: 'Formatting' })
    readiness.progressed(progress('begin', 'two'))
    readiness.progressed(progress('end', 'one'))
    expect(readiness.current).toEqual(notReady('still indexing'))
    readiness.progressed(progress('end', 'two'))
    expect(readiness.current).toEqual(ready)
    expect(changes).toEqual([true])
  })

  test('R-89 work that never begins is not waited for beyond its time', async () => {
    const { clock, readiness, settle } = monitor(rules.progress)
    const before = settle(500)
    await clock.advance(500)
    expect(before.outcome).toEqual(notReady('has not said yet'))
    readiness.documentOpened()
    const answer = settle()
    await clock.advance(999)
    expect(answer.outcome).toBeUndefined()
    await clock.advance(1)
    expect(answer.outcome).toEqual(notReady('never began'))
    const next = settle()
    await clock.settle()
    expect(next.outcome).toEqual(notReady('never began'))
  })

  test('H12 work that never ends is waited for up to the limit', async () => {
    const { clock, readiness, settle } = monitor(rules.progress)
    readiness.documentOpened()
    readiness.progressed(progress('begin'))
    const answer = settle(60_000)
    await clock.advance(59_999)
    expect(answer.outcome).toBeUndefined()
    await clock.advance(1)
    expect(answer.outcome).toEqual(notReady('still indexing'))
  })
})

test('R-89 a notification of its own is read, with its complaint', async () => {
  const { clock, readiness, settle } = monitor(rules.notification)
  readiness.notified('fake/other', 'ready')
  readiness.notified('fake/status', 'busy')
  const answer = settle()
  await clock.settle()
  expect(answer.outcome).toBeUndefined()
  readiness.notified('fake/status', 'broken')
  await clock.settle()
  expect(answer.outcome).toEqual({ ready: true, complaint: 'no manifest' })
  readiness.notified('fake/status', 'ready')
  expect(readiness.current).toEqual(ready)
})

test('R-125 a server that says itself that it is not ready is not believed ready for a grace', async () => {
  const { clock, readiness } = monitor(rules.notification)
  readiness.notified('fake/status', 'ready')
  readiness.disturbed('it loads again', 1000)
  readiness.notified('fake/status', 'busy')
  await clock.advance(5000)
  expect(readiness.current).toEqual(notReady('still loading'))
  readiness.notified('fake/status', 'ready')
  expect(readiness.current).toEqual(ready)
})

test('R-89, O9 a notification that says nothing of readiness, or of what is wrong, leaves it as it was', () => {
  const { readiness, changes } = monitor({
    ...rules.notification,
    read: params => (typeof params === 'object' && params !== null ? params : {}),
  })
  const say = (reading: StatusReading) => readiness.notified('fake/status', reading)
  say({})
  expect(readiness.current).toEqual(notReady('has not said yet'))
  say({ complaint: 'no manifest' })
  expect(readiness.current).toEqual(notReady('no manifest'))
  say({ ready: true })
  expect(readiness.current).toEqual({ ready: true, complaint: 'no manifest' })
  say({})
  say({ complaint: undefined })
  expect(readiness.current).toEqual(ready)
  say({ complaint: 'no library' })
  expect(readiness.current).toEqual({ ready: true, complaint: 'no library' })
  say({ ready: false, complaint: undefined })
  expect(readiness.current).toEqual(notReady('still loading'))
  expect(changes).toEqual([true, false])
})

describe('a server of which nothing is known', () => {
  test('O9 is never shown to be ready, and is not waited for without a reason', async () => {
    const { clock, readiness, settle, changes } = monitor(rules.unproven)
    const idle = settle()
    await clock.settle()
    expect(idle.outcome).toEqual(notReady('nothing is known'))
    readiness.progressed(progress('begin'))
    const busy = settle()
    await clock.advance(2000)
    expect(busy.outcome).toBeUndefined()
    readiness.progressed(progress('end'))
    await clock.settle()
    expect(busy.outcome).toEqual(notReady('nothing is known'))
    expect(changes).toEqual([])
  })

  test('P28 is waited for while it works, whatever it did with its tokens before', async () => {
    const { clock, readiness, settle } = monitor(rules.unproven)
    for (const kind of ['begin', 'begin', 'end', 'end', 'end'] as const) readiness.progressed(progress(kind))
    const idle = settle()
    await clock.settle()
    expect(idle.outcome).toEqual(notReady('nothing is known'))
    readiness.progressed(progress('begin'))
    const busy = settle()
    await clock.settle()
    expect(busy.outcome).toBeUndefined()
  })
})

test('R-63 after the end nothing is awaited, and no timer speaks for a server that is gone', async () => {
  const { clock, settle, readiness, changes } = monitor(rules.logLine)
  readiness.logged('Found 12 files')
  readiness.disturbed('it lists the files again', 3000)
  const answer = settle()
  readiness.end()
  await clock.advance(5000)
  readiness.logged('Found 13 files')
  expect(answer.outcome).toEqual(notReady('no longer there'))
  expect(readiness.current).toEqual(notReady('no longer there'))
  expect(changes).toEqual([true, false])
})

test('R-99 an abort ends the wait with the reason', async () => {
  const { clock, settle } = monitor(rules.logLine)
  const abort = new AbortController()
  const answer = settle(10_000, abort.signal)
  abort.abort()
  await clock.settle()
  expect(answer.outcome).toEqual(notReady('has not said yet'))
  expect(clock.timers).toBe(0)
})

test('R-89 every rule can be told in a sentence', () => {
  expect(Object.values(rules).map(describeReadiness)).toEqual([
    'answers only when complete. It waits.',
    'log line matching `^Found \\d+ files$`. It says so.',
    'end of the progress `index`. It indexes.',
    'notification `fake/status`. It says so.',
    'none known. nothing is known of this server',
  ])
})
