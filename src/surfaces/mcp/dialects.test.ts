// The presets with tools of their own, as a client of either era sees them over MCP.

import { Client, InMemoryTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, test } from 'vitest'
import { fakeDefinition, startedBy } from '../../../test/fake-definition.js'
import type { Script } from '../../../test/fake-server/index.js'
import { fakeServerCommand } from '../../../test/fake-server/index.js'
import { fixture, temporaryWorkspace } from '../../../test/fixture/index.js'
import { type BridgeCore, openBridge } from '../../bridge.js'
import { systemClock } from '../../clock.js'
import type { PresetName } from '../../config/presets.js'
import { followTools } from '../../dialects/follow-tools.js'
import { property } from '../../json.js'
import { createConnection, readNotification } from './connection.js'
import { createResources } from './resources.js'
import { Subscriptions } from './subscriptions.js'
import { createToolbox } from './toolbox.js'

const story = fixture`
-- go.mod --
module shapes
-- src/bar.fake --
class Bar
  def area
-- src/foo.fake --
Bar area
`

const eras: readonly [string, VersionNegotiationMode][] = [
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
]

describe.each(eras)('a client of %s', (_era, mode) => {
  async function opened(preset: PresetName, script: Script = {}) {
    const workspace = await temporaryWorkspace(story)
    const state = workspace.path('.state')
    const server = fakeServerCommand({ diagnostics: 'push-versioned', ...script })
    const bridge: BridgeCore = await openBridge({
      root: workspace.root,
      preset,
      env: { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state },
      definitions: [fakeDefinition({ ...startedBy(server), language: 'go', install: 'npm install fake' })],
    })
    const shared = { openBridge: async () => bridge, clock: systemClock }
    const subscriptions = new Subscriptions()
    const toolbox = createToolbox({ ...shared, preset, structured: false })
    const resources = createResources({ ...shared, subscriptions, onUpdate: () => undefined })
    const [near, far] = InMemoryTransport.createLinkedPair()
    let connection: ReturnType<typeof createConnection> | undefined
    serveStdio(
      () => {
        connection = createConnection({
          listTools: () => toolbox.list(),
          toolbox: async () => toolbox,
          resources: async () => resources,
          subscriptions,
          preset,
          noteRead: async file => bridge.noteRead(file),
        })
        return connection
      },
      { transport: far },
    )
    const stop = followTools({
      events: bridge.events,
      list: () => toolbox.list(),
      onChange: () => void connection?.sendToolListChanged(),
    })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(near)
    return {
      client,
      bridge,
      text: async (name: string, input: Record<string, unknown>) => {
        const { content } = await client.callTool({ name, arguments: input })
        return property(content[0], 'text')
      },
      async [Symbol.asyncDispose]() {
        stop()
        resources.close()
        await client.close()
        await bridge.close()
        server.dispose()
        await workspace.dispose()
      },
    }
  }

  test('R-140 single-tool offers Lsp alone, and its answer is the formatted text', async () => {
    await using open = await opened('single-tool')
    const { tools } = await open.client.listTools()
    expect(tools).toMatchObject([{ name: 'Lsp', annotations: { readOnlyHint: true } }])
    expect(await open.text('Lsp', { kind: 'go_to_def', file: 'src/foo.fake', line: 1, character: 1 })).toBe(
      'Definition: src/bar.fake:1:7 (class Bar)',
    )
    expect(await open.text('Lsp', { kind: 'hover' })).toMatch(/^Wire: Lsp: kind hover needs file/)
  })

  test('R-152 C34 sandbox renames what the host said was read', async () => {
    await using open = await opened('sandbox')
    expect((await open.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'find_definition',
      'find_references',
      'rename_symbol',
    ])
    const rename = { file_path: 'src/foo.fake', line: 1, col: 1, new_name: 'Baz' }
    expect(await open.text('rename_symbol', rename)).toMatch(/^ReadRequired: /)
    await open.client.notification({ method: readNotification, params: { path: 'src/foo.fake' } })
    expect(await open.text('rename_symbol', rename)).toMatch(/^Rename \u2192 "Baz" would touch 2 file\(s\):/)
  })

  test('R-149 R-160 plugin offers what the server declares, and tells when that is known', async () => {
    await using open = await opened('plugin', { capabilities: { renameProvider: null } })
    const changed = new Promise<void>(resolve => {
      open.client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    if (mode !== 'legacy') await open.client.listen({ toolsListChanged: true })
    const input = { file: 'src/foo.fake', symbol: 'Bar' }
    expect(await open.text('lsp_goto_definition', input)).toMatch(/^1 definition of Bar/)
    await changed
    const names = (await open.client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(
      ({ name }) => name,
    )
    expect(names).toEqual(
      expect.arrayContaining(['lsp_diagnostics', 'lsp_hover', 'lsp_goto_definition', 'lsp_references']),
    )
    expect(names).not.toContain('lsp_rename')
  })
})
