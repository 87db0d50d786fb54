// A server that answers from nothing until it has parsed a text: its report is waited for, and until it has come nothing
// that it says of the text is believed.
import { expect, test } from 'vitest'
import { watched } from '../../test/client-harness.js'
import { fakeBridge } from '../../test/fake-bridge.js'
import { fixture } from '../../test/fixture/index.js'
import { settled, ViewFolder, wait } from '../../test/view-harness.js'
import type { ServerDefinition } from '../servers/definition.js'

const folder = new ViewFolder()
const eager: Partial<ServerDefinition> = {
  quirks: { answersBeforeParsing: 'It lists no symbols of a file before it has its settings.' },
}
const silent = { diagnostics: 'none' } as const
const byHand = { waitsByHand: true }

test('R-126 a text that was not reported on in time is waited for again, and the view is not current meanwhile', async () => {
  const { view, open, clock, server } = await folder.opened(eager, byHand, silent)
  const opening = watched(open('main.fake'))
  await clock.advance(4900)
  expect(opening.outcome).toBeUndefined()
  await clock.advance(100)
  expect(opening.outcome).toMatchObject({ text: 'def area\n' })
  const updated = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(updated.outcome).toEqual({
    current: false,
    reason: 'the server has not parsed every open file yet (1 is left)',
  })
  const again = watched(open('main.fake'))
  await clock.advance(900)
  expect(again.outcome).toBeUndefined()
  await server.perform({ act: 'publish', uri: folder.uriOf('main.fake'), version: 'current' })
  await settled(clock)
  const document = await open('main.fake')
  expect(again.outcome).toBe(document)
  expect(view.hasParsed(document)).toBe(true)
  const last = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(last.outcome).toEqual({ current: true })
})

test('R-126 one that it never reports on holds nobody up for long, and is never believed', async () => {
  const { view, open, clock } = await folder.opened(eager, byHand, silent)
  const first = watched(open('main.fake'))
  await clock.advance(5000)
  expect(first.outcome).toBeDefined()
  const second = watched(open('main.fake'))
  await clock.advance(1000)
  expect(second.outcome).toBeDefined()
  expect(view.hasParsed({ uri: folder.uriOf('main.fake') })).toBe(false)
})

test('R-126 an open text that follows the disk is waited for as one that is opened', async () => {
  const { view, open, clock, server } = await folder.opened(eager, byHand, silent)
  const opening = watched(open('main.fake'))
  await settled(clock)
  await server.perform({ act: 'publish', uri: folder.uriOf('main.fake'), version: 'current' })
  await settled(clock)
  expect(opening.outcome).toBeDefined()
  folder.put('main.fake', 'def sides\n')
  const updated = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(updated.outcome).toBeUndefined()
  await server.perform({ act: 'publish', uri: folder.uriOf('main.fake'), version: 'current' })
  await settled(clock)
  expect(updated.outcome).toEqual({ current: true })
})

test('R-126 no symbols of a text that was not parsed are not "no symbols", the second time neither', async () => {
  const story = fixture`
-- main.fake --
def area
`
  const rules = [{ on: 'textDocument/documentSymbol', do: [{ act: 'answer', result: [] } as const] }]
  await using opened = await fakeBridge(story, [
    { language: 'fake', definition: eager, script: { ...silent, rules } },
  ])
  for (let question = 0; question < 2; question += 1) {
    const answer = await opened.bridge.listSymbols({ file: 'main.fake', timeout_ms: 3000 })
    expect(answer).toMatchObject({
      ok: true,
      completeness: { verdict: 'unknown', reason: expect.stringContaining('has not parsed') },
    })
  }
})
