// What the servers say of files right before and right after they are written.
import { asBridgeError } from '../errors.js'
import type { Connection } from '../workspace/workspace.js'
import type { JudgedFile } from './change-result.js'
import { type ChangedFile, namesBefore } from './changed-files.js'
import { Examiner } from './examine.js'
import type { ContextOf } from './operation.js'
import { examinePresent, judgePresent, type Past, type PastGroup } from './past.js'
import { groupByServer } from './server-groups.js'

type Context = ContextOf['workspace']

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
  const { findings, gaps } = await examinePresent(past, context)
  return { files: judgePresent(past, findings), gaps }
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
