// What a command of the command line is: its place in the help, what may be typed after it, and what it does.
import type { Option } from 'commander'
import type { BridgeOptions } from '../../bridge.js'
import type { CommonFlags } from './common-flags.js'
import type { CommandContext } from './with-bridge.js'

export interface CliCommand {
  readonly name: string
  readonly group: 'Operations:' | 'Other commands:'
  readonly description: string
  /** The arguments of one call that works in this project. */
  readonly example: string
  /** Asked for only when the command is the one that was typed. */
  syntax(): Syntax
  /** Returns the exit code. Wrong usage is thrown. */
  run(typed: TypedCommand, context: ProgramContext): Promise<number>
}

export interface Syntax {
  readonly positional?: Pick<Positional, 'name' | 'required' | 'several' | 'description'> | undefined
  readonly options: readonly Option[]
}

/** What a command takes that is typed without a flag. */
export interface Positional {
  /** As it stands in the usage line. */
  readonly name: string
  readonly required: boolean
  /** Whether any number of them may be typed. */
  readonly several?: boolean
  readonly description: string
  /** The input field it fills, or `target` for a file and perhaps a place in it, or `files` for one or many. */
  readonly fills: 'target' | 'files' | { readonly field: string }
}

export interface TypedCommand {
  /** What was typed without a flag. */
  readonly positionals: readonly string[]
  /** The command's own flags that were given, by attribute name. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly common: CommonFlags
}

export interface ProgramContext extends CommandContext {
  /** Surfaces do not know each other; the executable alone knows them all. */
  readonly serveMcp: (options: McpOptions) => Promise<void>
}

export interface McpOptions {
  readonly bridge: BridgeOptions
  readonly structured: boolean
}
