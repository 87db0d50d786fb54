// The fake server in process, spoken to by the plain library: its honest behaviour first, then each kind of rule.
import { rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { fixture, temporaryWorkspace } from '../fixture/index.js'
import { type Act, combine, fakeServer, partialBeforeReady, type Rule, type Script } from './index.js'
import { handClock, plainClient } from './testing.js'
import { frame } from './wire.js'

const story = fixture`
-- shapes.fake --
class Shape
  def ar$0ea
      ^^^^ declaration
    ERROR no width
-- main.fake --
use area and areas
    ^^^^ use
  area again
  ^^^^ use
`

async function startedIn(root: string, script: Script = {}) {
  const server = fakeServer(script)
  const client = plainClient(server)
  const rootUri = pathToFileURL(root).href
  const result = await client.initialize(rootUri)
  return { server, client, result, uri: (file: string) => `${rootUri}/${file}` }
}

/** The cursor of the story as the protocol counts. */
function cursorParams(uri: string) {
  const { line, column } = story.cursor()
  return { textDocument: { uri }, position: { line: line - 1, character: column - 1 } }
}

test('fake server: answers from the text of open documents and of the disk', async () => {
  await using workspace = await temporaryWorkspace(story)
  const { server, client, result, uri } = await startedIn(workspace.root)
  expect(result).toMatchObject({
    capabilities: {
      hoverProvider: true,
      referencesProvider: true,
      renameProvider: { prepareProvider: true },
    },
    serverInfo: { name: 'fake' },
  })
  await client.open(uri('shapes.fake'), story.files.get('shapes.fake') ?? '')
  const params = cursorParams(uri('shapes.fake'))
  const { connection } = client

  const places = (locations: { uri: string; range: { start: { line: number; character: number } } }[]) =>
    locations.map(location => ({
      file: location.uri.split('/').at(-1),
      line: location.range.start.line + 1,
      column: location.range.start.character + 1,
    }))
  const expected = (label?: string) =>
    story.ranges(label).map(({ file, line, column }) => ({ file, line, column }))

  expect(places(await connection.sendRequest('textDocument/definition', params))).toEqual(
    expected('declaration'),
  )
  const references = (includeDeclaration: boolean) =>
    connection.sendRequest<Parameters<typeof places>[0]>('textDocument/references', {
      ...params,
      context: { includeDeclaration },
    })
  expect(places(await references(false))).toEqual(expected('use'))
  expect(places(await references(true))).toEqual([...expected('use'), ...expected('declaration')])
  expect(await connection.sendRequest('textDocument/hover', params)).toMatchObject({
    contents: { value: '```fake\ndef area\n```' },
  })
  expect(await connection.sendRequest('workspace/symbol', { query: 'AR' })).toMatchObject([
    { name: 'area', kind: 6 },
  ])
  expect(await connection.sendRequest('textDocument/documentSymbol', params)).toMatchObject([
    { name: 'Shape', children: [{ name: 'area' }] },
  ])
  expect(await connection.sendRequest('textDocument/documentHighlight', params)).toHaveLength(1)
  expect(await connection.sendRequest('textDocument/prepareRename', params)).toMatchObject({
    placeholder: 'area',
  })
  const edit = await connection.sendRequest<{ changes: object }>('textDocument/rename', {
    ...params,
    newName: 'size',
  })
  expect(Object.keys(edit.changes).sort()).toEqual([uri('main.fake'), uri('shapes.fake')])
  const keyword = { ...params, position: { line: 0, character: 1 } }
  expect(await connection.sendRequest('textDocument/prepareRename', keyword)).toBeNull()
  expect(await connection.sendRequest('textDocument/completion', params)).toEqual([
    { label: 'Shape' },
    { label: 'area' },
  ])
  const blank = { ...params, position: { line: 2, character: 0 } }
  for (const method of ['definition', 'references', 'documentHighlight', 'hover', 'rename']) {
    expect(await connection.sendRequest(`textDocument/${method}`, blank)).toBeNull()
  }
  expect(server.complaints).toEqual([])

  await connection.sendRequest('shutdown')
  await connection.sendNotification('exit')
  expect(await server.exited).toEqual({ code: 0 })
})

test('R-125 without a watched-file notice the fake serves the disk as it was; with one, as it is', async () => {
  await using workspace = await temporaryWorkspace(story)
  const { client, uri } = await startedIn(workspace.root)
  const { connection } = client
  const symbols = async () =>
    (await connection.sendRequest<{ name: string }[]>('workspace/symbol', { query: '' })).map(
      ({ name }) => name,
    )
  const changed = (file: string, type: number) =>
    connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [{ uri: uri(file), type }] })

  await writeFile(workspace.path('new.fake'), 'def fresh\n')
  await writeFile(workspace.path('shapes.fake'), 'def changed\n')
  expect(await symbols()).toEqual(['Shape', 'area'])
  await changed('new.fake', 1)
  expect(await symbols()).toEqual(['fresh', 'Shape', 'area'])
  await changed('shapes.fake', 2)
  expect(await symbols()).toEqual(['fresh', 'changed'])
  await rm(workspace.path('new.fake'))
  expect(await symbols()).toEqual(['fresh', 'changed'])
  await changed('new.fake', 3)
  expect(await symbols()).toEqual(['changed'])

  await client.open(uri('shapes.fake'), 'def overlay\n')
  expect(await symbols()).toEqual(['overlay'])
  await writeFile(workspace.path('shapes.fake'), 'def saved\n')
  await connection.sendNotification('textDocument/didClose', { textDocument: { uri: uri('shapes.fake') } })
  expect(await symbols()).toEqual(['saved'])
})

test.each([
  ['push', undefined],
  ['push-versioned', 2],
] as const)('D02 with %s, diagnostics follow the content', async (diagnostics, version) => {
  const server = fakeServer({ diagnostics })
  const client = plainClient(server)
  await client.initialize()
  await client.open('untitled:a', 'fine\n  ERROR one\nERROR two')
  expect(await client.notification('textDocument/publishDiagnostics')).toMatchObject({
    uri: 'untitled:a',
    diagnostics: [
      {
        message: 'ERROR one',
        severity: 1,
        range: { start: { line: 1, character: 2 }, end: { line: 1, character: 11 } },
      },
      { message: 'ERROR two' },
    ],
  })
  await client.change('untitled:a', 'fine', 2)
  const published = await client.notification('textDocument/publishDiagnostics', 2)
  expect(published).toEqual({
    uri: 'untitled:a',
    diagnostics: [],
    ...(version === undefined ? {} : { version }),
  })
})

test('D07 with pull, diagnostics are asked for and an equal result is unchanged', async () => {
  const server = fakeServer({ diagnostics: 'pull' })
  const client = plainClient(server)
  const result = await client.initialize()
  expect(result).toMatchObject({ capabilities: { diagnosticProvider: { workspaceDiagnostics: true } } })
  await client.open('untitled:a', 'ERROR one')
  const pull = (previousResultId?: string) =>
    client.connection.sendRequest<{ kind: string; resultId: string; items?: object[] }>(
      'textDocument/diagnostic',
      {
        textDocument: { uri: 'untitled:a' },
        previousResultId,
      },
    )
  const first = await pull()
  expect(first).toMatchObject({ kind: 'full', items: [{ message: 'ERROR one' }] })
  expect(await pull(first.resultId)).toEqual({ kind: 'unchanged', resultId: first.resultId })
  await client.change('untitled:a', 'ERROR two', 2)
  expect(await pull(first.resultId)).toMatchObject({ kind: 'full', items: [{ message: 'ERROR two' }] })
  expect(client.notified).toEqual([])
})

test.each(['utf-8', 'utf-16', 'utf-32'] as const)(
  'W14 the fake counts columns in %s',
  async positionEncoding => {
    const server = fakeServer({ positionEncoding })
    const client = plainClient(server)
    expect(await client.initialize()).toMatchObject({ capabilities: { positionEncoding } })
    await client.open('untitled:a', '\u{1f600} word')
    const character = { 'utf-8': 5, 'utf-16': 3, 'utf-32': 2 }[positionEncoding]
    expect(
      await client.connection.sendRequest('textDocument/references', {
        textDocument: { uri: 'untitled:a' },
        position: { line: 0, character },
        context: { includeDeclaration: true },
      }),
    ).toMatchObject([
      { range: { start: { line: 0, character }, end: { line: 0, character: character + 4 } } },
    ])
  },
)

test('P14 R-95 what is withdrawn is refused, and the fake tells on a client that asks for it', async () => {
  const server = fakeServer({ capabilities: { hoverProvider: null, codeLensProvider: {} }, serverInfo: null })
  const client = plainClient(server)
  await expect(client.connection.sendRequest('textDocument/hover', {})).rejects.toMatchObject({
    code: -32002,
  })
  const result = await client.initialize()
  expect(result).toHaveProperty('capabilities.codeLensProvider')
  expect(result).not.toHaveProperty('capabilities.hoverProvider')
  expect(result).not.toHaveProperty('serverInfo')
  await expect(client.connection.sendRequest('textDocument/hover', {})).rejects.toMatchObject({
    code: -32601,
  })
  await client.connection.sendRequest('shutdown', null)
  await expect(client.connection.sendRequest('workspace/symbol', {})).rejects.toMatchObject({ code: -32600 })
  expect(server.complaints).toEqual([
    'textDocument/hover before initialize',
    'textDocument/hover, which is not offered',
    'shutdown with params [null]',
    'workspace/symbol after shutdown',
  ])
  server.writer.end()
  expect(await server.exited).toEqual({ code: 0 })
})

function rule(on: string, acts: readonly Act[], more: Omit<Rule, 'on' | 'do'> = {}): Rule {
  return { on, do: acts, ...more }
}

test('rules: the first that fits wins; nth, file and also choose', async () => {
  const server = fakeServer({
    rules: [
      rule('ask', [{ act: 'notify', method: 'on-top', params: '{method} {index}', times: 2 }], {
        also: true,
      }),
      rule('ask', [{ act: 'answer', result: 'second' }], { nth: 2 }),
      rule('ask', [{ act: 'answer', result: 'late' }], { nth: { from: 4 } }),
      rule('ask', [{ act: 'answer', result: 'by file' }], { file: 'b.fake' }),
      rule('ask', [{ act: 'answer', result: 'else' }]),
      rule('ask', [{ act: 'answer', result: 'never' }]),
    ],
  })
  const client = plainClient(server)
  await client.initialize()
  const ask = (uri: string) => client.connection.sendRequest('ask', { textDocument: { uri } })
  expect(await ask('a.fake')).toBe('else')
  expect(await ask('b.fake')).toBe('second')
  expect(await ask('b.fake')).toBe('by file')
  expect(await ask('b.fake')).toBe('late')
  expect(client.notified.slice(0, 2)).toEqual([
    { method: 'on-top', params: 'ask 0' },
    { method: 'on-top', params: 'ask 1' },
  ])
  expect(server.complaints).toEqual([])
})

test('rules: before and after `initialized`, and by run of the server', async () => {
  const rules = [
    rule('ask', [{ act: 'answer', result: 'early' }], { when: 'before-initialized' }),
    rule('ask', [{ act: 'answer', result: 'second run' }], { run: 2, when: 'after-initialized' }),
    rule('ask', [{ act: 'answer', result: 'late' }]),
  ]
  for (const [run, late] of [
    [1, 'late'],
    [2, 'second run'],
  ] as const) {
    const client = plainClient(fakeServer({ rules }, { run }))
    expect(await client.connection.sendRequest('ask')).toBe('early')
    await client.initialize()
    expect(await client.connection.sendRequest('ask')).toBe(late)
  }
})

test('O2 templates echo the request and tell of the current text', async () => {
  const result = {
    uri: '{uri}',
    version: '{version}',
    text: '{text}',
    errors: '{diagnostics}',
    nonce: '{params.nonce.deep}',
    none: '{params.absent}',
    inside: 'at {uri}#{params.nonce} {params.absent} {unknown}',
    list: ['{id}', { method: '{method}' }, 1, true, null],
  }
  const client = plainClient(fakeServer({ rules: [rule('ask', [{ act: 'answer', result }])] }))
  await client.initialize()
  await client.open('untitled:a', 'ERROR x', 7)
  const asked = await client.connection.sendRequest('ask', {
    textDocument: { uri: 'untitled:a' },
    nonce: { deep: [1] },
  })
  expect(asked).toEqual({
    uri: 'untitled:a',
    version: 7,
    text: 'ERROR x',
    errors: [expect.objectContaining({ message: 'ERROR x' })],
    nonce: [1],
    none: null,
    inside: 'at untitled:a#{"deep":[1]} null {unknown}',
    list: [1, { method: 'ask' }, 1, true, null],
  })
})

test('R-88 time passes on the clock that is given, in an order that the seed fixes', async () => {
  const order = async (seed: number) => {
    const clock = handClock()
    const server = fakeServer(
      {
        seed,
        rules: [
          rule('ask', [
            { act: 'delay', milliseconds: { from: 0, to: 1000 } },
            { act: 'answer', result: '{params.n}' },
          ]),
        ],
      },
      { clock },
    )
    const client = plainClient(server)
    await client.initialize()
    const answers: unknown[] = []
    const asked = Array.from({ length: 6 }, async (_, n) =>
      answers.push(await client.connection.sendRequest('ask', { n })),
    )
    await server.received('ask', 6)
    expect(answers).toEqual([])
    clock.advance(1000)
    await Promise.all(asked)
    return answers
  }
  const first = await order(1)
  expect(await order(1)).toEqual(first)
  const others = await Promise.all([2, 3, 4].map(order))
  expect(others.some(other => JSON.stringify(other) !== JSON.stringify(first))).toBe(true)
})

test('H09 a request of the server can block it until the client answers', async () => {
  const server = fakeServer({
    rules: [
      rule('initialized', [
        { act: 'request', method: 'client/question', params: { a: 1 }, id: 'one', waits: true },
        { act: 'request', method: 'client/another' },
        { act: 'notify', method: 'told' },
      ]),
    ],
  })
  const client = plainClient(server)
  await client.initialize()
  await client.notification('told')
  await server.received('@response', 2)
  expect(client.asked).toEqual([
    { method: 'client/question', params: { a: 1 } },
    { method: 'client/another', params: undefined },
  ])
  expect(server.log.filter(({ method }) => method === undefined)).toMatchObject([
    { id: 'one', result: null },
    { id: 1, result: null },
  ])
})

test('R-82 the fake tells on an answer to a question it did not ask, or not under that id', async () => {
  const server = fakeServer({
    rules: [{ on: 'ask', do: [{ act: 'request', method: 'client/question', id: '7' }] }],
  })
  const send = (message: object) =>
    server.writer.write(frame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))))
  send({ method: 'ask' })
  send({ id: 7, result: null })
  send({ id: '7', result: null })
  send({ id: '7', result: null })
  await server.received('@response', 3)
  expect(server.complaints).toEqual([
    'an answer to 7, which was not asked',
    'an answer to "7", which was not asked',
  ])
})

test('fake server: received fails when the server ends first, and everything after the end is refused', async () => {
  const server = fakeServer({ rules: [rule('@start', [{ act: 'ignore-signal', signal: 'SIGTERM' }])] })
  const client = plainClient(server)
  await client.initialize()
  const waited = expect(server.received('never')).rejects.toThrow('ended ({"signal":"SIGKILL"})')
  server.kill('SIGTERM')
  await client.connection.sendRequest('workspace/symbol', { query: '' })
  server.kill()
  await waited
  expect(await server.exited).toEqual({ signal: 'SIGKILL' })
  await expect(server.received('never')).rejects.toThrow('ended')
  expect(server.writer.destroyed).toBe(true)
})

test('fake server: a test can act out of turn', async () => {
  const server = fakeServer()
  const client = plainClient(server)
  await client.initialize()
  await client.open('untitled:a', 'ERROR')
  await server.received('textDocument/didOpen')
  await server.perform({ act: 'publish', uri: 'untitled:a', version: 'future', diagnostics: [] })
  expect(await client.notification('textDocument/publishDiagnostics', 2)).toEqual({
    uri: 'untitled:a',
    version: 1001,
    diagnostics: [],
  })
})

test('C15 a grandchild needs a process', () => {
  expect(() => fakeServer({ rules: [rule('initialized', [{ act: 'grandchild' }])] })).toThrow(
    'leaves no grandchild',
  )
})

test('fake server: combine joins rules in order, and the later setting wins', () => {
  const first: Script = {
    description: 'One.',
    capabilities: { a: 1 },
    diagnostics: 'push',
    rules: [rule('x', [])],
  }
  const second: Script = {
    description: 'Two.',
    capabilities: { b: 2 },
    diagnostics: 'pull',
    rules: [rule('y', [])],
  }
  expect(combine(first, second)).toEqual({
    description: 'One. Two.',
    capabilities: { a: 1, b: 2 },
    diagnostics: 'pull',
    rules: [rule('x', []), rule('y', [])],
  })
})

const twoFiles = fixture`
-- a.fake --
def word
-- b.fake --
word
`

test.each([
  ['by the nth call', { ready: { calls: 3 } }, [1, 1, 2, 2]],
  ['by a message', { ready: { received: 'textDocument/hover' } }, [1, 1, 1, 1]],
  ['never', { ready: 'never' }, [1, 1, 1, 1]],
  [
    'with only the first item before',
    { ready: { calls: 4 }, before: { act: 'built-in', only: 1 } },
    [1, 1, 1, 2],
  ],
  ['with a told lie before', { ready: { calls: 2 }, before: { act: 'answer', result: [] } }, [0, 2, 2, 2]],
] as const)('O9 answers too little before it is ready: %s', async (_, options, counts) => {
  await using workspace = await temporaryWorkspace(twoFiles)
  const script = partialBeforeReady({ on: 'textDocument/references', ...options })
  const { client, uri } = await startedIn(workspace.root, script)
  for (const count of counts) expect(await countReferences(client, uri('a.fake'))).toBe(count)
  await client.connection.sendRequest('textDocument/hover', cursorParams(uri('a.fake')))
  expect(await countReferences(client, uri('a.fake'))).toBe(options.ready === 'never' ? 1 : 2)
})

test('R-88 R-89 becomes ready by time and says so by the end of a progress', async () => {
  await using workspace = await temporaryWorkspace(twoFiles)
  const clock = handClock()
  const server = fakeServer(partialBeforeReady({ ready: { milliseconds: 5000 }, says: 'progress' }), {
    clock,
  })
  const client = plainClient(server)
  const rootUri = pathToFileURL(workspace.root).href
  await client.initialize(rootUri)
  expect(await client.notification('$/progress')).toMatchObject({ value: { kind: 'begin' } })
  expect(await countReferences(client, `${rootUri}/a.fake`)).toBe(1)
  clock.advance(4999)
  expect(await countReferences(client, `${rootUri}/a.fake`)).toBe(1)
  clock.advance(1)
  expect(await client.notification('$/progress', 2)).toMatchObject({ value: { kind: 'end' } })
  expect(await countReferences(client, `${rootUri}/a.fake`)).toBe(2)
})

test('R-89 becomes ready by hand and says so by a notification', async () => {
  await using workspace = await temporaryWorkspace(twoFiles)
  const says = { notification: 'experimental/serverStatus', params: { quiescent: true } }
  const { server, client, uri } = await startedIn(
    workspace.root,
    partialBeforeReady({ ready: { received: 'textDocument/didOpen' }, says }),
  )
  expect(await countReferences(client, uri('a.fake'))).toBe(1)
  await client.open(uri('a.fake'), 'def word\n')
  expect(await client.notification('experimental/serverStatus')).toEqual({ quiescent: true })
  expect(await countReferences(client, uri('a.fake'))).toBe(2)
  expect(server.complaints).toEqual([])
})

async function countReferences(client: ReturnType<typeof plainClient>, uri: string): Promise<number> {
  const found = await client.connection.sendRequest<unknown[]>('textDocument/references', {
    textDocument: { uri },
    position: { line: 0, character: 4 },
    context: { includeDeclaration: true },
  })
  return found.length
}
