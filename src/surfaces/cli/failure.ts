// What went wrong before or beside an operation (wrong usage, configuration, a bug), in the one shape of all failures.
import { CommanderError } from 'commander'
import { asBridgeError, BridgeError } from '../../errors.js'
import type { Failure } from '../../operations/answer.js'
import type { Console } from './console.js'

/** Wrong usage, found by us and not by the parser of flags. */
export function usageError(message: string, hint: string): BridgeError {
  return new BridgeError({ kind: 'InvalidArguments', message, hint })
}

/** `command` is what the help is looked up by. */
export async function failureOf(thrown: unknown, command: string | undefined): Promise<Failure> {
  // Loaded late, because it brings the operations along, which most of the ways here did not need.
  const { failure } = await import('../../operations/run.js')
  return failure(thrown instanceof CommanderError ? fromParser(thrown, command) : asBridgeError(thrown))
}

export async function reportFailure(
  failed: Failure,
  { console, json, text }: { readonly console: Console; readonly json: boolean; readonly text?: string },
): Promise<void> {
  if (json) await console.json(failed)
  else console.error(text ?? `${failed.kind}: ${failed.error}\nhint: ${failed.hint}`)
}

/** Its messages read `error: unknown option '--x'`, with a suggestion on a line of its own. */
function fromParser({ message }: CommanderError, command: string | undefined): BridgeError {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const suggestion = rest.join(' ').replace(/^\((.*)\)$/, '$1')
  const help = `See: alidade ${command === undefined ? '' : `${command} `}--help`
  return usageError(first, suggestion === '' ? help : `${suggestion} ${help}`)
}
