import { describe, expect, test } from 'vitest'
import { document, quiet, settled, standard, store, unknown, uri } from '../../test/diagnostics-harness.js'
import { BridgeError } from '../errors.js'
import type { DiagnosticsRule } from './diagnostics.js'

describe('pushes with a version', () => {
  test('D01, O9 silence is unknown, never clean, and says for how long it was waited', async () => {
    const { diagnostics, report, clock } = store(standard)
    diagnostics.documentSent(document(1))
    const silent = report(1)
    await clock.advance(4999)
    expect(silent.outcome).toBeUndefined()
    await clock.advance(1)
    expect(silent.outcome).toEqual({ ...unknown('within 5 s'), diagnostics: [] })
  })

  test('R-97 the version of the document settles it, whenever it came', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    diagnostics.documentSent(document(1))
    const early = report(1)
    await clock.advance(1000)
    publish(1, 'broken')
    await clock.settle()
    expect(early.outcome).toEqual(settled('broken'))
    const late = report(1)
    await clock.settle()
    expect(late.outcome).toEqual(settled('broken'))
    expect(clock.now()).toBe(1000)
  })

  test('P22, D02 a push for an older version is dropped', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    diagnostics.documentSent(document(1))
    publish(1, 'broken')
    diagnostics.documentSent(document(2))
    publish(1, 'broken')
    const answer = report(2)
    await clock.advance(5000)
    expect(answer.outcome).toEqual({ ...unknown('has not reported'), diagnostics: [] })
    expect(diagnostics.dropped).toBe(1)
  })

  test('P23 a push for a version that was never sent is dropped', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    diagnostics.documentSent(document(1))
    publish(2)
    const answer = report(1)
    await clock.advance(5000)
    expect(answer.outcome).toMatchObject(unknown('has not reported'))
    diagnostics.documentSent(document(2))
    const next = report(2)
    await clock.advance(5000)
    expect(next.outcome).toMatchObject(unknown('has not reported'))
    expect(diagnostics.dropped).toBe(1)
  })

  test('D02 a push without a version is shown, but settles nothing', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    diagnostics.documentSent(document(1))
    publish(undefined, 'broken')
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject({
      ...unknown('which version'),
      diagnostics: [{ message: 'broken' }],
    })
  })

  test('D02 from a server that names versions, a push without one is not on any text', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    diagnostics.documentSent(document(1))
    publish(1, 'one')
    diagnostics.documentClosed(uri)
    diagnostics.documentSent(document(2))
    const late = report(2)
    publish(undefined)
    await clock.settle()
    expect(late.outcome).toBeUndefined()
    publish(2, 'two')
    await clock.settle()
    expect(late.outcome).toEqual(settled('two'))
    expect(diagnostics.dropped).toBe(1)
  })

  test('D06 a change while diagnostics are awaited makes them unknown', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    diagnostics.documentSent(document(1))
    const answer = report(1)
    diagnostics.documentSent(document(2))
    publish(2)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('changed while'))
  })

  test('P21 a document that is not open has no diagnostics, and a closed one has them no longer', async () => {
    const { diagnostics, report, publish, clock } = store(standard)
    publish(1, 'broken')
    const before = report(1)
    await clock.advance(5000)
    expect(before.outcome).toMatchObject(unknown('has not reported'))
    diagnostics.documentSent(document(1))
    publish(1, 'broken')
    diagnostics.documentClosed(uri)
    const after = report(1)
    await clock.advance(5000)
    expect(after.outcome).toMatchObject(unknown('has not reported'))
  })

  test('W19 the server may spell the address in its own way', async () => {
    const { diagnostics, report, clock } = store(standard)
    diagnostics.documentSent(document(1))
    diagnostics.published(uri.replace('a.fake', '%61.fake'), 1, [])
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled())
  })

  test('R-99 an abort ends the wait', async () => {
    const { diagnostics, report, clock } = store(standard)
    diagnostics.documentSent(document(1))
    const abort = new AbortController()
    const answer = report(1, 5000, abort.signal)
    abort.abort()
    await clock.settle()
    expect(answer.outcome).toMatchObject({ verdict: 'unknown' })
    expect(clock.timers).toBe(0)
  })
})

describe('quiet after the push', () => {
  test('D05 the first push of a pair does not count, the last one does', async () => {
    const { diagnostics, report, publish, clock } = store(quiet)
    diagnostics.documentSent(document(1))
    const answer = report(1)
    publish(1)
    await clock.advance(60)
    publish(1, 'broken')
    await clock.advance(99)
    expect(answer.outcome).toBeUndefined()
    await clock.advance(101)
    expect(answer.outcome).toEqual(settled('broken'))
  })

  test('D05 a server that never comes to rest settles nothing, and costs no more than the time given', async () => {
    const { diagnostics, report, publish, clock } = store(quiet)
    diagnostics.documentSent(document(1))
    const answer = report(1, 1000)
    await clock.advance(900)
    for (let step = 0; step < 100; step += 1) {
      publish(1, `step ${step}`)
      await clock.advance(10)
    }
    expect(answer.outcome).toMatchObject(unknown('still working'))
  })

  test('D05, D06 a change in the quiet time is told at once, and not as work that goes on', async () => {
    const { diagnostics, report, publish, clock } = store(quiet)
    diagnostics.documentSent(document(1))
    const answer = report(1)
    publish(1)
    await clock.advance(50)
    diagnostics.documentSent(document(2))
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('changed while'))
    expect(clock.timers).toBe(0)
  })

  test('D05 a server that says when a file is idle is believed', async () => {
    const { diagnostics, report, publish, clock } = store({
      ...quiet,
      idle: { method: 'fake/status', read: params => ({ uri, idle: params === 'idle' }) },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    publish(1)
    await clock.advance(1000)
    expect(answer.outcome).toBeUndefined()
    diagnostics.notified('fake/status', 'busy')
    diagnostics.notified('fake/other', 'idle')
    await clock.advance(1000)
    expect(answer.outcome).toBeUndefined()
    publish(1, 'broken')
    diagnostics.notified('fake/status', 'idle')
    await clock.advance(200)
    expect(answer.outcome).toEqual(settled('broken'))
  })
})

describe('idle between two parts of the work', () => {
  const idling: DiagnosticsRule = {
    kind: 'standard',
    quietMs: 100,
    reason: 'It pushes twice.',
    idle: { method: 'fake/status', read: () => ({ uri, idle: true }), barrier: 'fake/barrier' },
  }

  test('D02, W08 what it had put off is waited for, and its report is the one that counts', async () => {
    const answers: (() => void)[] = []
    const { diagnostics, report, publish, clock } = store(idling, {
      ask: () => new Promise(resolve => answers.push(() => resolve([]))),
    })
    diagnostics.documentSent(document(1))
    const awaited = report(1)
    publish(1, 'stale')
    diagnostics.notified('fake/status', {})
    await clock.advance(1000)
    expect(awaited.outcome).toBeUndefined()
    publish(1, 'fresh')
    answers[0]?.()
    await clock.advance(1000)
    expect(awaited.outcome).toBeUndefined()
    answers[1]?.()
    await clock.settle()
    expect(awaited.outcome).toEqual(settled('fresh'))
    expect(answers).toHaveLength(2)
  })

  test('D09 a barrier that is refused is passed, one that is not answered is not', async () => {
    const outcomes = []
    for (const kind of ['ServerError', 'RequestTimeout'] as const) {
      const { diagnostics, report, publish, clock } = store(idling, {
        ask: () => Promise.reject(new BridgeError({ kind, message: 'no' })),
      })
      diagnostics.documentSent(document(1))
      const awaited = report(1)
      publish(1, 'found')
      diagnostics.notified('fake/status', {})
      await clock.advance(200)
      outcomes.push(awaited.outcome)
    }
    expect(outcomes).toMatchObject([{ verdict: 'settled' }, { kind: 'RequestTimeout' }])
  })
})
