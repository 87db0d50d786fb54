// The list of servers, in order of preference within a language. Documentation, doctor and the real-server tests are
// loops over it.
import { astroLanguageServer } from './astro-language-server.js'
import { basedpyright } from './basedpyright.js'
import { bashLanguageServer } from './bash-language-server.js'
import { biome } from './biome.js'
import { buf } from './buf.js'
import { clangd } from './clangd.js'
import { csharpLs } from './csharp-ls.js'
import type { ServerDefinition } from './definition.js'
import { dockerLangserver } from './docker-langserver.js'
import { gopls } from './gopls.js'
import { intelephense } from './intelephense.js'
import { jdtls } from './jdtls.js'
import { jediLanguageServer } from './jedi-language-server.js'
import { omnisharp } from './omnisharp.js'
import { prismaLanguageServer } from './prisma-language-server.js'
import { pylsp } from './pylsp.js'
import { pyright } from './pyright.js'
import { roslyn } from './roslyn.js'
import { rubyLsp } from './ruby-lsp.js'
import { ruff } from './ruff.js'
import { rustAnalyzer } from './rust-analyzer.js'
import { solargraph } from './solargraph.js'
import { svelteLanguageServer } from './svelte-language-server.js'
import { tombi } from './tombi.js'
import { ty } from './ty.js'
import { typescript } from './typescript.js'
import { typescriptLanguageServer } from './typescript-language-server.js'
import { vscodeCss } from './vscode-css.js'
import { vscodeHtml } from './vscode-html.js'
import { vscodeJson } from './vscode-json.js'
import { vtsls } from './vtsls.js'
import { yamlLanguageServer } from './yaml-language-server.js'

export const serverDefinitions: readonly ServerDefinition[] = [
  typescript,
  typescriptLanguageServer,
  vtsls,
  biome,
  pyright,
  pylsp,
  basedpyright,
  ty,
  jediLanguageServer,
  ruff,
  gopls,
  rustAnalyzer,
  clangd,
  jdtls,
  intelephense,
  rubyLsp,
  solargraph,
  roslyn,
  csharpLs,
  omnisharp,
  svelteLanguageServer,
  astroLanguageServer,
  bashLanguageServer,
  vscodeJson,
  vscodeCss,
  vscodeHtml,
  yamlLanguageServer,
  tombi,
  dockerLangserver,
  prismaLanguageServer,
  buf,
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
