// The envelope of every answer: the result, whether it is complete, what content it is true for, and who said so.
// Completeness and freshness are part of the type, so that no operation can forget them.
import type { Candidate, ErrorKind } from '../errors.js'

export type Completeness =
  | { readonly verdict: 'complete' }
  | { readonly verdict: 'partial' | 'unknown'; readonly reason: string; readonly hint?: string }

export interface Freshness {
  readonly verdict: 'current' | 'stale' | 'unknown'
  /** The content of the target file the answer is true for. */
  readonly content?: string
  readonly queried_at: string
  readonly reason?: string
}

const worstFirst: readonly Freshness['verdict'][] = ['stale', 'unknown', 'current']

/** Before it is known when the question was put. */
export type Currentness = Omit<Freshness, 'queried_at'>

/** Of two judgements on one answer the worse holds; the content is the one that was named last. */
export function worseOf(known: Currentness, next: Currentness): Currentness {
  const isKnownWorse = worstFirst.indexOf(known.verdict) < worstFirst.indexOf(next.verdict)
  const { verdict, reason } = isKnownWorse ? known : next
  const content = next.content ?? known.content
  return {
    verdict,
    ...(content === undefined ? {} : { content }),
    ...(reason === undefined ? {} : { reason }),
  }
}

export interface AnsweringServer {
  readonly id: string
  readonly name: string
  readonly version: string
}

export interface AnswerTarget {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly symbol: string
  readonly handle: string
  /** Said when the target was found elsewhere than it was pointed at. */
  readonly note?: string
}

export interface Success<R> {
  readonly ok: true
  readonly result: R
  readonly target?: AnswerTarget
  readonly completeness: Completeness
  readonly freshness: Freshness
  readonly servers: readonly AnsweringServer[]
  readonly truncated?: { readonly shown: number; readonly total: number }
  readonly evidence?: string
}

/** What every text form says besides the result. */
export type Envelope = Pick<
  Success<unknown>,
  'target' | 'completeness' | 'freshness' | 'servers' | 'truncated'
>

export interface Failure {
  readonly ok: false
  readonly kind: ErrorKind
  readonly error: string
  readonly hint: string
  readonly candidates?: readonly Candidate[]
}

export type Answer<R> = Success<R> | Failure

/** A doubt lowers the verdict; the worst one decides, and its reason is told. */
export interface Doubt {
  readonly verdict: 'partial' | 'unknown'
  readonly reason: string
  readonly hint?: string | undefined
}

export function completenessOf(doubts: readonly Doubt[]): Completeness {
  const [first] = doubts
  if (first === undefined) return { verdict: 'complete' }
  // Not knowing at all is worse than knowing that something is missing.
  const verdict = doubts.some(doubt => doubt.verdict === 'unknown') ? 'unknown' : 'partial'
  const reasons = [...new Set(doubts.map(doubt => doubt.reason))]
  const hint = doubts.find(doubt => doubt.hint !== undefined)?.hint
  return { verdict, reason: reasons.join('; '), ...(hint === undefined ? {} : { hint }) }
}
