// Bytes to messages and back, as the reader and writer that `vscode-jsonrpc`'s connection works on. Its own reader
// waits for ever on a false length and takes any size; ours is bounded in memory, time and faults.
import type { Readable, Writable } from 'node:stream'
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageWriter,
} from 'vscode-jsonrpc/node'
import type { Clock, Timer } from '../clock.js'
import { BridgeError } from '../errors.js'
import {
  createFrameDecoder,
  type DecoderEvent,
  type FrameDecoder,
  type FrameDecoderOptions,
} from './frame-decoder.js'
import { decodeBody, type StrikeReason, startsWithByteOrderMark } from './message-body.js'
import { WireViolationError } from './wire-violation.js'

export interface ReaderOptions extends FrameDecoderOptions {
  readonly clock: Clock
  readonly maxDepth?: number | undefined
  /** A message was lost; the third time the stream is given up. */
  readonly onStrike?: ((reason: StrikeReason) => void) | undefined
}

export interface ReaderCounters {
  /** Complete frames, readable or not. */
  readonly frames: number
  readonly bytes: number
  /** Bytes between the frames that were no header (F12): more than 0 means a noisy standard output. */
  readonly noiseBytes: number
  readonly strikes: number
  /** Bodies that began with a byte order mark (F16). */
  readonly bom: number
}

const defaultMaxDepth = 512
const maxStrikes = 3
const partialWarningMilliseconds = 10_000
const partialLimitMilliseconds = 60_000
// A frame that drips one byte a second never pauses for long, so silence alone is no measure (F21): an unfinished
// frame must grow by this much, or be done, within the time limit.
const progressBytes = 64 * 1024

export class BoundedMessageReader extends AbstractMessageReader {
  readonly #stream: Readable
  readonly #options: ReaderOptions
  readonly #decoder: FrameDecoder
  readonly #counters = { frames: 0, bytes: 0, noiseBytes: 0, strikes: 0, bom: 0 }
  #messageBytes = 0
  #callback: DataCallback | undefined
  #closed = false
  #timer: Timer | undefined
  /** Since when, and from how many bytes on, the frame now being read has made no progress. */
  #stall = { frame: -1, bytes: 0, since: 0, warned: false }

  constructor(stream: Readable, options: ReaderOptions) {
    super()
    this.#stream = stream
    this.#options = options
    this.#decoder = createFrameDecoder(options)
    // Never removed: an ECONNRESET that comes after everything is over must not end the process.
    stream.on('error', error => this.#fail(new WireViolationError('stream-failed', error.message, error)))
  }

  get counters(): ReaderCounters {
    return this.#counters
  }

  /** The size of the message that is being delivered, or was last. */
  get messageBytes(): number {
    return this.#messageBytes
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback
    this.#stream.on('data', this.#onData)
    this.#stream.on('end', this.#onEnd)
    this.#stream.on('close', this.#onEnd)
    // A stream that died before anyone listened reports nothing any more.
    if (this.#stream.destroyed || this.#stream.readableEnded) queueMicrotask(this.#onEnd)
    return { dispose: () => this.#detach() }
  }

  override dispose(): void {
    this.#closed = true
    this.#detach()
    super.dispose()
  }

  readonly #onData = (chunk: Uint8Array): void => {
    if (this.#closed) return
    this.#counters.bytes += chunk.length
    for (const event of this.#decoder.push(chunk)) this.#take(event)
    this.#watchProgress()
  }

  readonly #onEnd = (): void => {
    if (this.#closed) return
    for (const event of this.#decoder.end()) this.#take(event)
    this.#close()
  }

  #take(event: DecoderEvent): void {
    if (this.#closed) return
    switch (event.type) {
      case 'message':
        this.#counters.frames += 1
        this.#receive(event.body)
        break
      case 'noise':
        this.#counters.noiseBytes += event.bytes
        break
      case 'violation':
        this.#fail(new WireViolationError(event.reason, event.detail))
        break
    }
  }

  #receive(body: Uint8Array): void {
    this.#messageBytes = body.length
    if (startsWithByteOrderMark(body)) this.#counters.bom += 1
    const decoded = decodeBody(body, this.#options.maxDepth ?? defaultMaxDepth)
    if (decoded.type === 'message') {
      this.#deliver(decoded.message)
      return
    }
    if (decoded.answer !== undefined) this.#deliver(decoded.answer)
    this.#strike(decoded.reason)
  }

  #deliver(message: Message): void {
    try {
      this.#callback?.(message)
    } catch {
      // The connection reads a few methods before it queues them, and throws when their params are not as expected.
      this.#strike('receiver-failed')
    }
  }

  #strike(reason: StrikeReason): void {
    this.#counters.strikes += 1
    this.#options.onStrike?.(reason)
    if (this.#counters.strikes < maxStrikes) return
    this.#fail(
      new WireViolationError('too-many-strikes', `${maxStrikes} messages were unreadable (${reason})`),
    )
  }

  #watchProgress(): void {
    if (this.#closed || !this.#decoder.insideFrame) {
      this.#stopTimer()
      return
    }
    const { frames, bytes } = this.#counters
    if (this.#stall.frame !== frames || bytes - this.#stall.bytes >= progressBytes) {
      if (this.#stall.warned) this.#stopTimer()
      this.#stall = { frame: frames, bytes, since: this.#options.clock.now(), warned: false }
    }
    this.#timer ??= this.#options.clock.after(partialWarningMilliseconds, this.#checkProgress)
  }

  readonly #checkProgress = (): void => {
    this.#timer = undefined
    const { clock } = this.#options
    const waited = clock.now() - this.#stall.since
    if (waited >= partialLimitMilliseconds) {
      this.#fail(new WireViolationError('stalled-frame', 'a message was begun and not finished for a minute'))
      return
    }
    if (waited >= partialWarningMilliseconds && !this.#stall.warned) {
      this.#stall.warned = true
      this.firePartialMessage({ messageToken: this.#stall.frame, waitingTime: waited })
    }
    const next = this.#stall.warned ? partialLimitMilliseconds : partialWarningMilliseconds
    this.#timer = clock.after(next - waited, this.#checkProgress)
  }

  #fail(error: WireViolationError): void {
    if (this.#closed) return
    this.#closed = true
    this.#detach()
    // Nothing in the stream can be trusted any more; reading on would only keep a broken server busy.
    this.#stream.destroy()
    this.fireError(error)
    this.fireClose()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#detach()
    this.fireClose()
  }

  #stopTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #detach(): void {
    this.#stopTimer()
    this.#stream.off('data', this.#onData)
    this.#stream.off('end', this.#onEnd)
    this.#stream.off('close', this.#onEnd)
  }
}

const defaultMaxQueuedBytes = 16 * 1024 * 1024

/**
 * A write is done when the stream has the bytes: waiting for the server to take them would hold up the next message.
 * The queue that this allows is bounded by whoever asks `isOverloaded` before a new request.
 */
export class BoundedMessageWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #stream: Writable
  #closed = false

  constructor(stream: Writable) {
    super()
    this.#stream = stream
    // Never removed, as in the reader: a server that closes its input makes late writes fail with EPIPE (S13).
    stream.on('error', error => this.#fail(error))
    stream.on('close', () => this.#close())
  }

  /** Bytes the server has not taken yet. */
  get queuedBytes(): number {
    return this.#stream.writableLength
  }

  isOverloaded(maxBytes = defaultMaxQueuedBytes): boolean {
    return this.queuedBytes > maxBytes
  }

  write(message: Message): Promise<void> {
    if (this.#closed || !this.#stream.writable) return refused(message)
    try {
      this.#stream.write(encodeFrame(message))
    } catch (error) {
      return Promise.reject(error)
    }
    return Promise.resolve()
  }

  end(): void {
    if (this.#stream.writable) this.#stream.end()
  }

  #fail(error: Error): void {
    if (this.#closed) return
    this.#closed = true
    this.fireError(new WireViolationError('stream-failed', error.message, error))
    this.fireClose()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.fireClose()
  }
}

/** Header and body in one chunk, so that they leave in one system call. */
function encodeFrame(message: Message): Buffer {
  const text = JSON.stringify(message)
  const length = Buffer.byteLength(text)
  const header = `Content-Length: ${length}\r\n\r\n`
  const frame = Buffer.allocUnsafe(header.length + length)
  frame.write(header, 'latin1')
  frame.write(text, header.length, 'utf8')
  return frame
}

/**
 * Only a request has somebody who waits for an answer and handles the failure. A notification or a response is
 * sent without waiting; to reject it would end the process with an unhandled rejection, and `onClose` has told all.
 */
function refused(message: Message): Promise<void> {
  if (!('method' in message && 'id' in message)) return Promise.resolve()
  return Promise.reject(
    new BridgeError({
      kind: 'Wire',
      message: "the server's input is closed",
      hint: 'The server has ended or is being restarted; ask again.',
    }),
  )
}
