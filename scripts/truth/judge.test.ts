// What counts as a lie of an answer, beyond the places it names.
import { expect, test } from 'vitest'
import { isSettledInDoubt } from './judge.js'
import { whyNotRenamed } from './judge-change.js'

const known = {
  completeness: { verdict: 'complete' },
  freshness: { verdict: 'current', queried_at: '' },
} as const
const unknown = { ...known, completeness: { verdict: 'unknown', reason: 'it is loading' } } as const
const undated = { ...known, freshness: { verdict: 'unknown', queried_at: '' } } as const
const partial = { ...known, completeness: { verdict: 'partial', reason: 'no types' } } as const
const settled = { verdict: 'settled' } as const
const open = { verdict: 'unknown' } as const

test('W08, O9 an answer that does not know has a file that is not settled', () => {
  for (const answer of [unknown, undated]) {
    expect(isSettledInDoubt([settled], answer)).toBe(true)
    expect(isSettledInDoubt([settled, settled], answer)).toBe(true)
    expect(isSettledInDoubt([settled, open], answer)).toBe(false)
  }
  for (const answer of [known, partial]) expect(isSettledInDoubt([settled], answer)).toBe(false)
})

test('R-111 a rename that was not made says why', () => {
  const failure = { ok: false, kind: 'RequestTimeout', error: 'late', hint: 'Ask again.' } as const
  const proposed = { ok: true, result: { handle: 'p:1' }, servers: [], ...known } as const
  expect(whyNotRenamed(failure, undefined)).toBe('rename: RequestTimeout')
  expect(whyNotRenamed({ ...proposed, result: {} }, undefined)).toBe('rename: nothing was proposed')
  expect(whyNotRenamed(proposed, failure)).toBe('rename, applied: RequestTimeout')
  expect(whyNotRenamed(proposed, proposed)).toBeUndefined()
})
