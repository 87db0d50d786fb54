// What a server is told before it is asked, watched from the server's side: a fake one that notes every message, a real
// client, and real files that are edited behind their backs.
import { expect, test } from 'vitest'
import { watched } from '../../test/client-harness.js'
import type { Script } from '../../test/fake-server/index.js'
import { settled, ViewFolder, wait } from '../../test/view-harness.js'
import type { ServerDefinition } from '../servers/definition.js'

const folder = new ViewFolder()

test('R-125 what changed on disk is announced once, with what happened to it', async () => {
  const { view, told } = await folder.opened()
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual([])
  folder.put('other.fake', 'changed')
  folder.put('new.fake', '')
  folder.remove('main.fake')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  const announced = ['changed files: 1 new.fake, 2 other.fake, 3 main.fake']
  expect(await told()).toEqual(announced)
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual(announced)
})

test('R-125 only what the server is interested in is announced, whatever the case of its name', async () => {
  const { view, told } = await folder.opened({ watches: ['*.toml'] })
  folder.put('readme.md', '')
  folder.put('fake.toml', '')
  folder.put('LOUD.FAKE', '')
  await view.bringUpToDate(wait)
  expect(await told()).toEqual(['changed files: 1 LOUD.FAKE, 1 fake.toml'])
})

test('R-125 a server is told of what happened after it began, not of what it has read itself', async () => {
  folder.put('before.fake', '')
  await folder.table.refresh()
  const { view, told } = await folder.opened({}, { startedAt: Date.now() + 120_000 })
  await view.bringUpToDate(wait)
  expect(await told()).toEqual([])
  folder.put('after.fake', '')
  await view.bringUpToDate(wait)
  expect(await told()).toEqual(['changed files: 1 after.fake'])

  const early = await folder.opened({}, { startedAt: 0 })
  await early.view.bringUpToDate(wait)
  expect(await early.told()).toEqual(['changed files: 1 after.fake, 1 before.fake'])
})

test('R-120, R-124 an open document follows the disk, and versions grow', async () => {
  const { view, told, open } = await folder.opened()
  await open('main.fake')
  folder.put('main.fake', 'def sides\n')
  await view.bringUpToDate(wait)
  folder.put('main.fake', 'def angles\n')
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
  const { view, told, open } = await folder.opened()
  await open('main.fake')
  folder.remove('main.fake')
  await view.bringUpToDate(wait)
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'changed files: 3 main.fake',
    'close main.fake',
  ])
})

test('R-126 opening gives exactly the content that was read, and nothing when the server has it', async () => {
  const { told, open } = await folder.opened()
  const first = await open('main.fake')
  const second = await open('main.fake')
  expect(second).toBe(first)
  folder.put('main.fake', 'def sides\n')
  const third = await open('main.fake')
  expect(third.content).not.toBe(first.content)
  expect(third.text).toBe('def sides\n')
  expect(await told()).toEqual(['open main.fake 1: def area', 'change main.fake 2: def sides'])
})

test('D11 after a change elsewhere the pushed diagnostics of an open file are asked for again', async () => {
  const { view, told, open } = await folder.opened()
  await open('main.fake')
  folder.put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  await open('main.fake')
  await open('main.fake')
  expect(await told()).toEqual([
    'open main.fake 1: def area',
    'changed files: 2 other.fake',
    'change main.fake 2: def area',
  ])
  const pulling = await folder.opened({}, {}, { diagnostics: 'pull' })
  await pulling.open('main.fake')
  folder.put('other.fake', 'changed again')
  await pulling.view.bringUpToDate(wait)
  await pulling.open('main.fake')
  expect((await pulling.told()).filter(message => message.startsWith('change '))).toEqual([])
})

test('D11 a server that answers a pull undeclared is asked, so nothing is sent to it again', async () => {
  const diagnostics = { kind: 'standard', quietMs: 0, reason: 'Asked.', pullsUndeclared: true } as const
  const { view, told, open } = await folder.opened({ diagnostics }, {}, { diagnostics: 'none' })
  await open('main.fake')
  folder.put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  await open('main.fake')
  expect((await told()).filter(message => message.startsWith('change '))).toEqual([])
})

test('contract a view that the table does not vouch for is not vouched for', async () => {
  await folder.watch({ isInteresting: () => true, useWatcher: false, maxFiles: 1 })
  const { view } = await folder.opened()
  expect(await view.bringUpToDate(wait)).toMatchObject({ current: false })
})

const mustOpen: Partial<ServerDefinition> = {
  quirks: { changedFilesMustBeOpened: 'It ignores announced changes.' },
}

test('R-125 a server that only reads what it is shown is shown it, and believed when it has reported', async () => {
  const { view, told } = await folder.opened(mustOpen)
  folder.put('other.fake', 'changed')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  folder.remove('main.fake')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual([
    'changed files: 2 other.fake',
    'open other.fake 1: changed',
    'changed files: 3 main.fake',
    'open main.fake 2: ',
    'close main.fake',
  ])
})

test('R-125 what was reported while a deleted file was shown empty is asked for again when it is closed', async () => {
  const { view, told, open } = await folder.opened(mustOpen)
  await open('other.fake')
  folder.put('other.fake', 'changed')
  folder.remove('main.fake')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  await open('other.fake')
  const messages = await told()
  expect(messages.slice(messages.indexOf('close main.fake'))).toEqual([
    'close main.fake',
    expect.stringMatching(/^change other\.fake \d+: changed$/),
  ])
})

test('R-125 a file that was emptied is not taken for one that is gone', async () => {
  const { view, told, client } = await folder.opened(mustOpen)
  folder.put('other.fake', '')
  expect(await view.bringUpToDate(wait)).toEqual({ current: true })
  expect(await told()).toEqual(['changed files: 2 other.fake', 'open other.fake 1: '])
  expect(client.documents.get(folder.uriOf('other.fake'))).toMatchObject({ text: '' })
})

test('W08 of files that changed together, all but the last are sent again: the first reports may be on what was before', async () => {
  const { view, told, client } = await folder.opened(mustOpen)
  folder.put('main.fake', 'def area two\n')
  folder.put('other.fake', 'use area two\n')
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
  const { view, clock, server } = await folder.opened(mustOpen, {}, { diagnostics: 'none' })
  folder.put('other.fake', 'changed')
  const first = watched(view.bringUpToDate(wait))
  await server.received('textDocument/didOpen')
  await clock.advance(wait.milliseconds)
  expect(first.outcome).toMatchObject({ current: false, reason: expect.stringContaining('1 are left') })

  // It has had its time: the next question is not held up, and not deceived.
  const second = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(second.outcome).toMatchObject({ current: false })

  await server.perform({ act: 'publish', uri: folder.uriOf('other.fake'), version: 'current' })
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
  const { view, clock, server } = await folder.opened({ quirks }, {}, script)
  folder.put('new.fake', '')
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
  const { view, clock, server, open } = await folder.opened(mustOpen, {}, { diagnostics: 'none' })
  await open('main.fake')
  folder.put('main.fake', 'def area\n')
  const updated = watched(view.bringUpToDate(wait))
  await settled(clock)
  expect(updated.outcome).toBeUndefined()
  await server.perform({ act: 'publish', uri: folder.uriOf('main.fake'), version: 'current' })
  await settled(clock)
  expect(updated.outcome).toEqual({ current: true })
})

test('R-125 of many changed files it is shown some with every question, until it has seen all', async () => {
  const { view, told } = await folder.opened(mustOpen)
  for (let number = 0; number < 120; number += 1) folder.put(`many${number}.fake`, '')
  const answers = []
  for (let question = 0; question < 4; question += 1) answers.push(await view.bringUpToDate(wait))
  expect(answers.map(({ current }) => current)).toEqual([false, false, true, true])
  const shown = (await told()).filter(message => message.startsWith('open '))
  expect(new Set(shown.map(message => message.split(' ')[1])).size).toBe(120)
})

test('R-125 questions at the same time are not asked while the first is still bringing things up to date', async () => {
  const { view, told, clock, server } = await folder.opened(mustOpen, {}, { diagnostics: 'none' })
  folder.put('other.fake', 'changed')
  const both = watched(Promise.all([view.bringUpToDate(wait), view.bringUpToDate(wait)]))
  await server.received('textDocument/didOpen')
  expect(both.outcome).toBeUndefined()
  await server.perform({ act: 'publish', uri: folder.uriOf('other.fake'), version: 'current' })
  await settled(clock)
  expect(both.outcome).toEqual([{ current: true }, { current: true }])
  expect((await told()).filter(message => message.startsWith('changed files'))).toHaveLength(1)
})

test('R-126 a server that lists its files anew is not ready until it has', async () => {
  const quirks = { announcesNewFileList: 'It lists its files again.' }
  const { view, client } = await folder.opened({ quirks })
  folder.put('other.fake', 'changed')
  await view.bringUpToDate(wait)
  expect(client.readiness.current.ready).toBe(true)
  folder.put('new.fake', '')
  await view.bringUpToDate(wait)
  expect(client.readiness.current).toMatchObject({ ready: false, reason: expect.stringContaining('listing') })
})
