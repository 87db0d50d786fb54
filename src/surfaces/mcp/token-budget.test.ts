// A tool list is part of every prompt and an answer is read by a model: both have a price, which is held here.

import { expect, test } from 'vitest'
import { countTokens } from '../../../bench/count-tokens.mjs'
import { fakeBridge } from '../../../test/fake-bridge.js'
import { fixture } from '../../../test/fixture/index.js'
import { virtualClock } from '../../../test/virtual-clock.js'
import type { Answer } from '../../operations/answer.js'
import { findReferences } from '../../operations/find-references.js'
import { findSymbol } from '../../operations/find-symbol.js'
import { getDiagnostics } from '../../operations/get-diagnostics.js'
import { listSymbols } from '../../operations/list-symbols.js'
import type { Operation } from '../../operations/operation.js'
import { renderAnswer } from '../../operations/render.js'
import { createToolbox, type OpenedBridge } from './toolbox.js'

const closed = (): Promise<OpenedBridge> =>
  Promise.reject(new Error('a list of a preset as it is needs no bridge'))

test.each([
  { preset: 'default' as const, most: 2800 },
  { preset: 'full' as const, most: 9000 },
])('R-110 the tool list of $preset costs at most $most tokens', async ({ preset, most }) => {
  const toolbox = createToolbox({ openBridge: closed, preset, structured: false, clock: virtualClock() })
  const tools = await toolbox.list()
  expect(tools.length).toBeGreaterThan(5)
  const costs = tools.map(tool => `${countTokens(JSON.stringify(tool))} ${tool.name}`)
  expect(countTokens(JSON.stringify({ tools })), costs.join('\n')).toBeLessThanOrEqual(most)
})

test('contract 3.2 the text of an answer costs at most half of its result as JSON', async () => {
  await using opened = await fakeBridge(
    fixture`
-- src/shapes.fake --
class Shape
  def area
  def width
  def height
ERROR area is never used
ERROR height is negative
-- src/paint.fake --
paint area of width
paint area of height
-- src/print.fake --
print area
print area twice
`,
    [{ language: 'fake' }],
  )
  const { bridge } = opened
  const answers: readonly [Operation, Answer<unknown>][] = [
    [findReferences, await bridge.findReferences({ file: 'src/shapes.fake', symbol: 'Shape.area' })],
    [findSymbol, await bridge.findSymbol({ query: '' })],
    [listSymbols, await bridge.listSymbols({ file: 'src/shapes.fake' })],
    [getDiagnostics, await bridge.getDiagnostics({ file: 'src/shapes.fake' })],
  ]
  for (const [operation, answer] of answers) {
    if (!answer.ok) throw new Error(answer.error)
    const text = renderAnswer(operation, answer)
    const half = countTokens(JSON.stringify(answer.result, null, 2)) / 2
    expect(countTokens(text), `${operation.name}\n${text}`).toBeLessThanOrEqual(half)
  }
})
