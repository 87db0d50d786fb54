// What a server says of its own view must reach every answer it takes part in, a search as much as a question on a file.
import { expect, test } from 'vitest'
import type { Doubt } from './answer.js'
import { doubtReadiness } from './doubts.js'

const blocks = { title: 'Fake', readiness: { kind: 'blocks', reason: 'It waits.' } } as const
const unproven = { title: 'Fake', readiness: { kind: 'unproven', reason: 'Nothing is known.' } } as const

function doubtsOf(
  readiness: Parameters<typeof doubtReadiness>[0],
  definition: Parameters<typeof doubtReadiness>[1],
) {
  const doubts: Doubt[] = []
  doubtReadiness(readiness, definition, { doubt: doubt => void doubts.push(doubt) })
  return doubts
}

test('R-08 a healthy, ready server raises no doubt', () => {
  expect(doubtsOf({ ready: true, complaint: undefined }, blocks)).toEqual([])
})

test('R-08 a complaint of a ready server is passed on', () => {
  const [doubt] = doubtsOf({ ready: true, complaint: 'no std source' }, blocks)
  expect(doubt).toMatchObject({ verdict: 'partial', reason: 'Fake says: no std source' })
})

test('H12 a server that is not ready is partial, one that cannot be shown to be is unknown', () => {
  expect(doubtsOf({ ready: false, reason: 'indexing' }, blocks)[0]).toMatchObject({ verdict: 'partial' })
  expect(doubtsOf({ ready: false, reason: 'nothing known' }, unproven)[0]).toMatchObject({
    verdict: 'unknown',
  })
})
