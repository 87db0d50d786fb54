// The answer to "what did, or would, this edit break?": shared by every operation that judges a change, so that all of
// them say it in the same words.
import * as z from 'zod'
import { changeClasses, changeScopes, classOfFile, type FileOutcome } from '../changes/classes.js'
import { deltaOf } from '../changes/delta.js'
import { type Diagnostic, describeFinding, describeKind, diagnosticSchema, hiddenIn } from './diagnose.js'
import type { Examined } from './examine.js'
import { counted, countedOf } from './render.js'

const judgedFile = z.object({
  file: z.string(),
  class: z.enum(changeClasses),
  verdict: z.enum(['settled', 'unknown']),
  reason: z.string().optional(),
  new: z.array(diagnosticSchema),
  resolved: z.array(diagnosticSchema),
  /** What it is true for, where that is on the disk. */
  content: z.string().optional(),
  /** Other changes that changed it too: whose findings these are cannot be told. */
  shared_with: z.array(z.string()).optional(),
})

/** Errors and warnings alone are counted: a class says nothing of hints. */
export const changeFields = {
  class: z.enum(changeClasses),
  scope: z.enum(changeScopes),
  files: z.array(judgedFile),
}

const changeSchema = z.object(changeFields)

export type JudgedFile = z.output<typeof judgedFile>
export type JudgedChange = z.output<typeof changeSchema>

/** One file, before and after. `before` is undefined where nobody looked. */
export function judged(file: string, before: Examined | undefined, after: Examined): JudgedFile {
  const outcome = outcomeOf(before, after)
  const { class: name, reason } = classOfFile(outcome)
  const delta = outcome.known === 'both' ? outcome.delta : { new: [], resolved: [] }
  return {
    file,
    class: name,
    verdict: after.diagnosis.verdict,
    ...(reason === undefined ? {} : { reason }),
    new: byRank(delta.new),
    resolved: byRank(delta.resolved),
  }
}

export const changeItems = {
  count: ({ files }: JudgedChange) =>
    files.reduce((sum, file) => sum + file.new.length + file.resolved.length, 0),
  /** What is new matters more than what went. */
  keep: <R extends JudgedChange>(result: R, count: number): R => {
    let left = count
    const take = (found: readonly Diagnostic[]) => {
      const kept = found.slice(0, left)
      left -= kept.length
      return kept
    }
    const withNew = result.files.map(file => ({ ...file, new: take(file.new) }))
    return { ...result, files: withNew.map(file => ({ ...file, resolved: take(file.resolved) })) }
  },
}

/** `new_errors: 2 new errors in 1 file, 1 resolved; 5 files checked, scope dependents`. */
export function changeSummary(result: JudgedChange, total: number): string {
  const { files, scope } = result
  const shown = changeItems.count(result)
  const found = files.flatMap(file => file.new)
  const errors = found.filter(({ severity }) => severity === 'error').length
  const warnings = found.length - errors
  const resolved = files.reduce((sum, file) => sum + file.resolved.length, 0)
  const affected = files.filter(file => file.new.length > 0).length
  const kinds = [
    ...(errors > 0 ? [counted(errors, 'new error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'new warning')] : []),
  ]
  const facts =
    shown < total
      ? [`${countedOf(shown, total, 'finding')} shown`]
      : [
          ...(kinds.length > 0 ? [`${kinds.join(' and ')} in ${counted(affected, 'file')}`] : []),
          ...(resolved > 0 ? [`${resolved} resolved`] : []),
        ]
  const checked = `${counted(files.length, 'file')} checked, scope ${scope}`
  return `${result.class}: ${[...facts, checked].join(', ')}`
}

/** What is new with its line, then what is not known, then what went, then the files with nothing to tell. */
export function changeLines({ files }: JudgedChange): string[] {
  const quiet = files.filter(file => file.new.length === 0 && file.reason === undefined)
  const names = changeClasses.flatMap(name => {
    const same = quiet.filter(file => file.class === name).map(({ file }) => file)
    return same.length === 0 ? [] : [`${name}: ${same.join(', ')}`]
  })
  return [
    ...files.filter(file => file.new.length > 0).flatMap(fileLines),
    ...unestablished(files),
    ...files.flatMap(file => file.resolved.map(found => `resolved ${file.file}:${describeFinding(found)}`)),
    ...names,
  ]
}

/** Files share their reasons, so each is told once. */
function unestablished(files: readonly JudgedFile[]): string[] {
  const byReason = new Map<string, string[]>()
  for (const { file, class: name, reason } of files) {
    if (reason === undefined) continue
    const same = byReason.get(`${name}\n${reason}`)
    if (same === undefined) byReason.set(`${name}\n${reason}`, [file])
    else same.push(file)
  }
  return [...byReason].map(([key, names]) => {
    const [name, ...reason] = key.split('\n')
    return `${name}: ${names.join(', ')}: ${reason.join(' ')}`
  })
}

function fileLines(file: JudgedFile): string[] {
  return [`${file.file}: ${file.class}`, ...[...grouped(file.new)].flatMap(findingLines)]
}

/** What is wrong in the same way is told once, with all its places. */
function grouped(found: readonly Diagnostic[]): Iterable<readonly Diagnostic[]> {
  const groups = new Map<string, Diagnostic[]>()
  for (const finding of found) {
    const { severity, source, code, message } = finding
    const key = JSON.stringify([severity, source, code, message])
    const same = groups.get(key)
    if (same === undefined) groups.set(key, [finding])
    else same.push(finding)
  }
  return groups.values()
}

function findingLines(same: readonly Diagnostic[]): string[] {
  const [first, ...others] = same
  if (first === undefined) return []
  if (others.length === 0)
    return [`  ${describeFinding(first)}`, ...(first.text === '' ? [] : [`      ${first.text}`])]
  const places = new Map<number, { readonly columns: string[]; readonly text: string }>()
  for (const { line, column, text } of same) {
    const known = places.get(line)
    if (known === undefined) places.set(line, { columns: [`${line}:${column}`], text })
    else known.columns.push(`${line}:${column}`)
  }
  return [
    `  ${same.length}x ${describeKind(first)}`,
    ...[...places.values()].map(({ columns, text }) => `      ${columns.join(', ')}  ${text}`.trimEnd()),
  ]
}

function outcomeOf(before: Examined | undefined, after: Examined): FileOutcome<Diagnostic> {
  const { diagnosis, unchecked } = after
  if (diagnosis.verdict === 'unknown') return { known: 'nothing', reason: diagnosis.reason }
  const present = counting(diagnosis.diagnostics)
  const alone = (reason: string) => ({ known: 'present' as const, reason, present, unchecked })
  if (before === undefined) return alone('it was not looked at before')
  if (before.diagnosis.verdict === 'unknown') return alone(before.diagnosis.reason)
  // What was hidden then and shows now is not known to be new.
  const hidden = hiddenIn(before.diagnosis)
  if (hidden !== undefined) return alone(hidden)
  const baseline = { text: before.text, findings: counting(before.diagnosis.diagnostics) }
  const delta = deltaOf(baseline, { text: after.text, findings: present })
  return { known: 'both', delta, unchecked }
}

function counting(found: readonly Diagnostic[]): readonly Diagnostic[] {
  return found.filter(({ severity }) => severity === 'error' || severity === 'warning')
}

function byRank(found: readonly Diagnostic[]): Diagnostic[] {
  const rank = ({ severity }: Diagnostic) => (severity === 'error' ? 0 : 1)
  return [...found].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column)
}
