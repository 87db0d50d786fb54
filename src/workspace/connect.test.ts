// Whoever connects brings the server what it lacks, folders and kept documents: not while somebody tries a text on it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { property } from '../json.js'

const story = fixture`
-- main.fake --
def area
-- kept.fake --
def kept
-- other.fake --
def other
`
const script: Script = {
  diagnostics: 'pull',
  capabilities: { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } },
  // The trial lasts as long as its deadline lets it.
  rules: [{ on: 'textDocument/diagnostic', file: 'main.fake', nth: 2, do: [{ act: 'hang' }] }],
}

test('M11 neither a folder nor a kept document comes in the middle of a trial', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const { bridge, workspace, servers } = opened
  mkdirSync(workspace.path('packages'))
  await bridge.openDocument({ file: 'kept.fake' })
  await bridge.listSymbols({ file: 'main.fake' })
  // It is closed with its file, and due to be opened again when that comes back.
  rmSync(workspace.path('kept.fake'))
  const preview = bridge.previewEdit({
    edits: [{ file: 'main.fake', line: 1, new_text: 'tried\n' }],
    timeout_ms: 4000,
  })
  await servers[0]?.received('textDocument/diagnostic', 2)
  writeFileSync(workspace.path('kept.fake'), 'def kept\n')
  await Promise.all([
    bridge.addWorkspaceFolder({ folder: 'packages' }),
    bridge.listSymbols({ file: 'other.fake' }),
    preview,
  ])
  await bridge.listSymbols({ file: 'main.fake' })
  const told = messagesOf(opened)
  const tried = told.indexOf('textDocument/didChange main.fake')
  const restored = told.indexOf('textDocument/didChange main.fake', tried + 1)
  expect(tried).toBeGreaterThan(0)
  expect(told.slice(tried, restored + 1)).toEqual([
    'textDocument/didChange main.fake',
    'textDocument/didChange main.fake',
  ])
  expect(told.slice(restored)).toContain('workspace/didChangeWorkspaceFolders ')
  expect(told.slice(restored)).toContain('textDocument/didOpen kept.fake')
})

/** What the server was told, without being asked. */
function messagesOf({ servers, workspace }: FakeBridge): string[] {
  const log = servers[0]?.log() ?? []
  return log.flatMap(entry => {
    if (entry.event !== 'received') return []
    const method = String(property(entry.message, 'method'))
    const uri = property(property(property(entry.message, 'params'), 'textDocument'), 'uri')
    if (!/\/did/.test(method)) return []
    return [`${method} ${uri === undefined ? '' : String(uri).slice(`file://${workspace.root}/`.length)}`]
  })
}
