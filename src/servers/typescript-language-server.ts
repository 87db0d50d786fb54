// The established server on tsserver, for TypeScript 6 and older and for setups that name it.

import { property } from '../json.js'
import type { AskServer } from '../lsp/diagnostics.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import { toIndex } from '../text/position.js'
import { uriToPath } from '../text/uri.js'
import { defineServer } from './definition.js'
import { typescriptExtensions, typescriptProjectFiles, typescriptProjects } from './typescript-files.js'

export const typescriptLanguageServer = defineServer({
  id: 'typescript-language-server',
  title: 'typescript-language-server',
  language: 'typescript',
  extensions: typescriptExtensions,
  command: 'typescript-language-server',
  args: ['--stdio'],
  install: 'npm i -g typescript-language-server',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'blocks',
    reason:
      'Without the syntax server (see the options) the first question waits for the project and is complete.',
  },
  diagnostics: {
    kind: 'request',
    reason:
      'Its pushes carry no version and come in parts; tsserver answers a synchronous question for the present text.',
    ask: askTsserver,
  },
  initializationOptions: {
    tsserver: {
      // The syntax server answers early with a fraction of the references and no error.
      useSyntaxServer: 'never',
      // tsserver's own watchers see a new file about a second late; what we announce it knows before the next question.
      useClientFileWatcher: true,
    },
    // Automatic type acquisition runs a package install in the user's cache.
    disableAutomaticTypingAcquisition: true,
  },
  limited: {
    kind: 'refused',
    // Only the path of another TypeScript would keep it from that, and none is known to be there.
    reason: 'it runs the TypeScript that lies in the node_modules of the workspace',
  },
  watches: typescriptProjectFiles,
  projects: typescriptProjects,
  quirks: {
    symbolSearchNeedsOpenDocument: 'With nothing open it answers with the error "No Project".',
  },
})

/** tsserver's three synchronous checks, each answered for the text as it stands. */
async function askTsserver(ask: AskServer, uri: string): Promise<readonly ServerDiagnostic[]> {
  const file = uriToPath(uri) ?? uri
  const found: ServerDiagnostic[] = []
  for (const command of [
    'syntacticDiagnosticsSync',
    'semanticDiagnosticsSync',
    'suggestionDiagnosticsSync',
  ]) {
    const answer = await ask('workspace/executeCommand', {
      command: 'typescript.tsserverRequest',
      arguments: [command, { file, includeLinePosition: false }],
    })
    found.push(...parseBody(answer))
  }
  return found
}

function parseBody(answer: unknown): ServerDiagnostic[] {
  const body = property(answer, 'body')
  if (!Array.isArray(body)) throw new TypeError('tsserver answered without a body')
  return body.map(parseTsserverDiagnostic)
}

const severities: Readonly<Record<string, number>> = { error: 1, warning: 2, suggestion: 4, message: 3 }

function parseTsserverDiagnostic(item: unknown): ServerDiagnostic {
  const category = property(item, 'category')
  const code = property(item, 'code')
  return {
    range: { start: parseLocation(property(item, 'start')), end: parseLocation(property(item, 'end')) },
    severity: severities[String(category)] ?? 1,
    message: String(property(item, 'text')),
    code: typeof code === 'number' ? String(code) : undefined,
    source: 'typescript',
  }
}

function parseLocation(value: unknown): { line: number; character: number } {
  const line = property(value, 'line')
  const offset = property(value, 'offset')
  if (typeof line !== 'number' || typeof offset !== 'number')
    throw new TypeError('tsserver answered without a position')
  return { line: toIndex(line), character: toIndex(offset) }
}
