// A symbol nobody spoke against is remembered with what that was said of: an answer of another server, or one with fewer
// places, is held against the text again.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Rule } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'

// The text of this language is understood, so that files can be suspected.
const language = 'typescript'
const story = fixture`
-- shapes.typescript --
def area
-- main.typescript --
import { area } from './shapes.js'
use area
`
const asked = { file: 'shapes.typescript', symbol: 'area' }
const declaration = placeIn('shapes.typescript', 0, 4)
const whole: Rule = {
  on: 'textDocument/references',
  do: [
    {
      act: 'answer',
      result: [declaration, placeIn('main.typescript', 0, 9), placeIn('main.typescript', 1, 4)],
    },
  ],
}
const lacksMain: Rule = { ...whole, do: [{ act: 'answer', result: [declaration] }] }
const partial = { verdict: 'partial', reason: expect.stringContaining('main.typescript') }

test('R-08 what was cleared of one server is not cleared of the next', async () => {
  const rules: Rule[] = [{ ...lacksMain, run: 2 }, whole]
  await using opened = await fakeBridge(story, [{ language, script: { rules } }])
  expect(await opened.bridge.findReferences(asked)).toMatchObject({ completeness: { verdict: 'complete' } })
  await opened.bridge.restartServer({})
  expect(await opened.bridge.findReferences(asked)).toMatchObject({ completeness: partial })
})

test('R-08 what was cleared of an answer is not cleared of one with fewer places', async () => {
  const rules: Rule[] = [{ ...lacksMain, nth: 2 }, whole]
  await using opened = await fakeBridge(story, [{ language, script: { rules } }])
  expect(await opened.bridge.findReferences(asked)).toMatchObject({ completeness: { verdict: 'complete' } })
  expect(await opened.bridge.findReferences(asked)).toMatchObject({ completeness: partial })
  const definitions = () =>
    opened.servers[0]?.log().filter(entry => JSON.stringify(entry).includes('"textDocument/definition"'))
      .length
  const before = definitions()
  expect(await opened.bridge.findReferences(asked)).toMatchObject({ completeness: { verdict: 'complete' } })
  // The first answer again: nobody has to be asked beside it.
  expect(definitions()).toBe(before)
})

function placeIn(file: string, line: number, character: number) {
  return {
    uri: `{root}/${file}`,
    range: { start: { line, character }, end: { line, character: character + 'area'.length } },
  }
}
