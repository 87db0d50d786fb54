// The command line as a whole: from what was typed to the command that is meant, with help for every one of them.
import { Command, CommanderError } from 'commander'
import type { BridgeError } from '../../errors.js'
import { nearest } from '../../text/nearest.js'
import { version } from '../version.js'
import type { CliCommand, ProgramContext } from './command.js'
import { commandsFor } from './commands.js'
import { type CommonFlags, commonOptions } from './common-flags.js'
import { exitCodes } from './exit-code.js'
import { usageError } from './failure.js'

/** Runs the command that was typed and returns its exit code. Wrong usage is thrown. */
export async function runProgram(typed: readonly string[], context: ProgramContext): Promise<number> {
  let code: number = exitCodes.answer
  const program = createProgram({
    typed,
    commands: await commandsFor(typed),
    context,
    finish(finished) {
      code = finished
    },
  })
  try {
    await program.parseAsync([...typed], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    // Help and version leave the parser in this way, too.
    if (thrown.exitCode === 0) return exitCodes.answer
    if (thrown.code === 'commander.help') return exitCodes.usage
    throw thrown
  }
  return code
}

interface Building {
  readonly typed: readonly string[]
  readonly commands: readonly CliCommand[]
  readonly context: ProgramContext
  finish(code: number): void
}

function createProgram({ typed, commands, context, finish }: Building): Command {
  const program = new Command('alidade')
    .description("The compiler's own view of a code base: every answer says whether it is complete.")
    .usage('COMMAND [TARGET] [options]')
    .version(version, '--version', 'Print the version.')
    .helpOption('--help', 'Show help; after a command, its own.')
    .helpCommand(false)
    // Without it a query that begins with a dash could not be given, not even after `--`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .configureHelp({ subcommandTerm: command => command.name() })
  for (const command of commands) {
    const made = program.command(command.name).helpGroup(command.group)
    made.description(command.description).summary(firstSentence(command.description))
    made.addHelpText('after', example(`${command.name} ${command.example}`))
    // Turning a schema into flags takes a millisecond or two, which only the command that is called has to pay.
    if (typed.includes(command.name)) addSyntax(made, command, context, finish)
  }
  for (const option of commonOptions()) program.addOption(option)
  program.addHelpText('after', example('find-references src/errors.ts --symbol BridgeError'))
  program.on('command:*', ([name]: readonly string[]) => {
    throw unknownCommand(name ?? '', commands)
  })
  return program
}

function addSyntax(
  made: Command,
  command: CliCommand,
  context: ProgramContext,
  finish: (code: number) => void,
): void {
  const { positional, options } = command.syntax()
  if (positional !== undefined) {
    const name = positional.several === true ? `${positional.name}...` : positional.name
    made.argument(positional.required ? `<${name}>` : `[${name}]`, positional.description)
  }
  for (const option of [...options, ...commonOptions()]) made.addOption(option)
  made.action(async () => {
    const common = made.optsWithGlobals<CommonFlags>()
    const flags = Object.entries(made.opts()).filter(([name]) => made.getOptionValueSource(name) === 'cli')
    finish(
      await command.run(
        {
          positionals: made.args,
          flags: Object.fromEntries(flags),
          common,
        },
        context,
      ),
    )
  })
}

function unknownCommand(name: string, commands: readonly CliCommand[]): BridgeError {
  const close = nearest(
    name,
    commands.map(command => command.name),
    3,
  )
  const help = 'See: alidade --help'
  const hint = close.length === 0 ? help : `Did you mean ${close.join(' or ')}? ${help}`
  return usageError(`there is no command ${JSON.stringify(name)}`, hint)
}

function example(words: string): string {
  return `\nExample:\n  alidade ${words.trim()}`
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text
}
