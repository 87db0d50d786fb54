// The plugin on a workspace whose server is a fake: its tools, its states, what it tells, and that it never stands in the
// way of an edit.

import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeDefinition, startedBy } from '../../test/fake-definition.js'
import { type FakeServerCommand, fakeServerCommand, type Script } from '../../test/fake-server/index.js'
import { fixture, type TemporaryWorkspace, temporaryWorkspace } from '../../test/fixture/index.js'
import { systemClock } from '../clock.js'
import { TrustStore } from '../config/trust.js'
import { builtInRegistry } from '../servers/registry.js'
import { createPlugin, type Plugin, type PluginOptions } from './plugin.js'
import { pluginBuilder } from './plugin-builder.js'
import type { Notification, TaskEvent } from './signals.js'

const story = fixture`
-- shapes.fake --
def area
  area
-- other.fake --
area
`
const target = { file: 'shapes.fake', line: 1, symbol: 'area' }

interface OpenedPlugin extends AsyncDisposable {
  readonly plugin: Plugin
  readonly workspace: TemporaryWorkspace
  readonly server: FakeServerCommand
  call(name: string, input: object): Promise<{ ok: boolean; text: string; result: object } | undefined>
  names(): Promise<string[]>
}

async function opened(script: Script = {}, options: PluginOptions = {}): Promise<OpenedPlugin> {
  const workspace = await temporaryWorkspace(story)
  const server = fakeServerCommand({ diagnostics: 'push-versioned', ...script })
  const state = workspace.path('.state')
  const plugin = await createPlugin({
    root: workspace.root,
    env: { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state },
    definitions: [fakeDefinition({ ...startedBy(server), install: 'npm install fake' })],
    ...options,
  })
  return {
    plugin,
    workspace,
    server,
    call: async (name, input) => (await plugin.tools()).find(tool => tool.name === name)?.call(input),
    names: async () => (await plugin.tools()).map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await plugin.close()
      server.dispose()
      await workspace.dispose()
    },
  }
}

function sentTo(server: FakeServerCommand): (string | undefined)[] {
  return server.log().flatMap(entry => (entry.event === 'received' ? [entry.message.method] : []))
}

/** A server that Alidade does not know is started in a trusted workspace only. */
async function trusting(workspace: TemporaryWorkspace) {
  const state = workspace.path('.state')
  const env = { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state }
  await new TrustStore({ env }).trust(workspace.root)
  return env
}

/** The next event of this kind. */
function task(plugin: Plugin, kind: TaskEvent['kind'], fits: (event: TaskEvent) => boolean = () => true) {
  return new Promise<TaskEvent>(resolve => {
    const stop = plugin.onTask(event => {
      if (event.kind !== kind || !fits(event)) return
      stop()
      resolve(event)
    })
  })
}

test('R-149 R-160 a tool for each capability, under its own name; diagnostics are always there', async () => {
  const lacking = { capabilities: { renameProvider: null, hoverProvider: null } }
  await using open = await opened(lacking)
  expect((await open.call('lsp_goto_definition', target))?.text).toMatch(/^1 definition of area/)
  const names = await open.names()
  expect(names).toEqual(
    expect.arrayContaining([
      'lsp_diagnostics',
      'lsp_goto_definition',
      'lsp_references',
      'lsp_document_symbols',
      'lsp_workspace_symbols',
      'lsp_document_highlights',
      'lsp_completion',
    ]),
  )
  expect(names).not.toContain('lsp_rename')
  expect(names).not.toContain('lsp_hover')
  expect(names.every(name => name.startsWith('lsp_'))).toBe(true)
})

test('C31 before the first start the tools are those of the last run, and afterwards those declared', async () => {
  const workspace = await temporaryWorkspace(story)
  const state = workspace.path('.state')
  const env = { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state }
  const lacking = { capabilities: { renameProvider: null } }
  try {
    {
      await using first = await opened(lacking, { root: workspace.root, env })
      // Never seen before: everything is expected of it.
      expect(await first.names()).toContain('lsp_rename')
      await first.call('lsp_hover', target)
      expect(await first.names()).not.toContain('lsp_rename')
    }
    await using second = await opened({}, { root: workspace.root, env })
    expect(await second.names()).not.toContain('lsp_rename')
    expect(second.plugin.state).toBe('Discovering')
    const changed = new Promise<void>(resolve => second.plugin.onToolsChanged(resolve))
    await second.call('lsp_hover', target)
    // The server was upgraded since; nothing had to be configured for it.
    await changed
    expect(await second.names()).toContain('lsp_rename')
  } finally {
    await workspace.dispose()
  }
})

test('C4 a rename is proposed, and its text sends nobody to a tool that is not offered', async () => {
  await using open = await opened()
  const { text, ok } = (await open.call('lsp_rename', { ...target, new_name: 'size' })) ?? {}
  expect(ok).toBe(true)
  expect(text).toContain('Nothing is written: apply the diff with your own edit tools.')
  expect(text).not.toContain('apply_edit')
  const [rename] = (await open.plugin.tools()).filter(({ name }) => name === 'lsp_rename')
  expect(rename?.description).not.toContain('apply_edit')
})

test('R-68 without the program the plugin is Dormant, with one warning and no tools', async () => {
  const missing = { language: 'rust', server: { binary: 'no-such-rust-analyzer' } }
  await using open = await opened({}, { ...missing, definitions: undefined })
  // What somebody named is tried; that it cannot be started is known when it is.
  expect(open.plugin.registry.rust).toEqual(builtInRegistry.rust)
  await using bare = await opened({}, { language: 'haskell' })
  expect(bare.plugin.state).toBe('Dormant')
  expect(await bare.names()).toEqual([])
  expect(bare.plugin.warnings).toEqual([expect.stringMatching(/haskell/)])
})

const dying: Script = { rules: [{ on: 'textDocument/hover', do: [{ act: 'exit', code: 1 }] }] }

test('R-66 R-70 R-72 R-172 a crash is told on both paths, answered as restarting, and recovered from', async () => {
  await using open = await opened(dying)
  const { plugin } = open
  const states: string[] = []
  plugin.onStateChange(({ to }) => states.push(to))
  const heard: Notification[] = []
  plugin.onNotification(notification => heard.push(notification))
  const crashed = task(plugin, 'lsp_server_crashed')
  const again = new Promise<void>(resolve => {
    plugin.onStateChange(({ from, to }) => {
      if (from === 'Starting' && to === 'Ready' && states.includes('Restarting')) resolve()
    })
  })
  expect(await open.call('lsp_hover', target)).toMatchObject({ ok: false })
  expect(await crashed).toMatchObject({ payload: { server: 'fake', cause: expect.stringContaining('died') } })
  expect(heard).toContainEqual({ level: 'crash', message: expect.stringMatching(/^fake crashed: /) })
  // While it waits for its restart, a call fails at once and points to text search; the tools stay.
  const meanwhile = await open.call('lsp_goto_definition', target)
  expect(meanwhile?.result).toMatchObject({
    kind: 'ServerRestarting',
    hint: expect.stringContaining('text search'),
  })
  expect(await open.names()).toContain('lsp_goto_definition')
  await again
  expect(states).toEqual(['Starting', 'Ready', 'Restarting', 'Starting', 'Ready'])
  expect((await open.call('lsp_goto_definition', target))?.ok).toBe(true)
})

test('R-67 R-69 after five failed starts the plugin is Dormant and its tools are gone; reload and restart leave it', async () => {
  const failing: Script = { rules: [{ on: 'initialize', do: [{ act: 'exit', code: 1 }] }] }
  await using open = await opened(failing, {
    // Thirty-one seconds of waiting, two hundred times as fast.
    clock: { ...systemClock, after: (milliseconds, action) => systemClock.after(milliseconds / 200, action) },
    timeoutMs: 60_000,
  })
  const { plugin } = open
  const states: string[] = []
  plugin.onStateChange(({ to }) => states.push(to))
  const dormant = new Promise<void>(resolve => {
    plugin.onStateChange(({ to }) => {
      if (to === 'Dormant') resolve()
    })
  })
  await open.call('lsp_hover', target)
  await dormant
  const round = ['Starting', 'Restarting']
  expect(states).toEqual([...round, ...round, ...round, ...round, ...round, 'Dormant'])
  expect(await open.names()).toEqual([])
  await plugin.reload()
  expect(plugin.state).toBe('Discovering')
  expect(await open.names()).toContain('lsp_hover')
})

test('R-66 restart leaves Dormant, too', async () => {
  await using open = await opened(dying, { settings: { restart: { max: 0, counts: 'crashes' } } })
  const { plugin } = open
  const dormant = new Promise<void>(resolve => {
    plugin.onStateChange(({ to }) => {
      if (to === 'Dormant') resolve()
    })
  })
  await open.call('lsp_hover', target)
  await dormant
  await plugin.restart()
  expect(plugin.state).toBe('Ready')
  expect((await open.call('lsp_goto_definition', target))?.ok).toBe(true)
})

test('R-120 R-124 R-170 R-171 an edit by a tool of the host reaches the server, and its diagnostics come back', async () => {
  await using open = await opened()
  const { plugin, workspace } = open
  await open.call('lsp_goto_definition', target)
  const heard: Notification[] = []
  plugin.onNotification(notification => heard.push(notification))
  const changed = task(plugin, 'lsp_diagnostics_changed', ({ payload }) => String(payload.diagnostics) !== '')
  writeFileSync(workspace.path('other.fake'), 'area ERROR here\n')
  const use = { toolName: 'vfs_edit', args: { path: 'other.fake' } }
  expect(await plugin.postToolUse(use)).toEqual({ synced: ['other.fake'], skipped: [] })
  const event = await changed
  expect(event.payload).toMatchObject({
    server: 'fake',
    file: 'other.fake',
    diagnostics: [{ severity: 'error', line: 1, message: expect.stringContaining('ERROR') }],
  })
  expect(JSON.parse(JSON.stringify(event.payload))).toEqual(event.payload)
  expect(heard).toContainEqual({ level: 'diagnostics', message: 'other.fake: 1 error' })
  writeFileSync(workspace.path('other.fake'), 'area\n')
  // A push about the text before may still be on its way; it is told, and what is settled for this one comes after it.
  const gone = task(plugin, 'lsp_diagnostics_changed', ({ payload }) => String(payload.diagnostics) === '')
  await plugin.postToolUse({ toolName: 'vfs_append', args: { file_path: workspace.path('other.fake') } })
  expect((await gone).payload).toMatchObject({ file: 'other.fake', diagnostics: [] })
  const sent = sentTo(open.server)
  expect(sent).toContain('textDocument/didOpen')
  expect(sent).toContain('textDocument/didChange')
})

test('R-170 D05 a server that clears its report before it looks at an edit does not have the host told of no diagnostics', async () => {
  const clearing: Script = {
    rules: [
      {
        on: 'textDocument/didChange',
        also: true,
        do: [{ act: 'publish', version: 'previous', diagnostics: [] }],
      },
    ],
  }
  await using open = await opened(clearing)
  const { plugin, workspace } = open
  await open.call('lsp_goto_definition', target)
  const heard: string[] = []
  plugin.onNotification(({ level, message }) => {
    if (level === 'diagnostics') heard.push(message)
  })
  const broken = (count: number) =>
    task(
      plugin,
      'lsp_diagnostics_changed',
      ({ payload }) => Array.isArray(payload.diagnostics) && payload.diagnostics.length === count,
    )
  const use = { toolName: 'Edit', args: { path: 'other.fake' } }
  for (const count of [1, 2, 3]) {
    const told = broken(count)
    writeFileSync(workspace.path('other.fake'), 'ERROR here\n'.repeat(count))
    await plugin.postToolUse(use)
    await told
  }
  expect(heard).not.toContain('other.fake: no diagnostics')
  writeFileSync(workspace.path('other.fake'), 'area\n')
  const gone = broken(0)
  await plugin.postToolUse(use)
  await gone
})

test('R-121 a removed file is closed on its server', async () => {
  await using open = await opened()
  await open.call('lsp_goto_definition', { file: 'other.fake', line: 1, symbol: 'area' })
  rmSync(open.workspace.path('other.fake'))
  const removed = await open.plugin.postToolUse({ toolName: 'vfs_rm', args: { path: 'other.fake' } })
  expect(removed).toEqual({ synced: ['other.fake'], skipped: [] })
  await open.server.received('textDocument/didClose')
  const closed = sentTo(open.server).filter(method => method === 'textDocument/didClose')
  expect(closed).toHaveLength(1)
})

test('R-122 nothing that goes wrong fails the edit, and other tools are none of its business', async () => {
  await using open = await opened()
  const { plugin } = open
  await open.call('lsp_goto_definition', target)
  const skipped = async (args: unknown, toolName = 'Write') =>
    (await plugin.postToolUse({ toolName, args })).skipped.map(({ path }) => path)
  expect(await skipped({ path: '/etc/passwd' })).toEqual(['/etc/passwd'])
  expect(await skipped({ path: 'gone.fake' })).toEqual(['gone.fake'])
  expect(await skipped({ path: 'readme.unknown' })).toEqual(['readme.unknown'])
  expect(await skipped(undefined)).toEqual([])
  expect(await skipped({ path: 7 })).toEqual([])
  expect(await skipped({ path: 'shapes.fake' }, 'send_mail')).toEqual([])
})

test('R-122 the names of tools and arguments are the host to choose; before the first question nothing is started', async () => {
  const sync = { changing: ['save'], pathArguments: ['where'] }
  await using open = await opened({}, { sync })
  const use = { toolName: 'save', args: { where: 'shapes.fake' } }
  expect(await open.plugin.postToolUse(use)).toMatchObject({ skipped: [{ reason: 'no server runs yet' }] })
  await open.call('lsp_goto_definition', target)
  expect(await open.plugin.postToolUse(use)).toEqual({ synced: ['shapes.fake'], skipped: [] })
})

test('R-173 R-175 a routed signal directs the agent, an unrouted one changes nothing, and a hook only observes', async () => {
  await using open = await opened(dying)
  const { plugin } = open
  plugin.onNotification(() => {
    throw new Error('a hook that fails')
  })
  plugin.onNotification(() => ({ tool: 'lsp_hover', input: {} }))
  const crashed = task(plugin, 'lsp_server_crashed')
  await open.call('lsp_hover', target)
  await crashed
  expect(plugin.takeDirectives()).toEqual([])
  const stop = plugin.route('lsp_server_ready', ({ payload }) => ({
    tool: 'lsp_diagnostics',
    input: { file: 'shapes.fake', because: payload.server },
  }))
  await task(plugin, 'lsp_server_ready')
  expect(plugin.takeDirectives()).toEqual([
    { tool: 'lsp_diagnostics', input: { file: 'shapes.fake', because: 'fake' } },
  ])
  expect(plugin.takeDirectives()).toEqual([])
  stop()
})

test('R-96 what a server shows or logs goes both ways, with its level', async () => {
  const talking: Script = {
    rules: [
      {
        on: 'initialized',
        do: [
          { act: 'notify', method: 'window/showMessage', params: { type: 3, message: 'hello' } },
          { act: 'notify', method: 'window/logMessage', params: { type: 2, message: 'careful' } },
        ],
      },
    ],
  }
  await using open = await opened(talking)
  const heard: Notification[] = []
  open.plugin.onNotification(notification => heard.push(notification))
  const shown = task(open.plugin, 'lsp_show_message')
  const logged = task(open.plugin, 'lsp_log_message')
  await open.call('lsp_goto_definition', target)
  expect((await shown).payload).toMatchObject({ level: 'info', message: 'hello' })
  expect((await logged).payload).toMatchObject({ level: 'warning', message: 'careful' })
  expect(heard).toEqual(
    expect.arrayContaining([
      { level: 'info', message: 'hello' },
      { level: 'warning', message: 'careful' },
    ]),
  )
})

test('R-31 R-32 R-33 the registry is plain data, and the builder adds to it and overrides it', async () => {
  expect(builtInRegistry).toEqual({
    rust: { binary: 'rust-analyzer', args: [] },
    python: { binary: 'pylsp', args: [] },
    typescript: { binary: 'typescript-language-server', args: ['--stdio'] },
    go: { binary: 'gopls', args: ['serve'] },
    c: { binary: 'clangd', args: expect.any(Array) },
  })
  const server = fakeServerCommand({ diagnostics: 'push-versioned' })
  await using workspace = await temporaryWorkspace(story)
  const env = await trusting(workspace)
  const plugin = await pluginBuilder({
    env,
  })
    .root(workspace.root)
    .language('fake')
    .registryOverride('fake', server.command, server.args, { extensions: ['.fake'], env: server.env })
    .build()
  try {
    expect(plugin.registry.fake?.binary).toBe(server.command)
    expect(plugin.registry.rust).toEqual(builtInRegistry.rust)
    const tool = (await plugin.tools()).find(({ name }) => name === 'lsp_references')
    expect((await tool?.call(target))?.ok).toBe(true)
  } finally {
    await plugin.close()
    server.dispose()
  }
})

test('R-32 the binary, arguments and environment of the one language can be named', async () => {
  const server = fakeServerCommand({ diagnostics: 'push-versioned' })
  await using workspace = await temporaryWorkspace(story)
  const env = await trusting(workspace)
  const plugin = await pluginBuilder({
    env,
    registry: { fake: { binary: 'not-this-one', args: [], extensions: ['.fake'] } },
  })
    .root(workspace.root)
    .language('fake')
    .serverBinary(server.command)
    .serverArgs(server.args)
    .serverEnv(server.env)
    .build()
  try {
    const tool = (await plugin.tools()).find(({ name }) => name === 'lsp_hover')
    expect(await tool?.call(target)).toMatchObject({ ok: true })
  } finally {
    await plugin.close()
    server.dispose()
  }
})

test('R-74 several roots are several plugins in one host, each with its own server', async () => {
  await using first = await opened()
  await using second = await opened()
  await Promise.all([first.call('lsp_hover', target), second.call('lsp_hover', target)])
  expect(first.plugin.root).not.toBe(second.plugin.root)
  await first.plugin.close()
  expect((await second.call('lsp_hover', target))?.ok).toBe(true)
})
