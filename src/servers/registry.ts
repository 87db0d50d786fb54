// The registry as plain data: for each language the program that serves it and its arguments. It lists what the
// established servers are called; it installs nothing, and whoever embeds Alidade may add to it or override it.
import { clangd } from './clangd.js'
import { languageMatrix } from './index.js'

export interface RegistryEntry {
  readonly binary: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Needed for a language that is not a known one, with their dots. */
  readonly extensions?: readonly string[]
  readonly rootMarkers?: readonly string[]
}

export type Registry = Readonly<Record<string, RegistryEntry>>

export const builtInRegistry: Registry = Object.fromEntries(
  [...languageMatrix, clangd].map(({ language, command, args }) => [language, { binary: command, args }]),
)
