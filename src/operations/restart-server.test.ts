// A restart that somebody asks for: of a server that runs, of one that is off for good, of the right one among several.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { renderAnswer } from './render.js'
import { restartServer } from './restart-server.js'

const story = fixture`
-- a.fake --
def area
-- b.other --
def volume
`

test('R-66 a running server is stopped in order and answers anew', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  await opened.bridge.listSymbols({ file: 'a.fake' })
  const answer = succeeded(await opened.bridge.restartServer({}))
  expect(answer.result.restarted).toEqual([
    {
      id: 'fake',
      name: 'fake',
      version: '1.0.0',
      language: 'fake',
      root: '.',
      before: 'ready',
      state: 'ready',
    },
  ])
  await opened.servers[0]?.received('shutdown')
  await opened.servers[0]?.received('exit')
  await opened.servers[0]?.noted('started', 2)
  expect(renderAnswer(restartServer, answer)).toContain('fake: fake 1.0.0 (fake), root .: ready, now ready')
  expect(await opened.bridge.listSymbols({ file: 'a.fake' })).toMatchObject({ ok: true })
})

test('R-66 a server that is off for good comes back, with its count forgotten', async () => {
  const script: Script = { rules: [{ on: 'initialize', run: { to: 2 }, do: [{ act: 'exit', code: 3 }] }] }
  const restart = { max: 1, backoff_ms: [1] }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }], { settings: { restart } })
  expect(await opened.bridge.listSymbols({ file: 'a.fake' })).toMatchObject({ ok: false })
  const failed = succeeded(await opened.bridge.serverStatus({}))
  expect(failed.result.servers).toMatchObject([{ state: 'failed' }])
  // Not mended yet: the restart fails with the cause, and so does the state.
  expect(await opened.bridge.restartServer({ language: 'fake' })).toMatchObject({
    ok: false,
    kind: 'ServerUnavailable',
    error: expect.stringContaining('exited with code 3'),
  })
  const answer = succeeded(await opened.bridge.restartServer({ language: 'fake' }))
  expect(answer.result.restarted).toMatchObject([{ before: 'failed', state: 'ready' }])
  expect(await opened.bridge.listSymbols({ file: 'a.fake' })).toMatchObject({ ok: true })
})

test('contract 3.2 among several the language or the id says which; without, the answer lists them', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }, { language: 'other' }])
  expect(await opened.bridge.restartServer({})).toMatchObject({
    kind: 'InvalidArguments',
    error: 'no language server has been started yet',
  })
  await opened.bridge.listSymbols({ file: 'a.fake' })
  await opened.bridge.listSymbols({ file: 'b.other' })
  expect(await opened.bridge.restartServer({})).toMatchObject({
    kind: 'InvalidArguments',
    error: expect.stringContaining('fake, other'),
  })
  expect(await opened.bridge.restartServer({ language: 'cobol' })).toMatchObject({
    kind: 'InvalidArguments',
    hint: expect.stringContaining('fake, other'),
  })
  succeeded(await opened.bridge.restartServer({ language: 'other' }))
  const starts = opened.servers.map(server => server.log().filter(({ event }) => event === 'started').length)
  expect(starts).toEqual([1, 2])
})

test('R-63 a question that is under way fails at once, and says that the server restarts', async () => {
  const script: Script = { rules: [{ on: 'textDocument/documentSymbol', nth: 1, do: [{ act: 'hang' }] }] }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const asking = opened.bridge.listSymbols({ file: 'a.fake' })
  await opened.servers[0]?.received('textDocument/documentSymbol')
  succeeded(await opened.bridge.restartServer({}))
  expect(await asking).toMatchObject({ ok: false, kind: 'ServerRestarting' })
})

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
