// A plan seen from the disk: for every name that changes, what it holds now and what it is to hold. A rename is two
// of them, and so even files that change places need no order.
import { contentHash } from '../text/hash.js'
import type { EditPlan, PlannedFile } from './edit-plan.js'

export interface Slot {
  /** Relative to the root. */
  readonly file: string
  /** The content it has; undefined when there must be no file. */
  old: string | undefined
  /** What it gets; undefined when it is deleted. */
  next: NextContent | undefined
}

export interface NextContent {
  readonly content: string
  /** Undefined: the very file that is at `from` now. */
  readonly bytes: Uint8Array | undefined
  /** Whose mode and owner it takes over; undefined for a new file. */
  readonly from: string | undefined
}

export function slotsOf({ files }: Pick<EditPlan, 'files'>): Slot[] {
  const slots = new Map<string, Slot>()
  const slotOf = (file: string): Slot => {
    const known = slots.get(file) ?? { file, old: undefined, next: undefined }
    slots.set(file, known)
    return known
  }
  for (const planned of files) {
    const { file, before } = planned
    if (before !== undefined) slotOf(before.file).old = before.content
    const next = nextOf(planned)
    if (next !== undefined) slotOf(file).next = next
  }
  return [...slots.values()]
}

function nextOf({ file, before, after }: PlannedFile): NextContent | undefined {
  if (after === undefined) return undefined
  const isMoved = before !== undefined && before.file !== file && before.text === after
  if (isMoved) return { content: before.content, bytes: undefined, from: before.file }
  const bytes = Buffer.from((before?.bom ? '\ufeff' : '') + after)
  return { content: contentHash(bytes), bytes, from: before?.file }
}
