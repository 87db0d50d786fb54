// Holds what was answered about a file against what is known of its text. Only what an answer vouches for is judged: one
// that says it does not know has not lied.
import type { Success } from '../../src/index.js'
import { contentHash } from '../../src/text/hash.js'
import type { Expectation, Required } from './ground.js'

export interface Reported {
  readonly verdict: 'settled' | 'unknown'
  readonly content: string
  readonly reason?: string | undefined
  readonly diagnostics: readonly Diagnosed[]
}

export interface Diagnosed {
  readonly severity: string
  readonly line: number
  readonly message: string
}

type Doubted = Pick<Success<unknown>, 'completeness' | 'freshness'>

export type ProblemKind =
  | 'false clean'
  | 'stale or made-up error'
  | 'error in the wrong place'
  | 'another content'

export interface Problem {
  readonly kind: ProblemKind
  readonly words: string
}

/** What is wrong with a settled report on this text; `isComplete`, as far as the answer calls itself so. */
export function problemsOf(
  report: Reported,
  { text, expectation }: { readonly text: string; readonly expectation: Expectation },
  isComplete: boolean,
): Problem[] {
  if (report.content !== contentHash(Buffer.from(text)))
    return [{ kind: 'another content', words: `it is said to be for ${report.content}` }]
  return lineProblems(report.diagnostics.filter(isError), expectation, isComplete)
}

/**
 * Whether an answer says of itself that it does not know, while each of its files is called settled: whoever reads the
 * files alone takes for known what is not.
 */
export function isSettledInDoubt(reports: readonly Pick<Reported, 'verdict'>[], answer: Doubted): boolean {
  const isInDoubt = answer.completeness.verdict === 'unknown' || answer.freshness.verdict === 'unknown'
  return isInDoubt && reports.every(({ verdict }) => verdict === 'settled')
}

export function isError({ severity }: Diagnosed): boolean {
  return severity === 'error'
}

/** The errors found against those that must be there. */
export function lineProblems(
  errors: readonly Diagnosed[],
  expectation: Expectation,
  isComplete: boolean,
): Problem[] {
  const { required, optional, isLoose } = expectation
  const isTold = ({ line, mentions }: Required) =>
    errors.some(error => error.line === line && (mentions === undefined || error.message.includes(mentions)))
  // Of errors behind one that hides them nothing need be told, if that much is.
  const isHidden = !isComplete && required.some(one => one.hides && isTold(one))
  const missing = isHidden ? [] : required.filter(one => !isTold(one))
  const known = new Set([...optional, ...required.map(({ line }) => line)])
  const extra = isLoose ? [] : errors.filter(({ line }) => !known.has(line))
  return [
    ...missing.map(({ line, mentions, text }): Problem => {
      const elsewhere = errors.find(error => mentions !== undefined && error.message.includes(mentions))
      const wanted = `line ${line} has an error (${text.trim()})`
      return elsewhere === undefined
        ? { kind: 'false clean', words: `${wanted}, and it was not told` }
        : { kind: 'error in the wrong place', words: `${wanted}, and it was told of line ${elsewhere.line}` }
    }),
    ...extra.map(
      ({ line, message }): Problem => ({
        kind: 'stale or made-up error',
        words: `line ${line} has no error, and it was told: ${message}`,
      }),
    ),
  ]
}
