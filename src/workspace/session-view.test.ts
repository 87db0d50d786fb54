// What a server is told before it is asked, watched from the server's side: a fake one that notes every message, a real
// client, and real files that are edited behind their backs.
import { setMaxListeners } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setImmediate as loopTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientHarness, neverAborted, watched } from '../../test/client-harness.js'
import type { Script } from '../../test/fake-server/index.js'
import type { VirtualClock } from '../../test/virtual-clock.js'
import { type Clock, systemClock } from '../clock.js'
import { property } from '../json.js'
import { defineServer, type ServerDefinition } from '../servers/definition.js'
import { uriToPath } from '../text/uri.js'
import { FileTable } from './file-table.js'
import { createPathGate, type PathGate } from './path-gate.js'
import { SessionView } from './session-view.js'
import { readSource } from './source-file.js'

// Nothing is fresh for it, so that nothing is told twice.
const later: Clock = { ...systemClock, now: () => 0, date: () => new Date(Date.now() + 60_000) }
const wait = { signal: neverAborted(), milliseconds: 10_000 }
setMaxListeners(0, wait.signal)

let root: string
let gate: PathGate
let table: FileTable

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-view-')))
  gate = createPathGate(root)
  put('main.fake', 'def area\n')
  put('other.fake', 'use area\n')
  table = new FileTable({
    root,
    clock: later,
    isInteresting: name => /\.(fake|toml|md)$/i.test(name),
    useWatcher: true,
    sweepMilliseconds: 1000,
    maxFiles: 1000,
  })
  await table.scan()
})

afterEach(() => {
  table.close()
  rmSync(root, { recursive: true, force: true })
})

test('R-125 what changed on disk is announced once, with what happened to it', async () => {
  const { view, told } = await opened()
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual([])
  put('other.fake', 'changed')
  put('new.fake', '')
  rmSync(join(root, 'main.fake'))
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  const announced = ['changed files: 1 new.fake, 2 other.fake, 3 main.fake']
  expect(await told()).toEqual(announced)
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual(announced)
})

test('R-125 only what the server is interested in is announced, whatever the case of its name', async () => {
  const { view, told } = await opened({ watches: ['*.toml'] })
  put('readme.md', '')
  put('fake.toml', '')
  put('LOUD.FAKE', '')
  await view.bringUpToDate(wait)
  expect(await told()).toEqual(['changed files: 1 LOUD.FAKE, 1 fake.toml'])
})

test('R-125 a server is told of what happened after it began, not of what it has read itself', async () => {
  put('before.fake', '')
  await table.refresh()
  const { view, told } = await opened({}, { startedAt: Date.now() + 120_000 })
  await view.bringUpToDate(wait)
  expect(await told()).toEqual([])
  put('after.fake', '')
  await view.bringUpToDate(wait)
  expect(await told()).toEqual(['changed files: 1 after.fake'])

  const early = await opened({}, { startedAt: 0 })
  await early.view.bringUpToDate(wait)
  expect(await early.told()).toEqual(['changed files: 1 after.fake, 1 before.fake'])
})

test('R-120, R-124 an open document follows the disk, and versions grow', async () => {
  const { view, told, open } = await opened()
  await open('main.fake')
  put('main.fake', 'def sides\n')
  await view.bringUpToDate(wait)
  put('main.fake', 'def angles\n')
  await view.bringUpToDate(wait)
  await view.bringUpToDate(wait)
  const messages = await told()
  expect(messages.filter(message => !message.startsWith('changed files'))).toEqual([
    'open main.fake 1: def area',
    'change main.fake 2: def sides',
    'change main.fake 3: def angles',
  ])
})

test('R-121, W06 a document whose file is gone is closed', async () => {
  const { view, told, open } = await opened()
  await open('main.fake')
  rmSync(join(root, 'main.fake'))
  await view.bringUpToDate(wait)
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'changed files: 3 main.fake',
    'close main.fake',
  ])
})

test('R-126 opening gives exactly the content that was read, and nothing when the server has it', async () => {
  const { told, open } = await opened()
  const first = await open('main.fake')
  const second = await open('main.fake')
  expect(second).toBe(first)
  put('main.fake', 'def sides\n')
  const third = await open('main.fake')
  expect(third.content).not.toBe(first.content)
  expect(third.text).toBe('def sides\n')
  expect(await told()).toEqual(['open main.fake 1: def area', 'change main.fake 2: def sides'])
})

test('D11 after a change elsewhere the pushed diagnostics of an open file are asked for again', async () => {
  const { view, told, open } = await opened()
  await open('main.fake')
  put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  await open('main.fake')
  await open('main.fake')
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'changed files: 2 other.fake',
    'change main.fake 2: def area',
  ])
  const pulling = await opened({}, {}, { diagnostics: 'pull' })
  await pulling.open('main.fake')
  put('other.fake', 'changed again')
  await pulling.view.bringUpToDate(wait)
  await pulling.open('main.fake')
  expect((await pulling.told()).filter(message => message.startsWith('change '))).toEqual([])
})

test('D11 a server that answers a pull undeclared is asked, so nothing is sent to it again', async () => {
  const diagnostics = { kind: 'standard', quietMs: 0, reason: 'Asked.', pullsUndeclared: true } as const
  const { view, told, open } = await opened({ diagnostics }, {}, { diagnostics: 'none' })
  await open('main.fake')
  put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  await open('main.fake')
  expect((await told()).filter(message => message.startsWith('change '))).toEqual([])
})

test('contract a view that the table does not vouch for is not vouched for', async () => {
  const tiny = new FileTable({
    root,
    clock: later,
    isInteresting: () => true,
    useWatcher: false,
    sweepMilliseconds: 1000,
    maxFiles: 1,
  })
  await tiny.scan()
  table.close()
  table = tiny
  const { view } = await opened()
  expect(await view.bringUpToDate(wait)).toMatchObject({ current: false })
})

const mustOpen: Partial<ServerDefinition> = {
  quirks: { changedFilesMustBeOpened: 'It ignores announced changes.' },
}

test('R-125 a server that only reads what it is shown is shown it, and believed when it has reported', async () => {
  const { view, told } = await opened(mustOpen)
  put('other.fake', 'changed')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  rmSync(join(root, 'main.fake'))
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual([
    'changed files: 2 other.fake',
    'open other.fake 1: changed',
    'changed files: 3 main.fake',
    'open main.fake 2: ',
    'close main.fake',
  ])
})

test('W08 of files that changed together, all but the last are sent again: the first reports may be on what was before', async () => {
  const { view, told, client } = await opened(mustOpen)
  put('main.fake', 'def area two\n')
  put('other.fake', 'use area two\n')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  const [announced, first = '', second = '', again = '', ...rest] = await told()
  expect(announced).toMatch(/^changed files: 2 \w+\.fake, 2 \w+\.fake$/)
  expect([first, second].map(message => message.slice(0, 5))).toEqual(['open ', 'open '])
  expect(again).toMatch(new RegExp(`^change ${first.split(' ')[1]} `))
  expect(rest).toEqual([])
  // The one that came first is waited for in its newest version.
  expect(client.documents.all().map(({ version }) => version)).toContain(Number(again.match(/ (\d+):/)?.[1]))
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toHaveLength(4)
})

test('R-125 until it has reported on every changed file its view is not current, at the next question neither', async () => {
  const { view, clock, server } = await opened(mustOpen, {}, { diagnostics: 'none' })
  put('other.fake', 'changed')
  const first = watched(view.bringUpToDate(wait))
  await server.received('textDocument/didOpen')
  await clock.advance(wait.milliseconds)
  expect(first.outcome).toMatchObject({ current: false, reason: expect.stringContaining('1 are left') })

  // It has had its time: the next question is not held up, and not deceived.
  const second = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(second.outcome).toMatchObject({ current: false })

  await server.perform({ act: 'publish', uri: uriOf('other.fake'), version: 'current' })
  const third = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(third.outcome).toEqual({ current: true })
})

test('R-125 a server that failed once when it was asked about a new file is asked again, and with time', async () => {
  const quirks = { createdFilesMustBeOpened: 'A new file is unknown until it is open.' }
  const failure = { act: 'error', code: -32603, message: 'no metadata' } as const
  const script: Script = {
    diagnostics: 'pull',
    rules: [
      { on: 'textDocument/diagnostic', nth: 1, do: [failure] },
      {
        on: 'textDocument/diagnostic',
        nth: 2,
        do: [{ act: 'delay', milliseconds: 500 }, { act: 'built-in' }],
      },
    ],
  }
  const { view, clock, server } = await opened({ quirks }, {}, script)
  put('new.fake', '')
  const first = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(first.outcome).toMatchObject({ current: false })
  const second = watched(view.bringUpToDate(wait))
  await server.received('textDocument/diagnostic', 2)
  await clock.advance(500)
  await settled(clock)
  expect(second.outcome).toEqual({ current: true })
})

test('R-125 a file written anew with the text that is open is waited for while the server works on that text', async () => {
  const { view, clock, server, open } = await opened(mustOpen, {}, { diagnostics: 'none' })
  await open('main.fake')
  put('main.fake', 'def area\n')
  const updated = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(updated.outcome).toBeUndefined()
  await server.perform({ act: 'publish', uri: uriOf('main.fake'), version: 'current' })
  await settled(clock)
  expect(updated.outcome).toEqual({ current: true })
})

test('R-125 of many changed files it is shown some with every question, until it has seen all', async () => {
  const { view, told } = await opened(mustOpen)
  for (let number = 0; number < 120; number += 1) put(`many${number}.fake`, '')
  const answers = []
  for (let question = 0; question < 4; question += 1) answers.push(await view.bringUpToDate(wait))
  expect(answers.map(({ current }) => current)).toEqual([false, false, true, true])
  const shown = (await told()).filter(message => message.startsWith('open '))
  expect(new Set(shown.map(message => message.split(' ')[1])).size).toBe(120)
})

test('R-125 questions at the same time are not asked while the first is still bringing things up to date', async () => {
  const { view, told, clock, server } = await opened(mustOpen, {}, { diagnostics: 'none' })
  put('other.fake', 'changed')
  const both = watched(Promise.all([view.bringUpToDate(wait), view.bringUpToDate(wait)]))
  await server.received('textDocument/didOpen')
  expect(both.outcome).toBeUndefined()
  await server.perform({ act: 'publish', uri: uriOf('other.fake'), version: 'current' })
  await settled(clock)
  expect(both.outcome).toEqual([{ current: true }, { current: true }])
  expect((await told()).filter(message => message.startsWith('changed files'))).toHaveLength(1)
})

test('R-126 a server that lists its files anew is not ready until it has', async () => {
  const quirks = { announcesNewFileList: 'It lists its files again.' }
  const { view, client } = await opened({ quirks })
  put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  expect(client.readiness.current.ready).toBe(true)
  put('new.fake', '')
  await view.bringUpToDate(wait)
  expect(client.readiness.current).toMatchObject({ ready: false, reason: expect.stringContaining('listing') })
})

async function opened(
  definition: Partial<ServerDefinition> = {},
  session: { readonly startedAt?: number } = {},
  script: Script = {},
) {
  const { diagnostics } = definitionOf(definition)
  const options = { maxOpenDocuments: 500, diagnostics }
  const harness = clientHarness({ diagnostics: 'push-versioned', ...script }, options)
  await harness.initialize()
  const { client, server, clock } = harness
  const view = new SessionView({
    table,
    gate,
    session: {
      client,
      candidate: {
        definition: definitionOf(definition),
        how: 'made for the test',
        command: 'fake',
        args: [],
        environment: {},
        endpoint: undefined,
        settings: {},
        initializationOptions: {},
        version: undefined,
        limitedCosts: undefined,
      },
      root,
      startedAt: session.startedAt ?? Date.now() + 60_000,
      ended: new Promise(() => undefined),
      memoryBytes: () => undefined,
      stop: async () => undefined,
      kill: () => undefined,
    },
  })
  return {
    view,
    client,
    server,
    clock,
    open: (file: string) => view.open(readSource(gate, file), 'fake', wait),
    told: async () => {
      await settled(clock)
      return server.log.flatMap(({ method, params }) => describe(method, params))
    },
  }
}

function definitionOf(parts: Partial<ServerDefinition>): ServerDefinition {
  return defineServer({
    id: 'fake',
    title: 'Fake',
    language: 'fake',
    extensions: { '.fake': 'fake' },
    command: 'fake',
    args: [],
    install: 'it comes with the tests',
    root: { kind: 'workspace' },
    readiness: { kind: 'blocks', reason: 'It answers from what it has.' },
    diagnostics: { kind: 'standard', quietMs: 0, reason: 'Pushes carry the version.' },
    limited: { kind: 'same', reason: 'It runs nothing.' },
    watches: [],
    quirks: {},
    ...parts,
  })
}

/** A message that tells of files, in words. */
function describe(method: unknown, params: unknown): string[] {
  const document = property(params, 'textDocument')
  const file = nameOf(property(document, 'uri'))
  const version = property(document, 'version')
  switch (method) {
    case 'workspace/didChangeWatchedFiles':
      return [`changed files: ${listOf(property(params, 'changes')).map(describeChange).sort().join(', ')}`]
    case 'textDocument/didOpen':
      return [`open ${file} ${version}: ${String(property(document, 'text')).trimEnd()}`]
    case 'textDocument/didChange': {
      const [change] = listOf(property(params, 'contentChanges'))
      return [`change ${file} ${version}: ${String(property(change, 'text')).trimEnd()}`]
    }
    case 'textDocument/didClose':
      return [`close ${file}`]
    default:
      return []
  }
}

function describeChange(change: unknown): string {
  return `${property(change, 'type')} ${nameOf(property(change, 'uri'))}`
}

function nameOf(uri: unknown): string {
  return relative(root, uriToPath(String(uri)) ?? '')
}

function uriOf(file: string): string {
  return `file://${join(root, file)}`
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Real turns of the loop for the file system's events, and everything that needs no time on the clock of the client. */
async function settled(clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await loopTurn()
  await clock.advance(0)
}

function put(file: string, text: string): void {
  writeFileSync(join(root, file), text)
}
