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
  /** The answer if it is as it should be; undefined where the server is known not to offer it, and the answer says so. */
  offered<R>(operation: OperationName, answer: Answer<R>): Success<R> | undefined
}

/** What is the bridge's own knowledge is answered without a server. */
const ownKnowledge: readonly OperationName[] = [
  'server_status',
  'list_workspace_folders',
  'add_workspace_folder',
  'remove_workspace_folder',
]

export function judgeFor({ server, partial, missing }: Expectations): Judge {
  const outcomes = new Map<OperationName, OperationResult>()
  const judge: Judge = {
    outcomes,
    lacks: operation => missing.some(gap => gap.operation === operation),
    accept(operation, answer) {
      if (!answer.ok) throw new Error(`${operation}: ${answer.kind}: ${answer.error} (hint: ${answer.hint})`)
      expectGap(
        answer.completeness,
        partial.find(gap => gap.operation === operation),
      )
      const { verdict, reason } = answer.freshness
      expect(verdict, reason).toBe('current')
      const asked = ownKnowledge.includes(operation) ? [] : [server]
      expect(answer.servers.map(({ id }) => id)).toEqual(asked)
      outcomes.set(operation, answer.completeness)
      return answer
    },
    acceptLack(operation, answer) {
      const gap = missing.find(known => known.operation === operation)
      if (gap === undefined) throw new TypeError(`${operation} is not among what ${server} lacks`)
      if (!answer.ok) expect(answer.kind).toBe('CapabilityMissing')
      const reason = answer.ok ? reasonOf(answer.completeness) : answer.error
      expect(reason).toMatch(gap.reason)
      outcomes.set(operation, { verdict: 'missing', reason })
    },
    offered(operation, answer) {
      if (!judge.lacks(operation)) return judge.accept(operation, answer)
      judge.acceptLack(operation, answer)
      return undefined
    },
  }
  return judge
}

function expectGap(completeness: Completeness, gap: KnownGap | undefined): void {
  if (gap === undefined) expect(completeness).toEqual({ verdict: 'complete' })
  else expect(completeness).toMatchObject({ verdict: 'partial', reason: expect.stringMatching(gap.reason) })
}

function reasonOf(completeness: Completeness): string {
  return completeness.verdict === 'complete' ? '' : completeness.reason
}
