// Policy as it acts: a call that is denied or not approved never reaches a server, whichever surface it came through.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, InMemoryTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, test } from 'vitest'
import { type BridgeCore, type BridgeOptions, openBridge } from '../src/bridge.js'
import { systemClock } from '../src/clock.js'
import { operationNames } from '../src/config/operation-names.js'
import type { BridgeEvent } from '../src/events.js'
import { property } from '../src/json.js'
import { operations } from '../src/operations/index.js'
import type { Operation } from '../src/operations/operation.js'
import type { ApprovalRequest } from '../src/policy/call-authority.js'
import { upkeep } from '../src/policy/policy.js'
import { createConnection } from '../src/surfaces/mcp/connection.js'
import { createResources } from '../src/surfaces/mcp/resources.js'
import { Subscriptions } from '../src/surfaces/mcp/subscriptions.js'
import { createToolbox } from '../src/surfaces/mcp/toolbox.js'
import { everyCapability, inputFor, story } from './every-operation.js'
import { definitionOf } from './fake-bridge.js'
import { type FakeServerCommand, fakeServerCommand } from './fake-server/index.js'
import { temporaryWorkspace } from './fixture/index.js'

interface Opened extends AsyncDisposable {
  readonly core: BridgeCore
  readonly root: string
  readonly server: FakeServerCommand
  /** Methods of the requests that reached the server, beyond its lifecycle. */
  asked(): string[]
  decided(): Extract<BridgeEvent, { type: 'policy.decided' }>[]
}

async function open(options: BridgeOptions): Promise<Opened> {
  const workspace = await temporaryWorkspace(story)
  const state = mkdtempSync(join(tmpdir(), 'alidade-policy-'))
  const server = fakeServerCommand({ diagnostics: 'pull', capabilities: everyCapability })
  const core = await openBridge({
    root: workspace.root,
    env: { ...process.env, XDG_CONFIG_HOME: join(state, 'config'), XDG_STATE_HOME: join(state, 'state') },
    definitions: [definitionOf({ language: 'fake' }, server)],
    interactive: true,
    ...options,
  })
  const decided: Extract<BridgeEvent, { type: 'policy.decided' }>[] = []
  core.events.subscribe(event => {
    if (event.type === 'policy.decided') decided.push(event)
  })
  return {
    core,
    root: workspace.root,
    server,
    asked: () =>
      server
        .log()
        .flatMap(entry => (entry.event === 'received' ? [entry.message] : []))
        .filter(message => property(message, 'id') !== undefined && property(message, 'method') !== undefined)
        .map(message => String(property(message, 'method')))
        .filter(method => !['initialize', 'shutdown', 'alidade/ping'].includes(method)),
    decided: () => decided,
    async [Symbol.asyncDispose]() {
      await core.close()
      server.dispose()
      rmSync(state, { recursive: true, force: true })
      await workspace.dispose()
    },
  }
}

function operation(name: string): Operation {
  const found: Operation | undefined = operations.find(known => known.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

test('R-05 the configuration knows the operations by name', () => {
  expect(operationNames).toEqual(operations.map(({ name }) => name).toSorted())
})

const enriching = [
  'textDocument/hover',
  'textDocument/definition',
  'textDocument/typeDefinition',
  'textDocument/documentSymbol',
  'workspace/symbol',
  'textDocument/references',
  'textDocument/signatureHelp',
  'textDocument/inlayHint',
  'textDocument/diagnostic',
  'workspace/diagnostic',
]

test('R-11 R-105 INV-LSP-004 in governed no operation of any caller sends anything but the methods that enrich or validate', {
  timeout: 120_000,
}, async () => {
  await using opened = await open({ preset: 'governed', timeoutMs: 5000 })
  const before = readFileSync(join(opened.root, 'shapes.fake'), 'utf8')
  for (const caller of ['host', 'model'] as const) {
    for (const known of operations) {
      const answer = await opened.core.run(known, inputFor(known), { caller })
      expect(answer.ok || answer.kind, `${known.name} of the ${caller}`).not.toBe('Bug')
      if (caller === 'model') expect(answer).toMatchObject({ ok: false, kind: 'PolicyDenied' })
    }
  }
  const asked = new Set(opened.asked())
  expect([...asked].filter(method => !enriching.includes(method))).toEqual([])
  // The test would prove nothing if nothing had been asked.
  expect([...asked]).toEqual(expect.arrayContaining(['textDocument/references', 'textDocument/hover']))
  expect(readFileSync(join(opened.root, 'shapes.fake'), 'utf8')).toBe(before)
})

test('C1 what a host may do under every preset are operations that exist', () => {
  const names: readonly string[] = operations.map(({ name }) => name)
  expect([...upkeep].filter(name => !names.includes(name))).toEqual([])
})

test('R-02 in the passive plane a call of a model reaches no server', async () => {
  await using opened = await open({ preset: 'governed' })
  const references = operation('find_references')
  const answer = await opened.core.run(references, inputFor(references), { caller: 'model' })
  expect(answer).toMatchObject({ ok: false, kind: 'PolicyDenied' })
  expect(opened.server.log()).toEqual([])
})

test.each([
  ['read', 'find_references'],
  ['propose', 'rename_symbol'],
  ['execute', 'execute_command'],
] as const)('R-05 a denied %s never reaches the server, and says why', async (effect, name) => {
  const rules = [{ decision: 'deny' as const, classes: [effect], reason: 'frozen' }]
  await using opened = await open({ preset: 'full', settings: { policy: { rules } } })
  const answer = await opened.core.run(operation(name), inputFor(operation(name)), { caller: 'model' })
  expect(answer).toMatchObject({ ok: false, kind: 'PolicyDenied', error: expect.stringContaining('frozen') })
  expect(opened.server.log()).toEqual([])
})

test('R-05 a request that the operator denied is sent by no operation, and those made of several go on without', async () => {
  const rules = [{ decision: 'deny' as const, methods: ['textDocument/hover'] }]
  await using opened = await open({ preset: 'full', settings: { policy: { rules } }, timeoutMs: 10_000 })
  for (const name of ['inspect_symbol', 'explore_symbol']) {
    const asked = operation(name)
    await opened.core.run(asked, inputFor(asked), { caller: 'model' })
  }
  expect(opened.asked()).not.toContain('textDocument/hover')
  expect(opened.asked()).toContain('textDocument/references')
})

test('R-05 a protected file is neither asked about nor written, also when another file led to it', async () => {
  const rules = [{ decision: 'deny' as const, paths: ['shapes.*'], reason: 'protected' }]
  await using opened = await open({ preset: 'full', settings: { policy: { rules } } })
  const symbols = operation('list_symbols')
  const denied = await opened.core.run(symbols, { file: 'shapes.fake' }, { caller: 'model' })
  expect(denied).toMatchObject({ ok: false, kind: 'PolicyDenied' })
  const other = await opened.core.run(symbols, { file: 'use.fake' }, { caller: 'model' })
  expect(other).toMatchObject({ ok: true })
})

test.each(['preview_edit', 'begin_change', 'check_change'])(
  'R-05 %s reaches no server about a protected file, and does not call it clean',
  async name => {
    const rules = [{ decision: 'deny' as const, paths: ['shapes.*'], reason: 'protected' }]
    await using opened = await open({ preset: 'full', settings: { policy: { rules } } })
    const input =
      name === 'preview_edit'
        ? { edits: [{ file: 'shapes.fake', new_text: 'def volume' }] }
        : { files: ['shapes.fake', 'use.fake'] }
    const answer = await opened.core.run(operation(name), input, { caller: 'model' })
    expect(answer).toMatchObject({
      ok: false,
      kind: 'PolicyDenied',
      error: expect.stringContaining('protected'),
    })
    expect(opened.server.log()).toEqual([])
  },
)

test('R-05 a protected file among those that git names is left out, and the answer says so', async () => {
  const rules = [{ decision: 'deny' as const, paths: ['shapes.*'], reason: 'protected' }]
  await using opened = await open({ preset: 'full', settings: { policy: { rules } } })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: opened.root, stdio: 'ignore' })
  git('init')
  git('add', '.')
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-m', 'first')
  for (const file of ['shapes.fake', 'use.fake']) writeFileSync(join(opened.root, file), 'ERROR here\n')
  const answer = await opened.core.run(operation('check_change'), { since: 'HEAD' }, { caller: 'model' })
  expect(answer).toMatchObject({ ok: true })
  expect(JSON.stringify(answer)).toContain('protected')
  const received = opened.server.log().flatMap(entry => (entry.event === 'received' ? [entry.message] : []))
  // That it changed is no secret; what it holds is.
  const shown = received.filter(message => property(message, 'method') !== 'workspace/didChangeWatchedFiles')
  expect(JSON.stringify(shown)).toContain('use.fake')
  expect(JSON.stringify(shown)).not.toContain('shapes.fake')
})

test('R-05 a proposal that touches a protected file is not applied', async () => {
  const rules = [{ decision: 'deny' as const, classes: ['edit' as const], paths: ['use.*'] }]
  await using opened = await open({ preset: 'full', settings: { policy: { rules } } })
  const before = readFileSync(join(opened.root, 'shapes.fake'), 'utf8')
  const target = { file: 'shapes.fake', line: 1, column: 5, new_name: 'surface' }
  const proposed = await opened.core.run(operation('rename_symbol'), target, { caller: 'model' })
  const handle = property(property(proposed, 'result'), 'handle')
  const applied = await opened.core.run(operation('apply_edit'), { handle }, { caller: 'model' })
  expect(applied).toMatchObject({ ok: false, kind: 'PolicyDenied' })
  expect(readFileSync(join(opened.root, 'shapes.fake'), 'utf8')).toBe(before)
})

const command = 'workspace/executeCommand'

describe('R-05 a request that an operation does not declare', () => {
  const run = operation('execute_command')
  const given = { command: 'x', file: 'shapes.fake' }

  test.each([
    [
      'a rule about requests and callers',
      { rules: [{ decision: 'deny' as const, methods: [command], callers: ['model' as const] }] },
    ],
    [
      'a rule about requests and languages',
      { rules: [{ decision: 'deny' as const, methods: [command], languages: ['fake'] }] },
    ],
    [
      'a rule about requests and files',
      { rules: [{ decision: 'deny' as const, methods: [command], paths: ['shapes.*'] }] },
    ],
  ])('is denied by %s', async (_, policy) => {
    await using opened = await open({ preset: 'full', settings: { policy } })
    expect(await opened.core.run(run, given, { caller: 'model' })).toMatchObject({
      ok: false,
      kind: 'PolicyDenied',
    })
    expect(opened.asked()).not.toContain(command)
  })

  test('has to be approved outside the envelope', async () => {
    const policy = { envelope: { methods: ['textDocument/codeAction'] } }
    await using opened = await open({ preset: 'full', settings: { policy } })
    const answer = await opened.core.run(run, given, { caller: 'model' })
    expect(answer).toMatchObject({ ok: false, kind: 'ApprovalRequired' })
    expect(opened.asked()).not.toContain(command)
  })

  test.each([true, false])(
    'is put to somebody where a rule says so, and their word counts (%s)',
    async approves => {
      const rules = [{ decision: 'ask' as const, methods: ['textDocument/diagnostic'] }]
      const questions: ApprovalRequest[] = []
      const approve = async (request: ApprovalRequest) => questions.push(request) > 0 && approves
      await using opened = await open({ preset: 'full', settings: { policy: { rules } }, approve })
      await opened.core.run(
        operation('get_diagnostics'),
        { files: ['shapes.fake', 'use.fake'] },
        { caller: 'model' },
      )
      expect(questions).toMatchObject([{ operation: 'get_diagnostics', method: 'textDocument/diagnostic' }])
      expect(opened.asked().includes('textDocument/diagnostic')).toBe(approves)
    },
  )
})

describe('R-05 a language', () => {
  const policies = {
    'a rule': { rules: [{ decision: 'deny' as const, languages: ['fake'], reason: 'not this one' }] },
    'the envelope': { envelope: { languages: ['go'] } },
  }

  test.each(Object.entries(policies))(
    'that %s excludes is not searched for a name, and the answer says so',
    async (_, policy) => {
      await using opened = await open({ preset: 'full', settings: { policy } })
      const answer = await opened.core.run(operation('find_symbol'), { query: 'area' }, { caller: 'model' })
      expect(answer).toMatchObject({
        ok: true,
        completeness: { verdict: 'partial', reason: expect.stringMatching(/^fake was not searched: /) },
      })
      expect(opened.server.log()).toEqual([])
    },
  )

  test.each(Object.entries(policies))('that %s excludes runs no command', async (_, policy) => {
    await using opened = await open({ preset: 'full', settings: { policy } })
    const answer = await opened.core.run(
      operation('execute_command'),
      { command: 'x', language: 'fake' },
      { caller: 'model' },
    )
    expect(answer).toMatchObject({
      ok: false,
      kind: expect.stringMatching(/^(PolicyDenied|ApprovalRequired)$/),
    })
    expect(opened.server.log()).toEqual([])
  })
})

test('R-05 whether somebody can be asked is a matter of the call', async () => {
  const rules = [{ decision: 'deny' as const, mode: 'unattended' as const }]
  await using opened = await open({ preset: 'full', settings: { policy: { rules } } })
  const symbols = operation('list_symbols')
  const unattended = await opened.core.run(symbols, { file: 'use.fake' }, { caller: 'model' })
  expect(unattended).toMatchObject({ ok: false, kind: 'PolicyDenied' })
  const approve = async () => false
  const attended = await opened.core.run(symbols, { file: 'use.fake' }, { caller: 'model', approve })
  expect(attended).toMatchObject({ ok: true })
})

describe('R-05 what is to be written', () => {
  const rules = [{ decision: 'ask' as const, classes: ['edit' as const], paths: ['*.fake'] }]
  const target = { file: 'shapes.fake', line: 1, column: 5, new_name: 'surface' }

  async function proposal(opened: Opened) {
    const proposed = await opened.core.run(operation('rename_symbol'), target, { caller: 'model' })
    return { handle: property(property(proposed, 'result'), 'handle') }
  }

  test('is approved by one question that names every file', async () => {
    const questions: ApprovalRequest[] = []
    const approve = async (request: ApprovalRequest) => questions.push(request) > 0
    await using opened = await open({ preset: 'full', settings: { policy: { rules } }, approve })
    const applied = await opened.core.run(operation('apply_edit'), await proposal(opened), {
      caller: 'model',
    })
    expect(applied).toMatchObject({ ok: true })
    expect(questions).toMatchObject([
      { operation: 'apply_edit', files: ['shapes.fake', 'use.fake'], onlyThese: true },
    ])
  })

  test('may be thought about for longer than the call may take', async () => {
    let thought = 0
    const clock = { ...systemClock, now: () => systemClock.now() + thought }
    const approve = async () => {
      thought += 600_000
      return true
    }
    const late = [{ decision: 'ask' as const, methods: ['textDocument/documentSymbol'] }]
    await using opened = await open({ preset: 'full', settings: { policy: { rules: late } }, approve, clock })
    const symbols = operation('explore_symbol')
    const answer = await opened.core.run(
      symbols,
      { file: 'shapes.fake', symbol: 'area' },
      { caller: 'model' },
    )
    expect(answer).toMatchObject({ ok: true })
  })
})

describe('R-05 what has to be approved', () => {
  const rules = [{ decision: 'ask' as const, methods: ['textDocument/references'], reason: 'costly' }]
  const settings = { policy: { rules } }
  const references = operation('find_references')
  const input = inputFor(references)

  test('fails with ApprovalRequired where nobody can be asked', async () => {
    await using opened = await open({ preset: 'full', settings })
    const answer = await opened.core.run(references, input, { caller: 'model' })
    expect(answer).toMatchObject({ ok: false, kind: 'ApprovalRequired', hint: expect.stringMatching(/./) })
    expect(opened.server.log()).toEqual([])
  })

  test.each([true, false])(
    'is done when the library approves (%s), and both decisions are told',
    async approves => {
      await using opened = await open({ preset: 'full', settings, approve: async () => approves })
      const answer = await opened.core.run(references, input, { caller: 'model' })
      expect(answer).toMatchObject(approves ? { ok: true } : { ok: false, kind: 'PolicyDenied' })
      expect(opened.asked().includes('textDocument/references')).toBe(approves)
      const [first, second] = opened.decided()
      expect(first).toMatchObject({
        decision: 'ask',
        operation: 'find_references',
        method: 'textDocument/references',
      })
      expect(second).toMatchObject({ decision: approves ? 'allow' : 'deny' })
      expect(second?.reason).toContain('costly')
    },
  )

  test('is asked once a call, and approved for that call alone', async () => {
    let questions = 0
    const approve = async () => {
      questions += 1
      return questions === 1
    }
    await using opened = await open({ preset: 'full', settings, approve })
    expect(await opened.core.run(references, input, { caller: 'model' })).toMatchObject({ ok: true })
    expect(await opened.core.run(references, input, { caller: 'model' })).toMatchObject({
      ok: false,
      kind: 'PolicyDenied',
    })
  })

  describe.each<[string, VersionNegotiationMode]>([
    ['2025', 'legacy'],
    ['2026', { pin: '2026-07-28' }],
  ])('over MCP, a client of %s', (_, mode) => {
    test.each([
      ['accept', true],
      ['decline', false],
    ] as const)('is asked, and may %s', async (action, approves) => {
      await using opened = await open({ preset: 'full', settings })
      await using served = await serve(opened.core, mode, { elicitation: {} })
      const messages: string[] = []
      served.client.setRequestHandler('elicitation/create', async ({ params }) => {
        messages.push(params.message)
        return action === 'accept' ? { action, content: { approve: true } } : { action }
      })
      const { isError } = await served.client.callTool({ name: 'find_references', arguments: input })
      expect(isError ?? false).toBe(!approves)
      expect(messages).toEqual([expect.stringMatching(/find_references.*costly/)])
      expect(opened.asked().includes('textDocument/references')).toBe(approves)
    })

    test('is asked about each matter by itself, and a yes to one is no yes to the other', async () => {
      const policy = {
        rules: [
          { decision: 'ask' as const, methods: ['textDocument/diagnostic'], reason: 'second matter' },
          { decision: 'ask' as const, classes: ['edit' as const], reason: 'first matter' },
        ],
      }
      await using opened = await open({ preset: 'full', settings: { policy } })
      await using served = await serve(opened.core, mode, { elicitation: {} })
      const before = readFileSync(join(opened.root, 'shapes.fake'), 'utf8')
      const messages: string[] = []
      served.client.setRequestHandler('elicitation/create', async ({ params }) => {
        messages.push(params.message)
        return { action: 'accept', content: { approve: params.message.includes('first') } }
      })
      const target = { file: 'shapes.fake', line: 1, column: 5, new_name: 'surface' }
      const proposed = await opened.core.run(operation('rename_symbol'), target, { caller: 'host' })
      const handle = property(property(proposed, 'result'), 'handle')
      const { isError } = await served.client.callTool({ name: 'apply_edit', arguments: { handle } })
      expect(messages).toEqual([
        expect.stringMatching(/first matter/),
        expect.stringMatching(/second matter/),
      ])
      expect(isError ?? false).toBe(false)
      expect(opened.asked()).not.toContain('textDocument/diagnostic')
      expect(readFileSync(join(opened.root, 'shapes.fake'), 'utf8')).not.toBe(before)
    })

    test('that cannot ask is told so', async () => {
      await using opened = await open({ preset: 'full', settings })
      await using served = await serve(opened.core, mode, {})
      const { isError, content } = await served.client.callTool({ name: 'find_references', arguments: input })
      expect(isError).toBe(true)
      expect(content).toMatchObject([{ text: expect.stringMatching(/^ApprovalRequired: /) }])
      expect(opened.server.log()).toEqual([])
    })
  })
})

async function serve(core: BridgeCore, mode: VersionNegotiationMode, capabilities: object) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const shared = { openBridge: async () => core, clock: systemClock }
  const subscriptions = new Subscriptions()
  const toolbox = createToolbox({ ...shared, preset: 'full', structured: false })
  const resources = createResources({ ...shared, subscriptions, onUpdate: () => undefined })
  const options = {
    listTools: () => toolbox.list(),
    toolbox: async () => toolbox,
    resources: async () => resources,
    subscriptions,
  }
  const handle = serveStdio(() => createConnection(options), { transport: far })
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities: { ...capabilities } },
  )
  await client.connect(near)
  return {
    client,
    async [Symbol.asyncDispose]() {
      resources.close()
      await client.close()
      await handle.close()
    },
  }
}
