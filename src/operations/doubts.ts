// What a server cannot know, turned into doubts that lower an answer's verdict: for want of trust, by design, because it
// is still indexing, or because it complains. One judgement for every kind of question.
import type { Readiness, ReadinessRule } from '../lsp/readiness.js'
import { cleanLine } from '../text/clean.js'
import type { Currency } from '../workspace/file-table.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import type { AnsweringServer } from './answer.js'
import type { ContextOf } from './operation.js'

export function answeringServer({ session }: Connection): AnsweringServer {
  const { client, candidate } = session
  return {
    id: candidate.definition.id,
    name: client.identity.name,
    version: client.identity.version ?? candidate.version ?? 'unknown',
  }
}

/** A server that was not told of every change may answer for what was before. */
export function doubtCurrency(
  currency: Currency,
  call: Pick<ContextOf['workspace'], 'doubt' | 'fresh'>,
): void {
  if (currency.current) return
  const { reason } = currency
  call.doubt({ verdict: 'unknown', reason })
  call.fresh({ verdict: 'unknown', reason })
}

/** What this server cannot know: for want of trust, and by design as far as that touches the given request. */
export function doubtLimits(
  method: string | undefined,
  connection: Connection,
  file: string | undefined,
  call: Pick<ContextOf['workspace'], 'workspace' | 'doubt'>,
): void {
  const { limitedCosts } = connection.session.candidate
  if (limitedCosts !== undefined) {
    const reason = `the workspace is not trusted: ${limitedCosts}`
    call.doubt({
      verdict: 'partial',
      reason,
      hint: 'If you trust the code in this folder, run: alidade trust',
    })
  }
  for (const { methods, reason, hint } of call.workspace.limitsOf(connection, file)) {
    if (method !== undefined && methods.includes(method)) call.doubt({ verdict: 'partial', reason, hint })
  }
}

/** A server that searches only projects with an open file gets one of each opened, as far as there are not too many. */
export async function openProjects(
  method: string | undefined,
  connection: Connection,
  call: Pick<ContextOf['workspace'], 'doubt' | 'signal' | 'remaining'>,
): Promise<void> {
  const { projects, title } = connection.session.candidate.definition
  if (method === undefined || projects === undefined || !projects.methods.includes(method)) return
  const { opened, total } = await connection.view.openProjects({
    signal: call.signal,
    milliseconds: call.remaining(),
  })
  if (opened === total) return
  call.doubt({
    verdict: 'partial',
    reason: `${title} searched ${opened} of the ${total} projects below this root`,
    hint: 'Start Alidade with --root at the part you work on.',
  })
}

/** One judgement of what a server's readiness means, for questions on a file and for searches alike. */
export function doubtReadiness(
  readiness: Readiness,
  { title, readiness: rule }: { readonly title: string; readonly readiness: ReadinessRule },
  call: Pick<ContextOf['workspace'], 'doubt'>,
): void {
  if (!readiness.ready) {
    const verdict = rule.kind === 'unproven' ? 'unknown' : 'partial'
    call.doubt({ verdict, reason: `${title}: ${readiness.reason}`, hint: 'Ask again later for the rest.' })
  } else if (readiness.complaint !== undefined) {
    call.doubt({ verdict: 'partial', reason: `${title} says: ${cleanLine(readiness.complaint, 300).text}` })
  }
}

/** An answer that rests on these texts is no longer true where one of them was changed while it was made. */
export function doubtChangedFiles(
  sources: readonly SourceFile[],
  { workspace, fresh, doubt }: Pick<ContextOf['workspace'], 'workspace' | 'fresh' | 'doubt'>,
): void {
  const changed = sources.find(source => !workspace.stillHas(source))
  if (changed === undefined) return
  const reason = `${changed.relative} was changed on the disk meanwhile`
  fresh({ verdict: 'stale', reason })
  doubt({ verdict: 'unknown', reason, hint: 'Ask again.' })
}
