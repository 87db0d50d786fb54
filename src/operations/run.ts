// The one pipeline every call goes through: parse the input, ask the policy, put the question, judge, cut, record. Errors
// are caught here and nowhere else.
import * as z from 'zod'
import { type Clock, withDeadline } from '../clock.js'
import { asBridgeError, BridgeError } from '../errors.js'
import { type Events, nameCall } from '../events.js'
import type { CorrectionRound, Recorder } from '../evidence/evidence.js'
import { definedOnly } from '../json.js'
import type { Approve, Authority } from '../policy/authority.js'
import type { Workspace } from '../workspace/workspace.js'
import type { Answer, Failure, Success } from './answer.js'
import { askAboutFile, type Reply } from './ask.js'
import { CallState } from './call-state.js'
import { parseInput } from './input.js'
import type { Operation } from './operation.js'
import { asking, mayRun } from './permission.js'
import { cutToFit } from './render.js'

export interface RunDependencies {
  readonly workspace: Workspace
  readonly authority: Authority
  /** Asked where a call has nobody of its own to ask. */
  readonly approve: Approve | undefined
  readonly record: Recorder
  readonly events: Events
  readonly clock: Clock
  /** For a whole call, unless it says otherwise. */
  readonly callMilliseconds: number
  /** For one request to a server that is ready. */
  readonly requestMilliseconds: number
  readonly limitBytes: number
  readonly idleCounts: 'model' | 'success' | 'any'
  readonly readGate: boolean
  readonly manners: Manners
}

/** How a preset speaks where others speak otherwise. */
export interface Manners {
  /** The kind of arguments that cannot be parsed (C27). */
  readonly argumentErrorKind: 'InvalidArguments' | 'Wire'
  /** Whether the way to install a server stands in the error too (C28). */
  readonly hintInError: boolean
  /** What an operation's argument is when it is not given, by operation (C20). */
  readonly defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface Call {
  readonly caller: 'model' | 'host'
  /** Asked by a poller, not by somebody: keeps no server alive. */
  readonly synthetic?: boolean
  /** Milliseconds to wait for a report of diagnostics at most. */
  readonly patience?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Asks somebody whether it may be done, where the policy wants that. */
  readonly approve?: Approve | undefined
  /** Where in a turn's self-correction the call stands, for its record. */
  readonly round?: CorrectionRound | undefined
}

export function runOperation(
  operation: Operation,
  rawInput: unknown,
  call: Call,
  dependencies: RunDependencies,
): Promise<Answer<unknown>> {
  const letEnd = stayAlive()
  return answerFor(operation, rawInput, call, dependencies).finally(letEnd)
}

async function answerFor(
  operation: Operation,
  rawInput: unknown,
  call: Call,
  dependencies: RunDependencies,
): Promise<Answer<unknown>> {
  const { clock, events, record } = dependencies
  const startedAt = clock.now()
  const trace = record.begin()
  let state: CallState | undefined
  const { name, effect } = operation
  const { caller } = call
  const approve = asking(call.approve ?? dependencies.approve, call.signal, () => state)
  const authority = dependencies.authority.forCall({
    call: trace.call,
    operation: name,
    effect,
    caller,
    approve,
  })
  const recorded = (outcome: { ok: boolean; errorKind?: string; answer?: Success<unknown> }) =>
    trace.close({
      operation: operation.name,
      effect: operation.effect,
      caller: call.caller,
      synthetic: call.synthetic,
      round: call.round,
      milliseconds: clock.now() - startedAt,
      servers: state?.servers ?? [],
      input: rawInput,
      ...outcome,
    })
  try {
    await trace.admit()
    const input = parsed(operation, rawInput, dependencies.manners)
    await mayRun(operation, input, authority, dependencies.workspace)
    // What changes the world is on record before it does.
    if (operation.effect === 'edit' || operation.effect === 'execute') await trace.secure()
    const milliseconds = timeoutOf(input) ?? operation.milliseconds ?? dependencies.callMilliseconds
    const countsAsActivity = activityRule(call, dependencies.idleCounts)
    const { patience } = call
    state = new CallState({
      ...dependencies,
      milliseconds,
      countsAsActivity,
      authorize: (...abouts) => authority.authorize(...abouts),
      askNoMore: () => authority.askNoMore(),
      maySend: method => authority.maySend(method),
      patience,
    })
    nameCall(state.signal, trace.call)
    const answer = await answerWithin(state, milliseconds, operation, input, call, dependencies)
    const evidence = await recorded({ ok: true, answer })
    return evidence === undefined ? answer : { ...answer, evidence }
  } catch (thrown) {
    const error = asBridgeError(thrown)
    if (error.kind === 'Bug')
      events.emit({ type: 'bridge.logged', level: 'error', message: describeBug(error) })
    try {
      await recorded({ ok: false, errorKind: error.kind })
    } catch (unrecorded) {
      return failure(asBridgeError(unrecorded))
    }
    return failure(error, dependencies.manners)
  } finally {
    authority.end()
  }
}

export function failure(error: BridgeError, manners?: Pick<Manners, 'hintInError'>): Failure {
  const { kind, message, hint, candidates } = error
  const isInstallHint = kind === 'ServerUnavailable' && hint !== undefined
  const told = isInstallHint && manners?.hintInError === true ? `${message}. ${hint}` : message
  const base = { ok: false as const, kind, error: told, hint: hint ?? 'See the message.' }
  return candidates === undefined ? base : { ...base, candidates }
}

function answerWithin(
  state: CallState,
  milliseconds: number,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  call: Call,
  { clock, limitBytes }: RunDependencies,
): Promise<Success<unknown>> {
  const now = () => clock.date().toISOString()
  const replied =
    operation.on === 'workspace'
      ? askWorkspace(operation, input, state, now)
      : askAboutFile({ operation, input, now }, state)
  return withDeadline(
    replied.then(reply => {
      state.throwIfStopped()
      return envelope(operation, reply, state, limitBytes)
    }),
    {
      clock,
      milliseconds,
      signal: call.signal,
      paused: () => state.paused(),
      onTimeout: () => state.timeOut(),
    },
  ).finally(() => state.abandon())
}

/** Only what cannot be parsed is a matter of manners; an argument that fits and means nothing is always ours. */
function parsed(operation: Operation, raw: unknown, { argumentErrorKind, defaults }: Manners) {
  const usual = defaults[operation.name]
  const isFields = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const input =
    usual !== undefined && (isFields || raw === undefined) ? { ...usual, ...definedOnly(raw ?? {}) } : raw
  try {
    return parseInput(operation, input)
  } catch (thrown) {
    const { kind, message, hint, cause } = asBridgeError(thrown)
    if (kind !== 'InvalidArguments') throw thrown
    throw new BridgeError({ kind: argumentErrorKind, message, hint, cause })
  }
}

/** No deadline keeps a process alive; somebody who awaits an answer must not see the process end instead. */
function stayAlive(): () => void {
  const handle = setInterval(() => undefined, 60_000)
  return () => clearInterval(handle)
}

async function askWorkspace(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  state: CallState,
  now: () => string,
): Promise<Reply> {
  const queriedAt = now()
  const result = await operation.run(input, state.context())
  return { result, target: undefined, freshness: { ...state.freshness, queried_at: queriedAt } }
}

function envelope(
  operation: Operation,
  reply: Reply,
  state: CallState,
  limitBytes: number,
): Success<unknown> {
  const { result, target, freshness } = reply
  const whole: Success<unknown> = {
    ok: true,
    result,
    ...(target === undefined ? {} : { target }),
    completeness: state.completeness,
    freshness,
    servers: [...state.servers],
  }
  return cutToFit(operation, whole, limitBytes)
}

/** Which calls keep a server from being stopped as idle. */
function activityRule(
  call: Call,
  counts: RunDependencies['idleCounts'],
): (outcome: 'success' | 'failure') => boolean {
  return outcome => {
    if (counts === 'any') return true
    if (call.synthetic === true) return false
    return counts === 'model' || outcome === 'success'
  }
}

const withTimeout = z.object({ timeout_ms: z.number().optional() })

function timeoutOf(input: unknown): number | undefined {
  return withTimeout.safeParse(input).data?.timeout_ms
}

function describeBug(error: BridgeError): string {
  const { cause } = error
  return cause instanceof Error ? (cause.stack ?? cause.message) : error.message
}
