// One command per operation, made by a loop over their list. Loading this loads the operations, so it is done only when
// one of them may be meant.
import { existsSync } from 'node:fs'
import { checkChange } from '../../operations/check-change.js'
import { getContext } from '../../operations/get-context.js'
import { operations } from '../../operations/index.js'
import type { Operation } from '../../operations/operation.js'
import type { CliCommand } from './command.js'
import type { CommonFlags } from './common-flags.js'
import { dashed, inputFrom, optionsOf, positionalOf } from './flags.js'

export const operationCommands: readonly CliCommand[] = [
  ...operations.map(operationCommand),
  // The contract's own name for it.
  { ...operationCommand(getContext), name: 'context', group: 'Other commands:' },
]

/** What `alidade check` does, under its short name. */
export const checkCommand: Pick<CliCommand, 'run'> = operationCommand(checkChange)

function operationCommand(operation: Operation): CliCommand {
  return {
    name: dashed(operation.name),
    group: 'Operations:',
    description: operation.summary,
    example: operation.example,
    syntax: () => ({ positional: positionalOf(operation), options: optionsOf(operation) }),
    async run({ positionals, flags, common }, context) {
      const { cwd } = context.console
      const input = inputFrom(operation, { positional: positionals, flags }, { cwd, exists: existsSync })
      const { runOperationCommand } = await import('./operation-command.js')
      const timed = { ...deadline(operation, common), ...input }
      return runOperationCommand({ operation, input: timed, flags: common }, context)
    },
  }
}

const patience = 30_000

/** A deadline that is meant for servers that run is too short for a command, which has to start its own. */
function deadline({ milliseconds }: Operation, { timeout }: CommonFlags): { timeout_ms?: number } {
  if (milliseconds === undefined) return {}
  return { timeout_ms: timeout ?? patience }
}
