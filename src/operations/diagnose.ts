// What a server says is wrong with one text, with the place of each finding in that very text: the file on the disk, or
// one that is only being tried.
import * as z from 'zod'
import { asBridgeError } from '../errors.js'
import type { OpenDocument } from '../lsp/documents.js'
import type { ServerDiagnostic } from '../lsp/results.js'
import { cleanLine, cleanText } from '../text/clean.js'
import type { SourceText } from '../text/lines.js'
import { type PositionEncoding, toPublicPositionIn } from '../text/position.js'
import { placeSchema, type ServerPort } from './operation.js'
import type { Standing } from './standing.js'

export const severities = ['error', 'warning', 'information', 'hint'] as const

export const diagnosticSchema = z.object({
  severity: z.enum(severities),
  message: z.string(),
  code: z.string().optional(),
  source: z.string().optional(),
  ...placeSchema.shape,
})

export type Diagnostic = z.output<typeof diagnosticSchema>

/** An open document, and the text it holds. */
export interface Diagnosed {
  /** As answers show it. */
  readonly file: string
  readonly text: SourceText
  readonly document: OpenDocument
}

/** `settled` is for exactly this text, of a server that knows what it should; all else is unknown, with the reason. */
export type Diagnosis =
  | {
      readonly verdict: 'settled'
      readonly diagnostics: readonly Diagnostic[]
      /** Why more may be wrong than it tells, because of what it tells. */
      readonly hidden?: string
    }
  | { readonly verdict: 'unknown'; readonly reason: string; readonly diagnostics: readonly Diagnostic[] }

interface Asking {
  readonly signal: AbortSignal
  readonly milliseconds: number
  /** Of the server, when it is asked. */
  readonly standing: Standing
}

/** No report is waited for longer, whatever time there is. */
export const patienceMilliseconds = 15_000
export const longestMessage = 2000
const longestLine = 200

/** The worst first. Throws what the server's end or refusal is. */
export async function diagnose(diagnosed: Diagnosed, server: ServerPort, asking: Asking): Promise<Diagnosis> {
  const { client, connection } = server
  const { signal, standing } = asking
  const milliseconds = Math.min(patienceMilliseconds, asking.milliseconds)
  const report = await client.diagnostics.report(diagnosed.document, { milliseconds, signal })
  const diagnostics = report.diagnostics
    .map(found => present(found, diagnosed, client.encoding))
    .sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column)
  const { title, hides } = connection.session.candidate.definition
  if (report.verdict === 'settled') {
    // What it has found so far is worth telling; that it has found everything is not shown.
    if (!standing.isWhole) return { verdict: 'unknown', reason: standing.reason, diagnostics }
    const reason = hides?.(report.diagnostics)
    const hidden = reason === undefined ? {} : { hidden: `${title} ${reason}` }
    return { verdict: 'settled', diagnostics, ...hidden }
  }
  return { verdict: 'unknown', reason: `${title}: ${report.reason ?? 'it gave no reason'}`, diagnostics }
}

/** As `diagnose`; a server that fails is one that is not known to have found nothing. */
export async function tryToDiagnose(
  diagnosed: Diagnosed,
  server: ServerPort,
  asking: Asking,
): Promise<Diagnosis> {
  try {
    return await diagnose(diagnosed, server, asking)
  } catch (thrown) {
    return { verdict: 'unknown', reason: asBridgeError(thrown).message, diagnostics: [] }
  }
}

/** Why more may be wrong than was told, because of what was told. */
export function hiddenIn(diagnosis: Diagnosis): string | undefined {
  return diagnosis.verdict === 'settled' ? diagnosis.hidden : undefined
}

/** One finding as text, without its file. */
export function describeFinding(found: Diagnostic): string {
  return `${found.line}:${found.column} ${describeKind(found)}`
}

/** What is wrong, without where. */
export function describeKind({ severity, source, code, message }: Diagnostic): string {
  const parts = [source, code].filter(part => part !== undefined)
  const label = parts.length === 0 ? '' : ` [${parts.join(' ')}]`
  return `${severity}${label}: ${message.replaceAll('\n', '\n    ')}`
}

function present(found: ServerDiagnostic, { file, text }: Diagnosed, encoding: PositionEncoding): Diagnostic {
  const start = toPublicPositionIn(text, found.range.start, encoding)
  const end = toPublicPositionIn(text, found.range.end, encoding)
  return {
    severity: severities[found.severity - 1] ?? 'error',
    message: cleanText(found.message, longestMessage).text,
    ...(found.code === undefined ? {} : { code: found.code }),
    ...(found.source === undefined ? {} : { source: found.source }),
    file,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    text: cleanLine(text.line(start.line) ?? '', longestLine).text,
  }
}

function rank({ severity }: Diagnostic): number {
  return severities.indexOf(severity)
}
