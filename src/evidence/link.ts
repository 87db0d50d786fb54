// Whether a line is the next link of a chain: the one rule that the writer who opens a log and the verifier share.
import { computedHash, type LineParts, nextHash, partsOf } from './line.js'
import type { ScannedLine } from './scan.js'

/** Where a chain stands. */
export interface ChainState {
  readonly seq: number
  readonly hash: string
}

export type Link =
  | { readonly fits: true; readonly state: ChainState }
  | {
      readonly fits: false
      /** `layout`: no line of ours. `hash`: its own hash is not that of its bytes. `order`, `prev`: not the next one. */
      readonly why: 'layout' | 'hash' | 'order' | 'prev'
      readonly parts: LineParts | undefined
    }

export function linkOf({ seq, hash }: ChainState, { bytes, start, end }: ScannedLine): Link {
  const next = nextHash({ prev: hash, seq: seq + 1 }, bytes, start, end)
  if (next !== undefined) return { fits: true, state: { seq: seq + 1, hash: next } }
  const parts = partsOf(bytes, start, end)
  if (parts === undefined) return { fits: false, why: 'layout', parts }
  if (computedHash(bytes, start, end) !== parts.hash) return { fits: false, why: 'hash', parts }
  if (parts.seq !== seq + 1) return { fits: false, why: 'order', parts }
  return { fits: false, why: 'prev', parts }
}
