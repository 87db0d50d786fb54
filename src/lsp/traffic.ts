// Checks every message against what was really asked, before the connection sees it. The connection queues
// responses under their id as text: a second response, or one for "1" where 1 was asked, silently replaces the
// first while both wait, so a request could get the wrong answer or none.
import {
  type DataCallback,
  ErrorCodes,
  type Message,
  type MessageReader,
  type MessageWriter,
  type ResponseMessage,
} from 'vscode-jsonrpc/node'

export interface TrafficCounters {
  readonly requestsSent: number
  readonly notificationsSent: number
  readonly responsesSent: number
  readonly requestsReceived: number
  readonly notificationsReceived: number
  /** Responses that answered a request of ours. */
  readonly responsesReceived: number
  /** Of these, the ones whose request had been cancelled (P04). */
  readonly answeredAfterCancel: number
  /** Dropped: nobody asked (P01), or the id is null. */
  readonly unknownResponses: number
  /** Dropped: the request was answered before, or could not be sent (P02). */
  readonly duplicateResponses: number
  /** Dropped: ours are numbers, so a text answers nobody (P03). */
  readonly textIdResponses: number
  /** Turned into an error: both result and error, or neither (P05). */
  readonly contradictoryResponses: number
  /** Error objects that had to be put into shape (P16). */
  readonly repairedErrors: number
  /** Dropped: neither request, notification nor response. */
  readonly malformedMessages: number
}

export interface PendingRequest {
  readonly id: number
  readonly method: string
  readonly cancelled: boolean
}

export interface GuardedTraffic {
  readonly reader: MessageReader
  readonly writer: MessageWriter
  readonly counters: TrafficCounters
  /** The requests that were sent and not answered, oldest first. */
  pending(): PendingRequest[]
  /** The id of the request that was sent last. */
  lastRequest(): number
  /** The size of the response to a request, once; undefined when there was none, or nobody wanted it any more. */
  takeBytes(id: number): number | undefined
}

/** A reader that knows how large the message is that it delivers. */
type MeasuringReader = MessageReader & { readonly messageBytes?: number }

export function guardTraffic(reader: MeasuringReader, writer: MessageWriter): GuardedTraffic {
  const ledger = new Ledger()
  return {
    reader: {
      onError: reader.onError,
      onClose: reader.onClose,
      onPartialMessage: reader.onPartialMessage,
      listen: (callback: DataCallback) =>
        reader.listen(message => {
          const checked = ledger.receive(message, reader.messageBytes)
          if (checked !== undefined) callback(checked)
        }),
      dispose: () => reader.dispose(),
    },
    writer: {
      onError: writer.onError,
      onClose: writer.onClose,
      write(message) {
        // Noted first: in one process the response can arrive before `write` returns.
        const id = ledger.send(message)
        const written = writer.write(message)
        if (id === undefined) return written
        return written.catch(error => {
          ledger.forget(id)
          throw error
        })
      },
      end: () => writer.end(),
      dispose: () => writer.dispose(),
    },
    counters: ledger.counters,
    pending: () => ledger.pending(),
    lastRequest: () => ledger.lastRequest,
    takeBytes: id => ledger.takeBytes(id),
  }
}

/** A message as it came: any field may be missing or of any type. */
interface LooseMessage extends Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

const cancelMethod = '$/cancelRequest'
const maxErrorMessageBytes = 2048
const mostMeasured = 10_000

class Ledger {
  readonly counters = {
    requestsSent: 0,
    notificationsSent: 0,
    responsesSent: 0,
    requestsReceived: 0,
    notificationsReceived: 0,
    responsesReceived: 0,
    answeredAfterCancel: 0,
    unknownResponses: 0,
    duplicateResponses: 0,
    textIdResponses: 0,
    contradictoryResponses: 0,
    repairedErrors: 0,
    malformedMessages: 0,
  }
  readonly #inFlight = new Map<number, { readonly method: string; cancelled: boolean }>()
  // Our ids are increasing integers, so an id up to here that is not in flight has been answered. This
  // tells a duplicate from an unknown id without a memory of all ids ever used.
  #highestId = -1
  readonly #bytes = new Map<number, number>()

  get lastRequest(): number {
    return this.#highestId
  }

  takeBytes(id: number): number | undefined {
    const bytes = this.#bytes.get(id)
    this.#bytes.delete(id)
    return bytes
  }

  /** Returns the id if the message is a request. */
  send(message: LooseMessage): number | undefined {
    const { id, method } = message
    if (typeof method !== 'string') {
      this.counters.responsesSent += 1
      return undefined
    }
    if (typeof id === 'number') {
      this.counters.requestsSent += 1
      this.#inFlight.set(id, { method, cancelled: false })
      this.#highestId = Math.max(this.#highestId, id)
      return id
    }
    this.counters.notificationsSent += 1
    if (method === cancelMethod) {
      const cancelledId = idOf(message.params)
      const request = typeof cancelledId === 'number' ? this.#inFlight.get(cancelledId) : undefined
      if (request !== undefined) request.cancelled = true
    }
    return undefined
  }

  forget(id: number): void {
    this.#inFlight.delete(id)
  }

  pending(): PendingRequest[] {
    return Array.from(this.#inFlight, ([id, request]) => ({ id, ...request }))
  }

  /** The message to hand on, put into shape where needed, or undefined to drop it. */
  receive(message: LooseMessage, bytes?: number): Message | undefined {
    if (message.method !== undefined) return this.#receiveCall(message)
    const { id } = message
    if (id === undefined) {
      this.counters.malformedMessages += 1
      return undefined
    }
    if (typeof id === 'string') {
      this.counters.textIdResponses += 1
      return undefined
    }
    const request = typeof id === 'number' ? this.#inFlight.get(id) : undefined
    if (typeof id !== 'number' || request === undefined) {
      const answeredBefore = Number.isInteger(id) && Number(id) >= 0 && Number(id) <= this.#highestId
      if (answeredBefore) this.counters.duplicateResponses += 1
      else this.counters.unknownResponses += 1
      return undefined
    }
    this.#inFlight.delete(id)
    this.counters.responsesReceived += 1
    if (request.cancelled) this.counters.answeredAfterCancel += 1
    else if (bytes !== undefined) this.#measured(id, bytes)
    return this.#response(message, id, request.method)
  }

  #measured(id: number, bytes: number): void {
    // Responses that nobody asks about, to the shutdown for instance, must not add up.
    if (this.#bytes.size >= mostMeasured) this.#bytes.clear()
    this.#bytes.set(id, bytes)
  }

  #receiveCall(message: LooseMessage): Message | undefined {
    const { id, method } = message
    if (isMalformedCall(message)) {
      this.counters.malformedMessages += 1
      return undefined
    }
    if (id === undefined) this.counters.notificationsReceived += 1
    else this.counters.requestsReceived += 1
    // The connection reads the params of a cancellation before any handler is asked, and throws without them.
    if (method === cancelMethod && !isRequestId(idOf(message.params))) {
      this.counters.malformedMessages += 1
      return undefined
    }
    return message
  }

  #response(message: LooseMessage, id: number, method: string): Message {
    const { result } = message
    // `error: null` beside a result is the habit of JSON-RPC 1 and means that there was none.
    const error = message.error ?? undefined
    if (error === undefined && result !== undefined) return message
    // `result: null` beside an error is the same habit; the server's own error says more than ours would.
    if (error !== undefined && (result === undefined || result === null)) {
      if (isSoundError(error)) return result === undefined ? message : failed(id, error)
      this.counters.repairedErrors += 1
      return failed(id, repairedError(error))
    }
    this.counters.contradictoryResponses += 1
    const fault = error === undefined ? 'neither a result nor an error' : 'both a result and an error'
    const text = `the server answered ${method} with ${fault}`
    return failed(id, { code: ErrorCodes.InternalError, message: text })
  }
}

type ErrorObject = NonNullable<ResponseMessage['error']>

function failed(id: number, error: ErrorObject): ResponseMessage {
  return { jsonrpc: '2.0', id, error }
}

function isMalformedCall(message: LooseMessage): boolean {
  if (typeof message.method !== 'string') return true
  if (message.result !== undefined || message.error !== undefined) return true
  return message.id !== undefined && !isRequestId(message.id)
}

function isRequestId(id: unknown): id is number | string {
  return typeof id === 'number' || typeof id === 'string'
}

function idOf(params: unknown): unknown {
  return typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
}

function isSoundError(error: unknown): error is ErrorObject {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return false
  if (!isErrorCode(error.code) || typeof error.message !== 'string') return false
  return Buffer.byteLength(error.message) <= maxErrorMessageBytes
}

function isErrorCode(code: unknown): code is number {
  // The protocol's integers have 32 bits.
  return typeof code === 'number' && (code | 0) === code
}

function repairedError(error: unknown): ErrorObject {
  const given = typeof error === 'object' && error !== null ? error : { message: error }
  const code = 'code' in given && isErrorCode(given.code) ? given.code : ErrorCodes.UnknownErrorCode
  const text =
    'message' in given && typeof given.message === 'string' ? given.message : 'the server gave no reason'
  const repaired = { code, message: clamped(text) }
  return 'data' in given ? { ...repaired, data: given.data } : repaired
}

/** At most 2 KiB in UTF-8, cut between two characters. */
function clamped(text: string): string {
  if (Buffer.byteLength(text) <= maxErrorMessageBytes) return text
  const mark = '...'
  const space = new Uint8Array(maxErrorMessageBytes - mark.length)
  // `encodeInto` stops before a character that no longer fits; a lone surrogate takes three bytes, as in the output.
  const { read } = new TextEncoder().encodeInto(text, space)
  return text.slice(0, read) + mark
}
