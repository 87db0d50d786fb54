// Bytes and frames, by hand and not through a library, because a library would not let the server lie.
// Reading is strict instead: a client that frames wrongly is told on.
import type { Clock } from '../../src/clock.js'
import { isMessage, type Message } from './message.js'
import type { Bytes, Wire } from './script.js'

/** A frame around a body, as true or as false as `wire` asks for. */
export function frame(body: Buffer, wire: Wire = {}): Buffer {
  const content = Buffer.concat([wire.bom ? byteOrderMark : nothing, wire.invalidUtf8 ? spoil(body) : body])
  const lineEnd = wire.lineEnd ?? '\r\n'
  const length = lengthText(content, wire.length)
  const header = [...(length === undefined ? [] : [`Content-Length: ${length}`]), ...(wire.headers ?? [])]
  const head = header.map(line => line + lineEnd).join('') + lineEnd + (wire.between ?? '')
  const whole = Buffer.concat([Buffer.from(head), content])
  return wire.cut === undefined ? whole : whole.subarray(0, wire.cut)
}

export function toBuffer(bytes: Bytes): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes)
  if (isList(bytes)) return Buffer.concat(bytes.map(toBuffer))
  if ('base64' in bytes) return Buffer.from(bytes.base64, 'base64')
  const part = toBuffer(bytes.repeat)
  return part.length === 0 ? nothing : Buffer.alloc(part.length * bytes.times, part)
}

export interface Decoder {
  push(chunk: Buffer): void
}

/** After the first fault nothing more is read: what follows a broken frame has no known meaning. */
export function createDecoder(
  onMessage: (message: Message) => void,
  onFault: (fault: string) => void,
): Decoder {
  let rest: Buffer = nothing
  let broken = false
  const fail = (fault: string) => {
    broken = true
    onFault(fault)
  }
  return {
    push(chunk) {
      rest = Buffer.concat([rest, chunk])
      while (!broken) {
        const headEnd = rest.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const head = rest.toString('latin1', 0, headEnd)
        const length = /^Content-Length: ([0-9]{1,10})$/im.exec(head)?.[1]
        if (length === undefined)
          return fail(`the client wrote a frame without a length: ${head.slice(0, 200)}`)
        const start = headEnd + 4
        const end = start + Number(length)
        if (rest.length < end) return
        const body = rest.toString('utf8', start, end)
        rest = rest.subarray(end)
        const value = parse(body)
        if (!isMessage(value)) return fail(`the client wrote no JSON-RPC message: ${body.slice(0, 200)}`)
        onMessage(value)
      }
    },
  }
}

export interface Output {
  write(bytes: Buffer): void
  drip(bytes: number, milliseconds: number): void
  /** Nothing is written from now on. */
  mute(): void
}

export function createOutput(write: (bytes: Buffer) => void, clock: Clock): Output {
  let piece = Number.POSITIVE_INFINITY
  let pause = 0
  let muted = false
  const queue: Buffer[] = []
  let waiting = false
  const next = () => {
    waiting = false
    while (!waiting && !muted) {
      const bytes = queue.shift()
      if (bytes === undefined) return
      write(bytes)
      if (pause === 0) continue
      waiting = true
      clock.after(pause, next)
    }
  }
  return {
    write(bytes) {
      if (muted) return
      for (let from = 0; from < bytes.length; from += piece) queue.push(bytes.subarray(from, from + piece))
      if (!waiting) next()
    },
    drip(bytes, milliseconds) {
      piece = bytes
      pause = milliseconds
    },
    mute() {
      muted = true
    },
  }
}

const nothing = Buffer.alloc(0)
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

function lengthText(content: Buffer, length: Wire['length']): string | undefined {
  if (length === undefined) return String(content.length)
  if (length === 'absent') return undefined
  if ('says' in length) return length.says
  if ('off' in length) return String(content.length + length.off)
  return String(content.toString('utf8').length)
}

/** The message stays valid JSON but for the bytes, so a decoder that replaces them silently would accept it (F15). */
function spoil(body: Buffer): Buffer {
  return Buffer.concat([
    body.subarray(0, -1),
    Buffer.from(',"spoilt":"'),
    Buffer.from([0xff, 0xc3, 0x28]),
    Buffer.from('"}'),
  ])
}

function isList(bytes: Bytes): bytes is readonly Bytes[] {
  return Array.isArray(bytes)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
