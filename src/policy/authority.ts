// The policy for all calls: gives each its own authority, and is the last gate before the wire, which knows a request by
// the number of its call.
import type { Events } from '../events.js'
import { type ApprovalRequest, CallAuthority, refused } from './call-authority.js'
import type { Policy, PolicyQuestion } from './policy.js'

/** Resolves to whether it was approved; whoever is asked may take their time, until the signal. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal | undefined) => Promise<boolean>

export interface AuthorityOptions {
  /** The one in force now; a call keeps that under which it began. */
  readonly policy: () => Policy
  readonly events: Pick<Events, 'emit'>
}

export interface AskingCall extends Pick<PolicyQuestion, 'operation' | 'effect' | 'caller'> {
  /** Its number, under which requests are known. */
  readonly call: number
  readonly approve: ((request: ApprovalRequest) => Promise<boolean>) | undefined
}

export interface OutgoingRequest {
  readonly method: string
  /** Undefined for what belongs to no call, and for one that has ended. */
  readonly call: number | undefined
  readonly language: string
  /** Looked up only where a rule asks for it. */
  readonly file: () => string | undefined
}

export class Authority {
  readonly #options: AuthorityOptions
  readonly #calls = new Map<number, CallAuthority>()

  constructor(options: AuthorityOptions) {
    this.#options = options
  }

  forCall({ call, approve, ...asked }: AskingCall): CallAuthority {
    const { events } = this.#options
    const policy = this.#options.policy()
    const authority = new CallAuthority({
      policy,
      asked,
      approve,
      tell: ({ attended: _, ...question }, { decision, reason }) =>
        events.emit({ type: 'policy.decided', ...question, decision, reason, call }),
      onEnd: () => void this.#calls.delete(call),
    })
    this.#calls.set(call, authority)
    return authority
  }

  /** The last gate: undefined lets a request pass, else it waits for approval or is refused, whatever led to it. */
  admit({ method, call, language, file }: OutgoingRequest): Promise<void> | undefined {
    const asking = call === undefined ? undefined : this.#calls.get(call)
    if (asking !== undefined)
      return asking.admit({ method, language, file: asking.looksAtFiles ? file() : undefined })
    const decision = this.#options.policy().decideMethod(method, language)
    return decision.decision === 'allow' ? undefined : Promise.reject(refused(decision))
  }
}
