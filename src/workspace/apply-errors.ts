// Why a plan is not written, or not any more; one function for each reason, each with what to do next.
import { BridgeError, messageOf } from '../errors.js'
import { codeOf } from './disk.js'
import { quoted } from './path-errors.js'

/** Somebody changed the file since the proposal was made from it. */
export function staleProposal(file: string, what = 'changed'): BridgeError {
  return new BridgeError({
    kind: 'StaleProposal',
    message: `${quoted(file)} ${what} since the proposal was made`,
    hint: 'Nothing was written. Make the proposal again: it is then made from the present content.',
  })
}

export function asWriteError(failure: unknown): BridgeError {
  if (failure instanceof BridgeError) return failure
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `the plan could not be written (${codeOf(failure) || messageOf(failure)})`,
    hint: 'Nothing was changed. Check the permissions and the free space of the workspace, then apply it again.',
    cause: failure,
  })
}

export function notTakenBack(failure: unknown, error: unknown): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `the plan could not be written (${codeOf(failure) || messageOf(failure)}), nor taken back (${codeOf(error) || messageOf(error)})`,
    hint: 'Make the workspace writable again: the next start takes back what was changed.',
    cause: failure,
  })
}

export function readOnly(file: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${quoted(file)} is read-only`,
    hint: 'Nothing was changed. Make the file writable if it is meant to be edited (chmod u+w), then apply again.',
  })
}

export function noJournal(): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message:
      'nothing was written: there is no state folder for the journal that would take a broken apply back',
    hint: 'Set XDG_STATE_HOME, or HOME.',
  })
}

export function outOfTime(): BridgeError {
  return new BridgeError({
    kind: 'RequestTimeout',
    message: 'the plan was not written: the time was up before its first file could be put in place',
    hint: 'Nothing was changed. Apply it again, with a larger timeout_ms if the disk is slow.',
  })
}
