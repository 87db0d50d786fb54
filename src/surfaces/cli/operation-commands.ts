// One command per operation, made by a loop over their list. Loading this loads the operations, so it is done only when
// one of them may be meant.
import { existsSync } from 'node:fs'
import { operations } from '../../operations/index.js'
import type { Operation } from '../../operations/operation.js'
import type { CliCommand } from './command.js'
import { dashed, inputFrom, optionsOf, positionalOf } from './flags.js'

export const operationCommands: readonly CliCommand[] = operations.map(operationCommand)

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
