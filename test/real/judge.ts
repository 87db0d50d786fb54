// Judges one answer as the suite wants every answer: given by the server under test, true for the present files, and
// complete, unless the server is known to lack something and the answer says so.
import { expect } from 'vitest'
import type { Answer, Success } from '../../src/index.js'
import type { operations } from '../../src/operations/index.js'
import type { OperationResult } from './results.js'

export type OperationName = (typeof operations)[number]['name']

export interface KnownGap {
  readonly operation: OperationName
  /** What the answer must say about it. */
  readonly reason: RegExp
}

export interface Expectations {
  readonly server: string
  /** Answers that lack something by the server's design. */
  readonly partial: readonly KnownGap[]
  /** Operations the server does not offer at all; what is asked over all languages then says so. */
  readonly missing: readonly KnownGap[]
}

export class Judge {
  readonly #expectations: Expectations
  readonly outcomes = new Map<OperationName, OperationResult>()

  constructor(expectations: Expectations) {
    this.#expectations = expectations
  }

  /** The answer, if it is as it should be. */
  accept<R>(operation: OperationName, answer: Answer<R>): Success<R> {
    if (!answer.ok) throw new Error(`${operation} failed: ${answer.kind}: ${answer.error} (${answer.hint})`)
    const { server, missing, partial } = this.#expectations
    const gap = [...missing, ...partial].find(known => known.operation === operation)
    const { verdict, ...why } = answer.completeness
    if (gap === undefined) expect(answer.completeness, operation).toEqual({ verdict: 'complete' })
    else {
      expect(verdict, operation).toBe('partial')
      expect(why, operation).toMatchObject({ reason: expect.stringMatching(gap.reason) })
    }
    expect(answer.freshness.verdict, operation).toBe('current')
    if (operation !== 'server_status') expect(answer.servers.map(({ id }) => id)).toEqual([server])
    this.outcomes.set(operation, outcomeOf(answer.completeness, missing.includes(gap ?? noGap)))
    return answer
  }

  /** The operation cannot be asked of this server, and the failure says so. */
  refuse<R>(operation: OperationName, answer: Answer<R>): void {
    expect(answer, operation).toMatchObject({ ok: false, kind: 'CapabilityMissing' })
    if (!answer.ok) this.outcomes.set(operation, { verdict: 'missing', reason: answer.error })
  }
}
