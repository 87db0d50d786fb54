// Astro's server. It runs on TypeScript, and knows the components and the TypeScript around them alike.
import { defineServer } from './definition.js'

export const astroLanguageServer = defineServer({
  id: 'astro-language-server',
  title: 'Astro language server',
  language: 'astro',
  extensions: { '.astro': 'astro' },
  command: 'astro-ls',
  args: ['--stdio'],
  install: 'npm install -g @astrojs/language-server',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'The first question waits for the project and is complete.' },
  diagnostics: {
    kind: 'standard',
    quietMs: 500,
    pullsUndeclared: true,
    reason: 'A pull is for the text it was given last; its pushes carry the version, but come in parts.',
  },
  initializationOptions: {
    // It does not start without one. TypeScript 7 has no such library, so a project that has only that names another.
    typescript: { tsdk: 'node_modules/typescript/lib' },
  },
  limited: {
    kind: 'refused',
    reason: 'it runs the TypeScript that lies in the node_modules of the workspace',
  },
  watches: ['*.ts', '*.tsx', '*.js', '*.jsx', '*.mjs', '*.cjs', '*.mts', '*.cts', '*.json'],
  quirks: {},
})
