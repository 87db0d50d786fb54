// Turns are what keeps a trial text from being seen by anybody else's question.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { virtualClock } from '../../test/virtual-clock.js'
import { Turns } from './turns.js'

const patient = { signal: new AbortController().signal, milliseconds: 60_000 }

test('R-126 nobody asks while one is alone, everybody gets a turn, and the order of arrival holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ kind: fc.constantFrom('shared' as const, 'alone' as const), turns: fc.nat(4) }), {
        maxLength: 30,
      }),
      async asked => {
        const turns = new Turns(virtualClock())
        let sharing = 0
        let alone = 0
        const begun: number[] = []
        await Promise.all(
          asked.map(({ kind, turns: length }, index) =>
            turns[kind](async () => {
              begun.push(index)
              if (kind === 'alone') alone += 1
              else sharing += 1
              expect(alone === 0 || (alone === 1 && sharing === 0)).toBe(true)
              for (let turn = 0; turn < length; turn += 1) await Promise.resolve()
              if (kind === 'alone') alone -= 1
              else sharing -= 1
            }, patient),
          ),
        )
        expect(begun).toEqual(asked.map((_, index) => index))
      },
    ),
  )
})

test('C31 one that gives up waiting leaves the queue, and a failure ends its turn', async () => {
  const turns = new Turns(virtualClock())
  const gaveUp = new AbortController()
  let finish = () => {}
  const first = turns.alone(
    () =>
      new Promise<void>(resolve => {
        finish = resolve
      }),
    patient,
  )
  const second = turns.alone(async () => 'second', { signal: gaveUp.signal, milliseconds: 60_000 })
  const third = turns.shared(() => Promise.reject(new Error('third failed')), patient)
  const fourth = turns.alone(async () => 'fourth', patient)
  gaveUp.abort()
  await expect(second).rejects.toMatchObject({ kind: 'Cancelled' })
  finish()
  await first
  await expect(third).rejects.toThrow('third failed')
  expect(await fourth).toBe('fourth')
})

test('C31 a turn that does not come in time is a timeout that says why', async () => {
  const clock = virtualClock()
  const turns = new Turns(clock)
  void turns.alone(() => new Promise(() => {}), patient)
  const late = turns.shared(async () => 'late', { ...patient, milliseconds: 100 })
  const failed = expect(late).rejects.toMatchObject({ kind: 'RequestTimeout' })
  clock.advance(101)
  await failed
})
