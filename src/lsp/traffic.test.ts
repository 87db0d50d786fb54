// Responses against requests: nobody gets an answer that is not theirs, twice, or in a shape that means nothing.
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  CancellationTokenSource,
  createMessageConnection,
  type DataCallback,
  type Message,
  type MessageWriter,
} from 'vscode-jsonrpc/node'
import { systemClock } from '../clock.js'
import { BoundedMessageReader, BoundedMessageWriter } from './framing.js'
import { guardTraffic } from './traffic.js'

class ScriptedReader extends AbstractMessageReader {
  receive: DataCallback = () => {}

  listen(callback: DataCallback) {
    this.receive = callback
    return { dispose() {} }
  }
}

class RecordingWriter extends AbstractMessageWriter implements MessageWriter {
  failure: Error | undefined
  onWrite: (message: Message) => void = () => {}

  write(message: Message): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure)
    this.onWrite(message)
    return Promise.resolve()
  }

  end(): void {}
}

function guarded() {
  const inner = new ScriptedReader()
  const outer = new RecordingWriter()
  const traffic = guardTraffic(inner, outer)
  const delivered: Message[] = []
  traffic.reader.listen(message => delivered.push(message))
  const receive = (message: object) => inner.receive({ jsonrpc: '2.0', ...message })
  const send = (message: object) => traffic.writer.write({ jsonrpc: '2.0', ...message })
  const ask = (id: number, method = 'ask') => send({ id, method })
  return { traffic, delivered, receive, send, ask, outer }
}

describe('responses', () => {
  test('P01 P02 P03 whatever order and repetition: each request gets its first own response and nothing else', () => {
    const answer = fc.oneof(
      fc.nat({ max: 12 }),
      fc.nat({ max: 12 }).map(String),
      fc.constantFrom(-1, 1.5, 99, null, true),
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.array(answer, { maxLength: 30 }), (asked, answers) => {
        const { traffic, delivered, receive, ask } = guarded()
        for (let id = 0; id < asked; id++) void ask(id)
        for (const [nonce, id] of answers.entries()) receive({ id, result: { nonce } })
        const isOurs = (id: unknown) =>
          typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < asked
        const first = answers.flatMap((id, nonce) =>
          isOurs(id) && answers.indexOf(id) === nonce ? [{ jsonrpc: '2.0', id, result: { nonce } }] : [],
        )
        expect(delivered).toEqual(first)
        expect(traffic.pending().map(request => request.id)).toEqual(
          Array.from({ length: asked }, (_, id) => id).filter(id => !answers.includes(id)),
        )
        const { counters } = traffic
        expect(counters.textIdResponses).toBe(answers.filter(id => typeof id === 'string').length)
        expect(counters.duplicateResponses).toBe(answers.filter(isOurs).length - first.length)
        expect(
          counters.responsesReceived +
            counters.textIdResponses +
            counters.duplicateResponses +
            counters.unknownResponses,
        ).toBe(answers.length)
      }),
    )
  })

  test('P01 an id never sent is unknown, one answered before is a duplicate', () => {
    const { traffic, delivered, receive, ask } = guarded()
    void ask(0)
    receive({ id: 5, result: 1 })
    receive({ id: null, error: { code: -32700, message: 'what?' } })
    receive({ id: 0, result: 1 })
    receive({ id: 0, result: 2 })
    expect(delivered).toEqual([{ jsonrpc: '2.0', id: 0, result: 1 }])
    expect(traffic.counters).toMatchObject({
      unknownResponses: 2,
      duplicateResponses: 1,
      responsesReceived: 1,
    })
  })

  test('P04 a response to a cancelled request passes and is counted', () => {
    const { traffic, delivered, receive, ask, send } = guarded()
    void ask(0)
    void ask(1)
    void send({ method: '$/cancelRequest', params: { id: 1 } })
    expect(traffic.pending()).toEqual([
      { id: 0, method: 'ask', cancelled: false },
      { id: 1, method: 'ask', cancelled: true },
    ])
    receive({ id: 1, error: { code: -32800, message: 'cancelled' } })
    receive({ id: 0, result: null })
    expect(delivered).toHaveLength(2)
    expect(traffic.counters.answeredAfterCancel).toBe(1)
  })

  test('P05 both result and error, or neither, is an error; null is a result', () => {
    const { traffic, delivered, receive, ask } = guarded()
    const error = { code: -32801, message: 'content modified' }
    const cases = [
      [
        { result: 1, error },
        { error: { code: -32603, message: 'the server answered ask with both a result and an error' } },
      ],
      [
        {},
        { error: { code: -32603, message: 'the server answered ask with neither a result nor an error' } },
      ],
      [
        { error: null },
        { error: { code: -32603, message: 'the server answered ask with neither a result nor an error' } },
      ],
      [{ result: null }, { result: null }],
      [
        { result: 0, error: null },
        { result: 0, error: null },
      ],
      [{ result: null, error }, { error }],
      [{ error }, { error }],
    ] as const
    for (const [id, [given]] of cases.entries()) {
      void ask(id)
      receive({ id, ...given })
    }
    expect(delivered).toEqual(cases.map(([, expected], id) => ({ jsonrpc: '2.0', id, ...expected })))
    expect(traffic.counters.contradictoryResponses).toBe(3)
  })

  test('P16 an error object of any shape becomes a sound one of at most 2 KiB', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.record({ code: fc.anything(), message: fc.anything(), data: fc.anything() }, { requiredKeys: [] }),
      fc.record({
        code: fc.oneof(fc.integer(), fc.double()),
        message: fc.string({ unit: 'binary' }).map(text => text.repeat(100)),
      }),
    )
    fc.assert(
      fc.property(anything, error => {
        const { delivered, receive, ask } = guarded()
        void ask(0)
        receive({ id: 0, error })
        expect(delivered).toHaveLength(1)
        const [response] = delivered
        const shown: unknown = response !== undefined && 'error' in response ? response.error : undefined
        expect(shown).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
        if (typeof shown !== 'object' || shown === null || !('code' in shown) || !('message' in shown)) return
        expect(Number.isInteger(shown.code) && Math.abs(Number(shown.code)) <= 2 ** 31).toBe(true)
        expect(Buffer.byteLength(String(shown.message))).toBeLessThanOrEqual(2048)
      }),
    )
  })

  test('P16 a sound error passes as it is, a long one is cut between characters', () => {
    const { traffic, delivered, receive, ask } = guarded()
    const sound = { code: -32803, message: 'm'.repeat(2048), data: { retry: true } }
    void ask(0)
    receive({ id: 0, error: sound })
    void ask(1)
    receive({ id: 1, error: { code: 2 ** 40, message: '\u{1f600}'.repeat(2_000_000), data: 7 } })
    void ask(2)
    receive({ id: 2, error: 'boom' })
    expect(delivered).toEqual([
      { jsonrpc: '2.0', id: 0, error: sound },
      { jsonrpc: '2.0', id: 1, error: { code: -32001, message: `${'\u{1f600}'.repeat(511)}...`, data: 7 } },
      { jsonrpc: '2.0', id: 2, error: { code: -32001, message: 'boom' } },
    ])
    expect(traffic.counters.repairedErrors).toBe(2)
  })

  test('O1 a response that comes before the write returns is not unknown', async () => {
    const { delivered, receive, ask, outer } = guarded()
    outer.onWrite = () => receive({ id: 0, result: 1 })
    await ask(0)
    expect(delivered).toHaveLength(1)
  })

  test('S13 a request that could not be written is not in flight', async () => {
    const { traffic, ask, outer } = guarded()
    outer.failure = new Error('write EPIPE')
    await expect(ask(0)).rejects.toThrow('EPIPE')
    expect(traffic.pending()).toEqual([])
  })
})

describe('requests and notifications of the server', () => {
  test('R-82 they pass unchanged, whatever kind of id they have, and are counted', () => {
    const { traffic, delivered, receive, send } = guarded()
    const calls = [
      { id: 1, method: 'a' },
      { id: 'text', method: 'b', params: [] },
      { method: 'c', params: null },
      { method: '$/cancelRequest', params: { id: 'text' } },
    ]
    for (const call of calls) receive(call)
    void send({ id: 1, result: null })
    void send({ method: 'n' })
    expect(delivered).toEqual(calls.map(call => ({ jsonrpc: '2.0', ...call })))
    expect(traffic.counters).toMatchObject({
      requestsReceived: 2,
      notificationsReceived: 2,
      responsesSent: 1,
      notificationsSent: 1,
      malformedMessages: 0,
    })
  })

  test.each([
    { method: 5 },
    { method: null, id: 1 },
    { method: 'a', id: null },
    { method: 'a', id: {} },
    { method: 'a', id: 0, result: 1 },
    { method: '$/cancelRequest' },
    { method: '$/cancelRequest', params: { id: null } },
    {},
    { result: 1 },
  ])('R-82 %j is neither request, notification nor response: dropped', message => {
    const { traffic, delivered, receive } = guarded()
    receive(message)
    expect(delivered).toEqual([])
    expect(traffic.counters.malformedMessages).toBe(1)
  })
})

describe('under the connection of vscode-jsonrpc', () => {
  function connected() {
    const fromServer = new PassThrough()
    const toServer = new PassThrough()
    const traffic = guardTraffic(
      new BoundedMessageReader(fromServer, { clock: systemClock }),
      new BoundedMessageWriter(toServer),
    )
    const connection = createMessageConnection(traffic.reader, traffic.writer)
    connection.listen()
    const say = (...messages: object[]) =>
      fromServer.write(
        messages
          .map(message => JSON.stringify({ jsonrpc: '2.0', ...message }))
          .map(text => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
          .join(''),
      )
    return { traffic, connection, say }
  }

  test('P02 P03 the first own response wins although all wait in one queue', async () => {
    const { connection, traffic, say } = connected()
    const answer = connection.sendRequest('ask')
    say(
      { id: '0', result: 'text id' },
      { id: 0, result: 'first' },
      { id: 0, result: 'second' },
      { id: '0', result: 3 },
    )
    expect(await answer).toBe('first')
    expect(traffic.counters).toMatchObject({ duplicateResponses: 1, textIdResponses: 2 })
  })

  test('P05 an answer without result and error rejects the request', async () => {
    const { connection, say } = connected()
    const answer = connection.sendRequest('ask')
    say({ id: 0 })
    await expect(answer).rejects.toMatchObject({ code: -32603 })
  })

  test('P04 cancelling is noticed, and the answer still reaches the request', async () => {
    const { connection, traffic, say } = connected()
    const source = new CancellationTokenSource()
    const answer = connection.sendRequest('ask', source.token)
    source.cancel()
    expect(traffic.pending()).toEqual([{ id: 0, method: 'ask', cancelled: true }])
    say({ id: 0, error: { code: -32800, message: 'cancelled' } })
    await expect(answer).rejects.toMatchObject({ code: -32800 })
    expect(traffic.pending()).toEqual([])
  })
})
