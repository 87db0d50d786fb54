// What is known of files before a change, and what is then made of it: the present is asked for, and the two are compared.
// Where the past comes from is somebody else's business: the disk, a trial of old texts, or a recording.
import { asBridgeError, type BridgeError } from '../errors.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import type { JudgedFile } from './change-result.js'
import { added, type ChangedText, changedSpans, judgeFiles } from './changed-files.js'
import type { DeclaredName } from './dependents.js'
import { type Examined, Examiner, type Findings, nothingFound, unknownFindings } from './examine.js'
import type { ContextOf } from './operation.js'
import { groupByServer } from './server-groups.js'

type Context = ContextOf['workspace']

/** What was known before the change. */
export interface Past {
  readonly files: readonly ChangedText[]
  readonly groups: readonly PastGroup[]
  /** Why not everything is. */
  readonly reason?: string
}

/** The part of it that one server knew. */
export interface PastGroup {
  readonly files: readonly ChangedText[]
  readonly findings: Findings
  /** Declared where the texts differ. */
  readonly names: readonly DeclaredName[]
  readonly dependents: readonly SourceFile[]
  readonly gaps: readonly string[]
}

/** What is found now. */
export interface Present {
  readonly findings: Findings
  readonly gaps: readonly string[]
  /** Files that depend on what the change added; nobody looked at them before. */
  readonly late: readonly LateDependents[]
}

export interface LateDependents {
  readonly connection: Connection
  /** What they depend on. */
  readonly files: readonly ChangedText[]
  readonly sources: readonly SourceFile[]
}

/** Never fails: the change is made, and what is not known of it must be told. */
export async function examinePresent(past: Past, context: Context): Promise<Present> {
  const gaps = past.groups.flatMap(group => group.gaps)
  if (past.reason !== undefined) gaps.push(past.reason)
  const findings = new Map<string, Examined>()
  const late: LateDependents[] = []
  const fail = (files: readonly ChangedText[], { message, hint }: BridgeError) => {
    context.doubt({ verdict: 'unknown', reason: message, hint })
    gaps.push(message)
    for (const { file } of files) findings.set(file, unknownFindings('', message))
  }
  const present: ChangedText[] = []
  for (const changed of past.files) {
    if (changed.texts.at(-1) === undefined) findings.set(changed.file, nothingFound())
    else present.push(changed)
  }
  try {
    // What is gone has nothing wrong with it, but others may still refer to it: its server is asked about those.
    const { groups, unserved } = await groupByServer(past.files, context)
    for (const { file, error } of unserved) fail(present.includes(file) ? [file] : [], error)
    for (const [connection, own] of groups) {
      try {
        const after = await context.during(connection, () => groupAfter(own, past, connection, context))
        gaps.push(...after.gaps)
        for (const [file, examined] of after.findings) findings.set(file, examined)
        if (after.late.length > 0) late.push({ connection, files: own, sources: after.late })
      } catch (thrown) {
        fail(
          own.filter(changed => present.includes(changed)),
          asBridgeError(thrown),
        )
      }
    }
  } catch (thrown) {
    fail(present, asBridgeError(thrown))
  }
  return { findings, gaps, late }
}

export function judgePresent(past: Past, present: Findings): JudgedFile[] {
  const before = new Map(past.groups.flatMap(({ findings }) => [...findings]))
  return judgeFiles(past.files, present, before, past.reason)
}

async function groupAfter(
  files: readonly ChangedText[],
  past: Past,
  connection: Connection,
  context: Context,
): Promise<{
  readonly findings: Findings
  readonly late: readonly SourceFile[]
  readonly gaps: readonly string[]
}> {
  const examiner = new Examiner(connection, context)
  const there = files.filter(({ texts }) => texts.at(-1) !== undefined)
  const sources = new Map(there.map(changed => [changed, context.workspace.read(changed.absolute)]))
  await examiner.prepare([...sources.values()])
  const before = past.groups.filter(group => group.files.some(changed => files.includes(changed)))
  const dependents = before.flatMap(group => group.dependents.flatMap(source => readAgain(source, context)))
  const known = new Set([...past.files, ...dependents].map(({ absolute }) => absolute))
  const declared = Promise.all(
    [...sources].map(([changed, source]) =>
      examiner.namesOnDisk(source, changedSpans(changed, source.text.text)),
    ),
  )
  // A server with several workers is given all there is to do; and who depends on the change is nearly always known.
  const asked = [examiner.diagnoseFiles([...sources.values()]), examiner.diagnoseDependents(dependents)]
  // Whatever fails, nothing is left running behind the turn.
  await Promise.allSettled([declared, ...asked])
  const old = before.flatMap(group => group.names)
  const late = await examiner.dependents(added((await declared).flat(), old), known)
  asked.push(examiner.diagnoseDependents(late))
  const findings = new Map((await Promise.all(asked)).flatMap(found => [...found]))
  return { findings, late: late.filter(({ relative }) => findings.has(relative)), gaps: examiner.gaps }
}

function readAgain({ absolute }: SourceFile, { workspace }: Context): SourceFile[] {
  try {
    return [workspace.read(absolute)]
  } catch {
    // Gone meanwhile: there is nothing to be wrong with it.
    return []
  }
}
