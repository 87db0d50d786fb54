// One record as one line: JSON with the hash of the line before it in front and its own hash at the end, both at fixed
// places, so that a log can be verified without parsing it. The layout is documented in docs/decisions/019.
import { hash } from 'node:crypto'

/** What stands between the two hashes, besides the number. */
export interface RecordBody {
  readonly id: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly kind: string
}

export interface EncodedLine {
  /** With its line feed. */
  readonly line: string
  readonly hash: string
}

/** The parts of a line that make it a link of the chain. */
export interface LineParts {
  readonly prev: string
  /** Counts from 1 over the whole chain. */
  readonly seq: number
  readonly hash: string
}

/** A line that is longer was not written by us. */
export const longestLine = 1024 * 1024

export function encodeLine({ prev, seq }: Omit<LineParts, 'hash'>, body: RecordBody): EncodedLine {
  const open = `${headOf(prev, seq)}${JSON.stringify(body).slice(1, -1)}`
  const own = hash('sha256', open)
  return { line: `${open}${hashKey}${own}"}\n`, hash: own }
}

/** What the first line of a chain carries in place of the hash of a line before it. */
export function genesisHash(workspace: string, chain: string): string {
  return hash('sha256', `alidade evidence 1\n${workspace}\n${chain}\n`)
}

/** Undefined for what does not have the layout. The line is `bytes[start..end)`, without its line feed. */
export function partsOf(bytes: Buffer, start: number, end: number): LineParts | undefined {
  const seqStart = start + headLength
  if (end - closingLength <= seqStart) return undefined
  const head = bytes.toString('latin1', start, seqStart)
  if (!head.startsWith(prevKey) || !head.endsWith(seqKey)) return undefined
  const closing = bytes.toString('latin1', end - closingLength, end)
  if (!closing.startsWith(hashKey) || !closing.endsWith('"}')) return undefined
  let seq = 0
  let at = seqStart
  for (let digit = digitAt(bytes, at); digit >= 0 && at - seqStart < 16; digit = digitAt(bytes, at)) {
    seq = seq * 10 + digit
    at += 1
  }
  if (at === seqStart || bytes[at] !== comma) return undefined
  return {
    prev: head.slice(prevKey.length, prevKey.length + hashLength),
    seq,
    hash: closing.slice(hashKey.length, hashKey.length + hashLength),
  }
}

/** The hash of a line that is the next one after `prev` and has the hash it ought to have; undefined for any other. */
export function nextHash(
  { prev, seq }: Omit<LineParts, 'hash'>,
  bytes: Buffer,
  start: number,
  end: number,
): string | undefined {
  // Both ends are known beforehand, so they are compared and not taken apart: a million lines go through here.
  const head = headOf(prev, seq)
  if (end - closingLength < start + head.length) return undefined
  if (bytes.toString('latin1', start, start + head.length) !== head) return undefined
  const own = computedHash(bytes, start, end)
  return bytes.toString('latin1', end - closingLength, end) === `${hashKey}${own}"}` ? own : undefined
}

/** The hash that the line ought to carry. */
export function computedHash(bytes: Buffer, start: number, end: number): string {
  return hash('sha256', bytes.subarray(start, end - closingLength))
}

/** The last bytes of a line with this hash, line feed included: proof that a known line ends there. */
export function lineEnd(hashOfLine: string): string {
  return `${hashKey}${hashOfLine}"}\n`
}

const prevKey = '{"prev":"'
const seqKey = '","seq":'
const hashKey = ',"hash":"'
const hashLength = 64
const headLength = prevKey.length + hashLength + seqKey.length
const closingLength = hashKey.length + hashLength + '"}'.length
const comma = 0x2c

function headOf(prev: string, seq: number): string {
  return `${prevKey}${prev}${seqKey}${seq},`
}

function digitAt(bytes: Buffer, index: number): number {
  const digit = (bytes[index] ?? 0) - 0x30
  return digit >= 0 && digit <= 9 ? digit : -1
}
