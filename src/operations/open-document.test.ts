// A file that is kept open: on the server, against all others, over a restart, until it is closed.
import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import { fixture, parseFixture } from '../../test/fixture/index.js'
import { contentHash } from '../text/hash.js'
import type { Answer } from './answer.js'
import { closeDocument } from './close-document.js'
import { openDocument } from './open-document.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
def area
`
const shapes = { file: 'shapes.fake' }

test('R-100 opening says what the server has, and again that it has it', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const first = succeeded(await opened.bridge.openDocument(shapes))
  const content = contentHash('def area\n')
  expect(first.result).toEqual({ ...shapes, server: 'Fake fake', version: 1, content, was_kept: false })
  const again = succeeded(await opened.bridge.openDocument(shapes))
  expect(again.result).toEqual({ ...first.result, was_kept: true })
  expect(await documentTraffic(opened)).toEqual(['didOpen shapes.fake'])
  expect(renderAnswer(openDocument, first)).toMatch(
    /^shapes\.fake is kept open on Fake fake, version 1, sha256:/,
  )
  // A new content is a new version of the same document.
  writeFileSync(opened.workspace.path('shapes.fake'), 'def volume\n')
  expect(succeeded(await opened.bridge.openDocument(shapes)).result).toMatchObject({
    version: 2,
    was_kept: true,
  })
})

test('C20 it stays open while dozens of others come and go', async () => {
  const others = Array.from({ length: 80 }, (_, index) => `other-${index}.fake`)
  const text = [
    '-- shapes.fake --',
    'def area',
    ...others.flatMap(file => [`-- ${file} --`, 'def other']),
  ].join('\n')
  await using opened = await fakeBridge(parseFixture(`${text}\n`), [{ language: 'fake' }])
  await opened.bridge.openDocument(shapes)
  for (const file of others) await opened.bridge.listSymbols({ file })
  expect(await documentTraffic(opened)).toContain('didClose other-0.fake')
  expect(await documentTraffic(opened)).not.toContain('didClose shapes.fake')
  // Closed, it has to be opened again like any other.
  await opened.bridge.closeDocument(shapes)
  const traffic = await documentTraffic(opened)
  expect(traffic.filter(entry => entry.endsWith(' shapes.fake'))).toEqual([
    'didOpen shapes.fake',
    'didClose shapes.fake',
  ])
})

test('C20 there is a bound, which says what to close', async () => {
  const files = Array.from({ length: 25 }, (_, index) => `kept-${index}.fake`)
  const text = files.flatMap(file => [`-- ${file} --`, 'def other']).join('\n')
  await using opened = await fakeBridge(parseFixture(`${text}\n`), [{ language: 'fake' }])
  const answers = []
  for (const file of files) answers.push(await opened.bridge.openDocument({ file }))
  expect(answers.slice(0, 24).every(({ ok }) => ok)).toBe(true)
  expect(answers[24]).toMatchObject({
    ok: false,
    kind: 'Overloaded',
    hint: expect.stringContaining('kept-0.fake'),
  })
  await opened.bridge.closeDocument({ file: 'kept-0.fake' })
  expect(await opened.bridge.openDocument({ file: 'kept-24.fake' })).toMatchObject({ ok: true })
})

test('C08 a restart opens it again', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  await opened.bridge.openDocument(shapes)
  succeeded(await opened.bridge.restartServer({}))
  // By the restart itself, before anybody asks.
  expect(await documentTraffic(opened)).toEqual(['didOpen shapes.fake', 'didOpen shapes.fake'])
  expect(succeeded(await opened.bridge.openDocument(shapes)).result.was_kept).toBe(true)
})

test('R-100 closing starts no server, needs no file, and says what it did', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const early = succeeded(await opened.bridge.closeDocument(shapes))
  expect(early.result).toEqual({ ...shapes, servers: [] })
  expect(opened.servers[0]?.log()).toEqual([])
  expect(renderAnswer(closeDocument, early)).toBe('shapes.fake was not open [complete]')
  await opened.bridge.openDocument(shapes)
  rmSync(opened.workspace.path('shapes.fake'))
  const closed = succeeded(await opened.bridge.closeDocument(shapes))
  expect(closed.result.servers).toEqual([
    { server: 'Fake fake', version: 1, content: contentHash('def area\n'), was_kept: true },
  ])
  expect(renderAnswer(closeDocument, closed)).toContain('was kept open')
  expect(succeeded(await opened.bridge.closeDocument(shapes)).result.servers).toEqual([])
})

test('W01 neither takes a path outside the workspace', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  for (const file of ['../shapes.fake', '/etc/passwd']) {
    expect(await opened.bridge.openDocument({ file })).toMatchObject({ kind: 'PathOutsideWorkspace' })
    expect(await opened.bridge.closeDocument({ file })).toMatchObject({ kind: 'PathOutsideWorkspace' })
  }
})

/** Openings and closings, in order, over all starts. */
async function documentTraffic({ bridge, servers, workspace }: FakeBridge): Promise<string[]> {
  // What was sent before this question has arrived when it is answered.
  await bridge.findSymbol({ query: 'x' })
  return (servers[0]?.log() ?? []).flatMap(entry => {
    if (entry.event !== 'received') return []
    const { method = '', params } = entry.message
    const [, what] = /^textDocument\/(didOpen|didClose)$/.exec(method) ?? []
    const uri = /"uri":"([^"]*)"/.exec(JSON.stringify(params))?.[1]
    return what === undefined ? [] : [`${what} ${uri?.slice(`file://${workspace.root}/`.length)}`]
  })
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
