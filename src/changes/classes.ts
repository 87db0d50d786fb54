// The five classes of a change (contract section 6), per file and overall. What is not known is never clean: every way
// not to know ends in `lsp_unavailable`.
import { unreachable } from '../errors.js'
import type { Delta, Finding } from './delta.js'

/** In the order of precedence: the first that holds for any file is the class of the whole. */
export const changeClasses = [
  'new_errors',
  'lsp_unavailable',
  'warnings_only',
  'baseline_error',
  'clean',
] as const

export type ChangeClass = (typeof changeClasses)[number]

/** How far a verdict looked: at the changed files alone, or at every file that depends on what was changed. */
export const changeScopes = ['dependents', 'modified'] as const

export type ChangeScope = (typeof changeScopes)[number]

/** What is known of one file after a change. */
export type FileOutcome<F extends Finding = Finding> =
  | { readonly known: 'nothing'; readonly reason: string }
  /** Settled now, but nobody knows what it was like before. */
  | ({ readonly known: 'present'; readonly reason: string; readonly present: readonly F[] } & Unchecked)
  | ({ readonly known: 'both'; readonly delta: Delta<F> } & Unchecked)

interface Unchecked {
  /** What the server never checks; an error that it finds is one, but finding none proves nothing. */
  readonly unchecked?: string | undefined
}

export interface Classified {
  readonly class: ChangeClass
  /** Why it could not be established. */
  readonly reason?: string
}

export function classOfFile(outcome: FileOutcome): Classified {
  switch (outcome.known) {
    case 'nothing':
      return { class: 'lsp_unavailable', reason: outcome.reason }
    case 'present': {
      const { reason, present, unchecked } = outcome
      if (has(present, 'error')) return { class: 'lsp_unavailable', reason: `no baseline: ${reason}` }
      if (unchecked !== undefined) return { class: 'lsp_unavailable', reason: unchecked }
      // Whether they are new is not known; that no error is new, is.
      if (has(present, 'warning')) return { class: 'warnings_only', reason: `no baseline: ${reason}` }
      return { class: 'clean' }
    }
    case 'both': {
      const { delta, unchecked } = outcome
      if (has(delta.new, 'error')) return { class: 'new_errors' }
      if (unchecked !== undefined) return { class: 'lsp_unavailable', reason: unchecked }
      if (has(delta.new, 'warning')) return { class: 'warnings_only' }
      return { class: has(delta.kept, 'error') ? 'baseline_error' : 'clean' }
    }
    default:
      return unreachable(outcome)
  }
}

/** `clean` is said of the whole only when the dependents were looked at too, and never of nothing. */
export function classOfChange(files: readonly ChangeClass[], scope: ChangeScope): ChangeClass {
  const worst = changeClasses.find(name => files.includes(name))
  if (worst === undefined || (worst === 'clean' && scope === 'modified')) return 'lsp_unavailable'
  return worst
}

/** The change brought nothing, proven; errors of before are not its own. */
export function addsNothing(name: ChangeClass): boolean {
  return name === 'clean' || name === 'baseline_error'
}

/** How many steps of a chain can be taken without any of them breaking something: not the last good one (mistake 9). */
export function cleanThrough(
  steps: readonly { readonly step: number; readonly class: ChangeClass }[],
): number {
  let last = 0
  for (const step of steps) {
    if (!addsNothing(step.class)) return last
    last = step.step
  }
  return last
}

function has(findings: readonly Finding[], severity: 'error' | 'warning'): boolean {
  return findings.some(finding => finding.severity === severity)
}
