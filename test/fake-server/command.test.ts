// The fake server as a process: the same script language, and the faults that only a process can have. Every
// process started here is ended here, and every wait is for something the server noted or the system reported.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { fixture, temporaryWorkspace } from '../fixture/index.js'
import {
  combine,
  type FakeServerCommand,
  fakeServer,
  fakeServerCommand,
  faults,
  type Script,
} from './index.js'
import { plainClient } from './testing.js'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const action of cleanUp.splice(0)) action()
})

function commandOf(script: Script): FakeServerCommand {
  const command = fakeServerCommand(script)
  cleanUp.push(() => command.dispose())
  return command
}

function start({ command, args, env }: FakeServerCommand) {
  const child = spawn(command, args, { env: { ...process.env, ...env } })
  const exited = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => ({ code, signal }))
  cleanUp.unshift(() => child.kill('SIGKILL'))
  // A server that dies breaks the pipe under the client; that is no fault of the test.
  child.stdin.on('error', () => undefined)
  return { child, exited, client: plainClient({ reader: child.stdout, writer: child.stdin }) }
}

function run(script: Script) {
  const command = commandOf(script)
  return { command, ...start(command) }
}

/** Everything a stream brought, by its end. */
async function textOf(stream: ChildProcessWithoutNullStreams['stderr']): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('one script, two bodies: the process answers what the server in process answers', async () => {
  await using workspace = await temporaryWorkspace(fixture`
-- a.fake --
def word
-- b.fake --
word ERROR
`)
  const rootUri = pathToFileURL(workspace.root).href
  const script: Script = {
    diagnostics: 'push-versioned',
    rules: [
      {
        on: 'textDocument/hover',
        do: [
          { act: 'delay', milliseconds: 5 },
          { act: 'answer', result: '{uri}' },
        ],
      },
    ],
  }
  const session = async (client: ReturnType<typeof plainClient>) => {
    const initialized = await client.initialize(rootUri)
    await client.open(`${rootUri}/b.fake`, 'word ERROR')
    const params = { textDocument: { uri: `${rootUri}/a.fake` }, position: { line: 0, character: 5 } }
    return [
      initialized,
      await client.notification('textDocument/publishDiagnostics'),
      await client.connection.sendRequest('textDocument/references', params),
      await client.connection.sendRequest('textDocument/hover', params),
      await client.connection.sendRequest('shutdown'),
      await client.connection.sendNotification('exit'),
    ]
  }
  const { command, client, exited } = run(script)
  const inProcess = fakeServer(script)
  expect(await session(client)).toEqual(await session(plainClient(inProcess)))
  expect(await exited).toEqual({ code: 0, signal: null })

  const messages = command.log().flatMap(entry => (entry.event === 'received' ? [entry.message] : []))
  expect(messages).toEqual(inProcess.log)
  expect(await command.received('textDocument/hover')).toMatchObject({ method: 'textDocument/hover' })
})

test('C07 the log counts the starts of a server that dies in a loop', async () => {
  const command = commandOf(faults['dies-in-a-loop'])
  for (const nth of [1, 2, 3]) {
    const { child, client, exited } = start(command)
    await client.initialize()
    expect(await exited).toEqual({ code: 1, signal: null })
    expect(await command.noted('started', nth)).toMatchObject({ pid: child.pid, run: nth })
  }
})

test('C03 dies-mid-request dies once; the next start is sound', async () => {
  const command = commandOf(faults['dies-mid-request'])
  const first = start(command)
  const stderr = textOf(first.child.stderr)
  await first.client.initialize()
  void first.client.connection.sendRequest('workspace/symbol', { query: '' })
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await stderr).toBe('panic: index out of range\n')
  const second = start(command)
  await second.client.initialize()
  expect(await second.client.connection.sendRequest('workspace/symbol', { query: '' })).toEqual([])
})

test.each([
  ['C01', 'dies-before-initialize', 1, null],
  ['S04', 'shim-without-tool', 1, null],
  ['C02', 'dies-idle', 1, null],
  ['C05', 'dies-in-shutdown', 1, null],
  ['C17', 'dies-on-poison', null, 'SIGSEGV'],
  ['C18', 'exits-unasked', 0, null],
  ['F22', 'dies-mid-frame', 1, null],
] as const)('%s %s: how the process ends', async (_, name, code, signal) => {
  const { client, exited } = run(faults[name])
  void client
    .initialize()
    .then(() =>
      name === 'dies-in-shutdown'
        ? client.connection.sendRequest('shutdown')
        : client.connection.sendRequest('textDocument/hover', {
            textDocument: { uri: 'untitled:poison.fake' },
          }),
    )
    // Some die before they can be asked.
    .catch(() => undefined)
  expect(await exited).toEqual({ code, signal })
})

test('F22 what was written before the end still arrives', async () => {
  const { child, exited } = run({
    rules: [
      {
        on: '@start',
        do: [
          { act: 'raw', bytes: { repeat: 'x', times: 3_000_000 } },
          { act: 'exit', code: 3 },
        ],
      },
    ],
  })
  let length = 0
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  await once(child, 'close')
  expect({ length, ...(await exited) }).toEqual({ length: 3_000_000, code: 3, signal: null })
})

test('C05 the end of the input ends an honest server', async () => {
  const { child, exited } = run({})
  child.stdin.end()
  expect(await exited).toEqual({ code: 1, signal: null })
})

test('C10 ignores-shutdown stays until SIGTERM', async () => {
  const { command, child, client, exited } = run(faults['ignores-shutdown'])
  await client.initialize()
  void client.connection.sendRequest('shutdown')
  await client.connection.sendNotification('exit')
  await command.received('exit')
  // An answer after `exit` proves that it still lives, without waiting for a death that does not come.
  await expect(client.connection.sendRequest('after/exit')).rejects.toMatchObject({ code: -32600 })
  child.stdin.end()
  child.kill('SIGTERM')
  expect(await exited).toEqual({ code: null, signal: 'SIGTERM' })
})

test('C11 ignores-sigterm stays until SIGKILL', async () => {
  const { command, child, client, exited } = run(combine(faults['ignores-sigterm'], { diagnostics: 'none' }))
  await client.initialize()
  child.kill('SIGTERM')
  expect(await command.noted('signalled')).toMatchObject({ pid: child.pid, signal: 'SIGTERM' })
  await client.connection.sendRequest('shutdown')
  await client.connection.sendNotification('exit')
  await expect(client.connection.sendRequest('after/exit')).rejects.toMatchObject({ code: -32600 })
  child.kill('SIGKILL')
  expect(await exited).toEqual({ code: null, signal: 'SIGKILL' })
})

test.each(['grandchild', 'grandchild-holds-pipes'] as const)('C15 %s outlives the server', async name => {
  const { command, child, client, exited } = run(faults[name])
  let open = true
  // From the start: the pipes may close in the same moment as the process ends.
  const closed = once(child, 'close').then(() => {
    open = false
  })
  await client.initialize()
  const { grandchild } = await command.noted('grandchild')
  expect(grandchild).toBeGreaterThan(1)
  if (process.platform === 'linux') {
    const [, , , session] = readFileSync(`/proc/${grandchild}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    expect(session).toBe(String(grandchild))
  }
  cleanUp.push(() => process.kill(grandchild, 'SIGKILL'))
  child.kill('SIGKILL')
  expect(await exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(process.kill(grandchild, 0)).toBe(true)
  if (name === 'grandchild') await closed
  else expect(open).toBe(true)
})

test('F14 floods-stderr writes a hundred megabytes and then answers', async () => {
  const { child, client } = run(faults['floods-stderr'])
  let length = 0
  child.stderr.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  await client.initialize()
  expect(await client.connection.sendRequest('workspace/symbol', { query: '' })).toEqual([])
  child.stdin.end()
  await once(child, 'close')
  expect(length).toBeGreaterThan(100_000_000)
})

test('F24 stop-reading fills the pipe to the process', async () => {
  const { command, child, client } = run({
    rules: [
      {
        on: 'ask',
        do: [{ act: 'stop-reading' }, { act: 'wait', for: 'never' }],
      },
      {
        on: 'initialized',
        do: [
          { act: 'delay', milliseconds: 400 },
          { act: 'notify', method: 'later' },
        ],
      },
    ],
  })
  await client.initialize()
  await client.connection.sendNotification('ask')
  await command.received('ask')
  child.stdin.write(Buffer.alloc(8 * 1024 * 1024))
  // An honest server has taken it all by then.
  await client.notification('later')
  expect(child.stdin.writableLength).toBeGreaterThan(0)
})

test('F01 a script reaches the process whole, whatever characters it holds', async () => {
  const odd = '\u00df "quoted" $HOME `tick` \\ \n \u{1f600}'
  const { client } = run({ rules: [{ on: 'ask', do: [{ act: 'answer', result: odd }] }] })
  await client.initialize()
  expect(await client.connection.sendRequest('ask')).toBe(odd)
})
