// What the tests of the fake server share: a client made of the plain library, and a clock that moves by hand.
import type { Readable, Writable } from 'node:stream'
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import type { Clock } from '../../src/clock.js'

export interface PlainClient {
  readonly connection: MessageConnection
  /** Every notification of the server, `$/progress` included. */
  readonly notified: { readonly method: string; readonly params: unknown }[]
  /** Every request of the server; each is answered with null. */
  readonly asked: { readonly method: string; readonly params: unknown }[]
  /** The nth notification with this method, now or when it comes. */
  notification(method: string, nth?: number): Promise<unknown>
  initialize(rootUri?: string | null): Promise<unknown>
  open(uri: string, text: string, version?: number): Promise<void>
  change(uri: string, text: string, version: number): Promise<void>
}

export function plainClient(streams: { readonly reader: Readable; readonly writer: Writable }): PlainClient {
  const connection = createMessageConnection(
    new StreamMessageReader(streams.reader),
    new StreamMessageWriter(streams.writer),
  )
  const notified: PlainClient['notified'] = []
  const asked: PlainClient['asked'] = []
  const checks = new Set<() => void>()
  const note = (method: string, params: unknown) => {
    notified.push({ method, params })
    for (const check of [...checks]) check()
  }
  connection.onNotification((method, params) => note(method, params))
  // The library keeps progress away from the handler of all other notifications.
  connection.onUnhandledProgress(params => note('$/progress', params))
  connection.onRequest((method, params) => {
    asked.push({ method, params })
    return null
  })
  // Broken frames and answers to nobody are what some tests are about.
  connection.onError(() => undefined)
  connection.onUnhandledNotification(() => undefined)
  connection.listen()
  return {
    connection,
    notified,
    asked,
    notification: (method, nth = 1) =>
      new Promise(resolve => {
        const check = () => {
          const found = notified.filter(entry => entry.method === method)[nth - 1]
          if (found === undefined) return
          checks.delete(check)
          resolve(found.params)
        }
        checks.add(check)
        check()
      }),
    initialize: async (rootUri = null) => {
      const result: unknown = await connection.sendRequest('initialize', { rootUri, capabilities: {} })
      await connection.sendNotification('initialized', {})
      return result
    },
    open: (uri, text, version = 1) =>
      connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'fake', version, text },
      }),
    change: (uri, text, version) =>
      connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      }),
  }
}

export interface HandClock extends Clock {
  /** Moves on and fires what is due. */
  advance(milliseconds: number): void
}

export function handClock(): HandClock {
  let now = 0
  const timers = new Set<{ at: number; action: () => void }>()
  return {
    now: () => now,
    date: () => new Date(now),
    after(milliseconds, action) {
      const timer = { at: now + milliseconds, action }
      timers.add(timer)
      return { cancel: () => timers.delete(timer) }
    },
    advance(milliseconds) {
      now += milliseconds
      for (const timer of [...timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
        timers.delete(timer)
        timer.action()
      }
    },
  }
}
