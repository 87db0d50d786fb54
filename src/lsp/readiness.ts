// Is this server's view of the workspace complete? The protocol has no such message, so each definition names the
// signal its server really gives (as data), and this file watches for it. Progress alone and "two equal answers"
// are no proof: servers pass through stable, wrong answers before they are ready.
import type { Clock } from '../clock.js'
import { unreachable } from '../errors.js'
import { cleanLine } from '../text/clean.js'
import { describeProgress, type ProgressChange } from './progress.js'

export type ReadinessRule =
  /** The server answers a question only when the answer is complete. */
  | { readonly kind: 'blocks'; readonly reason: string }
  /** A line of `window/logMessage` says so; another may say, before it, what the server's view lacks. */
  | {
      readonly kind: 'log-line'
      readonly pattern: RegExp
      readonly complaint?: RegExp
      readonly reason: string
    }
  /**
   * The end of a work-done progress, known by its token or, where that is made up anew each time, by its title; of several
   * at once, of the last. It must begin within the given time of the first opened document.
   */
  | {
      readonly kind: 'progress'
      readonly token?: string
      readonly title?: RegExp
      readonly beginsWithinMs: number
      readonly reason: string
    }
  /** A notification of the server's own. */
  | {
      readonly kind: 'notification'
      readonly method: string
      readonly reason: string
      readonly read: (params: unknown) => StatusReading
    }
  /** A server we know nothing about: nothing can show that its answers are complete. */
  | { readonly kind: 'unproven'; readonly reason: string }

/** What a notification says; a part that is left out is as it was. */
export interface StatusReading {
  readonly ready?: boolean
  /** What the server says is wrong with its view, e.g. rust-analyzer's health message; undefined: no longer anything. */
  readonly complaint?: string | undefined
}

export type Readiness =
  | { readonly ready: true; readonly complaint: string | undefined }
  | { readonly ready: false; readonly reason: string }

export interface ReadinessOptions {
  readonly rule: ReadinessRule
  readonly clock: Clock
  readonly onChange: (ready: boolean) => void
}

interface Disturbance {
  /** What the server has begun to work on since. */
  readonly busyWith: Set<string>
  readonly graceEndsAt: number
  /** Said by the timer and not by the clock, before whose time a timer may fire. */
  isGraceOver: boolean
}

/** A disturbance that came while the server was not ready: its next signal may still be on what was before. */
interface OwedDisturbance {
  readonly reason: string
  readonly graceMilliseconds: number
}

export class ReadinessMonitor {
  readonly #rule: ReadinessRule
  readonly #clock: Clock
  readonly #onChange: (ready: boolean) => void
  readonly #waiters = new Set<() => void>()
  #current: Readiness
  #complaint: string | undefined
  #documentOpenedAt: number | undefined
  #progressSeen = false
  readonly #openProgress = new Set<string>()
  #disturbance: Disturbance | undefined
  #owed: OwedDisturbance | undefined
  #ended = false

  constructor({ rule, clock, onChange }: ReadinessOptions) {
    this.#rule = rule
    this.#clock = clock
    this.#onChange = onChange
    this.#current =
      rule.kind === 'blocks'
        ? { ready: true, complaint: undefined }
        : {
            ready: false,
            reason:
              rule.kind === 'unproven'
                ? rule.reason
                : 'it has not said yet that its view of the workspace is complete',
          }
  }

  get current(): Readiness {
    return this.#current
  }

  /** Some servers start to index only once a document is open. */
  documentOpened(): void {
    if (this.#documentOpenedAt !== undefined) return
    this.#documentOpenedAt = this.#clock.now()
    const rule = this.#rule
    if (rule.kind !== 'progress') return
    // A server that never begins the promised work cannot be shown to be ready: the reason then says just that.
    this.#clock.after(rule.beginsWithinMs, () => {
      if (!this.#progressSeen) this.#set({ ready: false, reason: 'it never began to index the workspace' })
    })
  }

  logged(message: string): void {
    if (this.#rule.kind !== 'log-line') return
    const { pattern, complaint } = this.#rule
    const [complained] = complaint?.exec(message) ?? []
    if (complained !== undefined) this.#complaint = cleanLine(complained, 200).text
    if (pattern.test(message)) this.#setReady()
  }

  progressed(change: ProgressChange): void {
    const rule = this.#rule
    if (rule.kind === 'unproven') {
      if (change.kind === 'end') this.#openProgress.delete(change.token)
      else this.#openProgress.add(change.token)
      this.#set({ ready: false, reason: rule.reason })
      return
    }
    if (rule.kind !== 'progress' || !isPromised(change, rule)) {
      if (!this.#current.ready && change.kind !== 'end') {
        this.#set({ ready: false, reason: `it is still busy: ${describeProgress(change)}` })
      }
      this.#work(change)
      return
    }
    this.#progressSeen = true
    this.#disturbance = undefined
    // Work that begins after it was told is on what it was told.
    if (change.kind === 'begin') this.#owed = undefined
    if (change.kind === 'end') this.#openProgress.delete(change.token)
    else this.#openProgress.add(change.token)
    if (this.#openProgress.size === 0) this.#setReady()
    else this.#set({ ready: false, reason: `it is still indexing: ${describeProgress(change)}` })
  }

  notified(method: string, params: unknown): void {
    const rule = this.#rule
    if (rule.kind !== 'notification' || rule.method !== method) return
    const reading = rule.read(params)
    if ('complaint' in reading) this.#complaint = reading.complaint
    if (reading.ready === false) this.#disturbance = undefined
    if (reading.ready ?? this.#current.ready) this.#setReady()
    else if (reading.ready === false || this.#complaint !== undefined)
      this.#set({ ready: false, reason: this.#complaint ?? 'it is still loading the workspace' })
  }

  /**
   * We told the server something after which its signal comes again, unless it did not concern the server (a file it
   * excludes): then no signal within the grace means that nothing changed for it. Work it has begun is waited for.
   */
  disturbed(reason: string, graceMilliseconds: number): void {
    if (this.#current.ready || this.#disturbance !== undefined) this.#disturb(reason, graceMilliseconds)
    else {
      const longest = Math.max(graceMilliseconds, this.#owed?.graceMilliseconds ?? 0)
      this.#owed = { reason, graceMilliseconds: longest }
    }
  }

  /** Whether the promised work could still begin; after that, waiting longer brings nothing. */
  get hopeless(): boolean {
    const rule = this.#rule
    if (this.#ended) return true
    if (rule.kind === 'unproven') return this.#openProgress.size === 0
    if (rule.kind !== 'progress' || this.#progressSeen || this.#documentOpenedAt === undefined) return false
    return this.#clock.now() - this.#documentOpenedAt >= rule.beginsWithinMs
  }

  /** No signal will come any more; whoever waits for it finds out why by asking the server. */
  end(): void {
    this.#ended = true
    this.#current = { ready: false, reason: 'it is no longer there' }
    this.#wake()
  }

  /** Waits for the signal up to a limit; at the limit the answer is the honest reason, never a guess. */
  async settle(options: { readonly milliseconds: number; readonly signal: AbortSignal }): Promise<Readiness> {
    if (this.#current.ready || this.hopeless) return this.#current
    await new Promise<void>(resolve => {
      const finish = () => {
        timer.cancel()
        options.signal.removeEventListener('abort', finish)
        this.#waiters.delete(check)
        resolve()
      }
      const check = () => {
        if (this.#current.ready || this.hopeless) finish()
      }
      const timer = this.#clock.after(options.milliseconds, finish)
      options.signal.addEventListener('abort', finish, { once: true })
      this.#waiters.add(check)
    })
    return this.#current
  }

  #work({ kind, token }: ProgressChange): void {
    if (this.#disturbance === undefined) return
    if (kind === 'end') this.#disturbance.busyWith.delete(token)
    else this.#disturbance.busyWith.add(token)
    this.#calm()
  }

  /** Once more while it lasts: the grace begins anew, and what was begun is still waited for. */
  #disturb(reason: string, graceMilliseconds: number): void {
    const now = this.#clock.now()
    const { busyWith = new Set<string>(), graceEndsAt: earlier = now } = this.#disturbance ?? {}
    const graceEndsAt = Math.max(earlier, now + graceMilliseconds)
    const disturbance = { busyWith, graceEndsAt, isGraceOver: false }
    this.#set({ ready: false, reason })
    this.#disturbance = disturbance
    this.#clock.after(graceEndsAt - now, () => {
      disturbance.isGraceOver = true
      if (this.#disturbance === disturbance) this.#calm()
    })
  }

  #calm(): void {
    const disturbance = this.#disturbance
    if (disturbance?.isGraceOver && disturbance.busyWith.size === 0) this.#setReady()
  }

  #setReady(): void {
    const owed = this.#owed
    this.#owed = undefined
    if (owed === undefined) this.#set({ ready: true, complaint: this.#complaint })
    else this.#disturb(owed.reason, owed.graceMilliseconds)
  }

  #set(next: Readiness): void {
    // A timer of a session that is over must not speak for the one that followed it.
    if (this.#ended) return
    const changed = next.ready !== this.#current.ready
    if (next.ready) this.#disturbance = undefined
    this.#current = next
    if (changed) this.#onChange(next.ready)
    this.#wake()
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter()
  }
}

function isPromised(
  { token, title }: ProgressChange,
  rule: { readonly token?: string; readonly title?: RegExp },
): boolean {
  return token === rule.token || (rule.title?.test(title) ?? false)
}

/** One sentence for documentation and `doctor`. */
export function describeReadiness(rule: ReadinessRule): string {
  switch (rule.kind) {
    case 'blocks':
      return `answers only when complete. ${rule.reason}`
    case 'log-line':
      return `log line matching \`${rule.pattern.source}\`. ${rule.reason}`
    case 'progress':
      return `end of the progress \`${rule.token ?? rule.title?.source}\`. ${rule.reason}`
    case 'notification':
      return `notification \`${rule.method}\`. ${rule.reason}`
    case 'unproven':
      return `none known. ${rule.reason}`
    default:
      return unreachable(rule)
  }
}
