// The meaning of one header line, kept apart from the cutting of bytes: which lengths and charsets are accepted.
import type { WireViolation } from './wire-violation.js'

export interface HeaderFields {
  readonly length?: number
}

export interface HeaderFault {
  readonly reason: WireViolation
  readonly detail: string
}

/** Adds one line, without its line end, to what the header said so far. Headers we do not know are let pass. */
export function readHeaderLine(
  line: string,
  fields: HeaderFields,
  maxFrameBytes: number,
): HeaderFields | HeaderFault {
  const parts = /^([!#$%&'*+.^_`|~0-9a-z-]+):(.*)$/is.exec(line)
  const name = parts?.[1]?.toLowerCase()
  const value = (parts?.[2] ?? '').replace(/^ /, '')
  if (name === undefined) return { reason: 'malformed-header', detail: `${quoted(line)} is no header line` }
  if (name === 'content-length') return readLength(value, fields, maxFrameBytes)
  if (name === 'content-type') return readContentType(value, fields)
  return fields
}

function readLength(value: string, fields: HeaderFields, maxFrameBytes: number): HeaderFields | HeaderFault {
  if (!/^[0-9]{1,10}$/.test(value))
    return { reason: 'bad-length', detail: `Content-Length is ${quoted(value)}, not a plain number` }
  const length = Number(value)
  if (length === 0) return { reason: 'empty-frame', detail: 'a message has the length 0' }
  if (length > maxFrameBytes)
    return {
      reason: 'frame-too-large',
      detail: `a message of ${length} bytes is over the limit of ${maxFrameBytes} bytes`,
    }
  if (fields.length !== undefined && fields.length !== length)
    return {
      reason: 'conflicting-length',
      detail: `one header gives two lengths, ${fields.length} and ${length}`,
    }
  return { length }
}

function readContentType(value: string, fields: HeaderFields): HeaderFields | HeaderFault {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(value)?.[1]
  // `utf8` is no registered name, but the protocol asks for it to be accepted for old clients and servers.
  if (charset === undefined || /^utf-?8$/i.test(charset)) return fields
  return { reason: 'unsupported-charset', detail: `the message's charset is ${quoted(charset)}, not UTF-8` }
}

/** Bytes of a server inside an error text: short, printable ASCII only. */
function quoted(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text
  return `"${shown.replace(/[^ -~]/g, '?')}"`
}
