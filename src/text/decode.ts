// Bytes of a source file to text, exactly or not at all: a text with replacement characters would give every
// position after them a wrong column without anybody noticing (W12).
import { isAscii, isUtf8 } from 'node:buffer'
import { BridgeError } from '../errors.js'

export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string
  /** Whether the bytes began with one. */
  readonly bom: boolean
}

/** `name` is only for the message: the path as it may be shown. */
export function decodeSource(bytes: Uint8Array, name: string): DecodedText {
  const encoding = foreignEncoding(bytes)
  if (encoding !== undefined) throw notUtf8(name, encoding)
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Half the time of the UTF-8 decoder for the files that are nearly all files.
  if (isAscii(buffer)) return { text: buffer.toString('latin1'), bom: false }
  if (!isUtf8(buffer)) throw notUtf8(name, 'neither UTF-8 nor any Unicode text')
  // The slice goes by hand because a decoder would swallow a second mark, which is a character of the text.
  return { text: buffer.toString('utf8', bom ? 3 : 0), bom }
}

// Where Git looks for a NUL byte to call a file binary. One further down is a character like any other: it is
// valid UTF-8 and moves no column.
const binaryWindow = 8000

function foreignEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'UTF-16 (little-endian)'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'UTF-16 (big-endian)'
  if (bytes.subarray(0, binaryWindow).includes(0)) return 'binary, or UTF-16 without a byte order mark'
  return undefined
}

function notUtf8(name: string, encoding: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${name} is not UTF-8 text: it is ${encoding}`,
    hint: 'Columns in other encodings cannot be trusted; convert the file to UTF-8, or name another file.',
  })
}
