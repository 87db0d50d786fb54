// Requests to one server and what becomes of them: deadline, cancellation, the retries the protocol allows, failure of
// everything pending when the conversation ends, and the suspicion that a server hangs.
import { CancellationTokenSource, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node'
import { InitializeRequest, LSPErrorCodes } from 'vscode-languageserver-protocol'
import { type Clock, cancelled, withDeadline } from '../clock.js'
import { BridgeError } from '../errors.js'
import { type BridgeEvent, callOf, type LogLevel } from '../events.js'
import { property } from '../json.js'
import { cleanLine } from '../text/clean.js'
import { closedFailure, overloadFailure, responseFailure, timeoutFailure } from './failures.js'
import type { BoundedMessageWriter } from './framing.js'
import type { GuardedTraffic } from './traffic.js'

/** A request on its way to the last gate. */
export interface OutgoingRequest {
  readonly method: string
  readonly call: number | undefined
  /** The document it is about, if it is about one. */
  readonly uri: string | undefined
}

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly milliseconds: number
}

type WithoutServer<E> = E extends { readonly server: string } ? Omit<E, 'server' | 'root'> : never
/** An event of one server, before it is stamped with which one. */
export type OwnEvent = WithoutServer<BridgeEvent>

export interface RequestsOptions {
  readonly title: string
  readonly connection: MessageConnection
  readonly writer: BoundedMessageWriter
  readonly traffic: Pick<GuardedTraffic, 'lastRequest' | 'takeBytes'>
  readonly clock: Clock
  readonly emit: (event: OwnEvent) => void
  /** The last gate: undefined lets a request pass, else it waits for leave or rejects, whatever led to it. */
  readonly admit: (request: OutgoingRequest) => Promise<void> | undefined
  /** The server answered that it does not know this method. */
  readonly onRefused: (method: string) => void
  readonly onHung: (cause: string) => void
}

const contentModifiedRetriesMs = [500, 1000, 2000]
const timeoutsBeforeProbe = 3
const probeMilliseconds = 10_000
const outboundLimitBytes = 16 * 1024 * 1024

export class Requests {
  readonly #options: RequestsOptions
  readonly #pending = new Set<(error: BridgeError) => void>()
  #closed: BridgeError | undefined
  /** The stream is over, though perhaps nobody knows yet why: nothing can be sent any more. */
  #streamEnded = false
  #consecutiveTimeouts = 0
  #probing = false
  #counter = 0

  constructor(options: RequestsOptions) {
    this.#options = options
  }

  get isOver(): boolean {
    return this.#streamEnded || this.#closed !== undefined
  }

  streamEnded(): void {
    this.#streamEnded = true
  }

  /** Fails every pending request at once. */
  failPending(cause: BridgeError): void {
    for (const reject of [...this.#pending]) reject(cause)
    this.#pending.clear()
  }

  /** What is asked from now on fails with this cause too. */
  close(cause: BridgeError): void {
    this.#closed = cause
    this.failPending(cause)
  }

  /** Retries what the protocol says may be retried, within the deadline. */
  async ask(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const uri: unknown = property(property(params, 'textDocument'), 'uri')
    const leave = this.#options.admit({
      method,
      call: callOf(options.signal),
      uri: typeof uri === 'string' ? uri : undefined,
    })
    // Before the time is taken: whoever is asked for leave does not spend the server's.
    if (leave !== undefined) await leave
    const deadline = this.#options.clock.now() + options.milliseconds
    let cancelledOnce = false
    for (let attempt = 0; ; attempt += 1) {
      const left = Math.max(deadline - this.#options.clock.now(), 1)
      try {
        return await this.#send(method, params, { ...options, milliseconds: left })
      } catch (thrown) {
        if (!(thrown instanceof ResponseError)) throw thrown
        const delayMs = contentModifiedRetriesMs[attempt]
        const inTime = delayMs !== undefined && this.#options.clock.now() + delayMs < deadline
        if (thrown.code === LSPErrorCodes.ContentModified && inTime) {
          await this.#pause(delayMs, options.signal)
          continue
        }
        const retriggers = thrown.code === LSPErrorCodes.ServerCancelled && wantsRetrigger(thrown.data)
        if ((retriggers || thrown.code === LSPErrorCodes.RequestCancelled) && !cancelledOnce) {
          cancelledOnce = true
          continue
        }
        throw this.#failure(method, thrown)
      }
    }
  }

  /** A server may refuse with the wish to be asked again (fault H02); once is enough. */
  async initialize(params: object, options: RequestOptions): Promise<unknown> {
    try {
      return await this.#send(InitializeRequest.method, params, options)
    } catch (thrown) {
      if (!(thrown instanceof ResponseError) || property(thrown.data, 'retry') !== true) throw thrown
      return this.#send(InitializeRequest.method, params, options)
    }
  }

  async #send(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const { clock } = this.#options
    if (this.#closed !== undefined) throw this.#closed
    // Nobody would take the answer, nor the failure that the end of the connection makes of it.
    if (options.signal.aborted) throw cancelled(options.signal)
    if (this.#options.writer.isOverloaded(outboundLimitBytes))
      throw overloadFailure(this.#options.title, this.#options.writer.queuedBytes)
    this.#counter += 1
    const id = this.#counter
    const startedAt = clock.now()
    this.#options.emit({ type: 'request.started', method, id })
    const call = callOf(options.signal)
    let sent: number | undefined
    const finished = (outcome: 'responded' | 'timed_out' | 'error' | 'cancelled') => {
      const bytes = sent === undefined ? undefined : this.#options.traffic.takeBytes(sent)
      this.#options.emit({
        type: 'request.finished',
        method,
        id,
        outcome,
        milliseconds: clock.now() - startedAt,
        ...(call === undefined ? {} : { call }),
        ...(bytes === undefined ? {} : { bytes }),
      })
    }
    const cancellation = new CancellationTokenSource()
    let fail: (error: BridgeError) => void = () => {}
    const died = new Promise<never>((_, reject) => {
      fail = reject
    })
    this.#pending.add(fail)
    try {
      // Over a stream that has ended nothing is sent; the cause of the end is the answer.
      const answer = this.#streamEnded
        ? died
        : this.#options.connection.sendRequest(method, params, cancellation.token)
      // The connection has an id of its own for it, and writes before it returns.
      if (answer !== died) sent = this.#options.traffic.lastRequest()
      // The cause comes first: the connection rejects what is pending as well, and knows none.
      const result = await withDeadline(Promise.race([died, answer]), {
        clock,
        milliseconds: options.milliseconds,
        signal: options.signal,
        onTimeout: () => this.#timeout(method, options.milliseconds),
      })
      this.#consecutiveTimeouts = 0
      finished('responded')
      return result
    } catch (thrown) {
      if (thrown instanceof ResponseError) {
        this.#consecutiveTimeouts = 0
        finished('error')
        this.#logResponseError(method, thrown)
        throw thrown
      }
      // A timeout or an abort: tell the server, then forget; its late answer is dropped (fault P04).
      if (!this.isOver) cancellation.cancel()
      const timedOut = thrown instanceof BridgeError && thrown.kind === 'RequestTimeout'
      finished(timedOut ? 'timed_out' : 'cancelled')
      if (timedOut && method !== InitializeRequest.method) this.#countTimeout()
      throw thrown instanceof BridgeError ? thrown : this.#closedError(thrown)
    } finally {
      this.#pending.delete(fail)
      cancellation.dispose()
    }
  }

  /** Any answer, an error included, proves that a server is alive; none within the limit proves that it hangs. */
  #countTimeout(): void {
    this.#consecutiveTimeouts += 1
    if (this.#consecutiveTimeouts < timeoutsBeforeProbe || this.#probing || this.isOver) return
    this.#probing = true
    const probe = this.#options.connection.sendRequest('alidade/ping').catch(error => {
      if (!(error instanceof ResponseError)) throw error
    })
    withDeadline(probe, {
      clock: this.#options.clock,
      milliseconds: probeMilliseconds,
      onTimeout: () => this.#timeout('alidade/ping', probeMilliseconds),
    })
      .then(() => {
        this.#consecutiveTimeouts = 0
      })
      .catch(() =>
        this.#options.onHung(`${timeoutsBeforeProbe} requests timed out and a probe was not answered`),
      )
      .finally(() => {
        this.#probing = false
      })
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    return withDeadline(
      new Promise<void>(resolve => {
        clock.after(milliseconds, resolve)
      }),
      {
        clock,
        milliseconds: milliseconds + 1000,
        signal,
        onTimeout: () => this.#timeout('retry', milliseconds),
      },
    )
  }

  #failure(method: string, error: ResponseError<unknown>): BridgeError {
    if (error.code === -32601) this.#options.onRefused(method)
    return responseFailure(this.#options.title, method, error)
  }

  #timeout(method: string, milliseconds: number): BridgeError {
    return timeoutFailure(this.#options.title, method, milliseconds)
  }

  #closedError(cause: unknown): BridgeError {
    return this.#closed ?? closedFailure(this.#options.title, cause)
  }

  #logResponseError(method: string, error: ResponseError<unknown>): void {
    const level: LogLevel = error.code === -32601 || error.code === -32002 ? 'warning' : 'debug'
    const message = `${method} failed with ${error.code}: ${cleanLine(error.message, 300).text}`
    this.#options.emit({ type: 'server.logged', level, message })
  }
}

function wantsRetrigger(data: unknown): boolean {
  return property(data, 'retriggerRequest') !== false
}
