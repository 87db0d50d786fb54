// The life of one language server as a pure function: (record, event, policy) -> record + effects. Nothing here
// waits, spawns or reads a clock; `instance.ts` performs the effects and feeds what happens back as events.

import { unreachable } from '../errors.js'
import type { ServerState } from '../events.js'
import type { RestartPolicy } from './restart-policy.js'

export type State =
  | { readonly name: 'idle' }
  | { readonly name: 'starting' }
  | { readonly name: 'indexing' }
  | { readonly name: 'ready' }
  | { readonly name: 'waitingToRestart'; readonly delayMs: number; readonly cause: string }
  | { readonly name: 'stopping'; readonly why: StopReason; readonly wantedAgain: boolean }
  | { readonly name: 'stopped'; readonly why: StopReason }
  | { readonly name: 'failed'; readonly cause: string; readonly kind: FailureKind }

/** `idle` stops start again at the next call; the others need the operator. */
export type StopReason = 'idle' | 'session-end' | 'operator' | 'restart'

/** Whether the server ever answered decides what a caller is told: `ServerUnavailable` or `SessionDead`. */
export type FailureKind = 'never-started' | 'died-too-often'

/** A state with the counters that outlive it. */
export interface Life {
  readonly state: State
  /** Starts that failed since the last successful initialize. */
  readonly failedStarts: number
  /** Restarts waited for since the last successful initialize: they choose the next delay. */
  readonly waits: number
  /** Restarts over the whole life. */
  readonly restarts: number
  /** Exits that count under the `crashes` rule. */
  readonly crashes: number
  readonly everInitialized: boolean
}

export type LifecycleEvent =
  | { readonly type: 'wanted' }
  | { readonly type: 'initialized' }
  | { readonly type: 'startFailed'; readonly cause: string }
  /** There was nothing to start: the program is missing, or cannot be run. */
  | { readonly type: 'startImpossible'; readonly cause: string }
  | { readonly type: 'indexingBegan' }
  | { readonly type: 'indexingEnded' }
  | { readonly type: 'exited'; readonly cause: string; readonly clean: boolean }
  | { readonly type: 'hung'; readonly cause: string }
  | { readonly type: 'restartDue' }
  | { readonly type: 'idleTooLong' }
  | { readonly type: 'stopRequested'; readonly why: StopReason }
  | { readonly type: 'stopFinished' }
  /** The operator looked at the installation again: what was off for good may be tried once more. */
  | { readonly type: 'reconsidered' }

export type Effect =
  | { readonly type: 'start' }
  | { readonly type: 'shutdown' }
  | { readonly type: 'kill' }
  | { readonly type: 'failPending'; readonly cause: string }
  | { readonly type: 'scheduleRestart'; readonly delayMs: number }
  | { readonly type: 'cancelRestart' }
  | { readonly type: 'reportCrash'; readonly cause: string }
  | { readonly type: 'warnForGood'; readonly cause: string }

export interface Step {
  readonly life: Life
  readonly effects: readonly Effect[]
}

export const newLife: Life = {
  state: { name: 'idle' },
  failedStarts: 0,
  waits: 0,
  restarts: 0,
  crashes: 0,
  everInitialized: false,
}

export function transition(life: Life, event: LifecycleEvent, policy: RestartPolicy): Step {
  const { state } = life
  switch (event.type) {
    case 'wanted':
      return onWanted(life)
    case 'initialized':
      if (state.name !== 'starting') return unchanged(life)
      return to({ ...life, ...forgiven(life, policy), everInitialized: true }, { name: 'ready' })
    case 'startFailed':
      return state.name === 'starting' ? onStartFailed(life, event.cause, policy) : unchanged(life)
    case 'startImpossible':
      if (state.name !== 'starting') return unchanged(life)
      // Neither counted nor waited for (fault S01): the next call looks again, and somebody may have installed it by then.
      return policy.counts === 'restarts' ? fail(life, event.cause) : to(life, { name: 'idle' })
    case 'indexingBegan':
      return state.name === 'ready' ? to(life, { name: 'indexing' }) : unchanged(life)
    case 'indexingEnded':
      return state.name === 'indexing' ? to(life, { name: 'ready' }) : unchanged(life)
    case 'exited':
      return onExited(life, event, policy)
    case 'hung':
      if (!isAlive(state)) return unchanged(life)
      return onHung(life, event.cause, policy)
    case 'restartDue':
      if (state.name !== 'waitingToRestart') return unchanged(life)
      return to(life, { name: 'starting' }, { type: 'start' })
    case 'idleTooLong':
      return isAlive(state) ? stop(life, 'idle') : unchanged(life)
    case 'stopRequested':
      return onStopRequested(life, event.why)
    case 'stopFinished':
      return onStopFinished(life)
    case 'reconsidered':
      if (state.name !== 'failed') return unchanged(life)
      return to({ ...newLife, restarts: life.restarts }, { name: 'idle' })
    default:
      return unreachable(event)
  }
}

/** The public word for a state (contract 3.3). */
export function publicState(state: State): ServerState {
  return state.name === 'waitingToRestart' ? 'restarting' : state.name
}

/** Whether a running, initialized process stands behind this state. */
export function isAlive(state: State): boolean {
  return state.name === 'ready' || state.name === 'indexing'
}

/** Whether a successful start forgets the failed ones before it. */
function forgiven(
  { failedStarts, waits }: Life,
  { reset }: RestartPolicy,
): Pick<Life, 'failedStarts' | 'waits'> {
  return reset === 'never' ? { failedStarts, waits } : { failedStarts: 0, waits: 0 }
}

function onWanted(life: Life): Step {
  const { state } = life
  switch (state.name) {
    case 'idle':
      return to(life, { name: 'starting' }, { type: 'start' })
    case 'stopped':
      // Only an idle stop is undone by a call; what the operator stopped stays stopped.
      return state.why === 'idle' ? to(life, { name: 'starting' }, { type: 'start' }) : unchanged(life)
    case 'stopping':
      // A call that meets a dying process waits for the fresh one (fault C19).
      return state.why === 'idle' ? to(life, { ...state, wantedAgain: true }) : unchanged(life)
    case 'starting':
    case 'indexing':
    case 'ready':
    case 'waitingToRestart':
    case 'failed':
      return unchanged(life)
    default:
      return unreachable(state)
  }
}

function onStartFailed(life: Life, cause: string, policy: RestartPolicy): Step {
  const counted = { ...life, failedStarts: life.failedStarts + 1 }
  switch (policy.counts) {
    case 'failed-starts':
      if (counted.failedStarts >= policy.max) return fail(counted, cause)
      return waitOrIdle(counted, cause, policy)
    case 'restarts':
      // A start-up failure makes the server unavailable for the session; so does a failed restart.
      return fail(counted, cause)
    case 'crashes': {
      const crashed = { ...counted, crashes: counted.crashes + 1 }
      if (crashed.crashes > policy.max) return fail(crashed, cause)
      return waitOrIdle(crashed, cause, policy)
    }
    default:
      return unreachable(policy.counts)
  }
}

function onExited(
  life: Life,
  exit: { readonly cause: string; readonly clean: boolean },
  policy: RestartPolicy,
): Step {
  const { state } = life
  if (state.name === 'starting') return onStartFailed(life, exit.cause, policy)
  if (state.name === 'stopping') return onStopFinished(life)
  if (!isAlive(state)) return unchanged(life)
  const effects: Effect[] = [
    { type: 'failPending', cause: exit.cause },
    { type: 'reportCrash', cause: exit.cause },
  ]
  return withEffects(effects, afterCrash(life, exit, policy))
}

/** What is pending fails first: the kill takes away the session that knows it. */
function onHung(life: Life, cause: string, policy: RestartPolicy): Step {
  const { life: next, effects } = onExited(life, { cause, clean: false }, policy)
  return { life: next, effects: [...effects, { type: 'kill' }] }
}

function afterCrash(
  life: Life,
  exit: { readonly cause: string; readonly clean: boolean },
  policy: RestartPolicy,
): Step {
  switch (policy.counts) {
    case 'failed-starts':
      return waitOrIdle({ ...life, restarts: life.restarts + 1 }, exit.cause, policy)
    case 'restarts':
      if (life.restarts >= policy.max) return fail(life, exit.cause)
      return waitOrIdle({ ...life, restarts: life.restarts + 1 }, exit.cause, policy)
    case 'crashes': {
      // Only a non-zero exit counts; an unasked exit 0 still ends the process and starts anew at the next call.
      const crashed = exit.clean ? life : { ...life, crashes: life.crashes + 1 }
      if (crashed.crashes > policy.max) return fail(crashed, exit.cause)
      return waitOrIdle({ ...crashed, restarts: crashed.restarts + 1 }, exit.cause, policy)
    }
    default:
      return unreachable(policy.counts)
  }
}

function onStopRequested(life: Life, why: StopReason): Step {
  const { state } = life
  switch (state.name) {
    case 'starting':
      return to(life, { name: 'stopping', why, wantedAgain: why === 'restart' }, failPending(why), {
        type: 'kill',
      })
    case 'indexing':
    case 'ready':
      return stop(life, why)
    case 'waitingToRestart':
      return afterStop(life, why, [{ type: 'cancelRestart' }])
    case 'stopping':
      // The stricter reason wins: neither a waiting caller nor the operator undoes a session's end.
      if (why === 'idle' || state.why === 'session-end') return unchanged(life)
      return to(life, { name: 'stopping', why, wantedAgain: why === 'restart' })
    case 'stopped':
      if (why === 'idle' || state.why === 'session-end') return unchanged(life)
      return afterStop(life, why, [])
    case 'failed':
      // There is nothing to stop, and the cause of the failure tells more than "stopped" would.
      return why === 'idle' || why === 'operator' ? unchanged(life) : afterStop(life, why, [])
    case 'idle':
      return afterStop(life, why, [])
    default:
      return unreachable(state)
  }
}

function onStopFinished(life: Life): Step {
  const { state } = life
  if (state.name !== 'stopping') return unchanged(life)
  if (state.why === 'restart') return startAfresh(life)
  if (state.wantedAgain) return to(life, { name: 'starting' }, { type: 'start' })
  return to(life, { name: 'stopped', why: state.why })
}

function afterStop(life: Life, why: StopReason, effects: readonly Effect[]): Step {
  return withEffects(effects, why === 'restart' ? startAfresh(life) : to(life, { name: 'stopped', why }))
}

/** The operator's restart leaves a failed state too and forgets what was counted. */
function startAfresh(life: Life): Step {
  return to({ ...newLife, restarts: life.restarts }, { name: 'starting' }, { type: 'start' })
}

function stop(life: Life, why: StopReason): Step {
  const effects: Effect[] = why === 'idle' ? [] : [failPending(why)]
  return withEffects(
    effects,
    to(life, { name: 'stopping', why, wantedAgain: why === 'restart' }, { type: 'shutdown' }),
  )
}

function failPending(why: StopReason): Effect {
  return { type: 'failPending', cause: `the server is being stopped (${why})` }
}

function waitOrIdle(life: Life, cause: string, policy: RestartPolicy): Step {
  if (policy.trigger === 'on-call') return to(life, { name: 'idle' })
  const delayMs = backoff(policy, life.waits)
  const waiting = { ...life, waits: life.waits + 1 }
  return to(waiting, { name: 'waitingToRestart', delayMs, cause }, { type: 'scheduleRestart', delayMs })
}

function backoff(policy: RestartPolicy, waits: number): number {
  const step = policy.backoffMs[Math.min(waits, policy.backoffMs.length - 1)] ?? 0
  return Math.min(step, policy.maxBackoffMs)
}

function fail(life: Life, cause: string): Step {
  const kind: FailureKind = life.everInitialized ? 'died-too-often' : 'never-started'
  return to(life, { name: 'failed', cause, kind }, { type: 'warnForGood', cause })
}

function to(life: Life, state: State, ...effects: Effect[]): Step {
  return { life: { ...life, state }, effects }
}

function unchanged(life: Life): Step {
  return { life, effects: [] }
}

function withEffects(before: readonly Effect[], step: Step): Step {
  return { life: step.life, effects: [...before, ...step.effects] }
}
