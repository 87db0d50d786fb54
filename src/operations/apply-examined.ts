// What the servers say of files right before and right after they are written.
import { asBridgeError, type BridgeError } from '../errors.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import type { JudgedFile } from './change-result.js'
import { added, type ChangedFile, changedSpans, judgeFiles, namesBefore } from './changed-files.js'
import type { DeclaredName } from './dependents.js'
import { type Examined, Examiner, type Findings, nothingFound, unknownFindings } from './examine.js'
import type { ContextOf } from './operation.js'
import { groupByServer } from './server-groups.js'

type Context = ContextOf['workspace']

/** What was known before the writing. */
export interface Past {
  readonly files: readonly ChangedFile[]
  readonly groups: readonly PastGroup[]
  /** Why not everything is. */
  readonly reason?: string
}

interface PastGroup {
  readonly files: readonly ChangedFile[]
  readonly findings: Findings
  readonly names: readonly DeclaredName[]
  readonly dependents: readonly SourceFile[]
  readonly gaps: readonly string[]
}

export async function examineBefore(files: readonly ChangedFile[], context: Context): Promise<Past> {
  const { groups, unserved } = await groupByServer(files, context)
  const past: PastGroup[] = []
  let reason = unserved[0]?.error.message
  for (const [connection, own] of groups) {
    try {
      past.push(await context.during(connection, () => groupBefore(own, connection, context)))
    } catch (thrown) {
      reason = asBridgeError(thrown).message
    }
  }
  return reason === undefined ? { files, groups: past } : { files, groups: past, reason }
}

/** Never fails: the files are written, and that must be told. */
export async function examineAfter(
  past: Past,
  context: Context,
): Promise<{ readonly files: JudgedFile[]; readonly gaps: readonly string[] }> {
  const gaps = past.groups.flatMap(group => group.gaps)
  if (past.reason !== undefined) gaps.push(past.reason)
  const found = new Map<string, Examined>()
  const fail = (files: readonly ChangedFile[], { message, hint }: BridgeError) => {
    context.doubt({ verdict: 'unknown', reason: message, hint })
    gaps.push(message)
    for (const { file } of files) found.set(file, unknownFindings('', message))
  }
  const present: ChangedFile[] = []
  for (const changed of past.files) {
    if (changed.texts.at(-1) === undefined) found.set(changed.file, nothingFound())
    else present.push(changed)
  }
  try {
    const { groups, unserved } = await groupByServer(present, context)
    for (const { file, error } of unserved) fail([file], error)
    for (const [connection, own] of groups) {
      try {
        const after = await context.during(connection, () => groupAfter(own, past, connection, context))
        gaps.push(...after.gaps)
        for (const [file, examined] of after.findings) found.set(file, examined)
      } catch (thrown) {
        fail(own, asBridgeError(thrown))
      }
    }
  } catch (thrown) {
    fail(present, asBridgeError(thrown))
  }
  const before = new Map(past.groups.flatMap(({ findings }) => [...findings]))
  const files = judgeFiles(past.files, found, before, past.reason)
  return { files, gaps }
}

async function groupBefore(
  files: readonly ChangedFile[],
  connection: Connection,
  context: Context,
): Promise<PastGroup> {
  const examiner = new Examiner(connection, context)
  const sources = files.flatMap(({ source }) => source ?? [])
  await examiner.prepare(sources)
  const findings = new Map(await examiner.diagnoseFiles(sources))
  const names = await namesBefore(files, examiner)
  const referring = await examiner.dependents(names, new Set(files.map(({ absolute }) => absolute)))
  for (const [file, examined] of await examiner.diagnoseDependents(referring)) findings.set(file, examined)
  const dependents = referring.filter(({ relative }) => findings.has(relative))
  return { files, findings, names, dependents, gaps: examiner.gaps }
}

async function groupAfter(
  files: readonly ChangedFile[],
  past: Past,
  connection: Connection,
  context: Context,
): Promise<{ readonly findings: Findings; readonly gaps: readonly string[] }> {
  const examiner = new Examiner(connection, context)
  const sources = new Map(files.map(changed => [changed, context.workspace.read(changed.absolute)]))
  await examiner.prepare([...sources.values()])
  const findings = new Map(await examiner.diagnoseFiles([...sources.values()]))
  const before = past.groups.filter(group => group.files.some(changed => files.includes(changed)))
  const dependents = before.flatMap(group => group.dependents.flatMap(source => readAgain(source, context)))
  const known = new Set([...past.files, ...dependents].map(({ absolute }) => absolute))
  const names: DeclaredName[] = []
  for (const [changed, source] of sources)
    names.push(...(await examiner.namesOnDisk(source, changedSpans(changed, source.text.text))))
  const old = before.flatMap(group => group.names)
  const late = await examiner.dependents(added(names, old), known)
  const others = await examiner.diagnoseDependents([...dependents, ...late])
  for (const [file, examined] of others) findings.set(file, examined)
  return { findings, gaps: examiner.gaps }
}

function readAgain({ absolute }: SourceFile, { workspace }: Context): SourceFile[] {
  try {
    return [workspace.read(absolute)]
  } catch {
    // Gone meanwhile: there is nothing to be wrong with it.
    return []
  }
}
