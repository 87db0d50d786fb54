// What follows from verdicts, for every sequence of them: the model is never asked more often than allowed, errors are
// never forgotten by silence, and a turn always ends.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChangeClass, changeClasses } from './classes.js'
import { firstTurnState, nextStep, roundOf, type TurnState, type TurnStep } from './turn.js'

const verdicts = fc.array(fc.constantFrom(...changeClasses), { maxLength: 12 })
const allowed = fc.nat(4)

function play(classes: readonly ChangeClass[], rounds: number): { state: TurnState; steps: TurnStep[] } {
  let state: TurnState = firstTurnState
  const steps: TurnStep[] = []
  for (const name of classes) {
    const next = nextStep(state, { event: 'judged', class: name }, rounds)
    state = next.state
    steps.push(next.step)
  }
  return { state, steps }
}

test('R-213, D08 two corrections by default, then the operator; the next turn counts anew', () => {
  const errors: ChangeClass[] = ['new_errors', 'new_errors', 'new_errors', 'new_errors']
  expect(play(errors, 2).steps).toEqual([
    { action: 'correct', round: 1, rounds: 2 },
    { action: 'correct', round: 2, rounds: 2 },
    { action: 'operator', because: 'rounds_exhausted' },
    { action: 'operator', because: 'rounds_exhausted' },
  ])
  expect(play(['new_errors'], 2).steps).toEqual([{ action: 'correct', round: 1, rounds: 2 }])
  expect(play(['new_errors'], 0).steps).toEqual([{ action: 'operator', because: 'rounds_exhausted' }])
})

test('R-211 every class has its disposition', () => {
  const steps = (['clean', 'baseline_error', 'warnings_only', 'lsp_unavailable'] as const).map(
    name => play([name], 2).steps[0]?.action,
  )
  expect(steps).toEqual(['continue', 'continue', 'inform', 'unvalidated'])
})

test('R-213 between two verdicts that are not errors the model is asked at most so often', () => {
  fc.assert(
    fc.property(verdicts, allowed, (classes, rounds) => {
      let asked = 0
      for (const [index, step] of play(classes, rounds).steps.entries()) {
        if (classes[index] !== 'new_errors' && classes[index] !== 'lsp_unavailable') asked = 0
        if (step.action === 'correct') asked += 1
        expect(asked).toBeLessThanOrEqual(rounds)
      }
    }),
  )
})

test('LSP-006 silence resolves nothing: an error that was told goes to the operator unless it is shown to be gone', () => {
  fc.assert(
    fc.property(verdicts, allowed, fc.constantFrom(...changeClasses), (classes, rounds, last) => {
      const { state } = play(classes, rounds)
      const { step, state: end } = nextStep(state, { event: 'closed', class: last }, rounds)
      expect(end).toEqual({ state: 'closed' })
      const told = classes.filter(name => name !== 'lsp_unavailable').at(-1) === 'new_errors'
      const isOpen = last === 'new_errors' || (last === 'lsp_unavailable' && told)
      expect(step.action === 'operator').toBe(isOpen)
    }),
  )
})

test('a closed turn has used what it had', () => {
  expect(roundOf({ state: 'closed' }, 2)).toBe(2)
  expect(roundOf({ state: 'handed_over' }, 3)).toBe(3)
})
