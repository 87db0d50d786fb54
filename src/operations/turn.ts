// One turn of a model that may change files, from its baseline to its close, for the host that runs the model: it tells
// when it is time to look, and gets what to put into the next context or before the operator. Nothing here throws or
// ends a session: what could not be validated is on record as that (INV-LSP-005, INV-LSP-006).
import type { z } from 'zod'
import type { ChangeClass } from '../changes/classes.js'
import {
  defaultRounds,
  firstTurnState,
  nextStep,
  type OperatorReason,
  roundOf,
  type TurnState,
  type TurnStep,
} from '../changes/turn.js'
import { unreachable } from '../errors.js'
import type { Answer, Success } from './answer.js'
import { beginChange } from './begin-change.js'
import { checkChange } from './check-change.js'
import type { Operation } from './operation.js'
import { counted, renderAnswer } from './render.js'
import type { Call } from './run.js'

type CheckResult = z.output<typeof checkChange.output>
type Diagnostic = CheckResult['files'][number]['new'][number]

export interface TurnOptions {
  /** The files that will be edited, if that is known: their baseline is then asked for at once. */
  readonly files?: readonly string[]
  /** How often the model may correct itself. */
  readonly rounds?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** What to do now, with the text for it. */
export type TurnNext = TurnStep & {
  /** For the model's next context, or for the operator; empty where nobody needs to be told. */
  readonly text: string
}

export interface TurnVerdict {
  readonly class: ChangeClass
  /** How many corrections the model had been asked for when this was found. */
  readonly round: number
  readonly rounds: number
  /** Errors that the turn introduced and that are still there. */
  readonly errors: readonly Diagnostic[]
  readonly next: TurnNext
  /** As `check_change` answered. */
  readonly answer: Answer<CheckResult>
}

export interface TurnReport extends TurnVerdict {
  /** Every attempt to validate, in order. */
  readonly attempts: readonly TurnAttempt[]
}

export interface TurnAttempt {
  readonly round: number
  readonly class: ChangeClass
  readonly errors: number
  /** Why it came to nothing. */
  readonly reason?: string
  /** The id of its record; absent where none is kept. */
  readonly evidence?: string
}

export interface Turn {
  /** The handle of its change; undefined where the baseline could not be fixed, and what servers saw before counts. */
  readonly change: string | undefined
  /** Says which files the turn edited. If it is said of any, those alone are judged as its own. */
  edited(...files: readonly string[]): void
  /** Judges what was changed so far. */
  check(): Promise<TurnVerdict>
  /** Validates what was not validated yet, and ends the turn. Calling it again returns the same report. */
  close(): Promise<TurnReport>
}

type Run = (operation: Operation, input: unknown, call: Call) => Promise<Answer<unknown>>

export async function beginTurn(run: Run, options: TurnOptions = {}): Promise<Turn> {
  const { files, timeoutMs } = options
  const input = {
    ...(files === undefined ? {} : { files: [...files] }),
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  }
  const begun = await run(beginChange, input, { caller: 'host', signal: options.signal })
  const parsed = begun.ok ? beginChange.output.safeParse(begun.result) : undefined
  return new RunningTurn(run, parsed?.data?.change, options)
}

class RunningTurn implements Turn {
  readonly change: string | undefined
  readonly #run: Run
  readonly #options: TurnOptions
  readonly #edited = new Set<string>()
  readonly #attempts: TurnAttempt[] = []
  #state: TurnState = firstTurnState
  /** Of the last check, while nothing was said to be edited since. */
  #last: TurnVerdict | undefined
  #closing: Promise<TurnReport> | undefined

  constructor(run: Run, change: string | undefined, options: TurnOptions) {
    this.#run = run
    this.change = change
    this.#options = options
  }

  edited(...files: readonly string[]): void {
    for (const file of files) this.#edited.add(file)
    this.#last = undefined
  }

  async check(): Promise<TurnVerdict> {
    if (this.#closing !== undefined) return this.#closing
    this.#last = await this.#judge('judged')
    return this.#last
  }

  close(): Promise<TurnReport> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<TurnReport> {
    const last = this.#last
    // Only a host that tells of its edits can be taken at its word that there were none.
    if (last === undefined || this.#edited.size === 0) {
      return { ...(await this.#judge('closed')), attempts: this.#attempts }
    }
    const { class: name, answer, errors, round, rounds } = last
    const { step, state } = nextStep(this.#state, { event: 'closed', class: name }, rounds)
    this.#state = state
    const next = { ...step, text: this.#textOf(step, answer, errors) }
    return { class: name, round, rounds, errors, answer, next, attempts: this.#attempts }
  }

  async #judge(event: 'judged' | 'closed'): Promise<TurnVerdict> {
    const { rounds = defaultRounds, timeoutMs, signal } = this.#options
    const round = roundOf(this.#state, rounds)
    const input = {
      ...(this.change === undefined ? {} : { change: this.change }),
      ...(this.#edited.size === 0 ? {} : { files: [...this.#edited] }),
      ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    }
    const isLast = event === 'closed'
    const answer = typed(
      await this.#run(checkChange, input, { caller: 'host', signal, round: { round, rounds, isLast } }),
    )
    const name = answer.ok ? answer.result.class : 'lsp_unavailable'
    const errors = answer.ok ? errorsIn(answer) : []
    this.#attempts.push({ round, class: name, errors: errors.length, ...recordOf(answer) })
    const { state, step } = nextStep(this.#state, { event, class: name }, rounds)
    this.#state = state
    return {
      class: name,
      round,
      rounds,
      errors,
      answer,
      next: { ...step, text: this.#textOf(step, answer, errors) },
    }
  }

  #textOf(step: TurnStep, answer: Answer<CheckResult>, errors: readonly Diagnostic[]): string {
    const told = renderAnswer(checkChange, answer)
    switch (step.action) {
      case 'continue':
        return ''
      case 'inform':
        return `Your change brought new warnings.\n${told}`
      case 'correct':
        return [
          `Your change introduced ${counted(errors.length, 'error')} (correction ${step.round} of ${step.rounds}). Correct it before going on.`,
          told,
        ].join('\n')
      case 'unvalidated':
        return `Whether the change broke anything could not be established.\n${told}`
      case 'operator':
        return [reasons[step.because], told, ...this.#attempts.map(attemptLine)].join('\n')
      default:
        return unreachable(step)
    }
  }
}

const reasons: Readonly<Record<OperatorReason, string>> = {
  rounds_exhausted:
    'Unresolved: the model has used up its corrections, and errors it introduced are still there.',
  closed_with_errors: 'Unresolved: the turn was closed with errors that it introduced.',
  correction_unproven:
    'Unresolved: the turn introduced errors, and whether they are gone could not be established.',
}

function attemptLine({ round, class: name, errors, reason, evidence }: TurnAttempt): string {
  const facts = [
    round === 0 ? 'first look' : `after correction ${round}`,
    name,
    ...(errors > 0 ? [counted(errors, 'new error')] : []),
    ...(reason === undefined ? [] : [reason]),
    ...(evidence === undefined ? [] : [evidence]),
  ]
  return `attempt: ${facts.join(', ')}`
}

function errorsIn({ result }: Success<CheckResult>): Diagnostic[] {
  return result.files.flatMap(file => file.new.filter(({ severity }) => severity === 'error'))
}

function recordOf(answer: Answer<CheckResult>): { reason?: string; evidence?: string } {
  if (!answer.ok) return { reason: `${answer.kind}: ${answer.error}` }
  return answer.evidence === undefined ? {} : { evidence: answer.evidence }
}

/** The pipeline's answers are of any operation; this one's has the shape it declares. */
function typed(answer: Answer<unknown>): Answer<CheckResult> {
  return answer.ok ? { ...answer, result: checkChange.output.parse(answer.result) } : answer
}
