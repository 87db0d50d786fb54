// A session's own data folder, on the disk: an empty one for each start, named to the server, and gone when it is.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fakeServerCommand } from '../../test/fake-server/index.js'
import { definitionOf } from '../../test/faults/judge.js'
import { fixture, temporaryWorkspace } from '../../test/fixture/index.js'
import { systemClock } from '../clock.js'
import { Events } from '../events.js'
import type { ServerDefinition } from '../servers/definition.js'
import { createSpawn, type Spawn } from './process.js'
import { createStartSession, type StartCandidate } from './session.js'
import { ownerMark } from './sweep.js'

const kept = { argument: '-data', reason: 'It keeps an index.' }

test.each([
  ['argument', kept],
  ['variable', { variable: 'FAKE_CACHE', reason: 'It keeps a socket.' }],
])(
  'C29 each start of a server that keeps data gets an empty folder by %s, gone when it is',
  async (_, rule) => {
    const { start, folders } = await starter({ dataFolder: rule })
    const first = await start()
    const [folder = ''] = folders
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(join(folder, 'index'), 'data')
    const second = await start()
    expect(new Set(folders).size).toBe(2)
    expect(readdirSync(folders[1] ?? '')).toEqual([])
    await Promise.all([first.stop(1000), second.stop(1000)])
    await expect.poll(() => folders.some(path => existsSync(path)), { timeout: 20_000 }).toBe(false)
  },
)

test('C29 a folder that the arguments name already is left to whoever named it', async () => {
  const { start, folders } = await starter({ dataFolder: kept }, ['-data', '/tmp/mine'])
  const session = await start()
  expect(folders).toEqual(['/tmp/mine'])
  await session.stop(1000)
})

test('C29 a server that keeps nothing gets none', async () => {
  const { start, folders } = await starter({})
  const session = await start()
  expect(folders).toEqual([])
  await session.stop(1000)
})

async function starter(overrides: Partial<ServerDefinition>, args: readonly string[] = []) {
  const workspace = await temporaryWorkspace(fixture`-- a.fake --\n`)
  const fake = fakeServerCommand()
  onTestFinished(async () => {
    fake.dispose()
    await workspace[Symbol.asyncDispose]()
  })
  const definition = definitionOf(fake, overrides)
  const folders: string[] = []
  const spawn = createSpawn({ clock: systemClock, owner: ownerMark() })
  const listening: Spawn = request => {
    const at = request.args.indexOf('-data')
    folders.push(...request.args.slice(at < 0 ? request.args.length : at + 1))
    if (request.env.FAKE_CACHE !== undefined) folders.push(request.env.FAKE_CACHE)
    return spawn(request)
  }
  const startSession = createStartSession({
    spawn: listening,
    clock: systemClock,
    events: new Events(),
    initializeMilliseconds: 20_000,
    frameLimitBytes: 1024 * 1024,
    maxOpenDocuments: 8,
    admit: () => undefined,
    methods: 'any',
    unknownRequest: 'null',
    unsetConfiguration: null,
  })
  const candidate: StartCandidate = {
    definition,
    how: 'named by the test',
    command: definition.command,
    args: [...definition.args, ...args],
    environment: { ...definition.environment },
    endpoint: undefined,
    settings: {},
    initializationOptions: {},
    version: undefined,
    limitedCosts: undefined,
  }
  const { signal } = new AbortController()
  const start = () =>
    startSession(candidate, { root: workspace.root, signal, onReadiness: () => {}, onHung: () => {} })
  return { start, folders }
}
