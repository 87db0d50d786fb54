// The flags every command takes (contract section 2), and what they mean to the bridge.
import { InvalidArgumentError, Option } from 'commander'
import type { BridgeOptions } from '../../bridge.js'
import { type PresetName, presetNames } from '../../config/presets.js'
import type { Console } from './console.js'

export interface CommonFlags {
  readonly root?: string
  readonly preset?: PresetName
  readonly config?: string
  readonly agent?: string
  readonly timeout?: number
  readonly json?: boolean
}

export function commonOptions(): Option[] {
  return [
    new Option('--root <dir>', 'The folder of the project (default: the nearest one upwards with .git).'),
    new Option('--preset <name>', 'Named assignment of the policy knobs.').choices(presetNames),
    new Option('--config <file>', "Configuration file in place of the user's own."),
    new Option('--agent <id>', 'The agent whose block of agents.yaml counts.'),
    new Option('--timeout <ms>', 'Milliseconds to wait for the answer (default 55000).').argParser(
      milliseconds,
    ),
    new Option(
      '--no-daemon',
      'Work without the shared daemon. There is none yet, so this changes nothing for now.',
    ),
    new Option('--json', 'Print the answer object instead of text.'),
  ].map(option => option.helpGroup('Common options:'))
}

export function bridgeOptions(flags: CommonFlags, { attended, env }: Console): BridgeOptions {
  return {
    root: flags.root,
    preset: flags.preset,
    configFile: flags.config,
    agent: flags.agent,
    timeoutMs: flags.timeout,
    interactive: attended,
    env,
  }
}

function milliseconds(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('It is not a whole number of milliseconds.')
}
