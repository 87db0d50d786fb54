// What a server pushed about a file, in the shape of every other answer: for whoever is told of it without asking.
import type { EventOf } from '../events.js'
import { parseDiagnostics } from '../lsp/results.js'
import { cleanText } from '../text/clean.js'
import { isPositionEncoding } from '../text/position.js'
import type { Workspace } from '../workspace/workspace.js'
import { type Diagnostic, longestMessage, severities } from './diagnose.js'

export interface PushedDiagnostics {
  readonly file: string
  readonly diagnostics: readonly Diagnostic[]
}

/** Undefined for a push that cannot be read; the server's own store has complained about it already. */
export function pushedDiagnostics(
  { uri, raw }: EventOf<'diagnostics.published'>,
  workspace: Pick<Workspace, 'place'>,
): PushedDiagnostics | undefined {
  const encoding = raw?.encoding
  if (raw === undefined || encoding === undefined || !isPositionEncoding(encoding)) return undefined
  const start = { line: 0, character: 0 }
  const { file } = workspace.place(uri, { start, end: start }, encoding)
  try {
    const diagnostics = parseDiagnostics([...raw.items]).map(
      ({ range, severity, message, code, source }) => ({
        severity: severities[severity - 1] ?? 'error',
        message: cleanText(message, longestMessage).text,
        ...(code === undefined ? {} : { code }),
        ...(source === undefined ? {} : { source }),
        ...workspace.place(uri, range, encoding),
      }),
    )
    return { file, diagnostics }
  } catch {
    return undefined
  }
}
