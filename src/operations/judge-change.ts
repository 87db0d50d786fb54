// The verdict on a change that is on the disk: the past from a recording or from a look back, the present from the servers,
// and the difference. A server that fails is one that is not known to have found nothing.
import { asBridgeError } from '../errors.js'
import type { Connection } from '../workspace/workspace.js'
import type { JudgedFile } from './change-result.js'
import type { ChangedText } from './changed-files.js'
import { Examiner } from './examine.js'
import { lookBack } from './look-back.js'
import type { ContextOf } from './operation.js'
import { examinePresent, judgePresent, type Past, type PastGroup, type Present } from './past.js'
import { recalled } from './recordings.js'
import { groupByServer } from './server-groups.js'

type Context = ContextOf['workspace']

export interface ChangeJudgement {
  /** The changed files, then those that depend on them. */
  readonly files: readonly JudgedFile[]
  /** Why not every file that depends on the change was looked at. */
  readonly gaps: readonly string[]
}

export async function judgeChange(files: readonly ChangedText[], context: Context): Promise<ChangeJudgement> {
  const past = await pastOf(files, context)
  const present = await examinePresent(past, context)
  const whole = await withLate(past, present, context)
  return { files: inOrder(judgePresent(whole, present.findings), files), gaps: present.gaps }
}

/** The changed files as they were given, then the others. */
function inOrder(judged: readonly JudgedFile[], changed: readonly ChangedText[]): JudgedFile[] {
  const ranks = new Map(changed.map(({ file }, rank) => [file, rank]))
  const rank = ({ file }: JudgedFile) => ranks.get(file) ?? changed.length
  return [...judged].sort((a, b) => rank(a) - rank(b))
}

async function pastOf(files: readonly ChangedText[], context: Context): Promise<Past> {
  const { groups, unserved } = await groupByServer(files, context)
  const past: PastGroup[] = []
  let reason = unserved[0]?.error.message
  // One server after another: two calls that held one each and wanted the other's would wait for ever.
  for (const [connection, own] of groups) {
    try {
      past.push((await remembered(own, connection, context)) ?? (await lookBack(own, connection, context)))
    } catch (thrown) {
      const error = asBridgeError(thrown)
      if (context.signal.aborted || error.kind === 'Bug') throw error
      reason = error.message
    }
  }
  return reason === undefined ? { files, groups: past } : { files, groups: past, reason }
}

function remembered(
  files: readonly ChangedText[],
  connection: Connection,
  context: Context,
): Promise<PastGroup | undefined> {
  return context.during(connection, async () => {
    const { milliseconds, signal } = new Examiner(connection, context).wait(0.25)
    await connection.view.bringUpToDate({ milliseconds, signal })
    return recalled(files, connection, context)
  })
}

/** Whoever depends on what the change added was not known to do so before; what was wrong there is asked for now. */
async function withLate(past: Past, { late, findings }: Present, context: Context): Promise<Past> {
  const groups: PastGroup[] = [...past.groups]
  for (const { connection, files, sources } of late) {
    const complaining = sources.filter(
      ({ relative }) => (findings.get(relative)?.diagnosis.diagnostics.length ?? 0) > 0,
    )
    if (complaining.length === 0) continue
    try {
      groups.push(await lookBack(files, connection, context, complaining))
    } catch (thrown) {
      const error = asBridgeError(thrown)
      if (context.signal.aborted || error.kind === 'Bug') throw error
      context.doubt({ verdict: 'partial', reason: error.message, hint: error.hint })
    }
  }
  return { ...past, groups }
}
