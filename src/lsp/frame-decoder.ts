// Cuts a byte stream into message bodies: strict, bounded and linear, because the stock reader has no limits (a
// 25 MiB header takes it 17 s, a 4 GiB length waits for ever) and loses good messages after one stray line.
import { FrameBody } from './frame-body.js'
import { type HeaderFields, readHeaderLine } from './frame-header.js'
import { FrameNoise } from './frame-noise.js'
import type { WireViolation } from './wire-violation.js'

export interface FrameDecoderOptions {
  readonly maxFrameBytes?: number | undefined
  readonly maxHeaderBytes?: number | undefined
  readonly maxHeaderLines?: number | undefined
  /** Noise allowed between two frames, not over the life of the stream. */
  readonly maxNoiseBytes?: number | undefined
  /** A quirk of single servers: header lines may end with LF alone. */
  readonly allowLineFeedOnly?: boolean | undefined
}

export type DecoderEvent =
  /** `body` may be a view into the pushed chunk. */
  | { readonly type: 'message'; readonly body: Uint8Array }
  | { readonly type: 'noise'; readonly bytes: number }
  /** Always the last event of a stream. */
  | { readonly type: 'violation'; readonly reason: WireViolation; readonly detail: string }

export interface FrameDecoder {
  push(chunk: Uint8Array): DecoderEvent[]
  /** The stream is over; a frame that is still open was cut off (F22). */
  end(): DecoderEvent[]
  /** A header or a body has begun and is not complete. */
  readonly insideFrame: boolean
  /** Memory held for bytes not yet handed out. */
  readonly retainedBytes: number
}

export function createFrameDecoder(options: FrameDecoderOptions = {}): FrameDecoder {
  return new StreamingFrameDecoder(options)
}

// `lineStart`: between frames, at the beginning of a line that may turn out to be a header. `noiseLine`: inside a
// line that is none. `frame`: inside a header or, once `#body` is there, its body. `over`: after a violation or the
// end; nothing is dispatched any more.
type State = 'lineStart' | 'noiseLine' | 'frame' | 'over'

const lineFeed = 0x0a
const defaultMaxFrameBytes = 64 * 1024 * 1024
const defaultMaxHeaderBytes = 8 * 1024
const defaultMaxHeaderLines = 32
const defaultMaxNoiseBytes = 64 * 1024
const headerNames = [Buffer.from('content-length:'), Buffer.from('content-type:')]
const longestHeaderName = 15
const emptyLine = Buffer.from('\r\n')
const emptyLineFeedLine = Buffer.from('\n')

class StreamingFrameDecoder implements FrameDecoder {
  readonly #maxFrameBytes: number
  readonly #maxHeaderBytes: number
  readonly #maxHeaderLines: number
  readonly #maxNoiseBytes: number
  readonly #lineFeedOnly: boolean

  #state: State = 'lineStart'
  #events: DecoderEvent[] = []
  #frames = 0

  /** The header line being read, or at `lineStart` the bytes that may become one. */
  readonly #line: Buffer
  #lineLength = 0
  #headerBytes = 0
  #headerLines = 0
  #fields: HeaderFields = {}

  readonly #noise: FrameNoise
  /** A length line that did not begin its line; the line after it tells whether it was a header. */
  #glued: Buffer | undefined

  #body: FrameBody | undefined

  constructor(options: FrameDecoderOptions) {
    this.#maxFrameBytes = options.maxFrameBytes ?? defaultMaxFrameBytes
    this.#maxHeaderBytes = options.maxHeaderBytes ?? defaultMaxHeaderBytes
    this.#maxHeaderLines = options.maxHeaderLines ?? defaultMaxHeaderLines
    this.#maxNoiseBytes = options.maxNoiseBytes ?? defaultMaxNoiseBytes
    this.#lineFeedOnly = options.allowLineFeedOnly ?? false
    this.#noise = new FrameNoise(this.#maxNoiseBytes, this.#lineFeedOnly)
    this.#line = Buffer.allocUnsafe(Math.max(this.#maxHeaderBytes, longestHeaderName))
  }

  get insideFrame(): boolean {
    if (this.#state === 'frame') return true
    return this.#state === 'lineStart' && this.#lineLength > 0
  }

  get retainedBytes(): number {
    const kept = this.#lineLength + (this.#glued?.length ?? 0)
    return kept + this.#noise.retainedBytes + (this.#body?.retainedBytes ?? 0)
  }

  push(chunk: Uint8Array): DecoderEvent[] {
    let offset = 0
    while (offset < chunk.length && this.#state !== 'over') {
      if (this.#body !== undefined) offset = this.#readBody(this.#body, chunk, offset)
      else if (this.#state === 'frame') offset = this.#readHeader(chunk, offset)
      else if (this.#state === 'noiseLine') offset = this.#skipNoise(chunk, offset)
      else offset = this.#readLineStart(chunk, offset)
    }
    this.#reportNoise()
    return this.#takeEvents()
  }

  end(): DecoderEvent[] {
    if (this.#state === 'over') return []
    if (this.insideFrame) this.#violate('truncated-frame', 'the stream ended inside a message')
    else {
      this.#dropGlued()
      this.#state = 'over'
      this.#reportNoise()
    }
    return this.#takeEvents()
  }

  #readLineStart(chunk: Uint8Array, offset: number): number {
    const known = this.#lineLength
    const fresh = chunk.subarray(offset, offset + longestHeaderName - known)
    this.#line.set(fresh, known)
    const seen = this.#line.subarray(0, known + fresh.length)
    let matched = 0
    for (const name of this.#wantedAtLineStart()) {
      const length = commonPrefix(seen, name)
      if (length === name.length) {
        this.#lineLength = length
        this.#beginHeader()
        return offset + length - known
      }
      matched = Math.max(matched, length)
    }
    this.#lineLength = matched
    if (matched === seen.length) return offset + fresh.length
    this.#beginNoise()
    return offset + matched - known
  }

  /** The bytes collected so far are a header name, or the empty line after a glued length. */
  #beginHeader(): void {
    const glued = this.#glued
    // After a frame, a header in the middle of a line means that the frame's length was too short (F03) or that
    // noise ran into it; nobody can tell which. Before the first frame it can only be a banner without a line
    // end, or the byte order mark that .NET writers put at the start of a stream.
    if (glued !== undefined && this.#frames > 0) {
      this.#violate('header-inside-line', 'a header began in the middle of a line, so a length was wrong')
      return
    }
    this.#reportNoise()
    this.#glued = undefined
    this.#noise.frameBegan()
    this.#headerLines = 0
    this.#fields = {}
    this.#headerBytes = (glued?.length ?? 0) + this.#lineLength
    this.#state = 'frame'
    if (glued !== undefined) this.#takeHeaderLine(glued)
    if (this.#line[this.#lineLength - 1] === lineFeed) this.#endHeaderLine()
  }

  #wantedAtLineStart(): readonly Uint8Array[] {
    if (this.#glued === undefined) return headerNames
    return this.#lineFeedOnly ? [...headerNames, emptyLine, emptyLineFeedLine] : [...headerNames, emptyLine]
  }

  #beginNoise(): void {
    this.#dropGlued()
    this.#noise.add(this.#line.subarray(0, this.#lineLength))
    this.#lineLength = 0
    this.#state = 'noiseLine'
  }

  #skipNoise(chunk: Uint8Array, offset: number): number {
    const allowed = this.#noise.allowedBytes
    const line = upToLineFeed(chunk, offset, allowed + 1)
    this.#noise.add(line.bytes)
    if (line.bytes.length > allowed)
      this.#violate('too-much-noise', `more than ${this.#maxNoiseBytes} bytes came that are no message`)
    else if (line.isComplete) {
      this.#glued = this.#noise.endLine()
      this.#state = 'lineStart'
    }
    return offset + line.bytes.length
  }

  #dropGlued(): void {
    if (this.#glued !== undefined) this.#noise.addGlued(this.#glued)
    this.#glued = undefined
  }

  #readHeader(chunk: Uint8Array, offset: number): number {
    const allowed = this.#maxHeaderBytes - this.#headerBytes
    const { bytes, isComplete } = upToLineFeed(chunk, offset, allowed + 1)
    if (bytes.length > allowed) {
      this.#violate('header-too-long', `a message header is longer than ${this.#maxHeaderBytes} bytes`)
      return offset + bytes.length
    }
    this.#line.set(bytes, this.#lineLength)
    this.#lineLength += bytes.length
    this.#headerBytes += bytes.length
    if (isComplete) this.#endHeaderLine()
    return offset + bytes.length
  }

  #endHeaderLine(): void {
    const line = this.#line.subarray(0, this.#lineLength)
    this.#lineLength = 0
    this.#takeHeaderLine(line)
  }

  #takeHeaderLine(line: Buffer): void {
    const text = line.toString('latin1')
    if (!text.endsWith('\r\n') && !this.#lineFeedOnly) {
      this.#violate('bare-line-feed', 'a header line ends with LF instead of CR LF')
      return
    }
    const content = text.slice(0, text.endsWith('\r\n') ? -2 : -1)
    if (content === '') {
      this.#beginBody()
      return
    }
    this.#headerLines += 1
    if (this.#headerLines > this.#maxHeaderLines) {
      this.#violate('too-many-header-lines', `a message header has more than ${this.#maxHeaderLines} lines`)
      return
    }
    const read = readHeaderLine(content, this.#fields, this.#maxFrameBytes)
    if ('reason' in read) this.#violate(read.reason, read.detail)
    else this.#fields = read
  }

  #beginBody(): void {
    const { length } = this.#fields
    if (length === undefined) {
      this.#violate('missing-length', 'a message header has no Content-Length')
      return
    }
    this.#body = new FrameBody(length)
  }

  #readBody(body: FrameBody, chunk: Uint8Array, offset: number): number {
    const arrived = chunk.subarray(offset, offset + body.missingBytes)
    const complete = body.take(arrived)
    if (complete !== undefined) {
      this.#events.push({ type: 'message', body: complete })
      this.#frames += 1
      this.#body = undefined
      this.#state = 'lineStart'
    }
    return offset + arrived.length
  }

  #reportNoise(): void {
    const bytes = this.#noise.report(this.#state === 'over')
    if (bytes > 0) this.#events.push({ type: 'noise', bytes })
  }

  #violate(reason: WireViolation, detail: string): void {
    this.#state = 'over'
    this.#reportNoise()
    this.#events.push({ type: 'violation', reason, detail })
    this.#body = undefined
    this.#glued = undefined
    this.#lineLength = 0
  }

  #takeEvents(): DecoderEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}

/** How many leading bytes are those of the name, upper and lower case being the same. */
function commonPrefix(bytes: Uint8Array, name: Uint8Array): number {
  const end = Math.min(bytes.length, name.length)
  for (let index = 0; index < end; index++) {
    const byte = bytes[index] ?? 0
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    if (lower !== name[index]) return index
  }
  return end
}

/** The bytes up to and with the next LF, or as many as there are within the limit. Never looks further than that. */
function upToLineFeed(
  chunk: Uint8Array,
  offset: number,
  limit: number,
): { bytes: Uint8Array; isComplete: boolean } {
  const window = chunk.subarray(offset, offset + limit)
  const found = window.indexOf(lineFeed)
  return found === -1
    ? { bytes: window, isComplete: false }
    : { bytes: window.subarray(0, found + 1), isComplete: true }
}
