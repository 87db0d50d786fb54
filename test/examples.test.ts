// The examples say what they say only while they run.
import { expect, test } from 'vitest'
import { assertStory, passiveTurn } from '../examples/passive-turn/passive-turn.js'

test('what it must show 4: a passive turn, a broken edit, two corrections and the operator', async () => {
  const printed: string[] = []
  assertStory(await passiveTurn(text => printed.push(text)))
  expect(printed.join('\n')).toContain('=== What follows: operator')
})
