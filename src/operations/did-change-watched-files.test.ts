// Changes that somebody tells of: each server that cares hears of them by the usual way, and the disk has the last word.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import { fixture } from '../../test/fixture/index.js'
import { property } from '../json.js'
import type { Answer } from './answer.js'
import { didChangeWatchedFiles } from './did-change-watched-files.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- a.fake --
def area
-- b.fake --
def volume
-- c.other --
def other
`
const languages = [{ language: 'fake' }, { language: 'other' }]

test('R-125 servers that care are told at once, by type, and the others are named too', async () => {
  await using opened = await fakeBridge(story, languages)
  await opened.bridge.listSymbols({ file: 'a.fake' })
  await opened.bridge.listSymbols({ file: 'c.other' })
  rmSync(opened.workspace.path('b.fake'))
  writeFileSync(opened.workspace.path('new.fake'), 'def fresh\n')
  const files = ['a.fake', 'b.fake', 'new.fake', 'never-there.fake']
  const answer = succeeded(await opened.bridge.didChangeWatchedFiles({ files }))
  expect(answer.result).toEqual({
    changes: [
      { file: 'a.fake', type: 'changed' },
      { file: 'b.fake', type: 'deleted' },
      { file: 'new.fake', type: 'created' },
      { file: 'never-there.fake', type: 'deleted' },
    ],
    servers: [
      { server: 'Fake fake', root: '.', told_of: 4 },
      { server: 'Fake other', root: '.', told_of: 0 },
    ],
  })
  expect(await announced(opened, 0)).toEqual([
    ['a.fake', 2],
    ['b.fake', 3],
    ['never-there.fake', 3],
    ['new.fake', 1],
  ])
  expect(await announced(opened, 1)).toEqual([])
  const text = renderAnswer(didChangeWatchedFiles, answer)
  expect(text).toContain('Fake fake (.) was told of 4 files')
  expect(text).toContain('Fake other (.) takes no interest in them')
})

test('R-125 a change that shows nowhere is announced all the same, also where nobody watches', async () => {
  await using opened = await fakeBridge(story, languages)
  await opened.bridge.listSymbols({ file: 'a.fake' })
  mkdirSync(opened.workspace.path('node_modules/pkg'), { recursive: true })
  writeFileSync(opened.workspace.path('node_modules/pkg/index.fake'), 'def library\n')
  const file = 'node_modules/pkg/index.fake'
  const told = succeeded(await opened.bridge.didChangeWatchedFiles({ files: [file], type: 'created' }))
  expect(told.result).toEqual({
    changes: [{ file, type: 'created' }],
    servers: [{ server: 'Fake fake', root: '.', told_of: 1 }],
  })
  // It is there: it was not deleted.
  const again = succeeded(await opened.bridge.didChangeWatchedFiles({ files: ['a.fake'], type: 'deleted' }))
  expect(again.result.changes).toEqual([{ file: 'a.fake', type: 'changed' }])
})

test('R-125 a folder stands for what changed in it', async () => {
  await using opened = await fakeBridge(story, languages)
  await opened.bridge.listSymbols({ file: 'a.fake' })
  mkdirSync(opened.workspace.path('inner/deep'), { recursive: true })
  writeFileSync(opened.workspace.path('inner/deep/x.fake'), 'def deep\n')
  const made = succeeded(await opened.bridge.didChangeWatchedFiles({ files: ['inner'] }))
  expect(made.result.changes).toEqual([{ file: 'inner/deep/x.fake', type: 'created' }])
  rmSync(opened.workspace.path('inner'), { recursive: true })
  const gone = succeeded(await opened.bridge.didChangeWatchedFiles({ files: ['inner'] }))
  expect(gone.result.changes).toEqual([{ file: 'inner/deep/x.fake', type: 'deleted' }])
  // Nobody looks into this one, so nothing can be said of it.
  mkdirSync(opened.workspace.path('node_modules/pkg'), { recursive: true })
  expect(await opened.bridge.didChangeWatchedFiles({ files: ['node_modules/pkg'] })).toMatchObject({
    ok: false,
    kind: 'InvalidArguments',
    hint: 'Name the files themselves.',
  })
})

test('R-53 without a server there is nobody to tell, and none is started', async () => {
  await using opened = await fakeBridge(story, languages)
  const answer = succeeded(await opened.bridge.didChangeWatchedFiles({ files: ['a.fake'] }))
  expect(answer.result.servers).toEqual([])
  expect(renderAnswer(didChangeWatchedFiles, answer)).toContain('no server runs')
  expect(opened.servers.flatMap(server => server.log())).toEqual([])
})

test('W01 one path outside, and none is told of', async () => {
  await using opened = await fakeBridge(story, languages)
  await opened.bridge.listSymbols({ file: 'a.fake' })
  const files = ['never-there.fake', '../b.fake']
  expect(await opened.bridge.didChangeWatchedFiles({ files })).toMatchObject({ kind: 'PathOutsideWorkspace' })
  await opened.bridge.listSymbols({ file: 'a.fake' })
  expect(await announced(opened, 0)).not.toContainEqual(['never-there.fake', 3])
})

/** Every change a server was told of, sorted. */
async function announced({ bridge, servers, workspace }: FakeBridge, index: number): Promise<unknown[]> {
  // What was sent before this question has arrived when it is answered.
  await bridge.findSymbol({ query: 'x' })
  const told = (servers[index]?.log() ?? []).flatMap(entry => {
    if (entry.event !== 'received' || entry.message.method !== 'workspace/didChangeWatchedFiles') return []
    const changes = property(entry.message.params, 'changes')
    return Array.isArray(changes) ? changes : []
  })
  return told
    .map(change => [
      String(property(change, 'uri')).slice(`file://${workspace.root}/`.length),
      property(change, 'type'),
    ])
    .sort()
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
