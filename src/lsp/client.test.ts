// The client against the fake server, in one process and on a clock that moves by hand: handshake, deadlines, retries,
// cancellation, the answers it owes a server, and every way a conversation can end.

import { describe, expect, test } from 'vitest'
import { DefinitionRequest, HoverRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import {
  type ClientHarness,
  clientHarness,
  harnessRoot,
  neverAborted,
  watched,
} from '../../test/client-harness.js'
import {
  type Act,
  combine,
  type FaultName,
  faultOn,
  faults,
  type Script,
} from '../../test/fake-server/index.js'
import type { Message } from '../../test/fake-server/message.js'
import { BridgeError } from '../errors.js'
import type { ClientOptions } from './client.js'
import type { RequestOptions } from './requests.js'

const uri = 'file:///workspace/a.fake'
const position = { textDocument: { uri }, position: { line: 0, character: 5 } }
const references = { ...position, context: { includeDeclaration: true } }
const text = 'def area\nuse area\n'

async function connected(script: Script = {}, options: Partial<ClientOptions> = {}) {
  const harness = clientHarness(script, options)
  await harness.initialize()
  await harness.clock.settle()
  return harness
}

const milliseconds = 30_000

function ask({ client }: ClientHarness, options: Partial<RequestOptions> = {}) {
  return watched(
    client.request(ReferencesRequest, references, { signal: neverAborted(), milliseconds, ...options }),
  )
}

function hover({ client }: ClientHarness, options: Partial<RequestOptions> = {}) {
  return watched(client.request(HoverRequest, position, { signal: neverAborted(), milliseconds, ...options }))
}

function open({ client }: ClientHarness) {
  return client.documents.sync({ uri, languageId: 'fake', text, content: 'sha256:one' })
}

function methods({ server }: ClientHarness): (string | undefined)[] {
  return server.log.map(({ method }) => method)
}

/** What the client answers to a request of the server. */
async function answerTo(harness: ClientHarness, method: string, params?: object): Promise<Message> {
  const act: Act = { act: 'request', method, id: `ask-${method}`, waits: true }
  await harness.server.perform(
    params === undefined ? act : { ...act, params: JSON.parse(JSON.stringify(params)) },
  )
  const answer = harness.server.log.findLast(({ id }) => id === act.id)
  if (answer === undefined) throw new Error(`no answer to ${method}`)
  return answer
}

describe('handshake', () => {
  test('R-50, R-93 initialize, its result, initialized, and nothing before it is asked for', async () => {
    const harness = clientHarness(faults['slow-initialize'], { settings: { fake: { size: 1 } } })
    const done = harness.initialize()
    await harness.clock.advance(19_000)
    expect(methods(harness)).toEqual(['initialize'])
    await harness.clock.advance(1000)
    await done
    await harness.clock.settle()
    expect(methods(harness)).toEqual(['initialize', 'initialized', 'workspace/didChangeConfiguration'])
    const [initialize] = harness.server.log
    expect(initialize?.params).toMatchObject({
      processId: null,
      rootUri: expect.stringContaining(harnessRoot),
      workspaceFolders: [{ uri: expect.stringContaining(harnessRoot) }],
    })
    expect(initialize?.params).not.toHaveProperty('rootPath')
    expect(harness.client.identity).toEqual({ name: 'fake', version: '1.0.0' })
    expect(harness.server.complaints).toEqual([])
  })

  test('R-92 the client announces what the product uses', async () => {
    const { server } = await connected()
    expect(server.log[0]?.params).toMatchObject({
      capabilities: {
        general: { positionEncodings: ['utf-16', 'utf-8', 'utf-32'] },
        window: { workDoneProgress: true },
        workspace: { configuration: true, didChangeWatchedFiles: { dynamicRegistration: true } },
        textDocument: {
          hover: {},
          completion: {},
          references: {},
          definition: { linkSupport: true },
          implementation: {},
          typeDefinition: {},
          declaration: {},
          codeAction: {},
          publishDiagnostics: { versionSupport: true },
        },
      },
    })
  })

  test.each(['no-capabilities', 'null-initialize', 'foreign-encoding'] as const)(
    'H03, H05 %s is refused, and no default is assumed',
    async fault => {
      const harness = clientHarness(faults[fault])
      await expect(harness.initialize()).rejects.toMatchObject({
        kind: 'ServerUnavailable',
        hint: expect.any(String),
      })
      await harness.clock.settle()
      expect(methods(harness)).not.toContain('initialized')
      expect(harness.client.supports(ReferencesRequest)).toBe(false)
    },
  )

  test('H05 an encoding that was offered is taken, one that was held back is not', async () => {
    const { client } = await connected({ positionEncoding: 'utf-8' })
    expect(client.encoding).toBe('utf-8')
    const narrow = clientHarness({ positionEncoding: 'utf-8' }, { positionEncodings: ['utf-16'] })
    await expect(narrow.initialize()).rejects.toMatchObject({ kind: 'ServerUnavailable' })
  })

  test('H02 an error that invites to try again is tried again, once', async () => {
    const { client } = await connected(faults['refuses-initialize-once'])
    expect(client.supports(ReferencesRequest)).toBe(true)
    const inviting: Act = { act: 'error', code: -32803, message: 'busy', data: { retry: true } }
    const busy = clientHarness({ rules: [{ on: 'initialize', do: [inviting] }] })
    await expect(busy.initialize()).rejects.toThrow('busy')
    expect(methods(busy)).toEqual(['initialize', 'initialize'])
    const final = clientHarness(faults['refuses-initialize'])
    await expect(final.initialize()).rejects.toThrow('no licence found')
    expect(methods(final)).toEqual(['initialize'])
  })

  test('H01, R-62 a server that never answers initialize costs 300 s at most', async () => {
    const harness = clientHarness(faults['silent-on-initialize'])
    const start = watched(harness.initialize())
    await harness.clock.advance(299_999)
    expect(start.outcome).toBeUndefined()
    await harness.clock.advance(1)
    expect(start.outcome).toMatchObject({ kind: 'RequestTimeout' })
    // A start that fails is the supervisor's business, not a sign of a server that hung later.
    expect(harness.hung).toEqual([])
  })

  test.each(['speaks-too-early', 'answers-twice', 'demands-answers', 'unknown-server-request'] as const)(
    'H04, H08, H09 %s does not keep it from working, in no time',
    async fault => {
      const harness = await connected(faults[fault])
      open(harness)
      const answer = ask(harness)
      await harness.clock.settle()
      expect(answer.outcome).toHaveLength(2)
      expect(harness.clock.now()).toBe(0)
      expect(harness.server.complaints).toEqual([])
    },
  )

  test('H06, H10 five megabytes of capabilities fit, and a server without a name goes by its title', async () => {
    const { client } = await connected(faults['huge-capabilities'], { frameLimitBytes: 10_000_000 })
    expect(client.identity).toEqual({ name: 'Fake', version: undefined })
    const nameless = await connected(faults['no-server-info'])
    expect(nameless.client.identity).toEqual({ name: 'Fake', version: undefined })
  })
})

describe('capabilities', () => {
  test('R-10, R-95 a request that the server does not offer is never sent', async () => {
    const harness = await connected({ capabilities: { referencesProvider: null } })
    const answer = ask(harness)
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'CapabilityMissing', hint: expect.any(String) })
    expect(methods(harness)).not.toContain('textDocument/references')
    expect(harness.server.complaints).toEqual([])
  })

  test('R-90, C7, P27 what is registered later is offered, what is withdrawn is not', async () => {
    const harness = await connected(faults.unregisters)
    open(harness)
    expect(harness.client.supports(ReferencesRequest)).toBe(true)
    const first = ask(harness)
    await harness.clock.settle()
    expect(first.outcome).toHaveLength(2)
    const second = ask(harness)
    await harness.clock.settle()
    expect(second.outcome).toMatchObject({ kind: 'CapabilityMissing' })
    expect(harness.server.log.filter(({ id, result }) => id !== undefined && result === null)).toHaveLength(2)
    expect(harness.server.complaints).toEqual([])
  })

  test('C7 a server that registers right after the handshake is given a moment, and no more than that', async () => {
    const harness = await connected({ capabilities: { referencesProvider: false } })
    const { client, clock } = harness
    const never = new AbortController().signal
    const late = client.offers(ReferencesRequest, never)
    client.capabilities.register([])
    await clock.advance(999)
    await expect(Promise.race([late, Promise.resolve('waiting')])).resolves.toBe('waiting')
    await clock.advance(1)
    expect(await late).toBe(false)
    // Once it is no longer young, the answer comes at once.
    expect(await client.offers(ReferencesRequest, never)).toBe(false)
    client.capabilities.register([{ id: '1', method: ReferencesRequest.method }])
    expect(await client.offers(ReferencesRequest, never)).toBe(true)
  })

  test('P14 what is declared and then refused counts as missing from then on', async () => {
    const harness = await connected(faultOn('method-not-found', 'textDocument/references'))
    const first = ask(harness)
    await harness.clock.settle()
    expect(first.outcome).toMatchObject({ kind: 'CapabilityMissing' })
    expect(harness.client.supports(ReferencesRequest)).toBe(false)
    expect(harness.client.supports(HoverRequest)).toBe(true)
  })
})

describe('retries', () => {
  const sent = (harness: ClientHarness) =>
    methods(harness).filter(method => method === 'textDocument/references').length

  test('R-84, P10 content modified is asked again after 0.5, 1 and 2 s, and then answered', async () => {
    const harness = await connected(faults['content-modified-3'])
    open(harness)
    const answer = ask(harness)
    for (const [wait, count] of [
      [0, 1],
      [499, 1],
      [1, 2],
      [999, 2],
      [1, 3],
      [1999, 3],
      [1, 4],
    ] as const) {
      await harness.clock.advance(wait)
      expect(sent(harness)).toBe(count)
    }
    expect(answer.outcome).toHaveLength(2)
  })

  test('R-84, P10 after the third retry it is told', async () => {
    const harness = await connected(faults['content-modified-4'])
    const answer = ask(harness)
    await harness.clock.advance(3500)
    expect(answer.outcome).toMatchObject({ kind: 'ContentModified', hint: expect.any(String) })
    expect(sent(harness)).toBe(4)
  })

  test('R-84 a retry that would come after the deadline is not waited for', async () => {
    const harness = await connected(faults['content-modified-4'])
    const answer = ask(harness, { milliseconds: 1200 })
    await harness.clock.advance(500)
    expect(answer.outcome).toMatchObject({ kind: 'ContentModified' })
    expect(sent(harness)).toBe(2)
  })

  test('R-99 an abort ends the wait for a retry', async () => {
    const harness = await connected(faults['content-modified-4'])
    const abort = new AbortController()
    const answer = ask(harness, { signal: abort.signal })
    await harness.clock.advance(100)
    abort.abort()
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'Cancelled' })
    await harness.clock.advance(60_000)
    expect(sent(harness)).toBe(1)
  })

  test.each(['server-cancelled', 'request-cancelled'] as const)(
    'P11, P12 %s is asked again, once',
    async fault => {
      const harness = await connected(faults[fault])
      open(harness)
      const answer = ask(harness)
      await harness.clock.settle()
      expect(answer.outcome).toHaveLength(2)
      expect(sent(harness)).toBe(2)
      const [rule] = faults[fault].rules ?? []
      const always = await connected({ rules: [{ on: '@query', do: rule?.do ?? [] }] })
      const refused = ask(always)
      await always.clock.settle()
      expect(refused.outcome).toMatchObject({ kind: 'ServerError' })
      expect(sent(always)).toBe(2)
    },
  )

  test('P11 a server that does not want to be asked again is not', async () => {
    const data = { retriggerRequest: false }
    const harness = await connected({
      rules: [{ on: '@query', do: [{ act: 'error', code: -32802, message: 'no', data }] }],
    })
    const answer = ask(harness)
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'ServerError' })
    expect(sent(harness)).toBe(1)
  })
})

describe('errors', () => {
  test.each([
    ['request-failed', 'ServerError', 'debug'],
    ['not-initialized', 'ServerError', 'warning'],
    ['method-not-found', 'CapabilityMissing', 'warning'],
    ['result-and-error', 'ServerError', 'debug'],
    ['neither-result-nor-error', 'ServerError', 'debug'],
    ['huge-error', 'ServerError', 'debug'],
  ] as const)('R-83, P05, P13 to P16 %s becomes %s and is logged as %s', async (fault, kind, level) => {
    const harness = await connected(faults[fault], { frameLimitBytes: 10_000_000 })
    const answer = ask(harness)
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({ kind, hint: expect.any(String) })
    if (answer.outcome instanceof BridgeError) expect(answer.outcome.message.length).toBeLessThan(2200)
    const logged = harness.emitted('server.logged')
    expect(logged.map(event => event.level)).toEqual([level])
    expect(logged[0]?.message.length).toBeLessThan(500)
  })
})

describe('timeouts and aborts', () => {
  const deaf = faultOn('silent-on-queries', 'textDocument/references')

  test('R-85 after 30 s the request is cancelled on the server, and the session lives on', async () => {
    const harness = await connected(deaf)
    open(harness)
    const answer = ask(harness)
    await harness.clock.advance(29_999)
    expect(answer.outcome).toBeUndefined()
    await harness.clock.advance(1)
    expect(answer.outcome).toMatchObject({
      kind: 'RequestTimeout',
      hint: expect.stringContaining('timeout_ms'),
    })
    const asked = await harness.server.received('textDocument/references')
    const cancel = await harness.server.received('$/cancelRequest')
    expect(cancel.params).toEqual({ id: asked.id })
    const next = hover(harness)
    await harness.clock.settle()
    expect(next.outcome).toMatchObject({ contents: { kind: 'markdown' } })
    expect(harness.emitted('request.finished').map(event => event.outcome)).toEqual([
      'responded',
      'timed_out',
      'responded',
    ])
  })

  test('R-99, C25 an abort ends the call at once, cancels on the server and leaves the session alive', async () => {
    const harness = await connected(deaf)
    open(harness)
    const abort = new AbortController()
    const answer = ask(harness, { signal: abort.signal })
    await harness.clock.advance(10)
    abort.abort()
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'Cancelled' })
    const asked = await harness.server.received('textDocument/references')
    expect((await harness.server.received('$/cancelRequest')).params).toEqual({ id: asked.id })
    const next = hover(harness)
    await harness.clock.settle()
    expect(next.outcome).toMatchObject({ contents: {} })
    const late = ask(harness, { signal: abort.signal })
    await harness.clock.settle()
    expect(late.outcome).toMatchObject({ kind: 'Cancelled' })
    expect(methods(harness).filter(method => method === 'textDocument/references')).toHaveLength(1)
    // What nobody waits for must not come back as an unhandled failure either.
    harness.server.kill()
    await harness.clock.settle()
  })

  test('P04 an answer that comes after its request was given up is dropped', async () => {
    const harness = await connected(faultOn('answers-late', 'textDocument/references'))
    open(harness)
    const answer = ask(harness, { milliseconds: 1000 })
    await harness.clock.advance(1000)
    expect(answer.outcome).toMatchObject({ kind: 'RequestTimeout' })
    const next = hover(harness)
    await harness.clock.settle()
    expect(next.outcome).toMatchObject({ contents: {} })
    expect(harness.emitted('server.logged')).toEqual([])
  })

  test('R-73, R-75, C09 after three timeouts a probe is sent, and no answer to it means that the server hangs', async () => {
    const harness = await connected(faults['silent-on-queries'])
    for (let timeout = 1; timeout <= 3; timeout += 1) {
      expect(methods(harness)).not.toContain('alidade/ping')
      const answer = ask(harness)
      await harness.clock.advance(30_000)
      expect(answer.outcome).toMatchObject({ kind: 'RequestTimeout' })
    }
    await harness.server.received('alidade/ping')
    await harness.clock.advance(9999)
    expect(harness.hung).toEqual([])
    await harness.clock.advance(1)
    expect(harness.hung).toEqual([expect.stringContaining('probe')])
  })

  test('R-73 an answer to the probe, an error as well, shows that it lives', async () => {
    const harness = await connected(deaf)
    for (let timeout = 1; timeout <= 7; timeout += 1) {
      ask(harness)
      await harness.clock.advance(30_000)
    }
    const probes = methods(harness).filter(method => method === 'alidade/ping')
    // The count begins anew after each answer: after three and after six.
    expect(probes).toHaveLength(2)
    await harness.clock.advance(600_000)
    expect(harness.hung).toEqual([])
  })

  test('R-73 any answer between the timeouts sets the count back', async () => {
    const harness = await connected(deaf)
    open(harness)
    for (let timeout = 1; timeout <= 6; timeout += 1) {
      ask(harness)
      await harness.clock.advance(30_000)
      if (timeout % 2 === 0) hover(harness)
      await harness.clock.settle()
    }
    expect(methods(harness)).not.toContain('alidade/ping')
  })

  test('R-73 an abort is no timeout', async () => {
    const harness = await connected(deaf)
    for (let round = 1; round <= 5; round += 1) {
      const abort = new AbortController()
      ask(harness, { signal: abort.signal })
      abort.abort()
      await harness.clock.settle()
    }
    expect(methods(harness)).not.toContain('alidade/ping')
  })
})

describe('ids', () => {
  test.each(['unknown-id', 'id-zero', 'answers-twice', 'out-of-order'] as const)(
    'P01, P02, R-82 %s: every request gets its own answer',
    async fault => {
      const harness = await connected(faults[fault])
      open(harness)
      const found = ask(harness)
      const hovered = hover(harness)
      const defined = watched(
        harness.client.request(DefinitionRequest, position, { signal: neverAborted(), milliseconds }),
      )
      await harness.clock.settle()
      expect(found.outcome).toHaveLength(2)
      expect(hovered.outcome).toMatchObject({ contents: { value: '```fake\ndef area\n```' } })
      expect(defined.outcome).toEqual([{ uri, range: expect.anything() }])
      expect(harness.server.complaints).toEqual([])
    },
  )

  test('P03 an answer under the id as text answers nobody', async () => {
    const harness = await connected(faultOn('string-id', 'textDocument/references'))
    const answer = ask(harness, { milliseconds: 2000 })
    await harness.clock.advance(2000)
    expect(answer.outcome).toMatchObject({ kind: 'RequestTimeout' })
  })

  test('R-82 our ids are growing integers', async () => {
    const harness = await connected()
    for (let round = 0; round < 5; round += 1) ask(harness)
    await harness.clock.settle()
    const ids = harness.server.log.flatMap(({ id, method }) =>
      method !== undefined && id !== undefined ? [id] : [],
    )
    expect(ids.every(id => Number.isInteger(id))).toBe(true)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => Number(a) - Number(b)))
  })
})

describe('requests of the server', () => {
  test('R-86, C8, P29 configuration is answered by section, one value for each item asked for', async () => {
    const settings = { fake: { size: 3, colour: 'red' }, 'fake.dotted': true }
    const harness = await connected({}, { settings })
    const sections = [
      'fake',
      'fake.size',
      'fake.dotted',
      'aws.secretAccessKey',
      '__proto__.polluted',
      undefined,
    ]
    const items = sections.map(section => ({ section }))
    const answer = await answerTo(harness, 'workspace/configuration', { items })
    expect(answer.result).toEqual([settings.fake, 3, true, null, null, settings])
    const none = await answerTo(harness, 'workspace/configuration', {})
    expect(none.result).toEqual([])
    const empty = await connected({}, { unsetConfiguration: {} })
    expect((await answerTo(empty, 'workspace/configuration', { items: [{ section: 'x' }] })).result).toEqual([
      {},
    ])
  })

  test('P24, P25 nothing is written and nothing is opened', async () => {
    const harness = await connected()
    expect((await answerTo(harness, 'workspace/applyEdit', { edit: { changes: {} } })).result).toMatchObject({
      applied: false,
    })
    expect(
      (await answerTo(harness, 'window/showDocument', { uri: 'https://example.invalid' })).result,
    ).toEqual({
      success: false,
    })
    expect(
      (await answerTo(harness, 'window/showMessageRequest', { type: 1, message: 'Really?' })).result,
    ).toBeNull()
    const warnings = harness.emitted('server.logged').filter(({ level }) => level === 'warning')
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('workspace/applyEdit'),
      expect.stringContaining('window/showDocument'),
    ])
  })

  test('R-91, C6, P26 an unknown request gets null, or an error where the preset says so', async () => {
    const harness = await connected()
    expect(await answerTo(harness, 'fake/unknown', {})).toMatchObject({
      id: 'ask-fake/unknown',
      result: null,
    })
    expect(await answerTo(harness, 'textDocument/hover', {})).toMatchObject({ result: null })
    const strict = await connected({}, { unknownRequest: 'method-not-found' })
    expect(await answerTo(strict, 'fake/unknown', {})).toMatchObject({ error: { code: -32601 } })
    expect(await answerTo(strict, 'client/registerCapability', { registrations: [] })).toMatchObject({
      result: null,
    })
  })

  test('R-100 the workspace folders are told when asked for', async () => {
    const harness = await connected()
    expect((await answerTo(harness, 'workspace/workspaceFolders')).result).toEqual([
      { uri: expect.stringContaining(harnessRoot), name: expect.any(String) },
    ])
  })
})

describe('notifications of the server', () => {
  const progress = (token: string | number, value: object): Act => ({
    act: 'notify',
    method: '$/progress',
    params: { token, value: JSON.parse(JSON.stringify(value)) },
  })

  test('R-87, R-88 progress is created, begun, reported and ended', async () => {
    const harness = await connected()
    const { client, server, clock } = harness
    expect(await answerTo(harness, 'window/workDoneProgress/create', { token: 7 })).toMatchObject({
      result: null,
    })
    await server.perform(progress(7, { kind: 'begin', title: 'Indexing', percentage: 0 }))
    await clock.settle()
    expect(client.progress.open()).toEqual([
      { token: '7', title: 'Indexing', message: undefined, percent: 0 },
    ])
    await server.perform(progress(7, { kind: 'report', message: '1 of 2', percentage: 50 }))
    await clock.settle()
    expect(client.progress.open()).toMatchObject([{ title: 'Indexing', message: '1 of 2', percent: 50 }])
    await server.perform(progress(7, { kind: 'end' }))
    await clock.settle()
    expect(client.progress.open()).toEqual([])
    expect(harness.emitted('server.progress').map(({ message }) => message)).toEqual([
      'Indexing (0 %)',
      'Indexing: 1 of 2 (50 %)',
      'Indexing (50 %)',
    ])
  })

  test('P28 progress under a token never created, begun and ended twice, leaves nothing open', async () => {
    const { client } = await connected(faults['wild-progress'])
    expect(client.progress.open()).toEqual([])
  })

  test('R-88 the end of the named progress makes it ready', async () => {
    const harness = await connected(faults['partial-before-ready'], {
      readiness: { kind: 'progress', token: 'fake-index', beginsWithinMs: 1000, reason: 'It indexes.' },
    })
    const settled = watched(harness.client.readiness.settle({ milliseconds: 10_000, signal: neverAborted() }))
    await harness.clock.advance(299)
    expect(settled.outcome).toBeUndefined()
    await harness.clock.advance(1)
    expect(settled.outcome).toEqual({ ready: true, complaint: undefined })
    expect(harness.ready).toEqual([true])
  })

  test('R-96, P30, R-98 what it shows or logs is passed on with its level, telemetry and the unknown are not', async () => {
    const harness = await connected()
    const say = (method: string, params: object): Act => ({
      act: 'notify',
      method,
      params: JSON.parse(JSON.stringify(params)),
    })
    await harness.server.perform(
      say('window/logMessage', { type: 1, message: 'bad\u001b[31m' }),
      say('window/showMessage', { type: 2, message: 'odd' }),
      say('window/logMessage', { type: 4, message: 'chatter' }),
      say('window/logMessage', { message: 7 }),
      say('telemetry/event', { source: 'secret' }),
      say('fake/unknown', { any: true }),
    )
    await harness.clock.settle()
    expect(harness.emitted('server.logged')).toMatchObject([
      { level: 'error', channel: 'log', message: 'bad' },
      { level: 'warning', channel: 'show', message: 'odd' },
      { level: 'debug', channel: 'log', message: 'chatter' },
    ])
    const answer = ask(harness)
    await harness.clock.settle()
    expect(answer.outcome).not.toBeInstanceOf(BridgeError)
  })

  test('R-94, P21 a push with a broken address or content is no report, and does no harm', async () => {
    const harness = await connected({ diagnostics: 'none' })
    const document = open(harness)
    const publish = (params: object): Act => ({
      act: 'notify',
      method: 'textDocument/publishDiagnostics',
      params: JSON.parse(JSON.stringify(params)),
    })
    await harness.server.perform(
      publish({ uri: 7, diagnostics: [] }),
      publish({ uri, diagnostics: 'none' }),
      publish({ uri, version: document.version, diagnostics: [{ message: 'without a range' }] }),
      publish({ uri: 'file:///elsewhere.fake', version: document.version, diagnostics: [] }),
    )
    const report = watched(
      harness.client.diagnostics.report(document, { milliseconds: 1000, signal: neverAborted() }),
    )
    await harness.clock.advance(1000)
    expect(report.outcome).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('1 s') })
    expect(harness.emitted('server.logged')).toMatchObject([{ level: 'warning' }])
  })

  test('P22, D02 a push on a text that is gone is no news; one on a file that is not open is', async () => {
    const harness = await connected({ diagnostics: 'none' })
    const first = open(harness)
    const second = harness.client.documents.sync({ ...first, text: 'def area\n', content: 'sha256:two' })
    await harness.clock.settle()
    const diagnostics: Act = { act: 'publish', version: 'previous', uri, diagnostics: [] }
    await harness.server.perform(
      diagnostics,
      { ...diagnostics, version: 'current' },
      { ...diagnostics, version: 'none', uri: 'file:///workspace/b.fake' },
    )
    await harness.clock.settle()
    expect(harness.emitted('diagnostics.published')).toMatchObject([
      { uri, version: second.version },
      { uri: 'file:///workspace/b.fake' },
    ])
    expect(harness.client.diagnostics.dropped).toBe(1)
  })
})

describe('the end', () => {
  test('R-59 shutdown and exit go out in this order and without params', async () => {
    const harness = await connected()
    await harness.client.shutdown(5000)
    expect(await harness.server.exited).toEqual({ code: 0 })
    const last = harness.server.log.slice(-2)
    expect(last.map(({ method }) => method)).toEqual(['shutdown', 'exit'])
    for (const message of last) expect(message).not.toHaveProperty('params')
    expect(harness.server.complaints).toEqual([])
  })

  test('C10 a server that does not answer shutdown is told to exit all the same', async () => {
    const harness = await connected(faults['ignores-shutdown'])
    const stop = watched(harness.client.shutdown(5000).then(() => 'done'))
    await harness.clock.advance(4999)
    expect(methods(harness)).not.toContain('exit')
    await harness.clock.advance(1)
    expect(methods(harness)).toContain('exit')
    expect(stop.outcome).toBe('done')
  })

  test('C05 a death in shutdown is no failure of the shutdown', async () => {
    const harness = await connected(faults['dies-in-shutdown'])
    await harness.client.shutdown(5000)
    expect(harness.clock.now()).toBe(0)
  })

  test('R-63, C03 the death of the server fails all that is pending at once, and everything later', async () => {
    const harness = await connected(faults['silent-on-queries'])
    const pending = Array.from({ length: 100 }, () => ask(harness))
    await harness.server.received('textDocument/references', 100)
    harness.server.kill()
    await harness.clock.settle()
    for (const { outcome } of pending) expect(outcome).toMatchObject({ kind: 'ServerRestarting' })
    expect(harness.clock.now()).toBe(0)
    const late = ask(harness)
    await harness.clock.settle()
    expect(late.outcome).toMatchObject({ kind: 'ServerRestarting' })
    expect(await harness.client.closed).toMatchObject({ kind: 'ServerRestarting' })
    await harness.client.shutdown(5000)
  })

  test('R-63, D09 whoever waits for a report or for readiness is let go as well', async () => {
    const harness = await connected(faults['silent-diagnostics'], {
      readiness: { kind: 'log-line', pattern: /never/, reason: 'It says so.' },
    })
    const { client, clock, server } = harness
    const document = open(harness)
    const report = watched(
      client.diagnostics.report(document, { milliseconds: 15_000, signal: neverAborted() }),
    )
    const readiness = watched(client.readiness.settle({ milliseconds: 15_000, signal: neverAborted() }))
    await clock.settle()
    server.kill()
    await clock.settle()
    expect(report.outcome).toMatchObject({ kind: 'ServerRestarting' })
    expect(readiness.outcome).toEqual({ ready: false, reason: 'it is no longer there' })
    const late = watched(
      client.diagnostics.report(document, { milliseconds: 15_000, signal: neverAborted() }),
    )
    await clock.settle()
    expect(late.outcome).toMatchObject({ kind: 'ServerRestarting' })
    expect(clock.now()).toBe(0)
    expect(harness.ready).toEqual([])
  })

  test('C03 while the cause of an end is being found out calls wait for it, and nothing throws', async () => {
    let explain: (cause: BridgeError) => void = () => {}
    const explanation = new Promise<BridgeError>(resolve => {
      explain = resolve
    })
    const harness = await connected({}, { explainEnd: () => explanation })
    const document = open(harness)
    await harness.clock.settle()
    harness.server.kill()
    await harness.clock.settle()
    const late = ask(harness)
    const hasty = ask(harness, { milliseconds: 100 })
    harness.client.documents.sync({ ...document, text: 'changed', content: 'sha256:two' })
    await harness.client.shutdown(5000)
    await harness.clock.advance(100)
    expect(late.outcome).toBeUndefined()
    expect(hasty.outcome).toMatchObject({ kind: 'RequestTimeout' })
    explain(new BridgeError({ kind: 'ServerRestarting', message: 'it was killed' }))
    await harness.clock.settle()
    expect(late.outcome).toMatchObject({ kind: 'ServerRestarting', message: 'it was killed' })
  })

  test('S13, C03 a broken pipe is explained by the death behind it', async () => {
    const harness = await connected(faults['silent-on-queries'])
    const answer = ask(harness)
    await harness.server.received('textDocument/references')
    harness.server.writer.destroy(new Error('write EPIPE'))
    await harness.clock.settle()
    harness.server.kill()
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({
      kind: 'ServerRestarting',
      message: expect.stringContaining('died'),
    })
  })

  test('R-73 a third timeout after the end of the stream is still a timeout', async () => {
    const harness = await connected(faults['silent-on-queries'], { explainEnd: () => new Promise(() => {}) })
    const answers = [ask(harness), ask(harness), ask(harness)]
    await harness.server.received('textDocument/references', 3)
    harness.server.kill()
    await harness.clock.advance(30_000)
    for (const { outcome } of answers) expect(outcome).toMatchObject({ kind: 'RequestTimeout' })
  })

  test.each([
    'wrong-length',
    'negative-length',
    'huge-frame',
    'endless-length',
    'zero-length',
    'two-lengths',
    'many-headers',
    'foreign-charset',
  ] as const satisfies readonly FaultName[])(
    'F03 to F23 %s ends the conversation with Wire, and every pending request with it',
    async fault => {
      const deaf = faultOn('silent-on-queries', 'textDocument/hover')
      const harness = await connected(combine(deaf, faultOn(fault, 'textDocument/references')))
      open(harness)
      const waiting = hover(harness)
      const answer = ask(harness)
      await harness.clock.settle()
      // A length that is short shows only at the next frame.
      if (fault === 'wrong-length') await harness.server.perform({ act: 'notify', method: 'fake/next' })
      await harness.clock.settle()
      expect([waiting.outcome, answer.outcome]).toMatchObject([
        { kind: 'Wire' },
        { kind: expect.any(String) },
      ])
      expect(await harness.client.closed).toMatchObject({ kind: 'Wire', hint: expect.any(String) })
    },
  )

  test('F20 a frame over the limit says which limit to raise', async () => {
    const body = ['{"jsonrpc":"2.0","id":{id},"result":"', { repeat: 'x', times: 2_000_000 }, '"}']
    const harness = await connected({ rules: [{ on: '@query', do: [{ act: 'frame', body }] }] })
    const answer = ask(harness)
    await harness.clock.settle()
    expect(answer.outcome).toMatchObject({ kind: 'Wire', hint: expect.stringContaining('frame limit') })
  })

  test('F24 a server that takes nothing in is not sent more and more', async () => {
    const harness = await connected(faults['stops-reading'])
    const first = ask(harness)
    await harness.server.received('textDocument/references')
    harness.client.notify('fake/load', { load: 'x'.repeat(17 * 1024 * 1024) })
    const second = ask(harness)
    await harness.clock.settle()
    expect(second.outcome).toMatchObject({ kind: 'Overloaded', hint: expect.any(String) })
    await harness.clock.advance(30_000)
    expect(first.outcome).toMatchObject({ kind: 'RequestTimeout' })
  })
})
