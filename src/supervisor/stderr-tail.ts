// The last words of a server, for the error that reports its death. The stream is always drained, however much is
// written to it, because a server blocks once its stderr pipe is full; only a bounded ring is kept.
import type { Readable } from 'node:stream'

const ringBytes = 64 * 1024
const tailBytes = 4 * 1024

/** Returns the function that reads the tail. */
export function collectTail(stream: Readable): () => string {
  // Most servers write nothing: the ring is made for those that do.
  let ring: Buffer | undefined
  let written = 0
  stream.on('data', (chunk: Buffer) => {
    ring ??= Buffer.alloc(ringBytes)
    const kept = chunk.subarray(-ringBytes)
    const start = (written + chunk.length - kept.length) % ringBytes
    const untilEnd = Math.min(kept.length, ringBytes - start)
    kept.copy(ring, start, 0, untilEnd)
    kept.copy(ring, 0, untilEnd)
    written += chunk.length
  })
  return () => {
    if (!ring) return ''
    const end = written % ringBytes
    const inOrder =
      written < ringBytes
        ? ring.subarray(0, written)
        : Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
    // Twice the tail is cleaned, so that what cleaning takes away is made up from further back.
    return lastBytes(Buffer.from(clean(lastBytes(inOrder, 2 * tailBytes))), tailBytes).trim()
  }
}

function lastBytes(bytes: Buffer, limit: number): string {
  let start = Math.max(0, bytes.length - limit)
  // The cut may fall inside a character; its remaining bytes are dropped rather than shown as damage.
  if (start > 0) while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.toString('utf8', start)
}

/** The text is the server's, and may reach a terminal or a model: it must not be able to steer either. */
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(operatingSystemCommand, '')
    .replace(controlSequence, '')
    .replace(invisible, '')
}

const operatingSystemCommand = /(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x1b\x9c\n]{0,1000}(?:\x07|\x1b\\|\x9c)?/g
const controlSequence = /(?:\x1b\[|\x9b)[0-?]{0,100}[ -/]{0,10}[@-~]?|\x1b[ -/]{0,10}[0-~]?/g
/** C0 and C1 except tab and newline, then zero-width, direction and tag characters. */
const invisible =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
