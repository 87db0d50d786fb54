// The errors and warnings of a file, for its present content or not at all.
import { DocumentDiagnosticRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { cleanText } from '../text/clean.js'
import { doubtLimits } from './call-state.js'
import { defineOperation, placeSchema } from './operation.js'
import { counted, countedOf } from './render.js'
import { fileField } from './target.js'

const severities = ['error', 'warning', 'information', 'hint'] as const
type Severity = (typeof severities)[number]

const patienceMilliseconds = 15_000

const diagnosticSchema = z.object({
  severity: z.enum(severities),
  message: z.string(),
  code: z.string().optional(),
  source: z.string().optional(),
  ...placeSchema.shape,
})

export const getDiagnostics = defineOperation({
  name: 'get_diagnostics',
  summary:
    "The compiler's errors and warnings for a file, settled for exactly the content on disk, or said to be unknown. Use after every edit.",
  effect: 'read',
  on: 'file',
  // Pushed diagnostics need no capability, so nothing gates the call.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({
    file: fileField,
    severity: z.enum(severities).default('hint').describe('Least severe kind to list.'),
  }),
  output: z.object({
    files: z.array(
      z.object({
        file: z.string(),
        content: z.string(),
        verdict: z.enum(['settled', 'unknown']),
        reason: z.string().optional(),
        diagnostics: z.array(diagnosticSchema),
      }),
    ),
  }),
  example: 'src/clock.ts',
  items: {
    count: ({ files }) => files.reduce((sum, file) => sum + file.diagnostics.length, 0),
    keep: ({ files }, count) => {
      let left = count
      return {
        files: files.map(file => {
          const diagnostics = file.diagnostics.slice(0, left)
          left -= diagnostics.length
          return { ...file, diagnostics }
        }),
      }
    },
  },

  async run({ severity }, { document, server, source, workspace, signal, remaining, doubt }) {
    const { client, connection } = server
    const milliseconds = Math.min(patienceMilliseconds, remaining() * 0.8)
    const report = await client.diagnostics.report(document, { milliseconds, signal })
    const title = connection.session.candidate.definition.title
    const reason = report.reason === undefined ? undefined : `${title}: ${report.reason}`
    if (reason !== undefined)
      doubt({ verdict: 'unknown', reason, hint: 'Ask again; do not take this for "no errors".' })
    doubtLimits(DocumentDiagnosticRequest.method, connection, source.absolute, { workspace, doubt })
    const worst = severities.indexOf(severity)
    const diagnostics = report.diagnostics
      .map(found => ({
        severity: severities[found.severity - 1] ?? ('error' as Severity),
        message: cleanText(found.message, 2000).text,
        ...(found.code === undefined ? {} : { code: found.code }),
        ...(found.source === undefined ? {} : { source: found.source }),
        ...workspace.place(document.uri, found.range, client.encoding),
      }))
      .filter(found => severities.indexOf(found.severity) <= worst)
      .sort(
        (a, b) =>
          severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
          a.line - b.line ||
          a.column - b.column,
      )
    const file = { file: source.relative, content: source.content, verdict: report.verdict, diagnostics }
    return { files: [reason === undefined ? file : { ...file, reason }] }
  },

  render: ({ files }, { total }) => {
    const shown = files.reduce((sum, file) => sum + file.diagnostics.length, 0)
    const cut = shown < total ? [`${countedOf(shown, total, 'diagnostic')} shown`] : []
    const lines = files.flatMap(file => [
      ...file.diagnostics.map(
        ({ file: path, line, column, severity, message, code, source }) =>
          `${path}:${line}:${column} ${severity}${label(source, code)}: ${message.replaceAll('\n', '\n    ')}`,
      ),
    ])
    return [[...files.map(file => summary(file, cut.length > 0)), ...cut].join('; '), ...lines]
  },
})

interface ReportedFile {
  readonly file: string
  readonly content: string
  readonly verdict: string
  readonly diagnostics: readonly { readonly severity: Severity }[]
}

function summary(file: ReportedFile, isCut: boolean): string {
  if (file.verdict === 'unknown') return `diagnostics of ${file.file} are unknown`
  const settled = `settled for ${file.content.slice(0, 'sha256:'.length + 12)}`
  const counts = severities
    .map(severity => ({
      severity,
      count: file.diagnostics.filter(found => found.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => counted(count, severity))
  // What was cut off is not nothing.
  const none = isCut ? 'diagnostics' : 'no diagnostics'
  return `${file.file}: ${counts.length === 0 ? none : counts.join(', ')}, ${settled}`
}

function label(source: string | undefined, code: string | undefined): string {
  const parts = [source, code].filter(part => part !== undefined)
  return parts.length === 0 ? '' : ` [${parts.join(' ')}]`
}
