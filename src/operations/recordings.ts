// What a server said of files at one moment, kept as long as the server lives: if nothing else changed since, the past of
// a change need not be asked for again. This is what makes a verdict as quick as the server's own.
import type { SourceText } from '../text/lines.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import { type ChangedText, changedSpans, spansBefore } from './changed-files.js'
import { type DeclaredName, keyOf, namesIn, type Outline, type Referrers } from './dependents.js'
import { Examiner, type Findings } from './examine.js'
import type { ContextOf } from './operation.js'
import type { PastGroup } from './past.js'

type Context = ContextOf['workspace']

export interface Recording {
  /** Of the files, when it was made. */
  readonly revision: number
  /** By file: the text it is about; undefined where there was no such file. */
  readonly texts: ReadonlyMap<string, SourceText | undefined>
  readonly outlines: ReadonlyMap<string, Outline>
  readonly referrers: Referrers
  readonly findings: Findings
  readonly gaps: readonly string[]
}

const mostKept = 8
// Who uses what is asked of every name, before anybody knows which will be changed.
const referrersMilliseconds = 3000
const kept = new WeakMap<Connection['session'], Recording[]>()

export function keepRecording({ session }: Pick<Connection, 'session'>, recording: Recording): void {
  kept.set(session, [recording, ...(kept.get(session) ?? [])].slice(0, mostKept))
}

/** The past of these files, if one of the recordings covers it. The server's view must be up to date. */
export function recalled(
  files: readonly ChangedText[],
  connection: Connection,
  context: Context,
): PastGroup | undefined {
  for (const recording of kept.get(connection.session) ?? []) {
    const past = isOf(recording, files) ? fromRecording(recording, files, connection, context) : undefined
    if (past !== undefined && nothingElseChanged(recording, files, connection, context)) return past
  }
  return undefined
}

/**
 * Asks about the files as they are on the disk, and about all that depend on anything they declare, before they are
 * changed.
 */
export async function recordNow(
  sources: readonly SourceFile[],
  connection: Connection,
  context: Context,
): Promise<void> {
  const { revision } = context.workspace
  if (revision === undefined) return
  const examiner = new Examiner(connection, context)
  await examiner.prepare(sources)
  const findings = new Map(await examiner.diagnoseFiles(sources))
  // What cannot be asked about all names need not concern those that will be changed.
  const gaps = [...examiner.gaps]
  const outlines = new Map<string, Outline>()
  const names: DeclaredName[] = []
  for (const source of sources) {
    const [opened] = await examiner.open([source])
    const outline = opened === undefined ? undefined : await examiner.outline(opened)
    if (outline === undefined) continue
    outlines.set(source.relative, outline)
    // Which lines hand on what cannot be asked about concerns whoever changes them, and is told then.
    names.push(...namesIn(outline, changedSpans({ source: undefined }, source.text.text)).names)
  }
  const referrers = await examiner.referrers(names, referrersMilliseconds)
  const known = new Set(sources.map(({ absolute }) => absolute))
  const dependents = examiner.dependentsIn(referrers.values(), known)
  for (const [file, examined] of await examiner.diagnoseDependents(dependents)) findings.set(file, examined)
  // Whoever waited has gone, and the questions were cut short.
  if (context.signal.aborted) return
  const texts = new Map(sources.map(({ relative, text }) => [relative, text]))
  keepRecording(connection, { revision, texts, outlines, referrers, findings, gaps })
}

function isOf({ texts }: Recording, files: readonly ChangedText[]): boolean {
  return files.every(
    ({ file, source, baseless }) =>
      baseless === undefined && texts.has(file) && texts.get(file)?.text === source?.text.text,
  )
}

/** Undefined where it does not reach far enough, or the server could not say then what it may be able to say now. */
function fromRecording(
  { outlines, referrers, findings, gaps }: Recording,
  files: readonly ChangedText[],
  connection: Connection,
  context: Context,
): PastGroup | undefined {
  const lasting = new Set(
    context.workspace.limitsOf(connection, files[0]?.absolute).map(({ reason }) => reason),
  )
  if (gaps.some(gap => !lasting.has(gap))) return undefined
  const examiner = new Examiner(connection, context)
  const names: DeclaredName[] = []
  for (const changed of files) {
    const { file, source } = changed
    if (source === undefined) continue
    const spans = spansBefore(changed)
    const outline = outlines.get(file)
    if (!isSettledIn(findings, file) || (outline === undefined && spans.length > 0)) return undefined
    if (outline !== undefined) names.push(...examiner.namesIn(outline, spans))
  }
  const asked = names.map(name => referrers.get(keyOf(name)))
  if (asked.includes(undefined)) return undefined
  const known = new Set(files.map(({ absolute }) => absolute))
  const dependents = examiner.dependentsIn(
    asked.flatMap(found => found ?? []),
    known,
  )
  if (dependents.some(({ relative }) => !isSettledIn(findings, relative))) return undefined
  const own = new Set([...files, ...dependents].map(file => ('relative' in file ? file.relative : file.file)))
  const found = new Map([...findings].filter(([file]) => own.has(file)))
  if ([...found.values()].some(({ diagnosis }) => diagnosis.verdict === 'unknown')) return undefined
  return {
    files,
    findings: found,
    names,
    dependents,
    gaps: [...gaps, ...examiner.gaps],
  }
}

/** What was not known then may be known now. */
function isSettledIn(findings: Findings, file: string): boolean {
  return findings.get(file)?.diagnosis.verdict === 'settled'
}

function nothingElseChanged(
  { revision }: Recording,
  files: readonly ChangedText[],
  { view }: Connection,
  { workspace }: Context,
): boolean {
  if (workspace.revision === undefined) return false
  const own = new Set(files.map(({ absolute }) => absolute))
  return workspace.changedAfter(revision).every(path => own.has(path) || !view.caresAbout(path))
}
