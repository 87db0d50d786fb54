// The policy at work for one call: what it was allowed, what was put to somebody and what they said. A reply counts for
// what the question named and for nothing else.
import { BridgeError } from '../errors.js'
import type { Fact, Policy, PolicyDecision, PolicyQuestion } from './policy.js'

/** The part of a question that changes while a call goes on. */
export type About = Pick<PolicyQuestion, 'method' | 'file' | 'language'>

export interface ApprovalRequest extends Omit<PolicyQuestion, 'attended'> {
  /** Why it has to be approved. */
  readonly reason: string
  /** The files that are known to be touched; `file` is there when it is one alone. The other facts, where it is about them. */
  readonly files: readonly string[]
  /** Whether the reply counts for these files alone, and not for others that the call leads to. */
  readonly onlyThese: boolean
}

export interface CallAuthorityOptions {
  readonly policy: Policy
  readonly asked: Pick<PolicyQuestion, 'operation' | 'effect' | 'caller'>
  /** Resolves to whether it was approved; undefined where nobody can be asked. */
  readonly approve: ((request: ApprovalRequest) => Promise<boolean>) | undefined
  readonly tell: (question: PolicyQuestion, decision: PolicyDecision) => void
  readonly onEnd: () => void
}

export class CallAuthority {
  readonly #options: CallAuthorityOptions
  readonly #base: Pick<PolicyQuestion, 'operation' | 'effect' | 'caller' | 'attended'>
  readonly #told = new Set<string>()
  readonly #replies = new Map<string, Promise<boolean>>()
  #asksNoMore = false

  constructor(options: CallAuthorityOptions) {
    this.#options = options
    this.#base = { ...options.asked, attended: options.approve !== undefined }
  }

  /**
   * Returns when all of it may go on; throws PolicyDenied or ApprovalRequired. What has to be approved for one reason is
   * one question, which names every file of it.
   */
  async authorize(...abouts: readonly About[]): Promise<void> {
    const open = new Map<
      string,
      { readonly decision: PolicyDecision; readonly questions: PolicyQuestion[] }
    >()
    for (const about of abouts) {
      const question = { ...this.#base, ...about }
      const decision = this.#options.policy.decide(question)
      this.#tell(question, decision)
      if (decision.decision === 'deny') throw refused(decision)
      if (decision.decision === 'allow') continue
      const key = subjectOf(decision, question)
      const group = open.get(key) ?? { decision, questions: [] }
      group.questions.push(question)
      open.set(key, group)
    }
    for (const { decision, questions } of open.values()) await this.#approved(decision, questions)
  }

  /** The last gate, for one request: undefined where it may simply be sent, which is nearly always and must cost nothing. */
  admit(about: About): Promise<void> | undefined {
    if (!this.#options.policy.looksAtRequests) return undefined
    const question = { ...this.#base, ...about }
    const decision = this.#options.policy.decideRequest(question)
    if (decision.decision === 'allow') return undefined
    this.#tell(question, decision)
    if (decision.decision === 'deny') return Promise.reject(refused(decision))
    const isAboutFile = decision.dependsOn?.length === 1 && dependsOn(decision, 'file')
    // Files are asked about where a call comes to them, all at once; a hundred requests are not a hundred questions.
    if (isAboutFile && !this.#replies.has(replyKey(decision, question)))
      return Promise.reject(refused(decision))
    return this.#approved(decision, [question])
  }

  /** Whether the file of a request can make a difference. */
  get looksAtFiles(): boolean {
    return this.#options.policy.looksAtFiles
  }

  /** Whether a request would be sent without a question to anybody. */
  maySend(method: string): boolean {
    const question = { ...this.#base, method }
    const decision = this.#options.policy.decideRequest(question)
    return (
      decision.decision === 'allow' ||
      (decision.decision === 'ask' && this.#replies.has(replyKey(decision, question)))
    )
  }

  /** After a change of the world a question would come too late: the call could not be put again for it. */
  askNoMore(): void {
    this.#asksNoMore = true
  }

  /** Nothing that was approved for this call holds any longer. */
  end(): void {
    this.#replies.clear()
    this.#asksNoMore = true
    this.#options.onEnd()
  }

  async #approved(decision: PolicyDecision, questions: readonly PolicyQuestion[]): Promise<void> {
    const unasked = questions.filter(question => !this.#replies.has(replyKey(decision, question)))
    if (unasked.length > 0) {
      const { approve } = this.#options
      if (approve === undefined || this.#asksNoMore) throw refused(decision)
      const reply = approve(requestFor(decision, this.#options.asked, unasked))
      for (const question of unasked) this.#replies.set(replyKey(decision, question), reply)
    }
    const { reason } = decision
    for (const question of questions) {
      const isApproved = await this.#replies.get(replyKey(decision, question))
      const verdict: PolicyDecision = isApproved
        ? { decision: 'allow', reason: `approved: ${reason}`, hint: '' }
        : { decision: 'deny', reason: `not approved: ${reason}`, hint: 'Do without it.' }
      this.#tell(question, verdict)
      if (verdict.decision === 'deny') throw refused(verdict)
    }
  }

  /** What is decided alike again and again is told once. */
  #tell(question: PolicyQuestion, decision: PolicyDecision): void {
    const key = JSON.stringify([question, decision.decision, decision.reason])
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#options.tell(question, decision)
  }
}

export function refused({ decision, reason, hint }: PolicyDecision): BridgeError {
  return new BridgeError({
    kind: decision === 'ask' ? 'ApprovalRequired' : 'PolicyDenied',
    message: reason,
    hint,
  })
}

/** The facts that the reply counts for, and those files that are known to be touched. */
function requestFor(
  decision: PolicyDecision,
  asked: CallAuthorityOptions['asked'],
  questions: readonly PolicyQuestion[],
): ApprovalRequest {
  const [first] = questions
  const files = [...new Set(questions.flatMap(({ file }) => file ?? []))]
  return {
    ...asked,
    ...(dependsOn(decision, 'method') ? { method: first?.method } : {}),
    ...(dependsOn(decision, 'language') ? { language: first?.language } : {}),
    ...(files.length === 1 ? { file: files[0] } : {}),
    files,
    onlyThese: dependsOn(decision, 'file'),
    reason: decision.reason,
  }
}

/** What one question to somebody is about. */
function subjectOf(decision: PolicyDecision, { method, language }: PolicyQuestion): string {
  return JSON.stringify([
    decision.reason,
    dependsOn(decision, 'method') ? method : undefined,
    dependsOn(decision, 'language') ? language : undefined,
  ])
}

function replyKey(decision: PolicyDecision, question: PolicyQuestion): string {
  const file = dependsOn(decision, 'file') ? question.file : undefined
  return JSON.stringify([subjectOf(decision, question), file])
}

function dependsOn(decision: PolicyDecision, fact: Fact): boolean {
  return decision.dependsOn?.includes(fact) === true
}
