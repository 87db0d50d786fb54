// The folders of one server: the root first, changes told once, and only to servers that take them.
import { expect, test } from 'vitest'
import type { ServerCapabilities } from 'vscode-languageserver-protocol'
import { CapabilityTable } from './capabilities.js'
import { WorkspaceFolders } from './workspace-folders.js'

const root = { uri: 'file:///work', name: 'work' }
const api = { uri: 'file:///projects/api', name: 'api' }

function folders(declared: ServerCapabilities) {
  const capabilities = new CapabilityTable(declared)
  const sent: unknown[] = []
  const list = new WorkspaceFolders({
    rootUri: root.uri,
    name: root.name,
    capabilities: () => capabilities,
    notify: (method, params) => sent.push([method, params]),
  })
  return { capabilities, sent, list }
}

/** gopls gives the name of a registration in place of true. */
test.each([true, 'workspace/didChangeWorkspaceFolders'])(
  'R-93 with %j changes are told, each once',
  notifications => {
    const { list, sent } = folders({
      workspace: { workspaceFolders: { supported: true, changeNotifications: notifications } },
    })
    expect(list.all).toEqual([root])
    expect([list.add('/projects/api', 'api'), list.add('/projects/api', 'api')]).toEqual([true, false])
    expect(list.all).toEqual([root, api])
    expect(list.has('/projects/api')).toBe(true)
    expect([list.remove('/projects/api'), list.remove('/projects/api')]).toEqual([true, false])
    expect(list.all).toEqual([root])
    const method = 'workspace/didChangeWorkspaceFolders'
    expect(sent).toEqual([
      [method, { event: { added: [api], removed: [] } }],
      [method, { event: { added: [], removed: [api] } }],
    ])
  },
)

test.each<ServerCapabilities>([
  {},
  { workspace: {} },
  { workspace: { workspaceFolders: { supported: true } } },
  { workspace: { workspaceFolders: { supported: true, changeNotifications: false } } },
])('R-95 a server that declares %j is told nothing', declared => {
  const { list, sent, capabilities } = folders(declared)
  expect(list.add('/projects/api', 'api')).toBe(false)
  expect(list.all).toEqual([root])
  expect(sent).toEqual([])
  // It may change its mind.
  capabilities.register([{ id: '1', method: 'workspace/didChangeWorkspaceFolders' }])
  expect(list.add('/projects/api', 'api')).toBe(true)
})
