// Who wants to hear of which resource, kept here and not at the client. Clients of 2025 subscribe to one address
// after the other; those of 2026-07-28 open listening requests that name several and end with their cancellation.
import { type JSONRPCMessage, SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/server'
import { property } from '../../json.js'

export class Subscriptions {
  /** By the request that asked for them; the one of 2025 has no request of its own. */
  readonly #uris = new Map<unknown, ReadonlySet<string>>()
  readonly #listeners = new Set<() => void>()

  get uris(): ReadonlySet<string> {
    return new Set([...this.#uris.values()].flatMap(uris => [...uris]))
  }

  get isEmpty(): boolean {
    return this.#uris.size === 0
  }

  subscribe(uri: string): void {
    this.#set(undefined, [...(this.#uris.get(undefined) ?? []), uri])
  }

  unsubscribe(uri: string): void {
    this.#set(
      undefined,
      [...(this.#uris.get(undefined) ?? [])].filter(known => known !== uri),
    )
  }

  listen(request: string | number, uris: readonly string[]): void {
    this.#set(request, uris)
  }

  cancel(request: string | number): void {
    if (this.#uris.has(request)) this.#set(request, [])
  }

  clear(): void {
    this.#uris.clear()
    this.#tell()
  }

  /** Returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #set(key: unknown, uris: readonly string[]): void {
    if (uris.length === 0) this.#uris.delete(key)
    else this.#uris.set(key, new Set(uris))
    this.#tell()
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/**
 * The same wire, read along. The SDK answers `subscriptions/listen` before any server object sees it, so what was agreed
 * upon is learned from its acknowledgement, and the end from the client's cancellation.
 */
export function readAlong(wire: Transport, subscriptions: Subscriptions): Transport {
  const outer: Transport = {
    async start() {
      wire.onmessage = (message, extra) => {
        noteCancellation(message, subscriptions)
        outer.onmessage?.(message, extra)
      }
      wire.onclose = () => {
        subscriptions.clear()
        outer.onclose?.()
      }
      wire.onerror = error => outer.onerror?.(error)
      await wire.start()
    },
    send(message, options) {
      noteAcknowledgement(message, subscriptions)
      return wire.send(message, options)
    },
    close: () => wire.close(),
  }
  return outer
}

function noteAcknowledgement(message: JSONRPCMessage, subscriptions: Subscriptions): void {
  if (property(message, 'method') !== 'notifications/subscriptions/acknowledged') return
  const params = property(message, 'params')
  const request = property(property(params, '_meta'), SUBSCRIPTION_ID_META_KEY)
  const uris = property(property(params, 'notifications'), 'resourceSubscriptions')
  if (!isRequestId(request) || !Array.isArray(uris)) return
  subscriptions.listen(
    request,
    uris.filter(uri => typeof uri === 'string'),
  )
}

function noteCancellation(message: JSONRPCMessage, subscriptions: Subscriptions): void {
  if (property(message, 'method') !== 'notifications/cancelled') return
  const request = property(property(message, 'params'), 'requestId')
  if (isRequestId(request)) subscriptions.cancel(request)
}

function isRequestId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
