// The list of commands: the operations, and the few commands that are none. What a command does lies in its own file,
// loaded when it is called.
import { Option } from 'commander'
import type { CliCommand } from './command.js'
import { bridgeOptions } from './common-flags.js'
import { evidenceCommand } from './evidence-command.js'
import { exitCodes } from './exit-code.js'

/** Every command, or those that are no operation when one of them was typed: an MCP client waits for the start. */
export async function commandsFor(typed: readonly string[]): Promise<readonly CliCommand[]> {
  const [first] = typed
  if (first === '--version' || ownCommands.some(({ name }) => name === first)) return ownCommands
  const { operationCommands } = await import('./operation-commands.js')
  return [...operationCommands, ...ownCommands]
}

const check: CliCommand = {
  name: 'check',
  group: 'Other commands:',
  description:
    'The verdict on a change: which errors it introduced, in the changed files and in those that depend on them. Exit code 0: none; 1: new errors; 3: could not be established.',
  example: '--since HEAD',
  syntax: () => ({
    positional: {
      name: 'files',
      required: false,
      several: true,
      description: 'Only these files, relative to the current folder (default: all that changed).',
    },
    options: [
      new Option('--since <rev>', "The git revision to compare with (default: git's HEAD)."),
      new Option('--change <handle>', 'Compare with the baseline that begin-change fixed.'),
    ],
  }),
  async run(typed, context) {
    const { checkCommand } = await import('./operation-commands.js')
    return checkCommand.run(typed, context)
  },
}

const status: CliCommand = {
  name: 'status',
  group: 'Other commands:',
  description:
    'The languages of this folder, and which server would answer for each and why. It starts nothing and does not see the servers of other Alidade processes.',
  example: '--json',
  syntax: () => ({
    options: [new Option('--watch', 'Go on until interrupted, and print again whenever something changed.')],
  }),
  async run({ flags, common }, context) {
    const { runStatusCommand } = await import('./status-command.js')
    return runStatusCommand({ ...common, watch: flags.watch === true }, context)
  },
}

const doctor: CliCommand = {
  name: 'doctor',
  group: 'Other commands:',
  description:
    'Starts the server of every language found here, asks it whether a symbol of one file is used in another, and says what to do where that does not work.',
  example: '--json',
  syntax: () => ({ options: [] }),
  async run({ common }, context) {
    const { runDoctorCommand } = await import('./doctor/doctor-command.js')
    return runDoctorCommand(common, context)
  },
}

const trust: CliCommand = {
  name: 'trust',
  group: 'Other commands:',
  description:
    'Trust a folder: its own files may then name and supply the programs that language servers run. Without trust servers start in a limited form, and answers say what that costs.',
  example: '.',
  syntax: () => ({
    positional: {
      name: 'dir',
      required: false,
      description: 'The folder (default: the root of the project).',
    },
    options: [new Option('--revoke', 'Take the trust back.')],
  }),
  async run({ positionals: [folder], flags, common }, context) {
    const { runTrustCommand } = await import('./trust-command.js')
    return runTrustCommand({ ...common, folder, revoke: flags.revoke === true }, context)
  },
}

const reload: CliCommand = {
  name: 'reload',
  group: 'Other commands:',
  description:
    'Looks at PATH and the configuration again without disturbing servers that run, and says what would be used. A configuration that cannot be read is told with its place.',
  example: '--json',
  syntax: () => ({ options: [] }),
  async run({ common }, context) {
    const { runReloadCommand } = await import('./reload-command.js')
    return runReloadCommand(common, context)
  },
}

const mcp: CliCommand = {
  name: 'mcp',
  group: 'Other commands:',
  description: 'The MCP server on stdin and stdout, for coding agents. It runs until its client leaves.',
  example: '--root .',
  syntax: () => ({
    options: [new Option('--structured', 'Add structured content and output schemas to every answer.')],
  }),
  async run({ flags, common }, { console, serveMcp }) {
    await serveMcp({ bridge: bridgeOptions(common, console), structured: flags.structured === true })
    return exitCodes.answer
  },
}

const ownCommands: readonly CliCommand[] = [check, status, doctor, reload, trust, evidenceCommand, mcp]
