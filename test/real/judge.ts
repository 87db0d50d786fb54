// Judges one answer as the suite wants every answer: given by the server under test, true for the present files, and
// complete, unless the server is known to lack something; then the answer must say what.
import { expect } from 'vitest'
import type { Answer, Completeness, Success } from '../../src/index.js'
import type { operations } from '../../src/operations/index.js'
import type { OperationResult } from './results.js'

export type OperationName = (typeof operations)[number]['name']

export interface KnownGap {
  readonly operation: OperationName
  /** What the answer must say about it. */
  readonly reason: RegExp
}

export interface Expectations {
  /** The id of the server. */
  readonly server: string
  /** Answers that lack something by the server's design. */
  readonly partial: readonly KnownGap[]
  /** Operations the server does not offer. */
  readonly missing: readonly KnownGap[]
}

export interface Judge {
  readonly outcomes: ReadonlyMap<OperationName, OperationResult>
  lacks(operation: OperationName): boolean
  /** Returns the answer if it is as it should be. */
  accept<R>(operation: OperationName, answer: Answer<R>): Success<R>
  /** What the server does not offer must not look like "nothing found". */
  acceptLack<R>(operation: OperationName, answer: Answer<R>): void
}

export function judgeFor({ server, partial, missing }: Expectations): Judge {
  const outcomes = new Map<OperationName, OperationResult>()
  return {
    outcomes,
    lacks: operation => missing.some(gap => gap.operation === operation),
    accept(operation, answer) {
      if (!answer.ok) throw new Error(`${operation}: ${answer.kind}: ${answer.error} (hint: ${answer.hint})`)
      expectGap(
        answer.completeness,
        partial.find(gap => gap.operation === operation),
      )
      expect(answer.freshness.verdict).toBe('current')
      // Which servers run is the bridge's own knowledge.
      const asked = operation === 'server_status' ? [] : [server]
      expect(answer.servers.map(({ id }) => id)).toEqual(asked)
      outcomes.set(operation, answer.completeness)
      return answer
    },
    acceptLack(operation, answer) {
      const gap = missing.find(known => known.operation === operation)
      if (answer.ok) expectGap(answer.completeness, gap)
      else
        expect(answer).toMatchObject({
          kind: 'CapabilityMissing',
          error: expect.stringMatching(gap?.reason ?? ''),
        })
      const reason = answer.ok ? reasonOf(answer.completeness) : answer.error
      outcomes.set(operation, { verdict: 'missing', reason })
    },
  }
}

function expectGap(completeness: Completeness, gap: KnownGap | undefined): void {
  if (gap === undefined) expect(completeness).toEqual({ verdict: 'complete' })
  else {
    expect(completeness.verdict).toBe('partial')
    expect(reasonOf(completeness)).toMatch(gap.reason)
  }
}

function reasonOf(completeness: Completeness): string {
  return completeness.verdict === 'complete' ? '' : completeness.reason
}
