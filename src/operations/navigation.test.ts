// The questions that lead from a symbol to places, through a real bridge whose server is a fake.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { goToDeclaration } from './go-to-declaration.js'
import { goToImplementation } from './go-to-implementation.js'
import { goToTypeDefinition } from './go-to-type-definition.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
class Shape
  def area
-- main.fake --
def main
  area
`
const name = { start: { line: 1, character: 6 }, end: { line: 1, character: 10 } }
const place = {
  file: 'shapes.fake',
  line: 2,
  column: 7,
  end_line: 2,
  end_column: 11,
  text: 'def area',
}

test('R-109 every form of a place is the same place, and null is none', async () => {
  const whole = { start: { line: 1, character: 0 }, end: { line: 1, character: 10 } }
  const uri = '{root}/shapes.fake'
  const script: Script = {
    capabilities: {
      typeDefinitionProvider: true,
      implementationProvider: { workDoneProgress: true },
      declarationProvider: true,
    },
    rules: [
      answering('textDocument/typeDefinition', { uri, range: name }),
      answering('textDocument/implementation', [
        { targetUri: uri, targetRange: whole, targetSelectionRange: name },
        { targetUri: uri, targetRange: whole, targetSelectionRange: name },
      ]),
      answering('textDocument/declaration', null),
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const target = { file: 'main.fake', line: 2, symbol: 'area' }
  const type = await opened.bridge.goToTypeDefinition(target)
  expect(type).toMatchObject({
    ok: true,
    result: { places: [place] },
    completeness: { verdict: 'complete' },
  })
  expect(renderAnswer(goToTypeDefinition, type)).toMatch(
    /^1 type definition of area \(main\.fake:2:3\) \[complete; fake 1\.0\.0\]\nshapes\.fake\n {2}2:7 {2}def area\n/,
  )
  const implementation = await opened.bridge.goToImplementation(target)
  expect(implementation).toMatchObject({ ok: true, result: { places: [place] } })
  expect(renderAnswer(goToImplementation, implementation)).toMatch(/^1 implementation of area/)
  const declaration = await opened.bridge.goToDeclaration(target)
  expect(declaration).toMatchObject({
    ok: true,
    result: { places: [] },
    completeness: { verdict: 'complete' },
  })
  expect(renderAnswer(goToDeclaration, declaration)).toMatch(/^0 declarations of area/)
})

test('R-95 what a server does not offer is said by name, never an empty answer', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { bridge } = opened
  const target = { file: 'shapes.fake', symbol: 'area' }
  for (const ask of [bridge.goToTypeDefinition, bridge.goToImplementation, bridge.goToDeclaration]) {
    expect(await ask(target)).toMatchObject({
      ok: false,
      kind: 'CapabilityMissing',
      error: expect.stringMatching(/^fake does not offer textDocument\/\w+, which go_to_\w+ needs$/),
    })
  }
})

type Rule = NonNullable<Script['rules']>[number]

function answering(on: string, result: Extract<Rule['do'][number], { act: 'answer' }>['result']): Rule {
  return { on, do: [{ act: 'answer', result }] }
}
