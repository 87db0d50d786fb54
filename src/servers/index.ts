// The list of servers, in order of preference within a language. Documentation, doctor and the real-server tests are
// loops over it.
import { basedpyright } from './basedpyright.js'
import { clangd } from './clangd.js'
import type { ServerDefinition } from './definition.js'
import { gopls } from './gopls.js'
import { jediLanguageServer } from './jedi-language-server.js'
import { pylsp } from './pylsp.js'
import { pyright } from './pyright.js'
import { rustAnalyzer } from './rust-analyzer.js'
import { ty } from './ty.js'
import { typescript } from './typescript.js'
import { typescriptLanguageServer } from './typescript-language-server.js'
import { vtsls } from './vtsls.js'

export const serverDefinitions: readonly ServerDefinition[] = [
  typescript,
  typescriptLanguageServer,
  vtsls,
  pyright,
  pylsp,
  basedpyright,
  ty,
  jediLanguageServer,
  gopls,
  rustAnalyzer,
  clangd,
]

/** The servers that are looked up at the start where that is asked for: one for each language of the matrix. */
export const languageMatrix: readonly ServerDefinition[] = [
  rustAnalyzer,
  pylsp,
  typescriptLanguageServer,
  gopls,
]

/** The seeds' presets try the servers their documents name before ours. */
export function definitionsInOrder(candidates: 'ours' | 'seed'): readonly ServerDefinition[] {
  if (candidates === 'ours') return serverDefinitions
  const named = [rustAnalyzer, pylsp, typescriptLanguageServer, gopls, clangd]
  return [...named, ...serverDefinitions.filter(definition => !named.includes(definition))]
}
