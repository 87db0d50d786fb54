// Reader and writer on real Node streams: what reaches the connection, what ends it, and that nothing escapes as an
// uncaught error.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createMessageConnection,
  type Message,
  type NotificationMessage,
  type PartialMessageInfo,
  type RequestMessage,
} from 'vscode-jsonrpc/node'
import type { Clock, Timer } from '../clock.js'
import { BoundedMessageReader, BoundedMessageWriter, type ReaderOptions } from './framing.js'
import { WireViolationError } from './wire-violation.js'

class VirtualClock implements Clock {
  #now = 0
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>()

  now(): number {
    return this.#now
  }

  date(): Date {
    return new Date(this.#now)
  }

  after(milliseconds: number, action: () => void): Timer {
    const timer = { at: this.#now + milliseconds, action }
    this.#timers.add(timer)
    return { cancel: () => this.#timers.delete(timer) }
  }

  get armed(): number {
    return this.#timers.size
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const [next] = [...this.#timers].filter(timer => timer.at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.action()
    }
    this.#now = end
  }
}

function frame(body: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`), Buffer.from(body)])
}

function listening(options: Partial<ReaderOptions> = {}) {
  const clock = new VirtualClock()
  const stream = new PassThrough()
  const reader = new BoundedMessageReader(stream, { clock, ...options })
  const messages: Message[] = []
  const trace: string[] = []
  const errors: Error[] = []
  const partial: PartialMessageInfo[] = []
  const closed = new Promise<void>(resolve => {
    reader.onClose(() => {
      trace.push('close')
      resolve()
    })
  })
  reader.onError(error => {
    trace.push(error instanceof WireViolationError ? error.reason : 'error')
    errors.push(error)
  })
  reader.onPartialMessage(info => partial.push(info))
  reader.listen(message => messages.push(message))
  const push = (bytes: string | Uint8Array) => stream.emit('data', Buffer.from(bytes))
  return { clock, stream, reader, messages, trace, errors, partial, closed, push }
}

describe('reader: bodies', () => {
  test('F01 F02 any messages written by the writer arrive equal and in order, however cut', async () => {
    const message = fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.nat(),
      result: fc.jsonValue({ stringUnit: 'binary' }).map(value => JSON.parse(JSON.stringify(value))),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        async (sent, size) => {
          const wire = new PassThrough()
          const writer = new BoundedMessageWriter(wire)
          for (const one of sent) await writer.write(one)
          const bytes: Buffer = wire.read() ?? Buffer.alloc(0)
          const { messages, reader, push } = listening()
          for (let start = 0; start < bytes.length; start += size) push(bytes.subarray(start, start + size))
          expect(messages).toEqual(sent)
          expect(reader.counters).toEqual({
            frames: sent.length,
            bytes: bytes.length,
            noiseBytes: 0,
            strikes: 0,
            bom: 0,
          })
        },
      ),
    )
  })

  test('F15 a body that is not UTF-8 is refused, not repaired', () => {
    const reasons: string[] = []
    const { messages, reader, push } = listening({ onStrike: reason => reasons.push(reason) })
    push(frame(Buffer.from('{"jsonrpc":"2.0","method":"\xff"}', 'latin1')))
    push(frame(Buffer.from('{"jsonrpc":"2.0","id":4,"result":"\xc3("}', 'latin1')))
    expect(reasons).toEqual(['invalid-utf8', 'invalid-utf8'])
    expect(reader.counters.strikes).toBe(2)
    expect(messages).toMatchObject([{ id: 4, error: { code: -32700 } }])
  })

  test('F16 one byte order mark before the JSON is accepted and counted, two are not', () => {
    const { messages, reader, push } = listening()
    push(frame('\ufeff{"jsonrpc":"2.0","id":1,"result":null}'))
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: null }])
    expect(reader.counters).toMatchObject({ bom: 1, strikes: 0 })
    push(frame('\ufeff\ufeff{}'))
    expect(reader.counters).toMatchObject({ bom: 2, strikes: 1 })
  })

  test('F17 an unreadable response fails its request, and the third unreadable message ends the stream', async () => {
    const { messages, trace, errors, closed, push } = listening()
    push(frame('{"jsonrpc":"2.0","id":7,"result":{"id":9,'))
    expect(messages).toMatchObject([{ id: 7, error: { code: -32700, data: { wire: 'invalid-json' } } }])
    push(frame('{"jsonrpc":"2.0","method":"a","params":'))
    push(frame('{"jsonrpc":"2.0","id":8,"result":1}'))
    expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 8, result: 1 })
    expect(trace).toEqual([])
    push(Buffer.concat([frame('nonsense'), frame('{"jsonrpc":"2.0","id":9,"result":1}')]))
    await closed
    expect(trace).toEqual(['too-many-strikes', 'close'])
    expect(errors[0]).toMatchObject({ kind: 'Wire', hint: expect.any(String) })
    expect(messages).toHaveLength(2)
  })

  test.each([
    ['{"jsonrpc":"2.0","id":3,"error":{"code":1', 3],
    ['{"id":0,"jsonrpc":"2.0","result":[}', 0],
    ['{ "jsonrpc" : "2.0" , "id" : 3 , "result" : {"method"', 3],
    ['{"jsonrpc":"2.0","id":3,nonsense', 3],
    ['\ufeff{"jsonrpc":"2.0","id":3,"result"', 3],
    ['{"jsonrpc":"2.0","id":3,"method":"workspace/configuration","params":', undefined],
    ['{"jsonrpc":"2.0","id":3,"meth', undefined],
    ['{"jsonrpc":"2.0","id":3,', undefined],
    ['{"jsonrpc":"2.0","id":3', undefined],
    ['{"jsonrpc":"2.0","id":"3","result":', undefined],
    ['{"jsonrpc":"2.0","result":{"id":3,"result":', undefined],
    ['{"jsonrpc":"2.0","method":"a","id":3,"params":', undefined],
    ['[{"jsonrpc":"2.0","id":3,"result":', undefined],
  ])('F17 only an id that is certainly the response own one is used: %s', (body, id) => {
    const { messages, reader, push } = listening()
    push(frame(body))
    expect(reader.counters.strikes).toBe(1)
    if (id === undefined) expect(messages).toEqual([])
    else expect(messages).toMatchObject([{ id, error: { code: -32700 } }])
  })

  test('F18 depth is refused before parsing, and brackets in strings do not count', () => {
    const { messages, reader, push } = listening()
    const deep = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(levels)}${']'.repeat(levels)}}`
    push(frame(deep(100_000)))
    expect(messages).toMatchObject([{ id: 1, error: { data: { wire: 'too-deep' } } }])
    push(frame(deep(512)))
    expect(reader.counters.strikes).toBe(2)
    push(frame(deep(511)))
    push(frame(JSON.stringify({ jsonrpc: '2.0', id: 2, result: `\\"${'[{'.repeat(2000)}"` })))
    expect(reader.counters.strikes).toBe(2)
    expect(messages).toHaveLength(4)
  })

  test.each(['[{"jsonrpc":"2.0","id":1,"result":1}]', 'null', '5', '"text"'])(
    'F19 %s is no message: a strike',
    body => {
      const { messages, reader, trace, push } = listening()
      push(frame(body))
      expect(messages).toEqual([])
      expect(reader.counters.strikes).toBe(1)
      expect(trace).toEqual([])
    },
  )

  test('R-82 a message without the version is completed, not refused', () => {
    const { messages, push } = listening()
    push(frame('{"id":1,"result":2}'))
    expect(messages).toEqual([{ id: 1, result: 2, jsonrpc: '2.0' }])
  })

  test('F17 a receiver that throws costs a strike and not the process', () => {
    const stream = new PassThrough()
    const reader = new BoundedMessageReader(stream, { clock: new VirtualClock() })
    reader.listen(() => {
      throw new Error('cannot read params')
    })
    stream.emit('data', frame('{"jsonrpc":"2.0","method":"$/cancelRequest"}'))
    expect(reader.counters.strikes).toBe(1)
  })

  test('R-81 random bytes never throw and end in at most one error and one close', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map(bytes => frame(Buffer.concat([Buffer.from('{'), bytes]))),
      fc.uint8Array({ maxLength: 80 }).map(bytes => Buffer.from(bytes)),
      fc.json().map(json => frame(json)),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), parts => {
        const { reader, trace, push, messages } = listening()
        for (const bytes of parts) push(bytes)
        expect(trace.length === 0 || (trace.length === 2 && trace[1] === 'close')).toBe(true)
        expect(messages.length).toBeLessThanOrEqual(reader.counters.frames)
        expect(reader.counters.strikes).toBeLessThanOrEqual(3)
      }),
    )
  })
})

describe('reader: end of the stream', () => {
  test('F20 a violation is one error, then one close; later frames are not dispatched and the stream is let go', async () => {
    const { stream, messages, trace, closed } = listening({ maxFrameBytes: 100 })
    stream.write(
      Buffer.concat([frame('{"jsonrpc":"2.0","id":1,"result":1}'), frame('x'.repeat(101)), frame('{}')]),
    )
    await closed
    expect(messages).toHaveLength(1)
    expect(trace).toEqual(['frame-too-large', 'close'])
    expect(stream.destroyed).toBe(true)
    stream.emit('error', new Error('read ECONNRESET'))
    stream.emit('close')
    expect(trace).toEqual(['frame-too-large', 'close'])
  })

  test('F22 an end inside a frame is a violation, an end between frames is not', async () => {
    const cut = listening()
    cut.stream.end(frame('{"jsonrpc":"2.0"}').subarray(0, -1))
    await cut.closed
    expect(cut.trace).toEqual(['truncated-frame', 'close'])
    const whole = listening()
    const streamClosed = once(whole.stream, 'close')
    whole.stream.end(frame('{"jsonrpc":"2.0","method":"a"}'))
    await whole.closed
    await streamClosed
    expect(whole.trace).toEqual(['close'])
    expect(whole.messages).toHaveLength(1)
  })

  test('F22 a stream that is destroyed inside a frame reports it too', async () => {
    const { stream, trace, closed, push } = listening()
    push('Content-Length: 10\r\n')
    stream.destroy()
    await closed
    expect(trace).toEqual(['truncated-frame', 'close'])
  })

  test('S13 an error of the stream is one error and one close', async () => {
    const { stream, trace, errors, closed } = listening()
    const reset = new Error('read ECONNRESET')
    stream.destroy(reset)
    await closed
    await Promise.resolve()
    expect(trace).toEqual(['stream-failed', 'close'])
    expect(errors[0]?.cause).toBe(reset)
  })

  test('S13 a stream that was dead before anyone listened is closed at once', async () => {
    const stream = new PassThrough()
    stream.destroy()
    await once(stream, 'close')
    const reader = new BoundedMessageReader(stream, { clock: new VirtualClock() })
    const closed = new Promise<void>(resolve => reader.onClose(resolve))
    reader.listen(() => {})
    await closed
  })

  test('O5 dispose leaves no timer and no listener but the one that swallows late errors', () => {
    const { stream, reader, clock, trace, messages, push } = listening()
    push('Content-Length: 10\r\n')
    expect(clock.armed).toBe(1)
    reader.dispose()
    expect(clock.armed).toBe(0)
    expect(stream.listenerCount('data')).toBe(0)
    push(frame('{"jsonrpc":"2.0","method":"a"}'))
    stream.emit('error', new Error('late'))
    expect([trace, messages]).toEqual([[], []])
  })
})

describe('reader: time', () => {
  test('F21 half a frame and silence: told after 10 s, given up after 60 s', () => {
    const { clock, partial, trace, push } = listening()
    push('noise\nContent-Length: 10\r\n\r\n{"a"')
    clock.advance(9_999)
    expect(partial).toEqual([])
    clock.advance(1)
    expect(partial).toEqual([{ messageToken: 0, waitingTime: 10_000 }])
    clock.advance(49_999)
    expect(trace).toEqual([])
    clock.advance(1)
    expect(trace).toEqual(['stalled-frame', 'close'])
    expect(partial).toHaveLength(1)
    expect(clock.armed).toBe(0)
  })

  test('F21 a drip of one byte a second is silence too', () => {
    const { clock, partial, trace, push } = listening()
    push('Content-Length: 1000\r\n\r\n')
    for (let second = 0; second < 59; second++) {
      clock.advance(1_000)
      push('x')
    }
    expect(partial).toHaveLength(1)
    expect(trace).toEqual([])
    clock.advance(1_000)
    expect(trace).toEqual(['stalled-frame', 'close'])
  })

  test('F21 a large frame that keeps growing is neither told nor given up', () => {
    const { clock, partial, trace, messages, push } = listening()
    const body = `{"jsonrpc":"2.0","method":"${'m'.repeat(100 * 64 * 1024)}"}`
    const bytes = frame(body)
    for (let start = 0; start < bytes.length; start += 64 * 1024) {
      push(bytes.subarray(start, start + 64 * 1024))
      clock.advance(9_000)
    }
    expect(messages).toHaveLength(1)
    expect([partial, trace]).toEqual([[], []])
    expect(clock.armed).toBe(0)
  })

  test('F21 the time counts anew for every frame and after every warning', () => {
    const { clock, partial, trace, push } = listening()
    const bytes = frame('{"jsonrpc":"2.0","method":"a"}')
    for (let round = 0; round < 20; round++) {
      push(bytes.subarray(4))
      push(bytes.subarray(0, 4))
      clock.advance(9_000)
    }
    push(bytes.subarray(4))
    expect(trace).toEqual([])
    expect(partial).toEqual([])
    clock.advance(600_000)
    push(`Content-Length: 200000\r\n\r\n{`)
    clock.advance(10_000)
    push('x'.repeat(64 * 1024))
    clock.advance(10_000)
    expect(partial).toHaveLength(2)
    clock.advance(50_000)
    expect(trace).toEqual(['stalled-frame', 'close'])
  })

  test('F12 noise without an end is no frame and starts no timer', () => {
    const { clock, trace, push } = listening()
    push('downloading ...')
    clock.advance(600_000)
    expect(trace).toEqual([])
  })
})

describe('writer', () => {
  const notification = (method: string): NotificationMessage => ({ jsonrpc: '2.0', method })
  const note = notification('note')
  const request: RequestMessage = { jsonrpc: '2.0', id: 1, method: 'ask' }

  test('R-80 the length counts bytes, and header and body leave in one write', async () => {
    const writes: Buffer[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        writes.push(chunk)
        done()
      },
    })
    await new BoundedMessageWriter(stream).write(notification('h\u00e9\u{1f600}\ud800'))
    expect(writes.map(String)).toEqual([
      'Content-Length: 42\r\n\r\n{"jsonrpc":"2.0","method":"h\u00e9\u{1f600}\\ud800"}',
    ])
  })

  test('F24 a server that stops reading holds up no write, and the queue can be measured', async () => {
    const stuck = new Writable({ write() {} })
    const writer = new BoundedMessageWriter(stuck)
    for (let count = 0; count < 16; count++) {
      expect(writer.isOverloaded()).toBe(false)
      await writer.write(notification('m'.repeat(1024 * 1024)))
    }
    expect(writer.queuedBytes).toBeGreaterThan(16 * 1024 * 1024)
    expect(writer.isOverloaded()).toBe(true)
    expect(writer.isOverloaded(32 * 1024 * 1024)).toBe(false)
  })

  test('S13 a closed input is one error and one close; requests fail, the rest is let go', async () => {
    const child = spawn(
      process.execPath,
      ['-e', 'require("fs").closeSync(0); console.log("closed"); setTimeout(() => {}, 60000)'],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    try {
      await once(child.stdout, 'data')
      const writer = new BoundedMessageWriter(child.stdin)
      const trace: string[] = []
      writer.onError(([error]) => trace.push(error instanceof WireViolationError ? error.reason : 'error'))
      const closed = new Promise<void>(resolve =>
        writer.onClose(() => {
          trace.push('close')
          resolve()
        }),
      )
      await writer.write(note)
      await closed
      await expect(writer.write(request)).rejects.toMatchObject({ kind: 'Wire', hint: expect.any(String) })
      await writer.write(note)
      await writer.write({ jsonrpc: '2.0' })
      writer.end()
      child.stdin.emit('error', new Error('write EPIPE'))
      expect(trace).toEqual(['stream-failed', 'close'])
    } finally {
      child.kill('SIGKILL')
    }
  })

  test('S13 an ended stream closes without an error', async () => {
    const stream = new PassThrough().resume()
    const writer = new BoundedMessageWriter(stream)
    const trace: string[] = []
    writer.onError(() => trace.push('error'))
    const closed = new Promise<void>(resolve => writer.onClose(resolve))
    writer.end()
    writer.end()
    await closed
    await expect(writer.write(request)).rejects.toMatchObject({ kind: 'Wire' })
    expect(trace).toEqual([])
  })

  test('R-82 a message that is no JSON is refused before a byte leaves', async () => {
    const stream = new PassThrough()
    const cyclic: Message & { self?: unknown } = { jsonrpc: '2.0' }
    cyclic.self = cyclic
    await expect(new BoundedMessageWriter(stream).write(cyclic)).rejects.toThrow(TypeError)
    expect(stream.readableLength).toBe(0)
  })
})

describe('under the connection of vscode-jsonrpc', () => {
  function pair() {
    const toServer = new PassThrough()
    const toClient = new PassThrough()
    const clock = new VirtualClock()
    const connect = (input: PassThrough, output: PassThrough) =>
      createMessageConnection(new BoundedMessageReader(input, { clock }), new BoundedMessageWriter(output))
    const client = connect(toClient, toServer)
    const server = connect(toServer, toClient)
    client.listen()
    server.listen()
    return { client, server, toClient }
  }

  test('R-82 requests, notifications and answers make the round trip, noise or not', async () => {
    const { client, server, toClient } = pair()
    server.onRequest('echo', (value: unknown) => {
      toClient.write('a log line on standard output\n')
      return { value }
    })
    const notified = new Promise(resolve => client.onNotification('told', resolve))
    const answers = await Promise.all(
      ['\u00e9', '\u{1f600}', ''].map(value => client.sendRequest('echo', { value })),
    )
    expect(answers).toEqual(['\u00e9', '\u{1f600}', ''].map(value => ({ value: { value } })))
    await server.sendNotification('told', { now: true })
    expect(await notified).toEqual({ now: true })
  })

  test('F17 the request whose response is broken fails, the next one is answered', async () => {
    const { client, server, toClient } = pair()
    server.onRequest('ask', () => 'fine')
    server.onRequest('break', () => {
      toClient.write(frame('{"jsonrpc":"2.0","id":0,"result":{"a":}}'))
      return new Promise(() => {})
    })
    await expect(client.sendRequest('break')).rejects.toMatchObject({ code: -32700 })
    expect(await client.sendRequest('ask')).toBe('fine')
  })

  test('C17 a violation closes the connection after telling why', async () => {
    const { client, toClient } = pair()
    const told = new Promise<Error>(resolve => client.onError(([error]) => resolve(error)))
    const closed = new Promise<void>(resolve => client.onClose(resolve))
    const pending = client.sendRequest('ask')
    toClient.write('Content-Length: 4294967296\r\n\r\n')
    expect(await told).toMatchObject({ kind: 'Wire', reason: 'frame-too-large' })
    await closed
    client.dispose()
    await expect(pending).rejects.toThrow()
  })
})
