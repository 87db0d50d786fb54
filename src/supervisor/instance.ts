// One language server for one root: performs the effects the lifecycle decides and feeds back what happened. It takes
// no decision of its own; callers ask it for a session and wait, with a deadline, until there is one.
import type { Clock, Timer } from '../clock.js'
import { withDeadline } from '../clock.js'
import { asBridgeError, BridgeError, unreachable } from '../errors.js'
import type { Events } from '../events.js'
import {
  type Effect,
  isAlive,
  type Life,
  type LifecycleEvent,
  newLife,
  publicState,
  type State,
  type StopReason,
  transition,
} from './lifecycle.js'
import type { RestartPolicy } from './restart-policy.js'
import { NothingToStart, type Session, type StartCandidate, type StartSession } from './session.js'

export interface InstanceOptions {
  readonly language: string
  readonly root: string
  /** In order of preference; the first that proves itself by a handshake is kept. */
  readonly candidates: readonly StartCandidate[]
  readonly startSession: StartSession
  readonly clock: Clock
  readonly events: Events
  readonly restart: RestartPolicy
  readonly whileRestarting: 'wait' | 'fail'
  readonly idleMilliseconds: number
  readonly stopGraceMilliseconds: number
  /** Whether a server that was found by itself is told of before it starts. */
  readonly announce?: boolean
}

export interface WaitForSession {
  readonly signal: AbortSignal
  readonly milliseconds: number
}

interface Waiter {
  readonly resolve: (session: Session) => void
  readonly reject: (error: BridgeError) => void
}

export class ServerInstance {
  readonly #options: InstanceOptions
  readonly #waiters = new Set<Waiter>()
  readonly #stopWaiters = new Set<() => void>()
  #life: Life = newLife
  #session: Session | undefined
  #starting: AbortController | undefined
  #startEnded: Promise<void> = Promise.resolve()
  #restartTimer: Timer | undefined
  #idleTimer: Timer | undefined
  #idleDue = false
  #callsInFlight = 0
  #lastError: BridgeError | undefined
  #chosen: StartCandidate | undefined

  /** Those of the next start. */
  #candidates: readonly StartCandidate[]

  constructor(options: InstanceOptions) {
    this.#options = options
    this.#candidates = options.candidates
  }

  get life(): Life {
    return this.#life
  }

  get session(): Session | undefined {
    return isAlive(this.#life.state) ? this.#session : undefined
  }

  get lastError(): BridgeError | undefined {
    return this.#lastError
  }

  /** What runs, or would run first. */
  get candidate(): StartCandidate | undefined {
    return this.#chosen ?? this.#candidates[0]
  }

  get root(): string {
    return this.#options.root
  }

  get language(): string {
    return this.#options.language
  }

  /** A live session, started if need be; simultaneous first callers share one start (fault S11). */
  async acquire(wait: WaitForSession): Promise<Session> {
    this.#dispatch({ type: 'wanted' })
    const { state } = this.#life
    const live = this.session
    if (live !== undefined) return live
    if (state.name === 'failed') throw this.#failedError()
    if (isOver(state)) throw this.#stoppedError()
    if (state.name === 'waitingToRestart' && this.#options.whileRestarting === 'fail')
      throw this.#restartingError()
    let waiter: Waiter | undefined
    const arrival = new Promise<Session>((resolve, reject) => {
      waiter = { resolve, reject }
      this.#waiters.add(waiter)
    })
    try {
      return await withDeadline(arrival, {
        clock: this.#options.clock,
        milliseconds: wait.milliseconds,
        signal: wait.signal,
        onTimeout: () => this.#notYetError(wait.milliseconds),
      })
    } finally {
      if (waiter !== undefined) this.#waiters.delete(waiter)
    }
  }

  /** Keeps the idle timer away while a call runs; `activity` says whether the call counts as use. */
  async during<T>(
    call: () => Promise<T>,
    countsAsActivity: (outcome: 'success' | 'failure') => boolean,
  ): Promise<T> {
    this.#callsInFlight += 1
    try {
      const result = await call()
      if (countsAsActivity('success')) this.#armIdleTimer()
      return result
    } catch (error) {
      if (countsAsActivity('failure')) this.#armIdleTimer()
      throw error
    } finally {
      this.#callsInFlight -= 1
      this.#stopIfIdle()
    }
  }

  /** From the next start on these are tried; what runs is left alone, and what was off for good may start again. */
  reconsider(candidates: readonly StartCandidate[]): void {
    this.#candidates = candidates
    if (!isAlive(this.#life.state)) this.#chosen = undefined
    this.#dispatch({ type: 'reconsidered' })
  }

  reportHung(cause: string): void {
    this.#dispatch({ type: 'hung', cause })
  }

  reportReadiness(ready: boolean): void {
    this.#dispatch({ type: ready ? 'indexingEnded' : 'indexingBegan' })
  }

  /** Ends what runs and starts anew, out of a failed state too; resolves when the new one is up. */
  async restart(wait: WaitForSession): Promise<Session> {
    await this.stop('restart')
    return this.acquire(wait)
  }

  async stop(why: StopReason): Promise<void> {
    this.#dispatch({ type: 'stopRequested', why })
    if (this.#life.state.name !== 'stopping') return
    await new Promise<void>(resolve => {
      this.#stopWaiters.add(resolve)
    })
  }

  #dispatch(event: LifecycleEvent): void {
    const before = this.#life.state
    const { life, effects } = transition(this.#life, event, this.#options.restart)
    this.#life = life
    const from = publicState(before)
    const to = publicState(life.state)
    if (from !== to) {
      const why = 'why' in life.state ? life.state.why : undefined
      const told = 'cause' in event ? event.cause : why
      const reason = told === undefined ? {} : { reason: told }
      const server = this.candidate?.definition.id ?? this.#options.language
      this.#options.events.emit({
        type: 'server.stateChanged',
        from,
        to,
        server,
        root: this.#options.root,
        ...reason,
      })
    }
    for (const effect of effects) this.#perform(effect)
    this.#settleWaiters()
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'start':
        this.#startEnded = this.#start()
        return
      case 'shutdown':
        void this.#shutdown()
        return
      case 'kill':
        this.#kill()
        return
      case 'failPending':
        this.#session?.client.failPending(this.#restartingError(effect.cause))
        return
      case 'scheduleRestart':
        this.#restartTimer = this.#options.clock.after(effect.delayMs, () =>
          this.#dispatch({ type: 'restartDue' }),
        )
        return
      case 'cancelRestart':
        this.#restartTimer?.cancel()
        return
      case 'reportCrash':
        this.#options.events.emit({
          type: 'server.crashed',
          cause: effect.cause,
          server: this.candidate?.definition.id ?? this.#options.language,
          root: this.#options.root,
        })
        return
      case 'warnForGood':
        this.#options.events.emit({
          type: 'bridge.logged',
          level: 'warning',
          message: `${this.candidate?.definition.title ?? this.#options.language} stays off: ${effect.cause}`,
        })
        return
      default:
        unreachable(effect)
    }
  }

  async #start(): Promise<void> {
    const abort = new AbortController()
    this.#starting = abort
    const failures: BridgeError[] = []
    for (const candidate of this.#candidates) {
      if (abort.signal.aborted) return
      this.#announce(candidate)
      try {
        const session = await this.#options.startSession(candidate, {
          root: this.#options.root,
          signal: abort.signal,
          onReadiness: ready => this.reportReadiness(ready),
          onHung: cause => this.reportHung(cause),
        })
        if (abort.signal.aborted) {
          session.kill()
          return
        }
        this.#begin(session, candidate)
        return
      } catch (thrown) {
        failures.push(asBridgeError(thrown))
      }
    }
    if (abort.signal.aborted) return
    const error = combine(failures, this.#options.language)
    this.#lastError = error
    for (const waiter of [...this.#waiters]) waiter.reject(error)
    this.#waiters.clear()
    const nothing = failures.every(failure => failure instanceof NothingToStart)
    this.#dispatch({ type: nothing ? 'startImpossible' : 'startFailed', cause: error.message })
  }

  #announce({ isDetected, how, command, args, definition }: StartCandidate): void {
    if (this.#options.announce !== true || isDetected !== true) return
    this.#options.events.emit({
      type: 'server.announced',
      how,
      command: [command, ...args],
      server: definition.id,
      root: this.#options.root,
    })
  }

  #begin(session: Session, candidate: StartCandidate): void {
    this.#session = session
    this.#chosen = candidate
    void session.ended.then(({ cause, clean }) => {
      // A session that was already replaced has nothing more to say, and one that is being stopped is so only when
      // its process is gone, which may be later than the end of the conversation.
      if (this.#session !== session || this.#life.state.name === 'stopping') return
      if (isAlive(this.#life.state)) this.#lastError = cause
      this.#dispatch({ type: 'exited', cause: cause.message, clean })
    })
    this.#options.events.emit({
      type: 'server.chosen',
      how: candidate.how,
      command: [candidate.command, ...candidate.args],
      server: candidate.definition.id,
      root: this.#options.root,
    })
    this.#dispatch({ type: 'initialized' })
    if (!session.client.readiness.current.ready) this.#dispatch({ type: 'indexingBegan' })
    this.#armIdleTimer()
  }

  async #shutdown(): Promise<void> {
    const session = this.#session
    this.#idleTimer?.cancel()
    try {
      await session?.stop(this.#options.stopGraceMilliseconds)
    } catch {
      // However the polite way failed, the process must go.
      session?.kill()
    }
    this.#session = undefined
    this.#dispatch({ type: 'stopFinished' })
  }

  #kill(): void {
    this.#starting?.abort()
    const session = this.#session
    this.#session = undefined
    session?.kill()
    if (this.#life.state.name === 'stopping') this.#finishStop()
  }

  /** A start that was called off still has a process to end; nobody waits for it longer than for a polite stop. */
  #finishStop(): void {
    const grace = new Promise<void>(resolve => {
      this.#options.clock.after(this.#options.stopGraceMilliseconds, resolve)
    })
    void Promise.race([this.#startEnded, grace]).then(() => this.#dispatch({ type: 'stopFinished' }))
  }

  #armIdleTimer(): void {
    this.#idleTimer?.cancel()
    this.#idleDue = false
    if (this.#options.idleMilliseconds <= 0 || !Number.isFinite(this.#options.idleMilliseconds)) return
    this.#idleTimer = this.#options.clock.after(this.#options.idleMilliseconds, () => {
      this.#idleDue = true
      this.#stopIfIdle()
    })
  }

  /** Not under a running call; if that one does not count as activity, its end is the end of the wait. */
  #stopIfIdle(): void {
    if (this.#idleDue && this.#callsInFlight === 0) this.#dispatch({ type: 'idleTooLong' })
  }

  #settleWaiters(): void {
    const { state } = this.#life
    const live = this.session
    if (live !== undefined) for (const waiter of this.#takeWaiters()) waiter.resolve(live)
    else if (state.name === 'failed')
      for (const waiter of this.#takeWaiters()) waiter.reject(this.#failedError())
    else if (isOver(state)) for (const waiter of this.#takeWaiters()) waiter.reject(this.#stoppedError())
    if (state.name !== 'stopping') {
      for (const resolve of this.#stopWaiters) resolve()
      this.#stopWaiters.clear()
    }
  }

  #takeWaiters(): Waiter[] {
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    return waiters
  }

  #failedError(): BridgeError {
    const { state } = this.#life
    const died = state.name === 'failed' && state.kind === 'died-too-often'
    if (!died && this.#lastError !== undefined) return this.#lastError
    const cause = state.name === 'failed' ? state.cause : 'it could not be started'
    return new BridgeError({
      kind: died ? 'SessionDead' : 'ServerUnavailable',
      message: `${this.#title()} is off for good: ${cause}`,
      hint: 'Mend the cause, then restart it (restart_server, or start Alidade anew). Text search still works meanwhile.',
      cause: this.#lastError,
    })
  }

  #stoppedError(): BridgeError {
    return new BridgeError({
      kind: 'SessionDead',
      message: `${this.#title()} was stopped`,
      hint: 'Start it again with restart_server, or start Alidade anew.',
    })
  }

  #restartingError(cause?: string): BridgeError {
    const { state } = this.#life
    const why = cause ?? (state.name === 'waitingToRestart' ? state.cause : 'it died')
    return new BridgeError({
      kind: 'ServerRestarting',
      message: `${this.#title()} is restarting: ${why}`,
      hint: 'Ask again in a few seconds; until then text search (grep) still works.',
      cause: this.#lastError,
    })
  }

  #notYetError(milliseconds: number): BridgeError {
    if (this.#life.state.name === 'waitingToRestart') return this.#restartingError()
    return new BridgeError({
      kind: 'RequestTimeout',
      message: `${this.#title()} was not up within ${Math.round(milliseconds / 100) / 10} s; it is still starting`,
      hint: 'Ask again: the start goes on in the background. A larger timeout_ms waits longer.',
    })
  }

  #title(): string {
    return this.candidate?.definition.title ?? `the ${this.#options.language} server`
  }
}

/** Whether waiting for a session is in vain, although the old process may not be gone yet. */
function isOver(state: State): boolean {
  return state.name === 'stopped' || (state.name === 'stopping' && !state.wantedAgain)
}

/** With several candidates the first failure is the one to mend; the others are told in one breath. */
function combine(failures: readonly BridgeError[], language: string): BridgeError {
  const [first, ...others] = failures
  if (first === undefined) {
    return new BridgeError({
      kind: 'ServerUnavailable',
      message: `no language server for ${language} is known`,
      hint: 'Register one in the configuration.',
    })
  }
  if (others.length === 0) return first
  return new BridgeError({
    kind: first.kind,
    message: [first, ...others].map(failure => failure.message).join('; then '),
    hint: first.hint,
    cause: first,
  })
}
