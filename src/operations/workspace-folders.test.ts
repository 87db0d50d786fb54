// Folders below the root as workspaces of their own: told to servers that can be told, given a server of their own where
// one is bound to a marker, and taken back.
import { mkdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { property } from '../json.js'
import type { RootRule } from '../servers/definition.js'
import { addWorkspaceFolder } from './add-workspace-folder.js'
import type { Answer } from './answer.js'
import { listWorkspaceFolders } from './list-workspace-folders.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- module --
-- a.fake --
def area
-- packages/api/b.fake --
def volume
`
const api = { folder: 'packages/api' }
const takes: Script = {
  capabilities: { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } },
}
const nearest: RootRule = { kind: 'nearest', markers: ['module'] }

test('R-93 a server that takes changes is told, and goes on answering for the files below', async () => {
  const definition = { root: nearest }
  await using opened = await fakeBridge(story, [{ language: 'fake', script: takes, definition }])
  await opened.bridge.listSymbols({ file: 'a.fake' })
  const answer = succeeded(await opened.bridge.addWorkspaceFolder(api))
  expect(answer.result).toEqual({
    ...api,
    changed: true,
    folders: [
      { folder: '.', added: false, servers: [{ server: 'Fake fake', root: '.', as: 'root' }] },
      { ...api, added: true, servers: [{ server: 'Fake fake', root: '.', as: 'told' }] },
    ],
  })
  expect(renderAnswer(addWorkspaceFolder, answer)).toMatch(/^packages\/api is a workspace folder now/)
  const uri = `file://${opened.workspace.path('packages/api')}`
  const told = await opened.servers[0]?.received('workspace/didChangeWorkspaceFolders')
  expect(told?.params).toEqual({ event: { added: [{ uri, name: 'packages/api' }], removed: [] } })
  await opened.bridge.listSymbols({ file: 'packages/api/b.fake' })
  expect(rootsOf(opened)).toEqual(['.'])
  // Twice is once.
  expect(succeeded(await opened.bridge.addWorkspaceFolder(api)).result.changed).toBe(false)
  const removed = succeeded(await opened.bridge.removeWorkspaceFolder(api))
  expect(removed.result).toMatchObject({ changed: true, folders: [{ folder: '.' }] })
  const untold = await opened.servers[0]?.received('workspace/didChangeWorkspaceFolders', 2)
  expect(untold?.params).toEqual({ event: { added: [], removed: [{ uri, name: 'packages/api' }] } })
  expect(succeeded(await opened.bridge.removeWorkspaceFolder(api)).result.changed).toBe(false)
})

test('R-93 a server that starts later, or again, is told too, and one that asks gets the present list', async () => {
  const script: Script = {
    ...takes,
    rules: [
      {
        on: 'textDocument/hover',
        do: [{ act: 'request', method: 'workspace/workspaceFolders', waits: true }, { act: 'built-in' }],
      },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  await opened.bridge.addWorkspaceFolder(api)
  await opened.bridge.inspectSymbol({ file: 'a.fake', symbol: 'area' })
  await opened.servers[0]?.received('workspace/didChangeWorkspaceFolders')
  const reply = await opened.servers[0]?.received('@response')
  expect(reply?.result).toMatchObject([
    { uri: `file://${opened.workspace.root}` },
    { uri: `file://${opened.workspace.path('packages/api')}`, name: 'packages/api' },
  ])
  succeeded(await opened.bridge.restartServer({}))
  await opened.servers[0]?.received('workspace/didChangeWorkspaceFolders', 2)
})

test('W23 one that takes none and is bound to its marker gets a server of its own there, which goes with the folder', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: { root: nearest } }])
  await opened.bridge.addWorkspaceFolder(api)
  await opened.bridge.listSymbols({ file: 'packages/api/b.fake' })
  expect(rootsOf(opened)).toEqual(['.', 'packages/api'])
  const listed = succeeded(await opened.bridge.listWorkspaceFolders({}))
  expect(listed.result.folders[1]?.servers).toEqual([
    { server: 'Fake fake', root: '.', as: 'covered' },
    { server: 'Fake fake', root: 'packages/api', as: 'root' },
  ])
  expect(renderAnswer(listWorkspaceFolders, listed)).toContain('  Fake fake: runs here')
  await opened.bridge.listSymbols({ file: 'a.fake' })
  expect(rootsOf(opened)).toEqual(['.', 'packages/api'])
  await opened.bridge.removeWorkspaceFolder(api)
  await opened.servers[0]?.received('exit')
  const status = succeeded(await opened.bridge.serverStatus({}))
  expect(status.result.servers.map(({ root, state }) => `${root} ${state}`)).toEqual(['. ready'])
  await opened.bridge.listSymbols({ file: 'packages/api/b.fake' })
  expect(rootsOf(opened)).toEqual(['.', 'packages/api'])
})

test('W23 one that finds the projects below its root by itself is left alone', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  await opened.bridge.addWorkspaceFolder(api)
  await opened.bridge.listSymbols({ file: 'packages/api/b.fake' })
  expect(rootsOf(opened)).toEqual(['.'])
  const listed = succeeded(await opened.bridge.listWorkspaceFolders({}))
  expect(listed.result.folders[1]?.servers).toEqual([{ server: 'Fake fake', root: '.', as: 'covered' }])
})

test('W01 only folders below the root, which exist and are folders', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  mkdirSync(opened.workspace.path('real/inner'), { recursive: true })
  symlinkSync('/tmp', opened.workspace.path('away'))
  symlinkSync('real/inner', opened.workspace.path('link'))
  const add = (folder: string) => opened.bridge.addWorkspaceFolder({ folder })
  expect(await add('..')).toMatchObject({ kind: 'PathOutsideWorkspace' })
  expect(await add('away')).toMatchObject({ kind: 'PathOutsideWorkspace' })
  expect(await add('.')).toMatchObject({ kind: 'InvalidArguments' })
  expect(await add('nothing')).toMatchObject({ kind: 'FileNotFound' })
  expect(await add('a.fake')).toMatchObject({ kind: 'NotAFile' })
  expect(succeeded(await add('link')).result.folder).toBe('real/inner')
  expect(await opened.bridge.removeWorkspaceFolder({ folder: '.' })).toMatchObject({
    kind: 'InvalidArguments',
  })
  expect(await opened.bridge.removeWorkspaceFolder({ folder: '../x' })).toMatchObject({
    kind: 'PathOutsideWorkspace',
  })
})

/** Where servers were started, each once. */
function rootsOf({ servers, workspace }: FakeBridge): string[] {
  const roots = (servers[0]?.log() ?? []).flatMap(entry => {
    if (entry.event !== 'received' || entry.message.method !== 'initialize') return []
    return [String(property(entry.message.params, 'rootUri')).slice(`file://${workspace.root}`.length)]
  })
  return [...new Set(roots)].map(root => (root === '' ? '.' : root.slice(1)))
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
