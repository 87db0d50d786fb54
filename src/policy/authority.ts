// One policy at work: puts a question to it, gets approval where it must, and remembers for a call what was approved, so
// that the request itself passes the last gate before the wire.
import { BridgeError } from '../errors.js'
import type { Events } from '../events.js'
import type { Policy, PolicyDecision, PolicyQuestion } from './policy.js'

export interface ApprovalRequest extends PolicyQuestion {
  /** Why it has to be approved. */
  readonly reason: string
}

/** Resolves to whether it was approved; whoever is asked may take their time, until the signal. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal | undefined) => Promise<boolean>

export interface AuthorityOptions {
  readonly policy: Policy
  readonly events: Pick<Events, 'emit'>
}

export interface CallAuthority {
  /** Returns when it may go on; throws PolicyDenied or ApprovalRequired. A question is decided once a call. */
  authorize(question: PolicyQuestion): Promise<void>
  /** Nothing that was approved for this call holds any longer. */
  end(): void
}

export interface CallAuthorityOptions {
  /** Number of the call, under which requests are known. */
  readonly call: number
  readonly approve: Approve | undefined
  readonly signal: AbortSignal | undefined
}

export class Authority {
  readonly #options: AuthorityOptions
  readonly #approved = new Map<number, Set<string>>()
  /** Requests that the policy has an opinion on are few and come again and again. */
  readonly #methods = new Map<string, PolicyDecision>()

  constructor(options: AuthorityOptions) {
    this.#options = options
  }

  forCall({ call, approve, signal }: CallAuthorityOptions): CallAuthority {
    const decided = new Map<string, Promise<void>>()
    // The same reason is put to a person once a call, for however many files it holds.
    const replies = new Map<string, Promise<boolean>>()
    const askOnce: Approve = (request, signal) => {
      const reply = replies.get(request.reason) ?? approve?.(request, signal) ?? Promise.resolve(false)
      replies.set(request.reason, reply)
      return reply
    }
    const asking = { call, approve: approve && askOnce, signal }
    return {
      authorize: question => {
        const key = JSON.stringify(question)
        const known = decided.get(key) ?? this.#decide(question, asking)
        decided.set(key, known)
        return known
      },
      end: () => void this.#approved.delete(call),
    }
  }

  /** The last gate: why a request must not be sent, whatever led to it. */
  refusal(method: string, call: number | undefined): BridgeError | undefined {
    const decision = this.#methods.get(method) ?? this.#options.policy.decideMethod(method)
    this.#methods.set(method, decision)
    if (decision.decision === 'allow') return undefined
    const isApproved = call !== undefined && this.#approved.get(call)?.has(method) === true
    if (decision.decision === 'ask' && isApproved) return undefined
    return refused(decision)
  }

  async #decide(question: PolicyQuestion, { call, approve, signal }: CallAuthorityOptions): Promise<void> {
    const decision = this.#options.policy.decide(question)
    this.#tell(question, decision, call)
    if (decision.decision === 'allow') return
    if (decision.decision === 'deny' || approve === undefined) throw refused(decision)
    const isApproved = await approve({ ...question, reason: decision.reason }, signal)
    const { reason } = decision
    const verdict = isApproved
      ? ({ decision: 'allow', reason: `approved: ${reason}`, hint: '' } as const)
      : ({ decision: 'deny', reason: `not approved: ${reason}`, hint: 'Do without it.' } as const)
    this.#tell(question, verdict, call)
    if (verdict.decision === 'deny') throw refused(verdict)
    if (question.method === undefined) return
    const approved = this.#approved.get(call) ?? new Set()
    this.#approved.set(call, approved.add(question.method))
  }

  #tell(question: PolicyQuestion, { decision, reason }: PolicyDecision, call: number): void {
    this.#options.events.emit({ type: 'policy.decided', ...question, decision, reason, call })
  }
}

function refused({ decision, reason, hint }: PolicyDecision): BridgeError {
  return new BridgeError({
    kind: decision === 'ask' ? 'ApprovalRequired' : 'PolicyDenied',
    message: reason,
    hint,
  })
}
