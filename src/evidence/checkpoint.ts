// The checkpoint of a chain: up to where it reached when it was last known to be on the disk. A log that ends earlier was
// cut or put back. Two slots are written in turn, so that a write that breaks off never costs the older one.
import { hash } from 'node:crypto'
import * as z from 'zod'

/** Where a chain ends. */
export interface Tip {
  readonly segment: number
  /** The number of the last record; 0 before the first. */
  readonly seq: number
  /** How many bytes of the segment hold records. */
  readonly bytes: number
  readonly hash: string
  /** When the last record was made. */
  readonly at: string
  /** When the segment was begun. */
  readonly begun: string
}

export const slotBytes = 512

/** Filled up with spaces: every slot has the same size, and the file never grows on a full disk. */
export function encodeCheckpoint(chain: string, tip: Tip): Buffer {
  const text = JSON.stringify({ chain, ...tip })
  const line = `${text.slice(0, -1)},"sum":"${sumOf(text)}"}`
  return Buffer.from(`${line.padEnd(slotBytes - 1)}\n`)
}

/** Which of the two slots is written next. */
export function slotOf(turn: number): number {
  return (turn % 2) * slotBytes
}

/** The younger of the two slots that is whole; undefined when neither is. */
export function decodeCheckpoint(chain: string, bytes: Buffer): Tip | undefined {
  const tips = [0, slotBytes].flatMap(start => {
    const tip = decodeSlot(chain, bytes.toString('utf8', start, start + slotBytes).trim())
    return tip === undefined ? [] : [tip]
  })
  return tips.toSorted((a, b) => b.seq - a.seq)[0]
}

const schema = z.object({
  chain: z.string(),
  segment: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  hash: z.string(),
  at: z.string(),
  begun: z.string(),
  sum: z.string(),
})

function decodeSlot(chain: string, text: string): Tip | undefined {
  let parsed: z.output<typeof schema>
  try {
    parsed = schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
  const { sum, ...pinned } = parsed
  if (pinned.chain !== chain || sum !== sumOf(JSON.stringify(pinned))) return undefined
  const { segment, seq, bytes, hash: last, at, begun } = pinned
  return { segment, seq, bytes, hash: last, at, begun }
}

function sumOf(text: string): string {
  return hash('sha256', text)
}
