// Every named fault: that it is data, that it says which fault of the matrix it is, and that the bytes a client gets
// are wrong in just that way. The script of a session is the same for all of them.
import { expect, test } from 'vitest'
import { combine, type FaultName, fakeServer, faultOn, faults, type Script } from './index.js'
import { parseScript } from './script.js'
import { plainClient } from './testing.js'
import { frame } from './wire.js'

const names = Object.keys(faults).filter((name): name is FaultName => name in faults)
const uri = 'untitled:a.fake'

/** What a session looks like that sends everything and answers nothing: the bytes after the handshake, and the server. */
async function transcript(script: Script) {
  const server = fakeServer(script)
  server.stderr.resume()
  const send = (message: object) =>
    server.writer.write(frame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))))
  const ended = server.exited.then(() => undefined)
  const taken = async (method: string, nth = 1) => {
    await Promise.race([server.received(method, nth).catch(() => undefined), ended])
    return bytesIn(server.reader)
  }
  send({ id: 1, method: 'initialize', params: { rootUri: null, capabilities: {} } })
  const handshake = await taken('initialize')
  send({ method: 'initialized', params: {} })
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, version: 1, text: 'def a\nERROR old' } },
  })
  send({
    method: 'textDocument/didChange',
    params: { textDocument: { uri, version: 2 }, contentChanges: [{ text: 'def a' }] },
  })
  const opening = await taken('textDocument/didChange')
  const position = { line: 0, character: 4 }
  send({
    id: 2,
    method: 'textDocument/references',
    params: { textDocument: { uri }, position, context: { includeDeclaration: true } },
  })
  const answer = await taken('textDocument/references')
  return { server, handshake, opening, answer, send, taken }
}

function bytesIn(reader: { read(): unknown }): Buffer {
  const parts: Buffer[] = []
  for (let part = reader.read(); part !== null; part = reader.read()) {
    if (Buffer.isBuffer(part)) parts.push(part)
  }
  return Buffer.concat(parts)
}

const honestAnswer = '{"jsonrpc":"2.0","id":2,"result":[{"uri":"untitled:a.fake"'

test.each(names)('%s is data and names its fault', name => {
  const fault = faults[name]
  expect(fault.description).toMatch(/^(([SHFPCWDO]\d\d?|R-\d+)(, |: ))+[a-z]/i)
  const text = JSON.stringify(fault)
  expect(parseScript(text)).toEqual(fault)
  // A single argument of a command may have 128 KiB on Linux.
  expect(text.length).toBeLessThan(100_000)
})

test.each([
  ['not an object', '7'],
  ['a misspelt act', '{"rules":[{"on":"x","do":[{"act":"anwser"}]}]}'],
  ['a misspelt setting', '{"rule":[]}'],
  ['a rule without acts', '{"rules":[{"on":"x"}]}'],
])('a script that is %s is refused', (_, text) => {
  expect(() => parseScript(text)).toThrow('not a script of the fake server')
})

test('an honest session, to compare the faults with', async () => {
  const { server, handshake, opening, answer } = await transcript({})
  expect(handshake.toString()).toContain(
    '{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"textDocumentSync"',
  )
  expect(opening.toString()).toMatch(/publishDiagnostics.*ERROR old.*publishDiagnostics.*"diagnostics":\[\]/s)
  expect(answer.toString()).toMatch(/^Content-Length: [0-9]+\r\n\r\n/)
  expect(answer.toString()).toContain(honestAnswer)
  expect(server.complaints).toEqual([])
})

/** What the first query brings; the sound answer to it has 135 bytes. */
const afterQuery: Partial<Record<FaultName, RegExp>> = {
  'wrong-length': /^Content-Length: 132\r\n\r\n.{135}$/,
  'negative-length': /^Content-Length: -5\r\n\r\n\{/,
  'hexadecimal-length': /^Content-Length: 0x10\r\n\r\n\{/,
  'huge-frame': /^Content-Length: 4294967296\r\n\r\n\{/,
  'endless-length': /^Content-Length: 9{400}\r\n\r\n\{/,
  'zero-length': /^Content-Length: 0\r\n\r\n\{/,
  'two-lengths': /^Content-Length: 135\r\nContent-Length: 2\r\n\r\n/,
  'no-length': /^X-Other: 1\r\n\r\n\{/,
  'lf-only': /^Content-Length: 135\n\n\{/,
  'header-bomb': /^Content-Length: 4\r\nX-Filler: x{1000}/,
  'many-headers': /^Content-Length: 4\r\n(X-Line: 1\r\n){100}/,
  'noise-lines': /^Loading plugin fake \(1 of 1\)\nContent-Length: 135\r\n\r\n\{.*\}$/,
  'noise-flood': /^(Loading plugin fake \(1 of 1\)\n){100}/,
  'noise-in-frame': /^Content-Length: 135\r\n\r\nLoading plugin\n\{/,
  'invalid-utf8': /^Content-Length: \d+\r\n\r\n\{.*,"spoilt":"\xff\xc3\("\}$/,
  bom: /^Content-Length: 138\r\n\r\n\xef\xbb\xbf\{/,
  'invalid-json': /^Content-Length: 34\r\n\r\n\{"jsonrpc":"2.0","id":2,"result":\[$/,
  'deep-nesting': /"result":\[{1000}/,
  batch: /^Content-Length: 40\r\n\r\n\[\{"jsonrpc":"2.0","id":2,"result":null\}\]$/,
  'cut-frame': /^Content-Length: 135\r\n\r\n\{"jsonr$/,
  'dies-mid-frame': /^Content-Length: 135\r\n\r\n\{"jsonr$/,
  'foreign-charset': /^Content-Length: 135\r\nContent-Type: .*charset=latin-1\r\n\r\n\{/,
  'stops-reading': /^$/,
  'unknown-id': /"id":987654,"result":"to nobody"\}Content.*"id":2,"result":\[\{/s,
  'id-zero': /"id":0,"result":"to nobody"\}Content.*"id":0,"method":"workspace\/conf.*"id":2,"result":\[\{/s,
  'answers-twice': /"id":2,"result":\[\{.*"id":2,"result":\[\{/s,
  'string-id': /"id":"2","result":\[\{/,
  'answers-late': /^$/,
  'out-of-order': /^$/,
  'result-and-error': /"id":2,"result":\[\],"error":\{"code":-32603/,
  'neither-result-nor-error': /\r\n\r\n\{"jsonrpc":"2.0","id":2\}$/,
  'null-results': /"id":2,"result":null\}$/,
  'wrong-shape': /"id":2,"result":"not what was asked for"\}$/,
  'request-failed': /"error":\{"code":-32803/,
  'method-not-found': /"error":\{"code":-32601/,
  'not-initialized': /"error":\{"code":-32002/,
  'server-cancelled': /"error":\{"code":-32802,.*"data":\{"retriggerRequest":true\}/,
  'request-cancelled': /"error":\{"code":-32800/,
  'huge-error': /"code":1.5e300,"message":"x{1000}/,
  'wild-positions': /"start":\{"line":-1,"character":-1\}.*9007199254740992/,
  'wild-uris': /"uri":"jdt:\/\/contents.*"uri":"file:\/\/\/etc\/shadow"/,
  'floods-log': /step 0".*step 9999".*"id":2,"result":\[\{/s,
  'applies-edits':
    /"method":"workspace\/applyEdit".*"uri":"untitled:a.fake","version":null.*"id":2,"result":\[/s,
  'shows-documents': /"method":"window\/showDocument".*"id":2,"result":\[/s,
  'asks-the-user': /"method":"window\/showMessageRequest".*"id":2,"result":\[/s,
  'client-only-methods':
    /"method":"textDocument\/hover".*"method":"shutdown".*"method":"exit".*"id":2,"result"/s,
  unregisters: /"id":2,"result":\[.*"method":"client\/unregisterCapability"/s,
  'asks-for-secrets': /"method":"workspace\/configuration".*secretAccessKey.*"id":2,"result":\[/s,
  'tells-telemetry': /"method":"telemetry\/event","params":\{"source":"def a"\}.*"id":2,"result":\[/s,
  'silent-on-queries': /^$/,
  'demands-answers': /^$/,
  'unknown-server-request': /^$/,
  'dies-mid-request': /^$/,
  'exits-unasked': /^$/,
}

test.each(Object.entries(afterQuery))(
  '%s: what the client gets for its first query',
  async (name, expected) => {
    const fault = names.find(known => known === name)
    const { answer } = await transcript(fault === undefined ? {} : faults[fault])
    expect(answer.toString('latin1')).toMatch(expected)
  },
)

const afterOpening: Partial<Record<FaultName, RegExp>> = {
  'old-diagnostics': /"version":1,.*ERROR old.*"version":1,.*ERROR old/s,
  'old-diagnostics-unversioned': /^((?!"version").)*ERROR old((?!"version").)*ERROR old((?!"version").)*$/s,
  'future-diagnostics': /"version":1002,"diagnostics":\[\]\}\}$/,
  'flapping-diagnostics': /ERROR old.*"diagnostics":\[\].*"diagnostics":\[\]\}\}$/s,
  'silent-diagnostics': /^$/,
  'foreign-diagnostics': /file:\/\/\/outside/,
  'slow-diagnostics': /^((?!"version":2).)*$/s,
  'registers-late':
    /"method":"client\/registerCapability","params":\{"registrations":\[\{"id":"late","method":"textDocument\/ref/,
  'wild-progress': /"kind":"begin".*"kind":"begin".*"kind":"end".*"kind":"end"/s,
  'progress-never-ends': /"method":"window\/workDoneProgress\/create"/,
  'demands-answers': /"method":"workspace\/configuration","params":\{"items":\[\{"section":"fake"\},\{/,
  'unknown-server-request': /"id":"fake-1","method":"fake\/unknown"/,
}

test.each(Object.entries(afterOpening))(
  '%s: what the client gets for opening and changing',
  async (name, expected) => {
    const fault = names.find(known => known === name)
    const { opening } = await transcript(fault === undefined ? {} : faults[fault])
    expect(opening.toString()).toMatch(expected)
  },
)

const afterInitialize: Partial<Record<FaultName, RegExp>> = {
  'silent-on-initialize': /^$/,
  'slow-initialize': /^$/,
  'dies-before-initialize': /^$/,
  'shim-without-tool': /^$/,
  'dies-during-initialize': /^$/,
  'dies-after-initialize': /"id":1,"result":\{"capabilities"/,
  'refuses-initialize': /"error":\{"code":-32803,.*"data":\{"retry":false\}/,
  'refuses-initialize-once': /"error":\{"code":-32803,.*"data":\{"retry":true\}/,
  'no-capabilities': /"id":1,"result":\{\}\}$/,
  'null-initialize': /"id":1,"result":null\}$/,
  'speaks-too-early': /logMessage.*"method":"workspace\/configuration".*publishDiagnostics.*"id":1,"result"/s,
  'foreign-encoding': /"positionEncoding":"utf-7"/,
  'huge-capabilities': /"experimental":"x{1000}/,
  'no-server-info': /^((?!serverInfo).)*$/s,
  'noise-lines': /^Loading plugin fake \(1 of 1\)\nLoading plugin fake \(1 of 1\)\nContent-Length/,
  'answers-twice': /"id":1,"result".*"id":1,"result"/s,
  'registers-late': /^((?!referencesProvider).)*$/s,
}

test.each(Object.entries(afterInitialize))(
  '%s: what the client gets for initialize',
  async (name, expected) => {
    const fault = names.find(known => known === name)
    const { handshake } = await transcript(fault === undefined ? {} : faults[fault])
    expect(handshake.toString()).toMatch(expected)
  },
)

test.each([
  ['dies-before-initialize', { code: 1 }],
  ['dies-after-initialize', { code: 1 }],
  ['dies-in-a-loop', { code: 1 }],
  ['dies-mid-request', { signal: 'SIGKILL' }],
  ['dies-mid-frame', { code: 1 }],
  ['exits-unasked', { code: 0 }],
] as const)('%s ends the server', async (name, exit) => {
  const { server } = await transcript(faults[name])
  expect(await server.exited).toEqual(exit)
})

test('C04 dies-on-poison ends the server for one file only', async () => {
  const server = fakeServer(faults['dies-on-poison'])
  const client = plainClient(server)
  await client.initialize()
  const hover = (file: string) =>
    client.connection.sendRequest('textDocument/hover', {
      textDocument: { uri: `untitled:${file}` },
      position: { line: 0, character: 0 },
    })
  expect(await hover('healthy.fake')).toBeNull()
  // The library never settles a request whose connection closed, so it is the server that is asked.
  void hover('poison.fake')
  expect(await server.exited).toEqual({ signal: 'SIGSEGV' })
})

test.each([
  ['content-modified-3', [-32801, -32801, -32801, null, null]],
  ['content-modified-4', [-32801, -32801, -32801, -32801, null]],
] as const)('P10 %s, then the answer; only for the method it is put on', async (name, outcomes) => {
  const client = plainClient(fakeServer(faultOn(name, 'textDocument/hover')))
  await client.initialize()
  const params = { textDocument: { uri }, position: { line: 0, character: 0 } }
  for (const outcome of outcomes) {
    expect(await client.connection.sendRequest('textDocument/definition', params)).toBeNull()
    const asked = client.connection.sendRequest('textDocument/hover', params)
    if (outcome === null) expect(await asked).toBeNull()
    else await expect(asked).rejects.toMatchObject({ code: outcome })
  }
})

test('P04 answers-late answers after the cancellation, and only that request', async () => {
  const { send, taken } = await transcript(faults['answers-late'])
  send({ method: '$/cancelRequest', params: { id: 77 } })
  expect((await taken('$/cancelRequest')).toString()).toBe('')
  send({ method: '$/cancelRequest', params: { id: 2 } })
  expect((await taken('$/cancelRequest', 2)).toString()).toContain(honestAnswer)
})

test('P01 out-of-order answers the second query first', async () => {
  const { send, taken } = await transcript(faults['out-of-order'])
  send({ id: 3, method: 'workspace/symbol', params: { query: 'a' } })
  expect((await taken('workspace/symbol')).toString()).toMatch(/"id":3,.*"id":2,/s)
})

test.each(['demands-answers', 'unknown-server-request'] as const)(
  'H09 %s answers once it was answered',
  async name => {
    const server = fakeServer(faults[name])
    const client = plainClient(server)
    await client.initialize()
    expect(await client.connection.sendRequest('workspace/symbol', { query: '' })).toEqual([])
    expect(client.asked.length).toBe(name === 'demands-answers' ? 3 : 1)
    expect(server.complaints).toEqual([])
  },
)

test('P27 registers-late serves what it registered, unregisters refuses what it withdrew', async () => {
  const params = { textDocument: { uri }, position: { line: 0, character: 0 } }
  for (const [name, second] of [
    ['registers-late', 'served'],
    ['unregisters', 'refused'],
  ] as const) {
    const client = plainClient(fakeServer(faults[name]))
    await client.initialize()
    expect(await client.connection.sendRequest('textDocument/references', params)).toBeNull()
    const again = client.connection.sendRequest('textDocument/references', params)
    if (second === 'served') expect(await again).toBeNull()
    else await expect(again).rejects.toMatchObject({ code: -32601 })
  }
})

test('H12 progress-never-ends begins, reports and answers in full', async () => {
  const client = plainClient(fakeServer(faults['progress-never-ends']))
  await client.initialize()
  expect(await client.notification('$/progress', 2)).toMatchObject({ value: { kind: 'report' } })
  expect(await client.connection.sendRequest('workspace/symbol', { query: '' })).toEqual([])
  expect(client.notified).toHaveLength(2)
})

test('F01 drips brings every byte alone, and the plain library reads it all the same', async () => {
  const server = fakeServer(faults.drips)
  const sizes = new Set<number>()
  server.reader.on('data', (chunk: Buffer) => sizes.add(chunk.length))
  const client = plainClient(server)
  await client.initialize()
  expect(await client.connection.sendRequest('workspace/symbol', { query: '' })).toEqual([])
  expect([...sizes]).toEqual([1])
})

test('F24 stops-reading leaves what is written to it in the pipe', async () => {
  const { server } = await transcript(faults['stops-reading'])
  const block = Buffer.alloc(64 * 1024)
  while (server.writer.write(block));
  expect(server.writer.writableNeedDrain).toBe(true)
  expect(server.log.at(-1)?.method).toBe('textDocument/references')
})

test('P20 floods-diagnostics publishes ten thousand times', async () => {
  const { opening } = await transcript(faults['floods-diagnostics'])
  expect(opening.toString().split('publishDiagnostics').length - 1).toBe(10_001)
})

test('P19 F20 the largest answers are whole', async () => {
  const { answer } = await transcript(faults['million-references'])
  const length = Number(/^Content-Length: (\d+)/.exec(answer.toString('latin1', 0, 40))?.[1])
  expect(answer.length).toBe(length + `Content-Length: ${length}\r\n\r\n`.length)
  const { result } = JSON.parse(answer.toString('latin1', answer.length - length))
  expect(result).toHaveLength(1_000_000)
})

test('faults combine: what each adds on top is kept', async () => {
  const { server, answer } = await transcript(
    combine(faults['noise-lines'], faults['unknown-id'], faultOn('null-results', 'textDocument/references')),
  )
  expect(answer.toString()).toMatch(/^Loading.*"id":987654.*"id":2,"result":null\}$/s)
  server.kill()
})
