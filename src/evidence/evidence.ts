// What was asked, who answered and how it ended: the seam every call passes on its way out. Today the record goes to the
// event stream only; a store that keeps it returns the id that the answer then carries.
import type { Events } from '../events.js'

export interface CallRecord {
  readonly operation: string
  readonly ok: boolean
  readonly milliseconds: number
  readonly servers: readonly { readonly id: string; readonly version: string }[]
}

/** Returns the id of the kept record, or undefined when none is kept. */
export type Recorder = (record: CallRecord) => string | undefined

export function eventRecorder(events: Events): Recorder {
  return ({ operation, ok, milliseconds }) => {
    events.emit({ type: 'answer.recorded', operation, ok, milliseconds })
    return undefined
  }
}
