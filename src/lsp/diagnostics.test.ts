// When diagnostics are settled and when they are unknown, for each rule, on a clock that moves by hand. Whatever a
// server sends, and in whatever order, a report is settled only if it is on the very text the document has now.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { neverAborted, watched } from '../../test/client-harness.js'
import { type VirtualClock, virtualClock } from '../../test/virtual-clock.js'
import { BridgeError } from '../errors.js'
import { CapabilityTable } from './capabilities.js'
import { type DiagnosticsOptions, type DiagnosticsRule, DiagnosticsStore } from './diagnostics.js'
import type { OpenDocument } from './documents.js'
import type { ProgressChange } from './progress.js'

const uri = 'file:///workspace/a.fake'

const standard: DiagnosticsRule = { kind: 'standard', quietMs: 0, reason: 'Pushes carry the version.' }
const quiet: DiagnosticsRule = { kind: 'standard', quietMs: 100, reason: 'It pushes twice.' }
const debounced: DiagnosticsRule = {
  kind: 'debounced-push',
  delayMs: 300,
  quietMs: 50,
  reason: 'It waits for the next change.',
}
const onePush: DiagnosticsRule = { kind: 'one-push-per-change', delayMs: 400, reason: 'One for each change.' }

function store(rule: DiagnosticsRule, options: Partial<DiagnosticsOptions> = {}) {
  const clock = virtualClock()
  const diagnostics = new DiagnosticsStore({
    rule,
    clock,
    capabilities: () => new CapabilityTable({}),
    ask: () => Promise.reject(new BridgeError({ kind: 'Bug', message: 'nobody is to be asked' })),
    key: address => decodeURIComponent(address),
    ...options,
  })
  return {
    clock,
    diagnostics,
    publish: (version: number | undefined, ...messages: readonly string[]) =>
      diagnostics.published(uri, version, messages.map(found)),
    report: (version: number, milliseconds = 5000, signal = neverAborted()) =>
      watched(diagnostics.report(document(version), { milliseconds, signal })),
  }
}

function document(version: number): OpenDocument {
  return { uri, languageId: 'fake', version, text: `text ${version}`, content: `sha256:${version}` }
}

function found(message: string) {
  return { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message }
}

const settled = (...messages: readonly string[]) => ({
  verdict: 'settled',
  reason: undefined,
  diagnostics: messages.map(message => expect.objectContaining({ message })),
})
const unknown = (reason: string) => ({ verdict: 'unknown', reason: expect.stringContaining(reason) })

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

describe('pulls', () => {
  const pulling = () => new CapabilityTable({ diagnosticProvider: diagnosticProvider })
  const diagnosticProvider = { interFileDependencies: false, workspaceDiagnostics: false }

  test('R-104 what is pulled is settled', async () => {
    const asked: string[] = []
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async (method, params) => {
        asked.push(method)
        expect(params).toEqual({ textDocument: { uri } })
        return { kind: 'full', items: [found('broken')] }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
    expect(asked).toEqual(['textDocument/diagnostic'])
  })

  test('C7, O9 a server that registered for other files is not asked about this one', async () => {
    const table = new CapabilityTable({})
    const method = 'textDocument/diagnostic'
    table.register([{ id: '1', method, registerOptions: { documentSelector: [{ language: 'other' }] } }])
    const { diagnostics, report, clock } = store(standard, {
      capabilities: () => table,
      ask: async () => ({ kind: 'full', items: [] }),
    })
    diagnostics.documentSent(document(1))
    expect(diagnostics.pulls(document(1))).toBe(false)
    const answer = report(1)
    await clock.advance(5000)
    expect(answer.outcome).toMatchObject(unknown('has not reported'))
    table.register([{ id: '2', method, registerOptions: { documentSelector: [{ language: 'fake' }] } }])
    expect(diagnostics.pulls(document(1))).toBe(true)
    const next = report(1)
    await clock.settle()
    expect(next.outcome).toEqual(settled())
  })

  test.each<[string, DiagnosticsRule, boolean]>([
    ['one that declares it', standard, true],
    ['one that waits for its own push all the same', debounced, false],
    ['one that owes a push for each change', onePush, false],
    ['one with a question of its own', { kind: 'request', reason: 'It has one.', ask: async () => [] }, true],
  ])('R-104 whether it is asked: %s', (_, rule, expected) => {
    const { diagnostics } = store(rule, { capabilities: pulling })
    expect(diagnostics.pulls(document(1))).toBe(expected)
  })

  test('R-104, P14 one that answers undeclared is asked until it refuses', () => {
    const table = new CapabilityTable({})
    const { diagnostics } = store({ ...standard, pullsUndeclared: true }, { capabilities: () => table })
    expect(diagnostics.pulls(document(1))).toBe(true)
    table.refuse('textDocument/diagnostic')
    expect(diagnostics.pulls(document(1))).toBe(false)
  })

  test('R-74 a report that the server takes back while it gives it is asked for again', async () => {
    const reports = [['old'], ['older'], ['new']]
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => {
        const messages = reports.shift() ?? []
        if (reports.length > 0) diagnostics.refreshed()
        return { kind: 'full', items: messages.map(found) }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('new'))
    // One that was taken back before it was asked for is none.
    diagnostics.refreshed()
    const next = report(1)
    await clock.settle()
    expect(next.outcome).toEqual(settled())
  })

  test('R-74 a server that takes back every report is not believed, and not asked for ever', async () => {
    let asked = 0
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => {
        asked += 1
        diagnostics.refreshed()
        return { kind: 'full', items: [] }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('took its reports back'))
    expect(asked).toBe(5)
  })

  test('R-74 asking again takes no more time than there was', async () => {
    const given: number[] = []
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: (_method, _params, { milliseconds }) => {
        given.push(milliseconds)
        diagnostics.refreshed()
        return new Promise(resolve => clock.after(400, () => resolve({ kind: 'full', items: [] })))
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1, 1000)
    await clock.advance(400)
    await clock.advance(400)
    await clock.advance(400)
    expect(answer.outcome).toMatchObject(unknown('took its reports back'))
    expect(given).toEqual([1000, 600, 200])
  })

  test('D07 "unchanged" to a question that compared nothing is unknown', async () => {
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => ({ kind: 'unchanged', resultId: 'foreign' }),
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('unchanged'))
  })

  test('R-104 what is pulled of a server that never declared it is settled too', async () => {
    const { diagnostics, report, clock } = store(
      { ...standard, pullsUndeclared: true },
      { ask: async () => ({ kind: 'full', items: [found('broken')] }) },
    )
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
  })

  test('P14 a pull that is declared and then refused falls back to the push', async () => {
    const refused = new BridgeError({ kind: 'CapabilityMissing', message: 'no' })
    const { diagnostics, report, publish, clock } = store(standard, {
      capabilities: pulling,
      ask: () => Promise.reject(refused),
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toBeUndefined()
    publish(1, 'broken')
    await clock.settle()
    expect(answer.outcome).toEqual(settled('broken'))
  })

  test.each(['Wire', 'RequestTimeout', 'ServerError'] as const)(
    'D09 a pull that fails with %s fails, and is no report',
    async kind => {
      const { diagnostics, report, publish, clock } = store(standard, {
        capabilities: pulling,
        ask: () => Promise.reject(new BridgeError({ kind, message: 'no' })),
      })
      diagnostics.documentSent(document(1))
      publish(1)
      const answer = report(1)
      await clock.settle()
      expect(answer.outcome).toMatchObject({ kind })
    },
  )

  test('P07 a malformed pull is an error of the server', async () => {
    const { diagnostics, report, clock } = store(standard, {
      capabilities: pulling,
      ask: async () => 'not what was asked for',
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'ServerError' })
  })

  test.each<[string, DiagnosticsRule]>([
    ['pulled', standard],
    [
      'asked for',
      {
        kind: 'request',
        reason: 'It has a question of its own.',
        ask: async ask => {
          await ask('fake/check', {})
          return []
        },
      },
    ],
  ])('W08 what is %s while the text changes is not on the text it was asked for', async (_how, rule) => {
    const { diagnostics, report, clock } = store(rule, {
      capabilities: pulling,
      ask: async () => {
        diagnostics.documentSent(document(2))
        return { kind: 'full', items: [] }
      },
    })
    diagnostics.documentSent(document(1))
    const answer = report(1)
    await clock.settle()
    expect(answer.outcome).toMatchObject(unknown('the document changed'))
  })

  test("R-99, R-85 a question of the server's own runs under its caller's signal and time", async () => {
    const seen: { signal: AbortSignal; milliseconds: number }[] = []
    const rule: DiagnosticsRule = {
      kind: 'request',
      reason: 'It has a question of its own.',
      ask: async ask => {
        await ask('fake/check', {})
        return []
      },
    }
    const { diagnostics, report, clock } = store(rule, {
      ask: async (_method, _params, options) => void seen.push(options),
    })
    diagnostics.documentSent(document(1))
    const { signal } = new AbortController()
    const answer = report(1, 1234, signal)
    await clock.settle()
    expect(answer.outcome).toEqual(settled())
    expect(seen).toEqual([{ signal, milliseconds: 1234 }])
  })
})

test('D10 the same finding twice is one, and an unknown severity is an error', async () => {
  const { diagnostics, report, clock } = store(standard)
  diagnostics.documentSent(document(1))
  const odd = { ...found('odd'), severity: 9 }
  diagnostics.published(uri, 1, [found('broken'), found('broken'), odd])
  const answer = report(1)
  await clock.settle()
  expect(answer.outcome).toMatchObject({
    diagnostics: [
      { message: 'broken', severity: 1 },
      { message: 'odd', severity: 1 },
    ],
  })
})
