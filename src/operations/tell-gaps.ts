// How far a verdict on a change reaches, and why no further.
import type { ChangeScope } from '../changes/classes.js'
import type { JudgedFile } from './change-result.js'
import type { ContextOf } from './operation.js'
import { counted } from './render.js'

const mostNamed = 3

/** Without a gap every file that depends on the change was looked at. */
export function tellGaps(
  gaps: readonly string[],
  { doubt }: Pick<ContextOf['workspace'], 'doubt'>,
): ChangeScope {
  const reasons = [...new Set(gaps)]
  if (reasons.length === 0) return 'dependents'
  const named = reasons.slice(0, mostNamed).join('; ')
  const more = reasons.length > mostNamed ? `; and ${counted(reasons.length - mostNamed, 'more gap')}` : ''
  doubt({
    verdict: 'partial',
    reason: `not every file that depends on the change was checked: ${named}${more}`,
  })
  return 'modified'
}

/** What could not be established of a file lowers the verdict on the whole answer. */
export function tellReasons(
  files: readonly JudgedFile[],
  { doubt }: Pick<ContextOf['workspace'], 'doubt'>,
): void {
  for (const { verdict, reason } of files) {
    if (reason !== undefined) doubt({ verdict: verdict === 'unknown' ? 'unknown' : 'partial', reason })
  }
}
