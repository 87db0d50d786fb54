// The servers that are told a small story, each with what it is known to lack.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { KnownGap, OperationName } from './judge.js'
import { realServer } from './servers.js'
import type { SmallConformanceOptions } from './small-conformance.js'
import * as stories from './small-stories.js'
import type { SmallStory } from './small-story.js'

const because = (reason: RegExp, ...operations: OperationName[]): KnownGap[] =>
  operations.map(operation => ({ operation, reason }))

const hasShellcheck = (process.env.PATH ?? '')
  .split(delimiter)
  .some(folder => existsSync(join(folder, 'shellcheck')))

export const smallSuite: readonly SmallConformanceOptions[] = [
  {
    server: 'biome',
    story: stories.carelessTypescript,
    partial: because(/no errors of type/, 'get_diagnostics'),
  },
  {
    server: 'ruff',
    story: stories.carelessPython,
    partial: because(/no errors of type/, 'get_diagnostics'),
  },
  { server: 'intelephense', story: stories.phpStory, silentAboutVersion: true },
  {
    server: 'ruby-lsp',
    story: stories.rubyStory,
    partial: [
      ...because(/by their name alone/, 'find_references', 'go_to_definition'),
      ...because(/errors of syntax/, 'get_diagnostics'),
    ],
  },
  { server: 'svelte-language-server', story: stories.svelteStory, silentAboutVersion: true },
  { server: 'astro-language-server', story: astroStory(), silentAboutVersion: true },
  {
    server: 'bash-language-server',
    story: stories.shellStory,
    silentAboutVersion: true,
    partial: hasShellcheck ? [] : because(/shellcheck/, 'get_diagnostics'),
  },
  { server: 'vscode-json', story: stories.jsonStory, silentAboutVersion: true },
  {
    server: 'vscode-css',
    story: stories.cssStory,
    silentAboutVersion: true,
    partial: because(/one file alone/, 'find_references'),
  },
  {
    server: 'vscode-html',
    story: stories.htmlStory,
    silentAboutVersion: true,
    partial: because(/not the markup/, 'get_diagnostics'),
  },
  { server: 'yaml-language-server', story: stories.yamlStory },
  { server: 'tombi', story: stories.tomlStory },
  { server: 'docker-langserver', story: stories.dockerfileStory, silentAboutVersion: true },
  { server: 'prisma-language-server', story: stories.prismaStory, silentAboutVersion: true },
  { server: 'buf', story: stories.protobufStory },
]

/** With the TypeScript beside the server: the story's project brings none. */
function astroStory(): SmallStory {
  const [script = ''] = realServer('astro-language-server').entry?.args ?? []
  const tsdk = join(script, '../../../../typescript/lib')
  return { ...stories.astroStory, initializationOptions: { typescript: { tsdk } } }
}
