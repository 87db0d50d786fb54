// The presets' knobs as a whole bridge obeys them: who may ask, what may be sent, how servers are found, announced,
// started again and looked up anew. Where the knob itself is a pure function, its table is tested beside it.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BridgeOptions, openBridge } from '../src/bridge.js'
import type { PresetName } from '../src/config/presets.js'
import type { BridgeEvent } from '../src/events.js'
import { exploreSymbol } from '../src/operations/explore-symbol.js'
import { getDiagnostics } from '../src/operations/get-diagnostics.js'
import { goToDefinition } from '../src/operations/go-to-definition.js'
import { inspectSymbol } from '../src/operations/inspect-symbol.js'
import { openDocument } from '../src/operations/open-document.js'
import { renameSymbol } from '../src/operations/rename-symbol.js'
import { restartServer } from '../src/operations/restart-server.js'
import { serverStatus } from '../src/operations/server-status.js'
import { type FakeLanguage, fakeBridge } from './fake-bridge.js'
import { fakeDefinition, startedBy } from './fake-definition.js'
import { fakeServerCommand, type Script } from './fake-server/index.js'
import { fixture, type TemporaryWorkspace, temporaryWorkspace } from './fixture/index.js'

const story = fixture`
-- shapes.fake --
def area
  area
-- go.mod --
module shapes
`
const target = { file: 'shapes.fake', line: 1, symbol: 'area' }
const wordly: readonly FakeLanguage[] = [{ language: 'fake' }]

async function core(preset: PresetName, options: BridgeOptions = {}, script: Script = {}) {
  const workspace = await temporaryWorkspace(story)
  const server = fakeServerCommand({ diagnostics: 'push-versioned', ...script })
  const state = workspace.path('.state')
  const bridge = await openBridge({
    root: workspace.root,
    preset,
    env: { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state },
    definitions: [fakeDefinition({ ...startedBy(server), install: 'npm install fake' })],
    interactive: true,
    ...options,
  })
  return {
    bridge,
    workspace,
    async [Symbol.asyncDispose]() {
      await bridge.close()
      server.dispose()
      await workspace.dispose()
    },
  }
}

test('R-02 C1 under governed a model reaches no server, and the host does', async () => {
  await using opened = await core('governed')
  const started: BridgeEvent[] = []
  opened.bridge.events.subscribe(event => {
    if (event.type === 'server.stateChanged') started.push(event)
  })
  expect(await opened.bridge.run(inspectSymbol, target, { caller: 'model' })).toMatchObject({
    ok: false,
    kind: 'PolicyDenied',
  })
  expect(started).toEqual([])
  expect(await opened.bridge.run(inspectSymbol, target, { caller: 'host' })).toMatchObject({ ok: true })
})

test('C1 under single-tool and sandbox the model alone asks; the host may still look after the servers', async () => {
  for (const preset of ['single-tool', 'sandbox'] as const) {
    await using opened = await core(preset, { settings: { knobs: { detect_by: 'extension' } } })
    const { bridge } = opened
    expect(await bridge.run(inspectSymbol, target, { caller: 'host' })).toMatchObject({
      kind: 'PolicyDenied',
    })
    expect(await bridge.run(inspectSymbol, target, { caller: 'model' })).toMatchObject({ ok: true })
    for (const [question, input] of [
      [getDiagnostics, { file: target.file }],
      [exploreSymbol, target],
    ] as const)
      expect(await bridge.run(question, input, { caller: 'host' })).toMatchObject({ kind: 'PolicyDenied' })
    expect(await bridge.run(serverStatus, {}, { caller: 'host' })).toMatchObject({ ok: true })
    expect(await bridge.run(openDocument, { file: target.file }, { caller: 'host' })).toMatchObject({
      ok: true,
    })
    expect(await bridge.run(restartServer, {}, { caller: 'host' })).toMatchObject({ ok: true })
  }
})

test('R-11 R-105 under governed no request that could modify a file is sent by any path', async () => {
  await using opened = await core('governed', { settings: { knobs: { edits: 'apply', plane: 'both' } } })
  const sent: string[] = []
  opened.bridge.events.subscribe(event => {
    if (event.type === 'request.started') sent.push(event.method)
  })
  const renamed = await opened.bridge.run(renameSymbol, { ...target, new_name: 'x' }, { caller: 'host' })
  expect(renamed).toMatchObject({ ok: false })
  expect(await opened.bridge.run(inspectSymbol, target, { caller: 'host' })).toMatchObject({ ok: true })
  expect(sent).toContain('textDocument/hover')
  expect(
    sent.filter(method => /rename|codeAction|formatting|completion|executeCommand/i.test(method)),
  ).toEqual([])
})

test('C20 R-153 references leave the declaration out by default under full, and list it elsewhere', async () => {
  const count = async (preset: PresetName) => {
    await using fake = await fakeBridge(story, wordly, { preset })
    const answer = await fake.bridge.findReferences(target)
    return answer.ok ? answer.result.references.length : answer.error
  }
  expect(await count('default')).toBe(2)
  expect(await count('full')).toBe(1)
  expect(await count('plugin')).toBe(2)
})

test('C27 C28 wrong arguments are Wire under single-tool; a seed preset says in the error how to install', async () => {
  await using opened = await core('single-tool')
  expect(await opened.bridge.run(inspectSymbol, { fiel: 'x' }, { caller: 'model' })).toMatchObject({
    kind: 'Wire',
  })
  const missing = [{ language: 'fake', definition: { command: 'no-such-server' } }]
  await using seed = await fakeBridge(story, missing, { preset: 'full' })
  await using ours = await fakeBridge(story, missing)
  const install = expect.stringContaining('npm install fake-server')
  expect(await seed.bridge.inspectSymbol(target)).toMatchObject({ error: install, hint: install })
  expect(await ours.bridge.inspectSymbol(target)).toMatchObject({
    error: expect.not.stringContaining('npm install'),
    hint: install,
  })
})

test('C10 with missing_server hide a preset offers nothing where no server can be started', async () => {
  const missing = [{ language: 'fake', definition: { command: 'no-such-server' } }]
  const offered = async (languages: readonly FakeLanguage[], missing_server: 'error' | 'hide') => {
    const settings = { knobs: { missing_server } }
    await using fake = await fakeBridge(story, languages, { preset: 'full', settings })
    return (await fake.bridge.tools()).length
  }
  expect(await offered(missing, 'hide')).toBe(0)
  expect(await offered(missing, 'error')).toBeGreaterThan(20)
  expect(await offered(wordly, 'hide')).toBe(await offered(wordly, 'error'))
})

test('R-21 an operator hears which server was found, before it starts; in auto nobody is told', async () => {
  const told = async (preset: PresetName, settings: BridgeOptions['settings'] = {}) => {
    await using fake = await fakeBridge(story, wordly, { preset, settings, interactive: true })
    const seen: string[] = []
    fake.bridge.events.subscribe(event => {
      if (event.type === 'server.announced' || event.type === 'server.chosen') seen.push(event.type)
    })
    await fake.bridge.inspectSymbol(target)
    return seen
  }
  expect(await told('default')).toEqual(['server.announced', 'server.chosen'])
  expect(await told('plugin')).toEqual(['server.chosen'])
  expect(await told('plugin', { knobs: { autodetect: 'announce' } })).toEqual([
    'server.announced',
    'server.chosen',
  ])
})

test('R-22 C13 under governed nothing is found by itself when nobody is there to be told', async () => {
  await using fake = await fakeBridge(story, wordly, { preset: 'governed', interactive: false })
  expect(await fake.bridge.inspectSymbol(target)).toMatchObject({
    kind: 'ServerUnavailable',
    error: expect.stringContaining('auto-detection is off'),
  })
})

test('R-54 a prewarmed server that cannot start is only logged', async () => {
  await using fake = await fakeBridge(
    story,
    [{ language: 'fake', definition: { command: 'no-such-server' } }],
    {
      settings: { prewarm: ['fake'] },
    },
  )
  const { message } = await fake.bridge.events.until('bridge.logged')
  expect(message).toMatch(/^prewarm fake: /)
  expect(await fake.bridge.serverStatus({})).toMatchObject({ ok: true })
})

test('R-27 R-28 R-29 single-tool looks up every program at the start: one warning for each missing one', async () => {
  await using fake = await fakeBridge(
    story,
    [
      { language: 'fake' },
      { language: 'other', definition: { command: 'other-server', install: 'pip install other' } },
    ],
    { preset: 'single-tool' },
  )
  expect(fake.bridge.warnings).toEqual(['other-server (other) is not on PATH. Install it: pip install other'])
  await using quiet = await fakeBridge(story, [
    { language: 'other', definition: { command: 'other-server', install: 'pip install other' } },
  ])
  expect(quiet.bridge.warnings).toEqual([])
})

test('R-29 R-30 reload finds what was installed since, and leaves alone what runs', async () => {
  await using fake = await fakeBridge(
    story,
    [{ language: 'fake' }, { language: 'other', definition: { command: 'late-server' } }],
    {
      preset: 'single-tool',
      env: { ...process.env, PATH: `${process.env.PATH}:${join(import.meta.dirname, '../.cache/late')}` },
    },
  )
  const [tool] = await fake.bridge.tools()
  const ask = (file: string) => tool?.call({ kind: 'hover', file, line: 1, character: 5 })
  writeFileSync(fake.workspace.path('x.other'), 'def area\n')
  expect(await ask('shapes.fake')).toMatchObject({ ok: true })
  expect(await ask('x.other')).toMatchObject({ result: { kind: 'ServerUnavailable' } })
  const crashed: BridgeEvent[] = []
  fake.bridge.events.subscribe(event => {
    if (event.type === 'server.stateChanged' || event.type === 'server.crashed') crashed.push(event)
  })
  const late = join(import.meta.dirname, '../.cache/late')
  mkdirSync(late, { recursive: true })
  const [first] = fake.servers
  const words = [first?.command, ...(first?.args ?? [])].map(word => `'${word}'`).join(' ')
  writeFileSync(join(late, 'late-server'), `#!/bin/sh\nexec ${words} "$@"\n`)
  chmodSync(join(late, 'late-server'), 0o755)
  try {
    const reloaded = await fake.bridge.reload()
    expect(reloaded.warnings).toEqual([])
    expect(crashed).toEqual([])
    const second = fake.servers[1]
    expect(second).toBeDefined()
    expect(await ask('x.other')).toMatchObject({ ok: true })
    expect(await ask('shapes.fake')).toMatchObject({ ok: true })
  } finally {
    rmSync(late, { recursive: true, force: true })
  }
})

test('R-30 reload reads the configuration again, and one that cannot be read changes nothing', async () => {
  await using fake = await fakeBridge(story, wordly)
  const folder = fake.workspace.path('.alidade')
  mkdirSync(folder)
  writeFileSync(join(folder, 'lsp.json'), '{ "languages": ["other"] }')
  expect(await fake.bridge.inspectSymbol(target)).toMatchObject({ ok: true })
  await fake.bridge.reload()
  expect(await fake.bridge.inspectSymbol(target)).toMatchObject({ kind: 'LanguageNotEnabled' })
  writeFileSync(join(folder, 'lsp.json'), '{ "langauges": [] }')
  await expect(fake.bridge.reload()).rejects.toMatchObject({
    kind: 'InvalidArguments',
    message: expect.stringContaining('lsp.json:1:3'),
  })
  expect(await fake.bridge.inspectSymbol(target)).toMatchObject({ kind: 'LanguageNotEnabled' })
  rmSync(folder, { recursive: true })
  await fake.bridge.reload()
  expect(await fake.bridge.inspectSymbol(target)).toMatchObject({ ok: true })
})

function configure(workspace: TemporaryWorkspace, configuration: object): void {
  mkdirSync(workspace.path('.state/alidade'), { recursive: true })
  writeFileSync(workspace.path('.state/alidade/config.jsonc'), JSON.stringify(configuration))
}

test('R-30 after a reload what was settled at the start is settled anew', async () => {
  const outside = '/usr/share/lib/other.fake'
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
  const head = '{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":4,"message":"'
  const body = [head, { repeat: 'x', times: 2 * 1024 * 1024 }, '"}}']
  await using opened = await core(
    'default',
    {},
    {
      rules: [
        {
          on: 'textDocument/definition',
          do: [{ act: 'answer', result: [{ uri: `file://${outside}`, range }] }],
        },
        { on: 'textDocument/hover', do: [{ act: 'frame', body }, { act: 'built-in' }] },
      ],
    },
  )
  const { bridge, workspace } = opened
  const hover = () => bridge.run(inspectSymbol, target, { caller: 'host' })
  const definition = () => bridge.run(goToDefinition, target, { caller: 'host' })
  const at = (file: unknown) => ({ ok: true, result: { places: [{ file }] } })
  expect(await definition()).toMatchObject(at(expect.stringMatching(/^external:/)))
  expect(await hover()).toMatchObject({ ok: true })
  expect(bridge.evidence().mode).toBe('best-effort')
  configure(workspace, {
    knobs: { evidence: 'required', external_paths: 'plain' },
    frame_limit_mb: 1,
  })
  await bridge.reload()
  expect(bridge.evidence().mode).toBe('required')
  expect(await definition()).toMatchObject(at(outside))
  // A server that runs keeps the limit it was started with.
  expect(await hover()).toMatchObject({ ok: true })
  expect(await bridge.run(restartServer, {}, { caller: 'host' })).toMatchObject({ ok: true })
  expect(await hover()).toMatchObject({ ok: false })
})

test('R-30 R-40 what a reload adds to prewarm starts', async () => {
  await using opened = await core('default')
  const { bridge, workspace } = opened
  configure(workspace, { prewarm: ['fake'] })
  const ready = bridge.events.until('server.stateChanged', ({ to }) => to === 'ready')
  await bridge.reload()
  expect(await ready).toMatchObject({ server: 'fake' })
})

const crashing: Script = { rules: [{ on: 'textDocument/hover', do: [{ act: 'exit', code: 1 }] }] }

/** What calls get whose server dies of each of them. */
async function deaths(preset: PresetName, calls: number, settings: BridgeOptions['settings'] = {}) {
  await using opened = await core(
    preset,
    { settings: { knobs: { detect_by: 'extension', plane: 'both' }, ...settings } },
    crashing,
  )
  const kinds: string[] = []
  for (let call = 0; call < calls; call += 1) {
    const answer = await opened.bridge.run(inspectSymbol, target, { caller: 'host' })
    kinds.push(answer.ok ? 'ok' : answer.kind)
  }
  return kinds
}

test('R-64 governed restarts a server once, then it is off', async () => {
  const kinds = await deaths('governed', 4)
  expect(kinds).toEqual(['ServerRestarting', 'ServerRestarting', 'SessionDead', 'SessionDead'])
})

test('R-65 single-tool starts anew at the next call, three times, then SessionDead for good', async () => {
  const kinds = await deaths('single-tool', 6)
  const died = 'ServerRestarting'
  expect(kinds).toEqual([died, died, died, died, 'SessionDead', 'SessionDead'])
})

test('R-71 sandbox starts anew at every next call', async () => {
  expect(new Set(await deaths('sandbox', 7))).toEqual(new Set(['ServerRestarting']))
})

test('R-66 reload leaves a state that is off for good', async () => {
  await using opened = await core(
    'single-tool',
    { settings: { restart: { max: 0 }, knobs: { plane: 'both' } } },
    crashing,
  )
  const { bridge } = opened
  const kind = async () => {
    const answer = await bridge.run(inspectSymbol, target, { caller: 'host' })
    return answer.ok ? 'ok' : answer.kind
  }
  expect([await kind(), await kind()]).toEqual(['ServerRestarting', 'SessionDead'])
  await bridge.reload()
  expect([await kind(), await kind()]).toEqual(['ServerRestarting', 'SessionDead'])
})

test('C33 a seed preset names what lies outside by its plain path, others by external:', async () => {
  const outside = '/usr/share/lib/other.fake'
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
  const script: Script = {
    rules: [
      {
        on: 'textDocument/definition',
        do: [{ act: 'answer', result: [{ uri: `file://${outside}`, range }] }],
      },
    ],
  }
  const file = async (preset: PresetName) => {
    await using fake = await fakeBridge(story, [{ language: 'fake', script }], { preset })
    const answer = await fake.bridge.goToDefinition(target)
    return answer.ok ? answer.result.places[0]?.file : answer.error
  }
  expect(await file('full')).toBe(outside)
  expect(await file('default')).toMatch(/^external:/)
})

test('R-40 R-41 R-44 an agent that does not opt in is offered no tool; another of the same file has its own settings', async () => {
  await using workspace = await temporaryWorkspace(story)
  const state = workspace.path('.state')
  mkdirSync(join(state, 'alidade'), { recursive: true })
  writeFileSync(
    join(state, 'alidade/agents.yaml'),
    [
      'agents:',
      '  - id: cody',
      '    lsp: { enabled: true, languages: [fake], idle_teardown_secs: 5 }',
      '  - id: rita',
      '    lsp: { languages: [fake] }',
      '',
    ].join('\n'),
  )
  const env = { PATH: process.env.PATH, HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state }
  const names = async (agent: string) => {
    await using fake = await fakeBridge(story, wordly, { preset: 'single-tool', agent, env })
    return (await fake.bridge.tools()).map(({ name }) => name)
  }
  expect(await names('cody')).toEqual(['Lsp'])
  expect(await names('rita')).toEqual([])
})
