// What was asked, who answered and how it ended: the seam every call passes on its way in and out. It sees values, not
// operations; whether and where records are kept is decided in `open.ts`.
import type { Events } from '../events.js'
import type { LogStatus } from './log.js'
import type { EvidenceEvent } from './shapes.js'

/** `none` is for programs that embed us and keep records of their own. */
export type EvidenceMode = 'required' | 'best-effort' | 'none'

export interface CallRecord {
  readonly operation: string
  readonly effect: 'read' | 'propose' | 'edit' | 'execute'
  readonly caller: 'model' | 'host'
  /** Asked by a poller: kept only if a server was asked. */
  readonly synthetic?: boolean | undefined
  readonly ok: boolean
  readonly errorKind?: string | undefined
  readonly milliseconds: number
  readonly servers: readonly { readonly id: string; readonly name: string; readonly version: string }[]
  /** As it was given; only fields that name a target are looked at. */
  readonly input: unknown
  readonly answer?: AnswerValues | undefined
  readonly round?: CorrectionRound | undefined
}

/** Where in the self-correction of a turn a validation stands. */
export interface CorrectionRound {
  /** 0 is the first look at the change. */
  readonly round: number
  readonly rounds: number
  /** The turn ends with it, whatever it finds. */
  readonly isLast: boolean
}

/** What is looked at of an answer; the result only where it is a verdict on a change. */
export interface AnswerValues {
  readonly result: unknown
  readonly target?: {
    readonly file: string
    readonly line: number
    readonly column: number
    readonly symbol: string
    readonly handle: string
  }
  readonly freshness: { readonly verdict: string; readonly content?: string; readonly queried_at: string }
  readonly completeness: { readonly verdict: string; readonly reason?: string }
}

export interface EvidenceStatus extends LogStatus {
  readonly mode: EvidenceMode
  /** Where the log lies; absent where none is kept. */
  readonly folder?: string
}

/** One call, from before anything happens to right before its answer is released. */
export interface CallTrace {
  /** Its number, for the events it causes. */
  readonly call: number
  /** Before anything is done: throws EvidenceUnavailable where records are required and cannot be kept. */
  admit(): Promise<void>
  /** Before the world is changed: the same, for what was recorded so far. */
  secure(): Promise<void>
  /** Keeps the record and returns its id; undefined when none is kept. Throws where it is required and cannot be. */
  close(record: CallRecord): Promise<string | undefined>
}

export interface Recorder {
  begin(): CallTrace
  /** Keeps what is not part of a call: a validated turn, an injected context. Throws as `close` does. */
  keep(event: EvidenceEvent): Promise<string | undefined>
  status(): EvidenceStatus
  /** Writes what is left. */
  close(): Promise<void>
}

/** Tells the events of every call and keeps nothing. */
export function eventRecorder(events: Events): Recorder {
  let calls = 0
  return {
    begin() {
      calls += 1
      return {
        call: calls,
        admit: async () => {},
        secure: async () => {},
        async close({ operation, ok, milliseconds }) {
          events.emit({ type: 'answer.recorded', operation, ok, milliseconds })
          return undefined
        },
      }
    },
    keep: async () => undefined,
    status: () => ({ mode: 'none', state: 'unopened', lost: 0, refused: 0 }),
    close: async () => {},
  }
}
