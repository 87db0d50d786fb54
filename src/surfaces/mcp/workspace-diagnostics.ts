// What is known to be wrong in the whole workspace, as text. Nobody can vouch for files that were never looked at, so
// the text always says what it does not cover, most of all when it lists nothing.
import type { Answer } from '../../operations/answer.js'
import { counted } from '../../operations/render.js'

export interface FileReport {
  readonly path: string
  readonly answer: Answer<unknown>
  /** The text form of the answer. */
  readonly text: string
}

export interface WorkspaceDiagnostics {
  /** Files with findings, or whose state could not be established. */
  readonly reports: readonly FileReport[]
  /** How many others were looked at and have none. */
  readonly clean: number
  readonly notLookedAt: readonly string[]
  readonly languages: readonly { readonly language: string; readonly files: number }[]
  readonly limitBytes: number
}

const mostNamed = 50

export function workspaceText(workspace: WorkspaceDiagnostics): string {
  const { reports, clean, notLookedAt, languages, limitBytes } = workspace
  const shown: FileReport[] = []
  let left = limitBytes
  for (const report of reports) {
    left -= Buffer.byteLength(report.text) + 1
    if (left < 0) break
    shown.push(report)
  }
  const total = languages.reduce((sum, { files }) => sum + files, 0)
  const lookedAt = reports.length + clean
  const rest = [
    ...named('not shown for want of room', reports.slice(shown.length), ({ path }) => path),
    ...named('told of earlier, not looked at now', notLookedAt, path => path),
  ]
  return [
    `${summary(reports)} [${lookedAt === 0 ? 'unknown' : 'partial'}]`,
    ...shown.map(({ text }) => text),
    ...rest,
    `covers ${counted(lookedAt, 'file')} that a server reported on or that were asked about${total === 0 ? '' : `, of ${total} here (${languages.map(({ language, files }) => `${language} ${files}`).join(', ')})`}`,
    'not covered: every other file; nothing here says that those have no errors',
    'hint: Ask get_diagnostics for a file, or read the resource of that file.',
  ].join('\n')
}

function summary(reports: readonly FileReport[]): string {
  return reports.length === 0
    ? 'no file is known to have findings'
    : `${counted(reports.length, 'file')} with findings or in doubt`
}

function named<T>(title: string, items: readonly T[], nameOf: (item: T) => string): string[] {
  if (items.length === 0) return []
  const names = items.slice(0, mostNamed).map(nameOf)
  const more = items.length > names.length ? ` and ${items.length - names.length} more` : ''
  return [`${title}: ${names.join(', ')}${more}`]
}
