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

/** Where a slot begins in the file. */
export type Slot = 0 | typeof slotBytes

export interface Checkpoint {
  readonly tip: Tip
  /** The one that holds it, and that must stay until another one does: every writer begins with the other. */
  readonly slot: Slot
}

export function otherSlot(slot: Slot): Slot {
  return slot === 0 ? slotBytes : 0
}

/** The younger of the two slots that is whole; undefined when neither is. */
export function decodeCheckpoint(chain: string, bytes: Buffer): Checkpoint | undefined {
  const found = slots.flatMap(slot => {
    const tip = decodeSlot(chain, bytes.toString('utf8', slot, slot + slotBytes).trim())
    return tip === undefined ? [] : [{ tip, slot }]
  })
  return found.toSorted((a, b) => b.tip.seq - a.tip.seq)[0]
}

const slots: readonly Slot[] = [0, slotBytes]

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
