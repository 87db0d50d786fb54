// What follows from the verdicts on one turn of a model: go on, tell it, let it correct itself, or hand the matter to the
// operator. Pure: whoever asks the servers and talks to the model gives verdicts and gets the next step.
import { unreachable } from '../errors.js'
import type { ChangeClass } from './classes.js'

export const defaultRounds = 2

export type TurnState =
  /** Nothing is known to be wrong. */
  | { readonly state: 'working' }
  /** The model was told of errors it introduced, for the `round`th time. */
  | { readonly state: 'correcting'; readonly round: number }
  /** The operator has it. */
  | { readonly state: 'handed_over' }
  | { readonly state: 'closed' }

export type TurnEvent =
  | { readonly event: 'judged'; readonly class: ChangeClass }
  /** The last verdict: whatever it is, the turn is over. */
  | { readonly event: 'closed'; readonly class: ChangeClass }

export type TurnStep =
  | { readonly action: 'continue' }
  /** The model should know of it, and goes on. */
  | { readonly action: 'inform' }
  /** The errors go into the model's next context. */
  | { readonly action: 'correct'; readonly round: number; readonly rounds: number }
  /** Nobody could say whether something broke; that is on record, and the turn goes on without it. */
  | { readonly action: 'unvalidated' }
  | { readonly action: 'operator'; readonly because: OperatorReason }

export type OperatorReason =
  | 'rounds_exhausted'
  | 'closed_with_errors'
  /** Errors were found, and whether they are gone could not be established. */
  | 'correction_unproven'

export const firstTurnState: TurnState = { state: 'working' }

/** How many corrections the model was asked for so far. */
export function roundOf(state: TurnState, rounds: number): number {
  switch (state.state) {
    case 'working':
      return 0
    case 'correcting':
      return state.round
    case 'handed_over':
    case 'closed':
      return rounds
    default:
      return unreachable(state)
  }
}

export function nextStep(
  state: TurnState,
  event: TurnEvent,
  rounds: number,
): { readonly state: TurnState; readonly step: TurnStep } {
  if (event.event === 'closed')
    return { state: { state: 'closed' }, step: lastStep(state, event.class, rounds) }
  const { class: name } = event
  switch (name) {
    case 'clean':
    case 'baseline_error':
      return { state: firstTurnState, step: { action: 'continue' } }
    case 'warnings_only':
      return { state: firstTurnState, step: { action: 'inform' } }
    case 'lsp_unavailable':
      // Errors that were told stay told: silence does not resolve them.
      return { state, step: { action: 'unvalidated' } }
    case 'new_errors': {
      const round = roundOf(state, rounds)
      if (round >= rounds)
        return { state: { state: 'handed_over' }, step: { action: 'operator', because: 'rounds_exhausted' } }
      const next = round + 1
      return { state: { state: 'correcting', round: next }, step: { action: 'correct', round: next, rounds } }
    }
    default:
      return unreachable(name)
  }
}

function lastStep(state: TurnState, name: ChangeClass, rounds: number): TurnStep {
  switch (name) {
    case 'clean':
    case 'baseline_error':
      return { action: 'continue' }
    case 'warnings_only':
      return { action: 'inform' }
    case 'lsp_unavailable':
      return state.state === 'correcting' || state.state === 'handed_over'
        ? { action: 'operator', because: 'correction_unproven' }
        : { action: 'unvalidated' }
    case 'new_errors': {
      const isOver = roundOf(state, rounds) >= rounds
      return { action: 'operator', because: isOver ? 'rounds_exhausted' : 'closed_with_errors' }
    }
    default:
      return unreachable(name)
  }
}
