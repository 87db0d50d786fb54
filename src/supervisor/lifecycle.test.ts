// The lifecycle in three ways: every pair of state and event in one table, each preset's restart rule as a story, and
// random walks through all of it that must keep what no server may ever break.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presetNames, presets } from '../config/presets.js'
import {
  type Effect,
  isAlive,
  type Life,
  type LifecycleEvent,
  newLife,
  publicState,
  type State,
  type Step,
  type StopReason,
  transition,
} from './lifecycle.js'
import type { RestartPolicy } from './restart-policy.js'

const states = {
  idle: { name: 'idle' },
  starting: { name: 'starting' },
  indexing: { name: 'indexing' },
  ready: { name: 'ready' },
  waiting: { name: 'waitingToRestart', delayMs: 1000, cause: 'it died' },
  'stopping (idle)': { name: 'stopping', why: 'idle', wantedAgain: false },
  'stopping (idle), wanted': { name: 'stopping', why: 'idle', wantedAgain: true },
  'stopping (operator)': { name: 'stopping', why: 'operator', wantedAgain: false },
  'stopping (restart), wanted': { name: 'stopping', why: 'restart', wantedAgain: true },
  'stopping (session-end)': { name: 'stopping', why: 'session-end', wantedAgain: false },
  'stopped (idle)': { name: 'stopped', why: 'idle' },
  'stopped (operator)': { name: 'stopped', why: 'operator' },
  'stopped (session-end)': { name: 'stopped', why: 'session-end' },
  failed: { name: 'failed', cause: 'it died', kind: 'died-too-often' },
} as const satisfies Record<string, State>
type StateKey = keyof typeof states

const events = {
  wanted: { type: 'wanted' },
  initialized: { type: 'initialized' },
  startFailed: { type: 'startFailed', cause: 'no' },
  startImpossible: { type: 'startImpossible', cause: 'nothing there' },
  indexingBegan: { type: 'indexingBegan' },
  indexingEnded: { type: 'indexingEnded' },
  exited: { type: 'exited', cause: 'code 1', clean: false },
  'exited with 0': { type: 'exited', cause: 'code 0', clean: true },
  hung: { type: 'hung', cause: 'deaf' },
  restartDue: { type: 'restartDue' },
  idleTooLong: { type: 'idleTooLong' },
  'stop idle': { type: 'stopRequested', why: 'idle' },
  'stop operator': { type: 'stopRequested', why: 'operator' },
  'stop restart': { type: 'stopRequested', why: 'restart' },
  'stop session-end': { type: 'stopRequested', why: 'session-end' },
  stopFinished: { type: 'stopFinished' },
} as const satisfies Record<string, LifecycleEvent>
type EventKey = keyof typeof events

const begun = 'starting: start'
const crashed = 'waiting: failPending reportCrash scheduleRestart'
const killed = `${crashed} kill`
const alive = {
  exited: crashed,
  'exited with 0': crashed,
  hung: killed,
  idleTooLong: 'stopping (idle): shutdown',
  'stop idle': 'stopping (idle): shutdown',
  'stop operator': 'stopping (operator): failPending shutdown',
  'stop restart': 'stopping (restart), wanted: failPending shutdown',
  'stop session-end': 'stopping (session-end): failPending shutdown',
} as const
const strictly = {
  'stop operator': 'stopping (operator)',
  'stop restart': 'stopping (restart), wanted',
  'stop session-end': 'stopping (session-end)',
} as const
const afterwards = (state: string) => ({ exited: state, 'exited with 0': state, stopFinished: state })

/** Under the rule of the plugin preset. A pair that is not listed changes nothing and has no effect. */
const table: Record<StateKey, Partial<Record<EventKey, string>>> = {
  idle: {
    wanted: begun,
    'stop idle': 'stopped (idle)',
    'stop operator': 'stopped (operator)',
    'stop restart': begun,
    'stop session-end': 'stopped (session-end)',
  },
  starting: {
    initialized: 'ready',
    startFailed: 'waiting: scheduleRestart',
    startImpossible: 'idle',
    exited: 'waiting: scheduleRestart',
    'exited with 0': 'waiting: scheduleRestart',
    'stop idle': 'stopping (idle): failPending kill',
    'stop operator': 'stopping (operator): failPending kill',
    'stop restart': 'stopping (restart), wanted: failPending kill',
    'stop session-end': 'stopping (session-end): failPending kill',
  },
  indexing: { ...alive, indexingEnded: 'ready' },
  ready: { ...alive, indexingBegan: 'indexing' },
  waiting: {
    restartDue: begun,
    'stop idle': 'stopped (idle): cancelRestart',
    'stop operator': 'stopped (operator): cancelRestart',
    'stop restart': 'starting: cancelRestart start',
    'stop session-end': 'stopped (session-end): cancelRestart',
  },
  'stopping (idle)': { ...strictly, wanted: 'stopping (idle), wanted', ...afterwards('stopped (idle)') },
  'stopping (idle), wanted': { ...strictly, ...afterwards(begun) },
  'stopping (operator)': { ...strictly, ...afterwards('stopped (operator)') },
  'stopping (restart), wanted': { ...strictly, ...afterwards(begun) },
  'stopping (session-end)': afterwards('stopped (session-end)'),
  'stopped (idle)': {
    wanted: begun,
    'stop operator': 'stopped (operator)',
    'stop restart': begun,
    'stop session-end': 'stopped (session-end)',
  },
  'stopped (operator)': { 'stop restart': begun, 'stop session-end': 'stopped (session-end)' },
  'stopped (session-end)': {},
  failed: { 'stop restart': begun, 'stop session-end': 'stopped (session-end)' },
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  // `Object.keys` forgets the keys' type; those given are all there are.
  return Object.keys(record).filter((key): key is Key => key in record)
}

function nameOf(state: State): string {
  switch (state.name) {
    case 'waitingToRestart':
      return 'waiting'
    case 'stopped':
      return `stopped (${state.why})`
    case 'stopping':
      return `stopping (${state.why})${state.wantedAgain ? ', wanted' : ''}`
    default:
      return state.name
  }
}

function outcome({ life, effects }: Step): string {
  const types = effects.map(effect => effect.type).join(' ')
  return types === '' ? nameOf(life.state) : `${nameOf(life.state)}: ${types}`
}

const plugin = presets.plugin.restart

test.each(keysOf(states))('C2 in the state %s every event does what the table says', key => {
  const life: Life = { ...newLife, state: states[key], everInitialized: true }
  const steps = keysOf(events).map(event => ({ event, step: transition(life, events[event], plugin) }))
  expect(steps.map(({ event, step }) => `${event} -> ${outcome(step)}`)).toEqual(
    keysOf(events).map(event => `${event} -> ${table[key][event] ?? key}`),
  )
  const silent = steps.filter(({ event }) => table[key][event] === undefined)
  for (const { step } of silent) expect(step.life).toEqual(life)
})

test('R-66 every state has a public word', () => {
  const words = keysOf(states).map(key => publicState(states[key]))
  expect([...new Set(words)].sort()).toEqual(
    ['failed', 'idle', 'indexing', 'ready', 'restarting', 'starting', 'stopped', 'stopping'].sort(),
  )
})

/** One server under one rule, told what happens to it. */
function story(policy: RestartPolicy) {
  let life = newLife
  const effects: Effect[] = []
  const happen = (...happened: readonly (LifecycleEvent | EventKey)[]) => {
    for (const event of happened) {
      const step = transition(life, typeof event === 'string' ? events[event] : event, policy)
      life = step.life
      effects.push(...step.effects)
    }
    return life.state
  }
  return {
    happen,
    get life() {
      return life
    },
    count: (type: Effect['type']) => effects.filter(effect => effect.type === type).length,
    delays: () => effects.flatMap(effect => (effect.type === 'scheduleRestart' ? [effect.delayMs] : [])),
  }
}

describe('governed', () => {
  const rule = presets.governed.restart

  test('R-64 one restart, at once, then off for the session', () => {
    const server = story(rule)
    server.happen('wanted', 'initialized', 'exited')
    expect(server.delays()).toEqual([0])
    expect(server.happen('restartDue', 'initialized')).toEqual({ name: 'ready' })
    expect(server.happen('exited')).toEqual({ name: 'failed', cause: 'code 1', kind: 'died-too-often' })
    expect(server.happen('wanted', 'restartDue').name).toBe('failed')
    expect(server.count('warnForGood')).toBe(1)
    expect(server.count('start')).toBe(2)
  })

  test('R-51 a start that fails is final, the first as well as the second', () => {
    const first = story(rule)
    expect(first.happen('wanted', 'startFailed')).toEqual({
      name: 'failed',
      cause: 'no',
      kind: 'never-started',
    })
    const second = story(rule)
    second.happen('wanted', 'initialized', 'exited', 'restartDue')
    expect(second.happen('startFailed')).toMatchObject({ name: 'failed', kind: 'died-too-often' })
  })
})

describe('single-tool', () => {
  const rule = presets['single-tool'].restart

  test('R-65 three deaths are forgiven at the next call, the fourth is for good', () => {
    const server = story(rule)
    for (let death = 1; death <= 3; death += 1) {
      server.happen('wanted', 'initialized')
      expect(server.happen('exited')).toEqual({ name: 'idle' })
      expect(server.count('start')).toBe(death)
    }
    server.happen('wanted', 'initialized')
    expect(server.happen('exited')).toMatchObject({ name: 'failed', kind: 'died-too-often' })
    expect(server.happen('wanted').name).toBe('failed')
    expect(server.count('scheduleRestart')).toBe(0)
    expect(server.count('warnForGood')).toBe(1)
  })

  test('R-65 only an exit with a status other than zero counts, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), cleanExits => {
        const server = story(rule)
        let deaths = 0
        for (const clean of cleanExits) {
          server.happen('wanted', 'initialized', clean ? 'exited with 0' : 'exited')
          if (!clean) deaths += 1
          expect(server.life.state.name).toBe(deaths > 3 ? 'failed' : 'idle')
          if (deaths > 3) return
        }
        expect(server.life.crashes).toBe(deaths)
      }),
    )
  })

  test('R-65 a hang counts like a death', () => {
    const server = story(rule)
    for (let hang = 1; hang <= 4; hang += 1) server.happen('wanted', 'initialized', 'hung')
    expect(server.life.state.name).toBe('failed')
    expect(server.count('kill')).toBe(4)
  })
})

describe.each(['default', 'full', 'plugin'] as const)('%s', name => {
  const rule = presets[name].restart

  test('R-67 after a crash the waits are 1, 2, 4, 8 and 16 s, and the fifth failed start is the last', () => {
    const server = story(rule)
    server.happen('wanted', 'initialized', 'exited')
    for (let failure = 1; failure <= 4; failure += 1) {
      expect(server.happen('restartDue', 'startFailed').name).toBe('waitingToRestart')
    }
    expect(server.delays()).toEqual([1000, 2000, 4000, 8000, 16_000])
    expect(server.happen('restartDue', 'startFailed')).toMatchObject({ name: 'failed' })
    expect(server.count('warnForGood')).toBe(1)
  })

  test('R-67 five failed first starts are enough as well', () => {
    const server = story(rule)
    server.happen('wanted', 'startFailed')
    for (let failure = 2; failure <= 5; failure += 1) server.happen('restartDue', 'startFailed')
    expect(server.delays()).toEqual([1000, 2000, 4000, 8000])
    expect(server.life.state).toMatchObject({ name: 'failed', kind: 'never-started' })
    expect(server.count('start')).toBe(5)
  })

  test('R-67 a successful initialize forgets the failures, in whatever order they come', () => {
    const attempts = fc.array(fc.constantFrom('fails', 'starts and dies'), { maxLength: 40 })
    fc.assert(
      fc.property(attempts, outcomes => {
        const server = story(rule)
        let failures = 0
        let waits = 0
        const expected: number[] = []
        server.happen('wanted')
        for (const attempt of outcomes) {
          if (attempt === 'fails') {
            failures += 1
            server.happen('startFailed')
          } else {
            failures = 0
            waits = 0
            server.happen('initialized', 'exited')
          }
          if (failures === 5) {
            expect(server.life.state.name).toBe('failed')
            expect(server.count('warnForGood')).toBe(1)
            return
          }
          expected.push([1000, 2000, 4000, 8000, 16_000][Math.min(waits, 4)] ?? 0)
          waits += 1
          expect(server.delays()).toEqual(expected)
          server.happen('restartDue')
        }
        expect(server.count('warnForGood')).toBe(0)
      }),
    )
  })

  test('R-66 the operator leaves the failed state, and what was counted is forgotten', () => {
    const server = story(rule)
    server.happen('wanted', 'startFailed')
    for (let failure = 2; failure <= 5; failure += 1) server.happen('restartDue', 'startFailed')
    expect(server.happen('wanted').name).toBe('failed')
    expect(server.happen('stop operator').name).toBe('failed')
    expect(server.happen('stop restart')).toEqual({ name: 'starting' })
    expect(server.happen('startFailed')).toMatchObject({ name: 'waitingToRestart', delayMs: 1000 })
    expect(server.life.failedStarts).toBe(1)
  })
})

test('R-66 a restart of a running server forgets what was counted, like one of a failed server', () => {
  const server = story(presets['single-tool'].restart)
  for (let death = 1; death <= 3; death += 1) server.happen('wanted', 'initialized', 'exited')
  server.happen('wanted', 'initialized', 'stop restart')
  expect(server.happen('stopFinished')).toEqual({ name: 'starting' })
  expect(server.happen('initialized', 'exited')).toEqual({ name: 'idle' })
  expect(server.life.crashes).toBe(1)
})

test('R-71 in the sandbox the next call starts it again, however often it died', () => {
  const server = story(presets.sandbox.restart)
  for (let death = 1; death <= 50; death += 1) {
    server.happen('wanted', 'initialized')
    expect(server.happen(death % 2 === 0 ? 'exited' : 'hung')).toEqual({ name: 'idle' })
  }
  expect(server.count('start')).toBe(50)
  expect(server.count('warnForGood')).toBe(0)
})

test('C19 a call that comes during an idle stop starts a fresh server when the old one is gone', () => {
  const server = story(presets.default.restart)
  server.happen('wanted', 'initialized', 'idleTooLong', 'wanted')
  expect(server.count('start')).toBe(1)
  expect(server.happen('stopFinished')).toEqual({ name: 'starting' })
  expect(server.count('start')).toBe(2)
})

test('C19 the end of the session overtakes an idle stop that somebody waits for', () => {
  const server = story(presets.default.restart)
  server.happen('wanted', 'initialized', 'idleTooLong', 'wanted', 'stop session-end', 'wanted')
  expect(server.happen('stopFinished', 'wanted')).toEqual({ name: 'stopped', why: 'session-end' })
  expect(server.count('start')).toBe(1)
})

test('C05 a death during the stop is the stop, not a crash', () => {
  const server = story(presets.default.restart)
  server.happen('wanted', 'initialized', 'stop session-end', 'exited')
  expect(server.life).toMatchObject({ state: { name: 'stopped' }, crashes: 0, restarts: 0 })
  expect(server.count('reportCrash')).toBe(0)
})

test('R-56 an idle stop is undone by the next call, the operator stop is not', () => {
  const idle = story(presets.default.restart)
  expect(idle.happen('wanted', 'initialized', 'idleTooLong', 'stopFinished', 'wanted').name).toBe('starting')
  const stopped = story(presets.default.restart)
  stopped.happen('wanted', 'initialized', 'stop operator', 'stopFinished')
  expect(stopped.happen('wanted', 'stop idle', 'wanted')).toEqual({ name: 'stopped', why: 'operator' })
})

describe.each(presetNames)('random walks under %s', name => {
  const rule = presets[name].restart

  test('C2 there is never a second process, nor one that nobody ends', () => {
    walk(rule, ({ before, event, after, effects, world }) => {
      if (ends(event, before.state)) world.running = false
      for (const effect of effects) {
        if (effect.type === 'kill') world.running = false
        if (effect.type !== 'start') continue
        expect(world.running).toBe(false)
        world.running = true
      }
      const { state } = after
      if (state.name === 'starting' || isAlive(state)) expect(world.running).toBe(true)
      else if (state.name !== 'stopping') expect(world.running).toBe(false)
    })
  })

  test('C2 the end of a session is final, and only the operator leaves the failed state', () => {
    walk(rule, ({ before, event, after, effects, world }) => {
      if (world.ended) {
        expect(effects.filter(effect => effect.type === 'start')).toEqual([])
        if (before.state.name === 'stopped') expect(after).toBe(before)
      }
      if (event.type === 'stopRequested' && event.why === 'session-end') world.ended = true
      if (before.state.name !== 'failed' || after.state.name === 'failed') return
      expect(event).toMatchObject({ type: 'stopRequested' })
      if (after.state.name === 'starting') expect(event).toMatchObject({ why: 'restart' })
      else expect(after.state).toEqual({ name: 'stopped', why: 'session-end' })
    })
  })

  test('R-63 whoever waits for an answer of a server that goes is told so', () => {
    walk(rule, ({ before, event, after, effects }) => {
      if (!isAlive(before.state) || isAlive(after.state)) return
      const why: StopReason | undefined = event.type === 'stopRequested' ? event.why : undefined
      // The idle rule fires only while no call runs.
      if (event.type === 'idleTooLong' || why === 'idle') return
      expect(effects[0]?.type).toBe('failPending')
    })
  })

  test('R-67 counts never go below zero, one warning per failure, a wait is planned or cancelled', () => {
    walk(rule, ({ before, after, effects }) => {
      const types = effects.map(effect => effect.type)
      const { failedStarts, waits, restarts, crashes } = after
      for (const count of [failedStarts, waits, restarts, crashes]) expect(count).toBeGreaterThanOrEqual(0)
      expect(after.restarts).toBeGreaterThanOrEqual(before.restarts)
      const entered = (state: State['name']) => before.state.name !== state && after.state.name === state
      expect(types.includes('warnForGood')).toBe(entered('failed'))
      expect(types.includes('scheduleRestart')).toBe(entered('waitingToRestart'))
      const left = before.state.name === 'waitingToRestart' && after.state.name !== 'waitingToRestart'
      if (left) expect(types.some(type => type === 'cancelRestart' || type === 'start')).toBe(true)
      expect(publicState(after.state)).toBeTypeOf('string')
    })
  })
})

interface Visit {
  readonly before: Life
  readonly event: LifecycleEvent
  readonly after: Life
  readonly effects: readonly Effect[]
  /** What the walker remembers; fresh for each walk. */
  readonly world: { running: boolean; ended: boolean }
}

function walk(policy: RestartPolicy, check: (visit: Visit) => void): void {
  // The session's end is rare, or every walk would be over before anything had happened.
  const usual = keysOf(events).filter(key => key !== 'stop session-end')
  const event = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constant('stop session-end' as const) },
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), path => {
      let life = newLife
      const world = { running: false, ended: false }
      for (const key of path) {
        const { life: after, effects } = transition(life, events[key], policy)
        check({ before: life, event: events[key], after, effects, world })
        life = after
      }
    }),
    { numRuns: 300 },
  )
}

/** Whether the process is gone once this has happened. */
function ends(event: LifecycleEvent, state: State): boolean {
  switch (event.type) {
    case 'startFailed':
    case 'startImpossible':
      return state.name === 'starting'
    case 'exited':
      return state.name === 'starting' || state.name === 'stopping' || isAlive(state)
    case 'stopFinished':
      return state.name === 'stopping'
    default:
      return false
  }
}
