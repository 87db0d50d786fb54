// One command per operation, made by a loop over their list. Loading this loads the operations, so it is done only when
// one of them may be meant.
import { existsSync } from 'node:fs'
import { checkChange } from '../../operations/check-change.js'
import { operations } from '../../operations/index.js'
import type { Operation } from '../../operations/operation.js'
import type { CliCommand } from './command.js'
import { dashed, inputFrom, optionsOf, positionalOf } from './flags.js'

export const operationCommands: readonly CliCommand[] = operations.map(operationCommand)

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
      return runOperationCommand({ operation, input, flags: common }, context)
    },
  }
}
