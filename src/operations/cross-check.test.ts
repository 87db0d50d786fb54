// The question beside the question, through a real bridge whose server is a fake: when it fails, the answer is kept and
// says so, and what nobody looked at is not remembered as looked at.
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
`
const asked = { file: 'shapes.typescript', symbol: 'area' }

test('R-08 where the server will not say what is declared, the references it gave are told, as not cross-checked', async () => {
  const refusing: Rule = {
    on: 'textDocument/definition',
    do: [{ act: 'error', code: -32603, message: 'not now' }],
  }
  await using opened = await fakeBridge(story, [{ language, script: { rules: [refusing] } }])
  const places = [{ file: 'shapes.typescript', line: 1 }]
  const partial = (words: string) => ({ verdict: 'partial', reason: expect.stringContaining(words) })
  expect(await opened.bridge.findReferences(asked)).toMatchObject({
    ok: true,
    result: { references: places },
    completeness: partial('not held against the text: '),
  })
  expect(await opened.bridge.findReferences({ ...asked, include_declaration: false })).toMatchObject({
    ok: true,
    result: { references: places },
    completeness: partial('the declaration may be among the references'),
  })
})

test('R-08 without a declaration to compare with nobody is cleared', async () => {
  const rules: Rule[] = [{ on: 'textDocument/definition', nth: 1, do: [{ act: 'answer', result: [] }] }]
  await using opened = await fakeBridge(story, [{ language, script: { rules } }])
  await opened.bridge.findReferences(asked)
  expect(await opened.bridge.findReferences(asked)).toMatchObject({
    completeness: { verdict: 'partial', reason: expect.stringContaining('main.typescript') },
  })
})
