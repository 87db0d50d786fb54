// The pieces every parser of a server's answer is made of: each takes what came over the wire and gives it a shape, or
// throws a `ServerError` that says what was expected (faults P06 to P09).
import { BridgeError } from '../errors.js'

export interface ServerPosition {
  readonly line: number
  readonly character: number
}

export interface ServerRange {
  readonly start: ServerPosition
  readonly end: ServerPosition
}

export function parseRange(value: unknown): ServerRange {
  const range = record(value, 'a range')
  return { start: parsePosition(range.start), end: parsePosition(range.end) }
}

export function parsePosition(value: unknown): ServerPosition {
  const position = record(value, 'a position')
  const { line, character } = position
  if (typeof line !== 'number' || typeof character !== 'number') throw malformed('a position', value)
  return { line, character }
}

export function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw malformed(what, value)
  return value
}

export function record(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw malformed(what, value)
  return value
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw malformed(what, value)
  return value
}

export function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function malformed(what: string, value: unknown): BridgeError {
  return new BridgeError({
    kind: 'ServerError',
    message: `the server's answer is malformed: expected ${what}, got ${describe(value)}`,
    hint: 'This is a fault of the language server; another version of it may help. Nothing of the answer was used.',
  })
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object of another shape' : typeof value
}
