// The errors and warnings of files, for their present content or not at all.
import { DocumentDiagnosticRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { asBridgeError, BridgeError } from '../errors.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Doubt } from './answer.js'
import { describeFinding, diagnose, diagnosticSchema, severities } from './diagnose.js'
import { doubtLimits } from './doubts.js'
import { type ContextOf, defineOperation } from './operation.js'
import { counted, countedOf } from './render.js'
import { fileField } from './target.js'
import { waits } from './waits.js'

const mostFiles = 100
// Servers work on one file at a time; more at once would only close each other's documents again.
const atOnce = 8

const fileReport = z.object({
  file: z.string(),
  content: z.string(),
  verdict: z.enum(['settled', 'unknown']),
  reason: z.string().optional(),
  diagnostics: z.array(diagnosticSchema),
  /** Findings less severe than was asked for. */
  left_out: z.number().int().optional(),
})

type FileReport = z.output<typeof fileReport>

export const getDiagnostics = defineOperation({
  name: 'get_diagnostics',
  summary:
    "The compiler's errors and warnings for files, settled for exactly the content on disk, or said to be unknown. Use after every edit.",
  effect: 'read',
  on: 'workspace',
  // Pushed diagnostics need no capability, so nothing gates the call.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({
    file: fileField.optional(),
    files: z.array(z.string()).max(mostFiles).optional().describe('Several paths instead of one file.'),
    severity: z.enum(severities).default('hint').describe('Least severe kind to list.'),
  }),
  output: z.object({ files: z.array(fileReport) }),
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

  async run({ file, files = [], severity }, context) {
    const paths = [...new Set(file === undefined ? files : [file, ...files])]
    const [only] = paths
    if (only === undefined) throw noFile()
    if (paths.length === 1) return { files: [atLeast(severity, await report(only, context, true))] }
    const reports: FileReport[] = []
    for (let start = 0; start < paths.length; start += atOnce) {
      const some = paths.slice(start, start + atOnce)
      reports.push(...(await Promise.all(some.map(path => reportAnyhow(path, context)))))
    }
    return { files: reports.map(found => atLeast(severity, found)) }
  },

  render: ({ files }, { total }) => {
    const shown = files.reduce((sum, file) => sum + file.diagnostics.length, 0)
    const cut = shown < total ? [`${countedOf(shown, total, 'diagnostic')} shown`] : []
    const lines = files.flatMap(file =>
      file.diagnostics.map(found => `${found.file}:${describeFinding(found)}`),
    )
    return [[...files.map(file => summary(file, cut.length > 0)), ...cut].join('; '), ...lines]
  },
})

type Context = ContextOf['workspace']

/** One file that cannot be looked at must not hide the others, nor look like one without errors. */
async function reportAnyhow(path: string, context: Context): Promise<FileReport> {
  try {
    return await report(path, context, false)
  } catch (thrown) {
    const { message, hint, kind } = asBridgeError(thrown)
    // Whoever asks for a file outside, or called the question off, is told that and nothing else.
    if (kind === 'PathOutsideWorkspace' || kind === 'Cancelled' || kind === 'Bug') throw thrown
    context.doubt({ verdict: 'unknown', reason: message, hint })
    return { file: path, content: 'unknown', verdict: 'unknown', reason: message, diagnostics: [] }
  }
}

/** Asked again once when the file was edited meanwhile: the first answer is for a text that is gone (fault W08). */
async function report(path: string, context: Context, isOnly: boolean): Promise<FileReport> {
  const first = await ask(path, context)
  const isCurrent = context.workspace.stillHas(first.source)
  const { source, found, doubts } = isCurrent ? first : await ask(path, context)
  // What was doubted of the text that is gone went with it.
  for (const doubt of doubts) context.doubt(doubt)
  if (isOnly) context.fresh({ verdict: 'current', content: source.content })
  if (isCurrent || context.workspace.stillHas(source)) return found
  const reason = 'the file kept changing while it was asked about'
  context.fresh({ verdict: 'stale', reason, ...(isOnly ? { content: source.content } : {}) })
  return found
}

interface Asked {
  readonly source: SourceFile
  readonly found: FileReport
  readonly doubts: readonly Doubt[]
}

function ask(path: string, context: Context): Promise<Asked> {
  const needs = { name: 'get_diagnostics', lsp: null, needsWholeWorkspace: true }
  return context.inFile(
    path,
    needs,
    async ({ source, document, server, standing, workspace, signal, ...call }) => {
      const { connection } = server
      const milliseconds = Math.min(call.remaining() * 0.8, call.patience ?? Number.POSITIVE_INFINITY)
      const { relative: file, content, text, absolute } = source
      call.awaiting(waits.report(server.client.identity.name))
      const diagnosis = await diagnose({ file, text, document }, server, { signal, milliseconds, standing })
      const doubts: Doubt[] = []
      const doubt = (next: Doubt) => doubts.push(next)
      doubtLimits(DocumentDiagnosticRequest.method, connection, absolute, { workspace, doubt })
      const found = { file, content, verdict: diagnosis.verdict, diagnostics: [...diagnosis.diagnostics] }
      if (diagnosis.verdict === 'settled') {
        const { hidden } = diagnosis
        const hint = 'Mend that first, then ask again.'
        if (hidden !== undefined) doubt({ verdict: 'partial', reason: `${file}: ${hidden}`, hint })
        return { source, found, doubts }
      }
      const { reason } = diagnosis
      doubt({ verdict: 'unknown', reason, hint: 'Ask again; do not take this for "no errors".' })
      return { source, found: { ...found, reason }, doubts }
    },
  )
}

function atLeast(severity: (typeof severities)[number], report: FileReport): FileReport {
  const least = severities.indexOf(severity)
  const diagnostics = report.diagnostics.filter(found => severities.indexOf(found.severity) <= least)
  const left_out = report.diagnostics.length - diagnostics.length
  return left_out === 0 ? report : { ...report, diagnostics, left_out }
}

function summary({ file, verdict, content, diagnostics, left_out = 0 }: FileReport, isCut: boolean): string {
  if (verdict === 'unknown') return `diagnostics of ${file} are unknown`
  const settled = `settled for ${content.slice(0, 'sha256:'.length + 12)}`
  const counts = severities
    .map(severity => ({
      severity,
      count: diagnostics.filter(found => found.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => counted(count, severity))
  // What was cut off is not nothing, and neither is what was not asked for.
  if (left_out > 0) counts.push(`${left_out} less severe left out`)
  const none = isCut ? 'diagnostics' : 'no diagnostics'
  return `${file}: ${counts.length === 0 ? none : counts.join(', ')}, ${settled}`
}

function noFile(): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: 'neither file nor files was given',
    hint: 'Give the file, or several as files.',
  })
}
