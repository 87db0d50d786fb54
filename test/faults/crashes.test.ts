// Kills the server from outside, without warning, in every state it can be in: who waits is told at once, the next call
// gets the truth from a fresh server, and a server that keeps dying is given up under the preset's rule.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PresetName } from '../../src/config/presets.js'
import { createBridge } from '../../src/index.js'
import type { ServerDefinition } from '../../src/servers/definition.js'
import { combine, fakeServerCommand, faults, type Rule, type Script } from '../fake-server/index.js'
import type { LogEntry } from '../fake-server/log.js'
import { fixture, temporaryWorkspace } from '../fixture/index.js'
import { survivorsWithin } from '../orphans/bridge.js'
import { definitionOf, killProcessesOf, processesOf } from './judge.js'

const story = fixture`
-- main.fake --
def area
use area
ERROR nothing works
-- poison.fake --
nothing
`
const target = { file: 'main.fake', line: 1, symbol: 'area', timeout_ms: 30_000 }
/** Far below the deadline of a call, far above what a death takes to be noticed. */
const atOnce = 5000

interface Setting {
  readonly definition?: Partial<ServerDefinition>
  readonly preset?: PresetName
}

async function open(script: Script, { definition = {}, preset }: Setting = {}) {
  const workspace = await temporaryWorkspace(story)
  const state = mkdtempSync(join(tmpdir(), 'alidade-crashes-'))
  const fake = fakeServerCommand(combine({ diagnostics: 'push-versioned' }, script))
  const bridge = await createBridge({
    root: workspace.root,
    preset,
    // The tests ask as a host, whoever may ask under the preset.
    settings: { knobs: { plane: 'both' } },
    // Or the governed preset would look for no server at all.
    interactive: true,
    env: { ...process.env, XDG_CONFIG_HOME: join(state, 'config'), XDG_STATE_HOME: join(state, 'state') },
    definitions: [definitionOf(fake, definition)],
  })
  return {
    async [Symbol.asyncDispose]() {
      await bridge.close()
      const left = await survivorsWithin(5000, () => processesOf(fake))
      fake.dispose()
      rmSync(state, { recursive: true, force: true })
      await workspace.dispose()
      expect(left, 'processes that outlived the bridge').toEqual([])
    },
    bridge,
    fake,
    kill() {
      expect(processesOf(fake)).not.toEqual([])
      killProcessesOf(fake)
    },
    starts: () => fake.log().filter(({ event }) => event === 'started').length,
  }
}

type Opened = Awaited<ReturnType<typeof open>>

async function answersTheTruth({ bridge, starts }: Opened, started: number): Promise<void> {
  const [references, diagnostics] = await Promise.all([
    bridge.findReferences(target),
    bridge.getDiagnostics({ file: 'main.fake', timeout_ms: 30_000 }),
  ])
  expect(references).toMatchObject({
    ok: true,
    completeness: { verdict: 'complete' },
    result: { references: [{ line: 1 }, { line: 2 }] },
  })
  expect(diagnostics).toMatchObject({
    ok: true,
    result: { files: [{ verdict: 'settled', diagnostics: [{ line: 3 }] }] },
  })
  expect(starts()).toBe(started)
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const began = performance.now()
  const given = await answer
  expect(performance.now() - began).toBeLessThan(milliseconds)
  return given
}

const isProbe = (entry: LogEntry) => entry.event === 'received' && entry.message.method === 'alidade/ping'
const firstRun = (rule: Omit<Rule, 'run'>): Script => ({ rules: [{ ...rule, run: 1 }] })
const restarting = { ok: false, kind: 'ServerRestarting', hint: expect.stringContaining('text search') }

test.concurrent('C01 while it starts: the caller is told why, and the next call starts it again', async () => {
  await using opened = await open(firstRun({ on: 'initialize', do: [{ act: 'hang' }] }))
  const answer = opened.bridge.findReferences(target)
  await opened.fake.received('initialize')
  opened.kill()
  expect(await within(atOnce, answer)).toMatchObject({
    ok: false,
    kind: 'ServerUnavailable',
    error: expect.stringContaining('SIGKILL'),
  })
  await answersTheTruth(opened, 2)
})

test.concurrent('C02 while nobody asks: the next call does not notice', async () => {
  await using opened = await open({})
  await answersTheTruth(opened, 1)
  const noticed = opened.bridge.events.until('server.crashed')
  opened.kill()
  expect(await within(atOnce, noticed)).toMatchObject({ server: 'fake' })
  await answersTheTruth(opened, 2)
})

test.concurrent('C03, R-63 while it answers: every caller is told at once', async () => {
  await using opened = await open(firstRun({ on: '@query', do: [{ act: 'hang' }] }))
  const answers = Array.from({ length: 20 }, () => opened.bridge.findReferences(target))
  await opened.fake.received('textDocument/references', 20)
  opened.kill()
  for (const answer of await within(atOnce, Promise.all(answers))) expect(answer).toMatchObject(restarting)
  await answersTheTruth(opened, 2)
})

test.concurrent('D09 while diagnostics are awaited: that is a failure, and no clean file', async () => {
  await using opened = await open(firstRun({ on: 'textDocument/didOpen', do: [] }))
  const answer = opened.bridge.getDiagnostics({ file: 'main.fake', timeout_ms: 30_000 })
  await opened.fake.received('textDocument/didOpen')
  opened.kill()
  expect(await within(atOnce, answer)).toMatchObject(restarting)
  await answersTheTruth(opened, 2)
})

test.concurrent('C03, H12 while it indexes: who waits for the index is told at once', async () => {
  const definition: Partial<ServerDefinition> = {
    readiness: { kind: 'notification', method: 'fake/ready', reason: 'It says so.', read: () => isReady },
  }
  const isReady = { ready: true, complaint: undefined }
  const script: Script = {
    rules: [
      { on: 'initialized', run: { from: 2 }, do: [{ act: 'notify', method: 'fake/ready', params: {} }] },
    ],
  }
  await using opened = await open(script, { definition })
  const answer = opened.bridge.findReferences(target)
  await opened.fake.received('textDocument/didOpen')
  opened.kill()
  expect(await within(atOnce, answer)).toMatchObject(restarting)
  await answersTheTruth(opened, 2)
})

test.concurrent('R-73, R-75, C09 a server that has gone deaf is found out after three timeouts and replaced', async () => {
  await using opened = await open(firstRun({ on: '@query', do: [{ act: 'hang' }] }))
  const { bridge } = opened
  expect(await bridge.getDiagnostics({ file: 'main.fake', timeout_ms: 30_000 })).toMatchObject({ ok: true })
  const noticed = bridge.events.until('server.crashed')
  const isProbed = () => opened.fake.log().some(isProbe)
  for (let timeout = 1; timeout <= 10 && !isProbed(); timeout += 1) {
    // On a busy machine the call may end a little before its request does, and such an end is no timeout of the server.
    expect(await bridge.findReferences({ ...target, timeout_ms: 1000 })).toMatchObject({
      ok: false,
      kind: 'RequestTimeout',
    })
  }
  // The probe is given ten seconds.
  expect(await within(10_000 + atOnce, noticed)).toMatchObject({ cause: expect.stringContaining('probe') })
  await answersTheTruth(opened, 2)
})

test.concurrent('C05 while it shuts down: the end is not held up', async () => {
  await using opened = await open(faults['ignores-shutdown'])
  await answersTheTruth(opened, 1)
  const closed = opened.bridge.close()
  await opened.fake.received('shutdown')
  opened.kill()
  await within(atOnce, closed)
  expect(opened.starts()).toBe(1)
})

test.concurrent('R-60 a bridge that closes while a server starts leaves nothing behind', async () => {
  await using opened = await open(faults['silent-on-initialize'])
  const answer = opened.bridge.findReferences(target)
  await opened.fake.noted('started')
  await within(atOnce, opened.bridge.close())
  expect(processesOf(opened.fake)).toEqual([])
  expect(await answer).toMatchObject({ ok: false, kind: 'SessionDead' })
})

test.concurrent('C04 a file that kills its server costs the answers about it, and no others', async () => {
  await using opened = await open({
    rules: [{ on: '@query', file: 'poison.fake', do: [{ act: 'exit', code: 1 }] }],
  })
  for (let death = 1; death <= 2; death += 1) {
    const poisoned = opened.bridge.listSymbols({ file: 'poison.fake', timeout_ms: 30_000 })
    expect(await within(atOnce, poisoned)).toMatchObject(restarting)
    await answersTheTruth(opened, death + 1)
  }
})

test.concurrent('R-65, C07 in single-tool the fourth death is the last', async () => {
  const dying = firstRun({ on: '@query', do: [{ act: 'exit', code: 1 }] })
  await using opened = await open(
    { rules: dying.rules?.map(({ run: _, ...rule }) => rule) ?? [] },
    { preset: 'single-tool' },
  )
  for (let death = 1; death <= 4; death += 1) {
    expect(await within(atOnce, opened.bridge.findReferences(target))).toMatchObject({ ok: false })
    expect(opened.starts()).toBe(death)
  }
  expect(await within(atOnce, opened.bridge.findReferences(target))).toMatchObject({
    ok: false,
    kind: 'SessionDead',
  })
  expect(opened.starts()).toBe(4)
})

test.concurrent('R-64, R-51 in governed the second death is the last', async () => {
  await using opened = await open(
    { rules: [{ on: '@query', do: [{ act: 'exit', code: 1 }] }] },
    { preset: 'governed' },
  )
  for (let death = 1; death <= 2; death += 1) {
    expect(await within(atOnce, opened.bridge.findReferences(target))).toMatchObject({ ok: false })
  }
  expect(await within(atOnce, opened.bridge.findReferences(target))).toMatchObject({
    ok: false,
    kind: 'SessionDead',
  })
  expect(opened.starts()).toBe(2)
})

test.concurrent('R-70 in plugin a call meanwhile is not kept waiting', async () => {
  await using opened = await open({}, { preset: 'plugin' })
  await answersTheTruth(opened, 1)
  const noticed = opened.bridge.events.until('server.crashed')
  opened.kill()
  await noticed
  expect(await within(500, opened.bridge.findReferences(target))).toMatchObject(restarting)
})
