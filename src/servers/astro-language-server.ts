// Astro's server. It runs on TypeScript, and knows the components and the TypeScript around them alike.
import type { AskServer } from '../lsp/diagnostics.js'
import { parseDiagnosticReport, type ServerDiagnostic } from '../lsp/results.js'
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
    kind: 'request',
    reason:
      'Its pushes carry a version but come in parts; it answers a pull for the present text, although it declares none.',
    ask: askForReport,
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

async function askForReport(ask: AskServer, uri: string): Promise<readonly ServerDiagnostic[]> {
  const report = await ask('textDocument/diagnostic', { textDocument: { uri } })
  const found = parseDiagnosticReport(report)
  if (found === undefined) throw new TypeError('it was asked for a whole report and answered with none')
  return found
}
