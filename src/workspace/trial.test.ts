// What a server is shown during a trial and after it, watched from the server's side. Whatever happens meanwhile, in the
// end it sees the disk, and nothing that rests on the trial counts as a report.

import { setMaxListeners } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setImmediate as loopTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientHarness, neverAborted } from '../../test/client-harness.js'
import { fakeDefinition } from '../../test/fake-definition.js'
import type { Script } from '../../test/fake-server/index.js'
import { type Clock, systemClock } from '../clock.js'
import { property } from '../json.js'
import type { ServerDefinition } from '../servers/definition.js'
import { uriToPath } from '../text/uri.js'
import { FileTable } from './file-table.js'
import { createPathGate, type PathGate } from './path-gate.js'
import { SessionView } from './session-view.js'
import { readSource } from './source-file.js'
import type { Trial } from './trial.js'

const later: Clock = { ...systemClock, now: () => 0, date: () => new Date(Date.now() + 60_000) }
const wait = { signal: neverAborted(), milliseconds: 10_000 }
setMaxListeners(0, wait.signal)

let root: string
let gate: PathGate
let table: FileTable

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-trial-')))
  gate = createPathGate(root)
  put('main.fake', 'def area\n')
  put('other.fake', 'use area\n')
  table = new FileTable({
    root,
    clock: later,
    isInteresting: name => name.endsWith('.fake'),
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

test('M11 the server is shown exactly the tried texts, and the disk again afterwards', async () => {
  const { alone, told, open } = await opened()
  await open('main.fake')
  const seen = await alone(async trial => {
    const shown = await trial.show([text('main.fake', 'tried'), text('new.fake', 'made up')], wait)
    return shown.map(document => document.text)
  })
  expect(seen).toEqual(['tried', 'made up'])
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'change main.fake 2: tried',
    'open new.fake 3: made up',
    // The push on the first may have come before the second was seen.
    'change main.fake 4: tried',
    'change main.fake 5: def area',
    'close new.fake',
  ])
})

test('M11 a file that was not open is left open with the text of the disk', async () => {
  const { alone, told } = await opened()
  await alone(trial => trial.show([text('main.fake', 'tried')], wait))
  expect(await told()).toEqual(['open main.fake 1: tried', 'change main.fake 2: def area'])
})

test('M11 what is to be gone is shown empty, and is back afterwards', async () => {
  const { alone, told, open } = await opened()
  await open('main.fake')
  await alone(trial => trial.show([text('main.fake', undefined)], wait))
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'change main.fake 2: ',
    'change main.fake 3: def area',
  ])
})

test('M11 a trial that fails, is called off or changes its mind ends with the disk', async () => {
  const { alone, told, open, client } = await opened()
  await open('main.fake')
  const failing = alone(async trial => {
    await trial.show([text('main.fake', 'first')], wait)
    await trial.show([text('main.fake', 'second')], wait)
    throw new Error('no more')
  })
  await expect(failing).rejects.toThrow('no more')
  const calledOff = AbortSignal.abort()
  const late = alone(trial => trial.show([text('other.fake', 'x')], { ...wait, signal: calledOff }))
  await expect(late).rejects.toMatchObject({ kind: 'Cancelled' })
  expect(client.documents.all().map(document => document.text)).toEqual(['def area\n'])
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'change main.fake 2: first',
    'change main.fake 3: second',
    'change main.fake 4: def area',
  ])
})

test('M11 a file changed on disk during its trial is shown as it is then', async () => {
  const { alone, told } = await opened()
  await alone(async trial => {
    await trial.show([text('main.fake', 'tried'), text('other.fake', 'tried too')], wait)
    put('main.fake', 'def sides\n')
    rmSync(join(root, 'other.fake'))
  })
  expect((await told()).slice(-2)).toEqual(['change main.fake 4: def sides', 'close other.fake'])
})

test('M11 nobody tries anything on a server that others may ask', async () => {
  const { view } = await opened()
  await expect(view.trying(async () => 1)).rejects.toMatchObject({ kind: 'Bug' })
  await expect(view.turns.shared(() => view.trying(async () => 1), wait)).rejects.toMatchObject({
    kind: 'Bug',
  })
})

test('D02 pushes that rest on the trial are asked for again, during it and after it', async () => {
  const { alone, told, open } = await opened()
  await open('other.fake')
  await alone(async trial => {
    await trial.show([text('main.fake', 'tried')], wait)
    await open('other.fake')
  })
  await open('other.fake')
  await open('other.fake')
  expect((await told()).filter(message => message.includes('other.fake'))).toEqual([
    'open other.fake 1: use area',
    'change other.fake 3: use area',
    'change other.fake 5: use area',
  ])
})

test('D02 a server that is pulled from is not made to look again', async () => {
  const { alone, told, open } = await opened({}, { diagnostics: 'pull' })
  await open('other.fake')
  await alone(async trial => {
    await trial.show([text('main.fake', 'tried'), text('new.fake', 'made up')], wait)
    await open('other.fake')
  })
  await open('other.fake')
  expect((await told()).filter(message => message.startsWith('change'))).toEqual([
    'change main.fake 4: def area',
  ])
})

test('C20 no document of a trial is closed for want of room', async () => {
  const { alone, told, client } = await opened({}, {}, 2)
  const names = ['a.fake', 'b.fake', 'c.fake', 'd.fake']
  await alone(async trial => {
    await trial.show(
      names.map(name => text(name, 'tried')),
      wait,
    )
    expect(client.documents.all()).toHaveLength(4)
  })
  expect(client.documents.all()).toHaveLength(0)
  expect((await told()).filter(message => message.startsWith('close'))).toHaveLength(4)
})

test('R-125 a server that keeps what it was shown is vouched for when it has looked at the disk again', async () => {
  const quirks = { changedFilesMustBeOpened: 'It ignores announced changes.' }
  const { alone, told, view } = await opened({ quirks })
  await alone(trial => trial.show([text('main.fake', 'tried'), text('new.fake', 'made up')], wait))
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect((await told()).slice(-3)).toEqual([
    'change main.fake 4: def area',
    'change new.fake 5: ',
    'close new.fake',
  ])
})

test('R-125 a server that keeps what it was shown and stays silent afterwards is not vouched for', async () => {
  const quirks = { changedFilesMustBeOpened: 'It ignores announced changes.' }
  const { alone, view, clock } = await opened({ quirks }, { diagnostics: 'none' })
  await alone(trial => trial.show([text('main.fake', 'tried')], wait))
  const asked = view.bringUpToDate(wait)
  for (let turn = 0; turn < 20; turn += 1) await loopTurn()
  await clock.advance(wait.milliseconds)
  expect(await asked).toMatchObject({ current: false })
})

test('R-125 after a trial the first question has the file parsed again', async () => {
  const { alone, view, server } = await opened()
  const parsed = () => server.log.filter(({ method }) => method === 'textDocument/documentSymbol').length
  await view.bringUpToDate(wait)
  expect(parsed()).toBe(0)
  await alone(trial => trial.show([text('main.fake', 'tried'), text('new.fake', 'made up')], wait))
  await view.bringUpToDate(wait)
  await view.bringUpToDate(wait)
  expect(parsed()).toBe(1)
})

async function opened(
  definition: Partial<ServerDefinition> = {},
  script: Script = {},
  maxOpenDocuments = 64,
) {
  const harness = clientHarness({ diagnostics: 'push-versioned', ...script }, { maxOpenDocuments })
  await harness.initialize()
  const { client, server, clock } = harness
  const view = new SessionView({
    table,
    gate,
    session: {
      client,
      candidate: {
        definition: fakeDefinition(definition),
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
      startedAt: Date.now() + 60_000,
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
    alone: <T>(run: (trial: Trial) => Promise<T>) => view.turns.alone(() => view.trying(run), wait),
    told: async () => {
      for (let turn = 0; turn < 10; turn += 1) await loopTurn()
      await clock.advance(0)
      return server.log.flatMap(({ method, params }) => describe(method, params))
    },
  }
}

/** A message about a document, in words. */
function describe(method: unknown, params: unknown): string[] {
  const document = property(params, 'textDocument')
  const file = relative(root, uriToPath(String(property(document, 'uri'))) ?? '')
  const version = property(document, 'version')
  switch (method) {
    case 'textDocument/didOpen':
      return [`open ${file} ${version}: ${String(property(document, 'text')).trimEnd()}`]
    case 'textDocument/didChange': {
      const changes = property(params, 'contentChanges')
      const changed: unknown = Array.isArray(changes) ? changes[0] : undefined
      return [`change ${file} ${version}: ${String(property(changed, 'text')).trimEnd()}`]
    }
    case 'textDocument/didClose':
      return [`close ${file}`]
    default:
      return []
  }
}

function text(file: string, written: string | undefined) {
  return { path: join(root, file), languageId: 'fake', text: written }
}

function put(file: string, written: string): void {
  writeFileSync(join(root, file), written)
}
