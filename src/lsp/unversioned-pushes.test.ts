// Pushes that do not say for which version they are: settled only where the rule shows that they are on the present text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { neverAborted, watched } from '../../test/client-harness.js'
import { debounced, document, onePush, settled, store, unknown, uri } from '../../test/diagnostics-harness.js'
import type { VirtualClock } from '../../test/virtual-clock.js'
import { BridgeError } from '../errors.js'
import type { ProgressChange } from './progress.js'

describe('pushes without a version, after a delay that every change starts anew', () => {
  test('D01, O9 silence is unknown, never clean', async () => {
    const { diagnostics, report, clock } = store(debounced)
    diagnostics.documentSent(document(1))
    const silent = report(1)
    await clock.advance(5000)
    expect(silent.outcome).toEqual({ ...unknown('within 5 s'), diagnostics: [] })
  })

  test('P22, D02 what comes before the delay is over is on an older text, and the last one is believed', async () => {
    const { diagnostics, report, publish, clock } = store(debounced)
    diagnostics.documentSent(document(1))
    await clock.advance(200)
    diagnostics.documentSent(document(2))
    const awaited = report(2)
    await clock.advance(150)
    publish(undefined, 'old')
    await clock.advance(150)
    expect(awaited.outcome).toBeUndefined()
    publish(undefined, 'half')
    await clock.advance(49)
    publish(undefined, 'whole')
    await clock.advance(49)
    expect(awaited.outcome).toBeUndefined()
    await clock.advance(50)
    expect(awaited.outcome).toEqual(settled('whole'))
    expect(diagnostics.dropped).toBe(1)
  })

  test('D02 a slow report that was begun before the change is not one on it', async () => {
    const { diagnostics, report, publish, clock } = store({ ...debounced, work: 'Publishing' })
    const work = (kind: ProgressChange['kind'], title = 'Publishing') =>
      diagnostics.progressed({ kind, token: 'work', title, message: undefined, percent: undefined })
    diagnostics.documentSent(document(1))
    await clock.advance(400)
    work('begin')
    diagnostics.documentSent(document(2))
    const awaited = report(2)
    await clock.advance(400)
    publish(undefined, 'old')
    work('end')
    work('begin', 'Building')
    await clock.advance(100)
    publish(undefined, 'old')
    await clock.advance(100)
    expect(awaited.outcome).toBeUndefined()
    work('begin')
    publish(undefined, 'new')
    await clock.advance(100)
    expect(awaited.outcome).toEqual(settled('new'))
  })

  test('P22, O9 however long it works, the report that is settled was begun on the last text', async () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(pauses, fc.integer({ min: 0, max: 1500 }), async (waits, workMs) => {
        const opened = store(
          { ...debounced, barrier: 'fake/barrier' },
          { ask: () => new Promise(resolve => server.receive(() => resolve([]))) },
        )
        const { diagnostics, report, publish, clock } = opened
        const server = busyServer(clock, { delayMs: 350, workMs, push: on => publish(undefined, `on ${on}`) })
        let version = 0
        for (const wait of [...waits, 0]) {
          version += 1
          server.change(version)
          diagnostics.documentSent(document(version))
          await clock.advance(wait)
        }
        const last = report(version, 60_000)
        await clock.advance(60_000)
        expect(last.outcome).toEqual(settled(`on ${version}`))
      }),
    )
  })

  test('D09 a question behind the change that is refused is answered, one that is not answered shows nothing', async () => {
    const outcomes = []
    for (const kind of ['ServerError', 'CapabilityMissing', 'RequestTimeout'] as const) {
      const { diagnostics, report, publish, clock } = store(
        { ...debounced, barrier: 'fake/barrier' },
        { ask: () => Promise.reject(new BridgeError({ kind, message: 'no' })) },
      )
      diagnostics.documentSent(document(1))
      await clock.advance(300)
      publish(undefined, 'found')
      const awaited = report(1)
      await clock.advance(5000)
      outcomes.push(awaited.outcome)
    }
    expect(outcomes).toMatchObject([settled('found'), settled('found'), unknown('within 5 s')])
  })
})

interface BusyServerOptions {
  readonly delayMs: number
  readonly workMs: number
  readonly push: (version: number) => void
}

/** One thing at a time, in order: while it works a report out, what it is sent lies unread. A timer is due first. */
function busyServer(clock: VirtualClock, { delayMs, workMs, push }: BusyServerOptions) {
  const unread: (() => void)[] = []
  let text = 0
  let timer: { cancel(): void } | undefined
  let isDue = false
  let isBusy = false
  const work = () => {
    const on = text
    isDue = false
    isBusy = true
    clock.after(workMs, () => {
      push(on)
      isBusy = false
      goOn()
    })
  }
  const goOn = () => {
    while (!isBusy) {
      if (isDue) return work()
      const next = unread.shift()
      if (next === undefined) return
      next()
    }
  }
  const receive = (message: () => void) => {
    unread.push(message)
    goOn()
  }
  const change = (version: number) =>
    receive(() => {
      text = version
      isDue = false
      timer?.cancel()
      timer = clock.after(delayMs, () => {
        isDue = true
        goOn()
      })
    })
  return { receive, change }
}

describe('one push for each change', () => {
  test('D02 a push that comes sooner than the server can is for an older text', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    await clock.advance(399)
    publish(undefined, 'old')
    const answer = report(1)
    await clock.advance(1)
    publish(undefined, 'broken')
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
    expect(diagnostics.dropped).toBe(1)
  })

  test('D02, D06 of two changes the first push is nobody knows whose, the second is for the last', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    diagnostics.documentSent(document(2))
    const answer = report(2)
    await clock.advance(500)
    publish(undefined, 'first')
    await clock.settle()
    expect(answer.outcome).toMatchObject({
      ...unknown('told apart'),
      diagnostics: [{ message: 'first' }],
    })
    publish(undefined, 'second')
    const next = report(2)
    await clock.settle()
    expect(next.outcome).toEqual(settled('second'))
  })

  test('D02 a push that can only be on the older of two changes leaves the next one certain', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    await clock.advance(300)
    diagnostics.documentSent(document(2))
    await clock.advance(300)
    publish(undefined, 'on one')
    await clock.advance(300)
    publish(undefined, 'on two')
    const answer = report(2)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('on two'))
  })

  test('D02 a report still owed on an older change is not taken for one on the newest', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    diagnostics.documentSent(document(2))
    await clock.advance(500)
    publish(undefined, 'on one or two')
    diagnostics.documentSent(document(3))
    await clock.advance(500)
    publish(undefined, 'on two or three')
    const answer = report(3)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('told apart'))
  })

  test('D02 nor is it after the document was closed and opened again', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    diagnostics.documentClosed(uri)
    diagnostics.documentSent(document(2))
    await clock.advance(500)
    publish(undefined, 'on one or two')
    const answer = report(2)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('told apart'))
  })

  test('D02 a server that reports once on two quick changes is understood again after a while', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    diagnostics.documentSent(document(2))
    await clock.advance(500)
    publish(undefined, 'on both')
    await clock.advance(10_000)
    diagnostics.documentSent(document(3))
    await clock.advance(500)
    publish(undefined, 'on three')
    const answer = report(3)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('on three'))
  })

  test('D02 a version, where a server gives one, settles at once', async () => {
    const { diagnostics, report, publish, clock } = store(onePush)
    diagnostics.documentSent(document(1))
    diagnostics.documentSent(document(2))
    publish(2, 'broken')
    const answer = report(2)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
  })

  test('D02 before the next change the last report is waited for, but not at any price', async () => {
    const { diagnostics, publish, clock } = store(onePush)
    const ready = (milliseconds: number) =>
      watched(
        diagnostics.readyForChange(uri, { milliseconds, signal: neverAborted() }).then(() => clock.now()),
      )
    const unopened = ready(1000)
    await clock.settle()
    expect(unopened.outcome).toBe(0)
    diagnostics.documentSent(document(1))
    const reported = ready(8000)
    await clock.advance(500)
    publish(undefined)
    await clock.settle()
    expect(reported.outcome).toBe(500)
    diagnostics.documentSent(document(2))
    const silent = ready(8000)
    await clock.advance(8000)
    expect(silent.outcome).toBe(2500)
  })

  test('D02 whatever comes when, what is settled is the report on the last change', async () => {
    // A server that works off the changes in order, one after the other, each taking its time.
    const step = fc.record({
      act: fc.constantFrom('change', 'reopen', 'ask'),
      pause: fc.integer({ min: 0, max: 1500 }),
      work: fc.integer({ min: 400, max: 3000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
        const { diagnostics, report, publish, clock } = store(onePush)
        let version = 0
        let busyUntil = 0
        const answers: { version: number; answer: ReturnType<typeof report> }[] = []
        for (const { act, pause, work } of steps) {
          if (act === 'ask') answers.push({ version, answer: report(version) })
          else {
            if (act === 'reopen') diagnostics.documentClosed(uri)
            version += 1
            const changed = version
            diagnostics.documentSent(document(changed))
            busyUntil = Math.max(clock.now(), busyUntil) + work
            clock.after(busyUntil - clock.now(), () => publish(undefined, `on ${changed}`))
          }
          await clock.advance(pause)
        }
        await clock.advance(60_000)
        for (const { version: asked, answer } of answers) {
          const { outcome } = answer
          if (outcome === undefined || outcome instanceof BridgeError) throw new Error('a report never came')
          if (outcome.verdict === 'settled') expect(outcome).toEqual(settled(`on ${asked}`))
        }
      }),
      { numRuns: 60 },
    )
  })
})
