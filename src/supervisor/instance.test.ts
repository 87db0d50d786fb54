// One server instance on a clock that moves by hand, with sessions that a script starts: what callers get and when,
// whatever the server does. No process is started here.
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { HoverRequest } from 'vscode-languageserver-protocol'
import { clientHarness, clientOptions, neverAborted, watched } from '../../test/client-harness.js'
import { faults } from '../../test/fake-server/index.js'
import { type VirtualClock, virtualClock } from '../../test/virtual-clock.js'
import { presets } from '../config/presets.js'
import { BridgeError } from '../errors.js'
import { Events } from '../events.js'
import { LspClient } from '../lsp/client.js'
import { customServer } from '../servers/custom.js'
import { type InstanceOptions, ServerInstance } from './instance.js'
import type { Session, SessionEnd, StartCandidate, StartContext } from './session.js'

interface Started {
  readonly session: Session
  readonly context: StartContext
  readonly log: readonly string[]
  die(end?: Partial<SessionEnd>): Promise<void>
  finishStop(): Promise<void>
}

type Outcome = 'starts' | 'stops slowly' | BridgeError | Promise<void>

interface Harness {
  readonly instance: ServerInstance
  readonly clock: VirtualClock
  readonly events: Events
  readonly started: readonly Started[]
  /** The names of the candidates that were tried, in order. */
  readonly tried: readonly string[]
  readonly warnings: readonly string[]
  acquire(milliseconds?: number, signal?: AbortSignal): { outcome: Session | BridgeError | undefined }
}

interface HarnessOptions extends Partial<InstanceOptions> {
  /** What each start comes to; the last one repeats. A promise is a start that takes until it settles. */
  readonly outcomes?: readonly Outcome[]
  readonly names?: readonly string[]
  readonly client?: (context: StartContext) => LspClient
}

function harness({
  outcomes = ['starts'],
  names = ['first'],
  client,
  ...options
}: HarnessOptions = {}): Harness {
  const clock = virtualClock()
  const events = new Events()
  const started: Started[] = []
  const tried: string[] = []
  const warnings: string[] = []
  events.subscribe(event => {
    if (event.type === 'bridge.logged' && event.level === 'warning') warnings.push(event.message)
  })
  const newClient = client ?? (() => idleClient(clock, events))
  const instance = new ServerInstance({
    language: 'fake',
    root: '/root',
    candidates: names.map(candidate),
    startSession: async (tryThis, context) => {
      tried.push(tryThis.definition.id)
      const outcome = outcomes[Math.min(tried.length, outcomes.length) - 1] ?? 'starts'
      if (outcome instanceof BridgeError) throw outcome
      if (outcome instanceof Promise) await outcome
      const begun = scriptedSession(tryThis, context, newClient(context), outcome === 'stops slowly', clock)
      started.push(begun)
      return begun.session
    },
    clock,
    events,
    restart: presets.default.restart,
    whileRestarting: 'wait',
    idleMilliseconds: 600_000,
    stopGraceMilliseconds: 5000,
    ...options,
  })
  return {
    instance,
    clock,
    events,
    started,
    tried,
    warnings,
    acquire: (milliseconds = 10_000, signal = neverAborted()) =>
      watched(instance.acquire({ milliseconds, signal })),
  }
}

function scriptedSession(
  tried: StartCandidate,
  context: StartContext,
  client: LspClient,
  stopsSlowly: boolean,
  clock: VirtualClock,
): Started {
  const log: string[] = []
  let end: (end: SessionEnd) => void = () => {}
  let finishStop: () => void = () => {}
  const stopped = new Promise<void>(resolve => {
    finishStop = resolve
  })
  return {
    context,
    log,
    session: {
      client,
      candidate: tried,
      root: context.root,
      startedAt: clock.date().getTime(),
      ended: new Promise(resolve => {
        end = resolve
      }),
      memoryBytes: () => undefined,
      kill: () => void log.push('kill'),
      async stop(grace) {
        log.push(`stop within ${grace}`)
        if (stopsSlowly) await stopped
      },
    },
    async die({ cause = failure('it died', 'ServerRestarting'), clean = false } = {}) {
      end({ cause, clean })
      await clock.settle()
    },
    async finishStop() {
      finishStop()
      await clock.settle()
    },
  }
}

function idleClient(clock: VirtualClock, events: Events): LspClient {
  return new LspClient({
    ...clientOptions(clock, events),
    input: new PassThrough(),
    output: new PassThrough(),
    explainEnd: () => new Promise(() => {}),
  })
}

function candidate(name: string): StartCandidate {
  return {
    definition: customServer({ name, language: 'fake', extensions: ['.fake'], rootMarkers: [] }),
    how: 'registered by the test',
    command: `/bin/${name}`,
    args: [],
    environment: {},
    endpoint: undefined,
    settings: {},
    initializationOptions: undefined,
    version: undefined,
    limitedCosts: undefined,
  }
}

function failure(message: string, kind: BridgeError['kind'] = 'ServerUnavailable'): BridgeError {
  return new BridgeError({ kind, message, hint: `mend: ${message}` })
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {}
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}

const succeeded = (outcome: 'success' | 'failure') => outcome === 'success'

describe('starting', () => {
  test('S11, R-52, R-53 two hundred first callers share one start, and later ones the session', async () => {
    const gate = deferred()
    const { instance, clock, acquire, started, tried } = harness({ outcomes: [gate.promise] })
    expect(tried).toEqual([])
    const callers = Array.from({ length: 200 }, () => acquire())
    await clock.settle()
    expect(tried).toHaveLength(1)
    expect(callers.every(({ outcome }) => outcome === undefined)).toBe(true)
    gate.resolve()
    await clock.settle()
    const [only] = started
    expect(new Set(callers.map(({ outcome }) => outcome))).toEqual(new Set([only?.session]))
    const late = acquire()
    await clock.settle()
    expect(late.outcome).toBe(only?.session)
    expect(tried).toHaveLength(1)
    expect(instance.life.state.name).toBe('ready')
  })

  test('C30 candidates are tried in order until one proves itself, and that one is kept', async () => {
    const { instance, acquire, clock, tried, started } = harness({
      names: ['first', 'second', 'third'],
      outcomes: [failure('no first'), 'starts'],
    })
    const chosen: string[] = []
    const caller = acquire()
    await clock.settle()
    chosen.push(instance.candidate?.definition.id ?? '')
    expect(tried).toEqual(['first', 'second'])
    expect(caller.outcome).toBe(started[0]?.session)
    expect(chosen).toEqual(['second'])
  })

  test('S04 when every candidate fails the error tells of all, with the hint of the first', async () => {
    const { acquire, clock, warnings } = harness({
      names: ['first', 'second'],
      outcomes: [failure('no first'), failure('no second')],
      restart: presets.governed.restart,
    })
    const caller = acquire()
    await clock.settle()
    expect(caller.outcome).toMatchObject({
      kind: 'ServerUnavailable',
      message: 'no first; then no second',
      hint: 'mend: no first',
    })
    expect(warnings).toEqual(['first stays off: no first; then no second'])
  })

  test('R-51, C01 a failed start tells all that wait at once, and none waits for the next try', async () => {
    const { acquire, clock, instance } = harness({ outcomes: [failure('panic at start'), 'starts'] })
    const callers = [acquire(), acquire()]
    await clock.settle()
    expect(clock.now()).toBe(0)
    for (const { outcome } of callers) {
      expect(outcome).toMatchObject({ kind: 'ServerUnavailable', message: 'panic at start' })
    }
    expect(instance.life.state.name).toBe('waitingToRestart')
  })

  test('R-62, H01 a caller waits no longer than its own time, and the start goes on without it', async () => {
    const gate = deferred()
    const { acquire, clock, started } = harness({ outcomes: [gate.promise] })
    const hasty = acquire(2000)
    const patient = acquire(60_000)
    await clock.advance(1999)
    expect(hasty.outcome).toBeUndefined()
    await clock.advance(1)
    expect(hasty.outcome).toMatchObject({
      kind: 'RequestTimeout',
      message: 'first was not up within 2 s; it is still starting',
    })
    await clock.advance(30_000)
    gate.resolve()
    await clock.settle()
    expect(patient.outcome).toBe(started[0]?.session)
  })

  test('R-99, H11 a caller that gives up is let go at once, and the others are not', async () => {
    const gate = deferred()
    const { acquire, clock, started } = harness({ outcomes: [gate.promise] })
    const abort = new AbortController()
    const leaving = acquire(10_000, abort.signal)
    const staying = acquire(10_000)
    abort.abort()
    await clock.settle()
    expect(leaving.outcome).toMatchObject({ kind: 'Cancelled' })
    gate.resolve()
    await clock.settle()
    expect(staying.outcome).toBe(started[0]?.session)
    expect(clock.timers).toBe(1)
  })

  test('R-67, S01 five failed starts end in one warning, and calls fail at once from then on', async () => {
    const { acquire, clock, tried, warnings } = harness({ outcomes: [failure('not installed')] })
    acquire()
    await clock.advance(15_000)
    expect(tried).toHaveLength(5)
    const late = acquire()
    await clock.settle()
    expect(late.outcome).toMatchObject({ kind: 'ServerUnavailable', message: 'not installed' })
    await clock.advance(600_000)
    expect(tried).toHaveLength(5)
    expect(warnings).toEqual(['first stays off: not installed'])
  })
})

describe('crashing', () => {
  test('R-63, C03 a hundred questions under way fail at once when the session ends', async () => {
    const { client, server, initialize, clock: otherClock } = clientHarness(faults['silent-on-queries'])
    await initialize()
    const { acquire, clock, started, instance } = harness({ client: () => client })
    acquire()
    await clock.settle()
    const params = { textDocument: { uri: 'file:///a.fake' }, position: { line: 0, character: 0 } }
    const questions = Array.from({ length: 100 }, () =>
      watched(client.request(HoverRequest, params, { signal: neverAborted(), milliseconds: 30_000 })),
    )
    await server.received('textDocument/hover', 100)
    await started[0]?.die()
    await otherClock.settle()
    for (const { outcome } of questions) expect(outcome).toMatchObject({ kind: 'ServerRestarting' })
    expect(otherClock.now()).toBe(0)
    expect(instance.life.state.name).toBe('waitingToRestart')
  })

  test('R-72, R-70, C06 a crash is reported, and who asks meanwhile waits or is told, as the preset says', async () => {
    const waiting = harness()
    const crashed = waiting.events.until('server.crashed')
    waiting.acquire()
    await waiting.clock.settle()
    await waiting.started[0]?.die()
    expect(await crashed).toMatchObject({ cause: 'it died', server: 'first', root: '/root' })
    const patient = waiting.acquire()
    await waiting.clock.advance(1000)
    expect(patient.outcome).toBe(waiting.started[1]?.session)

    const failing = harness({ whileRestarting: 'fail' })
    failing.acquire()
    await failing.clock.settle()
    await failing.started[0]?.die()
    const hasty = failing.acquire()
    await failing.clock.settle()
    expect(hasty.outcome).toMatchObject({
      kind: 'ServerRestarting',
      hint: expect.stringContaining('text search'),
    })
  })

  test('C06 who waits for a restart longer than its time is told that there is one', async () => {
    const { acquire, clock, started } = harness()
    acquire()
    await clock.settle()
    await started[0]?.die()
    const hasty = acquire(500)
    await clock.advance(500)
    expect(hasty.outcome).toMatchObject({ kind: 'ServerRestarting' })
  })

  test('R-65, C07 after the fourth death calls get SessionDead, for good', async () => {
    const { acquire, clock, started, tried } = harness({ restart: presets['single-tool'].restart })
    for (let death = 1; death <= 4; death += 1) {
      acquire()
      await clock.settle()
      await started.at(-1)?.die()
    }
    const late = acquire()
    await clock.advance(600_000)
    expect(late.outcome).toMatchObject({
      kind: 'SessionDead',
      hint: expect.stringContaining('restart_server'),
    })
    expect(tried).toHaveLength(4)
  })

  test('R-71, C02 in the sandbox nothing runs after a crash until the next call', async () => {
    const { acquire, clock, started, tried } = harness({ restart: presets.sandbox.restart })
    acquire()
    await clock.settle()
    await started[0]?.die()
    await clock.advance(60_000)
    expect(tried).toHaveLength(1)
    const next = acquire()
    await clock.settle()
    expect(next.outcome).toBe(started[1]?.session)
  })

  test('R-75, C09 a hung server is killed, what waits for it fails, and it comes back under its rule', async () => {
    const { client, server, initialize, clock: otherClock } = clientHarness(faults['silent-on-queries'])
    await initialize()
    const { acquire, clock, started, instance } = harness({ client: () => client })
    acquire()
    await clock.settle()
    const params = { textDocument: { uri: 'file:///a.fake' }, position: { line: 0, character: 0 } }
    const question = watched(
      client.request(HoverRequest, params, { signal: neverAborted(), milliseconds: 30_000 }),
    )
    await server.received('textDocument/hover')
    instance.reportHung('deaf')
    await otherClock.settle()
    expect(question.outcome).toMatchObject({ kind: 'ServerRestarting' })
    expect(started[0]?.log).toEqual(['kill'])
    // The end of the killed session, when it comes, must not be taken for the end of the next one.
    await clock.advance(1000)
    await started[0]?.die()
    expect(instance.session).toBe(started[1]?.session)
    expect(instance.life.restarts).toBe(1)
  })
})

describe('indexing', () => {
  test('R-88 the state follows what the server says of its readiness', async () => {
    const { instance, acquire, clock, started, events } = harness()
    const seen: string[] = []
    events.subscribe(event => {
      if (event.type === 'server.stateChanged') seen.push(event.to)
    })
    acquire()
    await clock.settle()
    started[0]?.context.onReadiness(false)
    started[0]?.context.onReadiness(true)
    expect(instance.session).toBe(started[0]?.session)
    expect(seen).toEqual(['starting', 'ready', 'indexing', 'ready'])
  })
})

describe('idling', () => {
  const minutes = 60_000

  test('R-56 after ten minutes without a call it is stopped in order, and the next call starts another', async () => {
    const { acquire, clock, started, instance } = harness()
    acquire()
    await clock.advance(10 * minutes - 1)
    expect(instance.life.state.name).toBe('ready')
    await clock.advance(1)
    expect(started[0]?.log).toEqual(['stop within 5000'])
    expect(instance.life.state).toEqual({ name: 'stopped', why: 'idle' })
    const next = acquire()
    await clock.settle()
    expect(next.outcome).toBe(started[1]?.session)
  })

  test('R-57, R-58 only a call that counts puts the stop off', async () => {
    const { acquire, clock, instance } = harness()
    acquire()
    await clock.advance(9 * minutes)
    await instance.during(
      async () => 'polled',
      () => false,
    )
    await expect(instance.during(() => Promise.reject(failure('no')), succeeded)).rejects.toThrow('no')
    await clock.advance(minutes - 1)
    await instance.during(async () => 'found', succeeded)
    await clock.advance(10 * minutes - 1)
    expect(instance.life.state.name).toBe('ready')
    await clock.advance(1)
    expect(instance.life.state.name).toBe('stopped')
  })

  test('R-56 it is never stopped under a running call, however long that takes', async () => {
    const { acquire, clock, instance } = harness()
    acquire()
    await clock.settle()
    const gate = deferred()
    const call = instance.during(() => gate.promise, succeeded)
    await clock.advance(35 * minutes)
    expect(instance.life.state.name).toBe('ready')
    gate.resolve()
    await call
    await clock.advance(10 * minutes - 1)
    expect(instance.life.state.name).toBe('ready')
    await clock.advance(1)
    expect(instance.life.state.name).toBe('stopped')
  })

  test('R-57 a poller that happens to ask at the tenth minute does not keep it alive', async () => {
    const { acquire, clock, instance } = harness()
    acquire()
    await clock.settle()
    const gate = deferred()
    const poll = instance.during(
      () => gate.promise,
      () => false,
    )
    await clock.advance(10 * minutes)
    expect(instance.life.state.name).toBe('ready')
    gate.resolve()
    await poll
    await clock.settle()
    expect(instance.life.state.name).toBe('stopped')
  })

  test('R-60 without an idle rule it lives until the session ends', async () => {
    const { acquire, clock, instance } = harness({ idleMilliseconds: 0 })
    acquire()
    await clock.advance(10_000 * minutes)
    expect(instance.life.state.name).toBe('ready')
    await instance.stop('session-end')
    expect(instance.life.state).toEqual({ name: 'stopped', why: 'session-end' })
  })

  test('C19 a call during the idle stop waits for the fresh server and never meets the dying one', async () => {
    const { acquire, clock, started } = harness({ outcomes: ['stops slowly', 'starts'] })
    acquire()
    await clock.advance(10 * minutes)
    const caller = acquire()
    await clock.settle()
    expect(caller.outcome).toBeUndefined()
    expect(started).toHaveLength(1)
    await started[0]?.finishStop()
    expect(started).toHaveLength(2)
    expect(caller.outcome).toBe(started[1]?.session)
  })
})

describe('stopping', () => {
  test('R-59, C05 the stop is over when the process is gone, not when the conversation ends', async () => {
    const { acquire, clock, started, instance } = harness({ outcomes: ['stops slowly'] })
    acquire()
    await clock.settle()
    const stop = watched(instance.stop('operator').then(() => 'stopped'))
    await clock.settle()
    await started[0]?.die()
    expect(stop.outcome).toBeUndefined()
    await started[0]?.finishStop()
    expect(stop.outcome).toBe('stopped')
    expect(instance.life).toMatchObject({ state: { name: 'stopped' }, restarts: 0 })
  })

  test('R-60 a stop during the start calls it off, tells who waits, and leaves no session', async () => {
    const gate = deferred()
    const { acquire, clock, started, instance } = harness({ outcomes: [gate.promise] })
    const caller = acquire()
    await clock.settle()
    const stop = watched(instance.stop('session-end').then(() => 'stopped'))
    await clock.settle()
    expect(caller.outcome).toMatchObject({ kind: 'SessionDead' })
    expect(stop.outcome).toBeUndefined()
    gate.resolve()
    await clock.settle()
    expect(started[0]?.context.signal.aborted).toBe(true)
    expect(started[0]?.log).toEqual(['kill'])
    expect(stop.outcome).toBe('stopped')
    const late = acquire()
    await clock.settle()
    expect(late.outcome).toMatchObject({ kind: 'SessionDead' })
  })

  test('R-61 a start that does not let itself be called off holds up the end for the grace and no longer', async () => {
    const { acquire, clock, instance } = harness({ outcomes: [new Promise<void>(() => {})] })
    acquire()
    await clock.settle()
    const stop = watched(instance.stop('session-end').then(() => 'stopped'))
    await clock.advance(4999)
    expect(stop.outcome).toBeUndefined()
    await clock.advance(1)
    expect(stop.outcome).toBe('stopped')
  })

  test('R-66 restart stops the old server, starts a fresh one, and callers meanwhile get that one', async () => {
    const { acquire, clock, started, instance } = harness({ outcomes: ['stops slowly', 'starts'] })
    acquire()
    await clock.settle()
    const stop = instance.stop('restart')
    const caller = acquire()
    await clock.settle()
    expect(caller.outcome).toBeUndefined()
    await started[0]?.finishStop()
    await stop
    await clock.settle()
    expect(caller.outcome).toBe(started[1]?.session)
  })

  test('R-66 restart brings back a server that was off for good', async () => {
    const { acquire, clock, started, instance } = harness({
      outcomes: [failure('not installed'), 'starts'],
      restart: presets.governed.restart,
    })
    acquire()
    await clock.settle()
    expect(instance.life.state.name).toBe('failed')
    await instance.stop('restart')
    const caller = acquire()
    await clock.settle()
    expect(caller.outcome).toBe(started[0]?.session)
  })

  test('R-60 a stop in the wait for a restart cancels it', async () => {
    const { acquire, clock, started, instance, tried } = harness()
    acquire()
    await clock.settle()
    await started[0]?.die()
    await instance.stop('session-end')
    await clock.advance(60_000)
    expect(tried).toHaveLength(1)
  })
})
