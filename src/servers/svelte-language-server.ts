// The Svelte team's server. Of the TypeScript around the components it knows what they import.
import { defineServer } from './definition.js'

export const svelteLanguageServer = defineServer({
  id: 'svelte-language-server',
  title: 'svelte-language-server',
  language: 'svelte',
  extensions: { '.svelte': 'svelte' },
  command: 'svelteserver',
  args: ['--stdio'],
  install: 'npm install -g svelte-language-server',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'The first question waits for the project and is complete.' },
  diagnostics: { kind: 'standard', quietMs: 0, reason: 'A pull is for the text it was given last.' },
  limited: {
    kind: 'refused',
    reason: 'it runs the svelte.config.js and the compiler that lie in the workspace',
  },
  watches: ['*.ts', '*.js', '*.json', 'svelte.config.js'],
  quirks: {
    symbolSearchNeedsOpenDocument: 'With nothing open it knows no project and finds nothing.',
  },
})
