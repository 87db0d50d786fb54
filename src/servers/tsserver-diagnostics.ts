// Diagnostics asked of tsserver itself, through the servers that hand its own requests on: their pushes carry no version
// and come in parts.
import { property } from '../json.js'
import type { AskServer } from '../lsp/diagnostics.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import { toIndex } from '../text/position.js'
import { uriToPath } from '../text/uri.js'

/** tsserver's three synchronous checks, each answered for the text as it stands. */
export async function askTsserver(ask: AskServer, uri: string): Promise<readonly ServerDiagnostic[]> {
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
  const finding = {
    range: { start: parseLocation(property(item, 'start')), end: parseLocation(property(item, 'end')) },
    severity: severities[String(category)] ?? 1,
    message: String(property(item, 'text')),
    source: 'typescript',
  }
  // Asked for fixes, it wants a diagnostic of the protocol back, and finds the fixes by the number of its code.
  return { ...finding, code: typeof code === 'number' ? String(code) : undefined, raw: { ...finding, code } }
}

function parseLocation(value: unknown): { line: number; character: number } {
  const line = property(value, 'line')
  const offset = property(value, 'offset')
  if (typeof line !== 'number' || typeof offset !== 'number')
    throw new TypeError('tsserver answered without a position')
  return { line: toIndex(line), character: toIndex(offset) }
}
