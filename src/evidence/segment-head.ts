// The first line of a segment: whose it is, and where the one before it ended. What a writer found out about an earlier
// one is told in the same shape.
import type { Tip } from './checkpoint.js'
import type { WorkspaceIdentity } from './layout.js'
import type { EventOfKind } from './shapes.js'

type Previous = EventOfKind<'segment_opened'>['previous']

/** Why a segment is not written to any more. */
export type Ending = Pick<Previous, 'ended' | 'discarded_bytes'>

/** Of the segment after the tip. */
export function headOf(
  chain: string,
  tip: Tip,
  ending: Ending | undefined,
  identity: WorkspaceIdentity,
): EventOfKind<'log_opened' | 'segment_opened' | 'log_recovered'> {
  const head = { format: 1 as const, ...identity, chain, segment: tip.segment + 1 }
  if (tip.segment === 0) return { kind: 'log_opened', ...head }
  const { segment, seq, bytes, hash } = tip
  const previous = { segment, seq, bytes, hash, ...(ending ?? { ended: 'interrupted', discarded_bytes: 0 }) }
  if (previous.ended === 'full' || previous.ended === 'old')
    return { kind: 'segment_opened', ...head, previous }
  return { kind: 'log_recovered', ...head, previous, reason: reasonsToMove[previous.ended] }
}

/** That the writer before us did not close the chain. */
export function recovered(
  chain: string,
  { segment }: Tip,
  identity: WorkspaceIdentity,
): EventOfKind<'log_recovered'> {
  const reason = 'its writer ended without closing it'
  return { kind: 'log_recovered', format: 1, ...identity, chain, segment, reason }
}

const reasonsToMove: Readonly<Record<Exclude<Previous['ended'], 'full' | 'old'>, string>> = {
  torn: 'a record was cut off when its writer ended',
  interrupted: 'the writer ended while it began this segment',
  write_failed: 'a write failed half way',
  sync_failed: 'the disk did not confirm what was written',
  moved: 'the segment was moved or removed while it was written',
  foreign: 'somebody else wrote to the segment',
}
