// Diagnostics of one server, pushed and pulled, joined: a report is `settled` only when it is shown to be for the
// very content the document has now; otherwise it is `unknown` with the reason. Silence is never clean.
import { DocumentDiagnosticRequest } from 'vscode-languageserver-protocol'
import type { Clock } from '../clock.js'
import { asBridgeError, type BridgeError, unreachable } from '../errors.js'
import type { CapabilityTable } from './capabilities.js'
import type { OpenDocument } from './documents.js'
import type { ProgressChange } from './progress.js'
import { parseDiagnosticReport, parseDiagnostics, type ServerDiagnostic } from './results.js'

/** How a server's diagnostics are shown to belong to the present content. */
export type DiagnosticsRule =
  /** Pulled where the server offers it, otherwise the push that carries our version, then quiet for a while. */
  | {
      readonly kind: 'standard'
      readonly quietMs: number
      readonly reason: string
      /** It answers a pull although it does not declare that it does. */
      readonly pullsUndeclared?: true
      /** Why a report is whole before the server has seen the workspace. */
      readonly restsOnFileAlone?: string
      /** A notification in which the server says of a file that no more work on it is under way. */
      readonly idle?: {
        readonly method: string
        readonly read: (params: unknown) => FileActivity | undefined
        /** A question on the file that is answered after all the work that was waiting when it said so. */
        readonly barrier?: string
      }
    }
  /** Pushes carry no version, but exactly one follows each change, after the server's own delay. */
  | { readonly kind: 'one-push-per-change'; readonly delayMs: number; readonly reason: string }
  /**
   * Pushes carry no version; each change starts the server's own delay anew, so one that comes after the whole delay
   * is on the last change, however many there were. The last of several within the quiet time counts.
   */
  | {
      readonly kind: 'debounced-push'
      readonly delayMs: number
      readonly quietMs: number
      /** The title of a progress that begins when it works a report out, and must have begun after the delay. */
      readonly work?: string
      /**
       * A question on the file that a server of one thread answers after it has read the change: what it pushes before
       * was begun on an older text, however long it took.
       */
      readonly barrier?: string
      readonly reason: string
    }
  /** The server has a synchronous question of its own. */
  | {
      readonly kind: 'request'
      readonly reason: string
      readonly ask: (ask: AskServer, uri: string) => Promise<readonly ServerDiagnostic[]>
    }

export interface FileActivity {
  readonly uri: string
  readonly idle: boolean
}

export type AskServer = (method: string, params: object) => Promise<unknown>

export interface DiagnosticsReport {
  readonly verdict: 'settled' | 'unknown'
  readonly reason: string | undefined
  readonly diagnostics: readonly ServerDiagnostic[]
}

export interface ReportOptions {
  readonly milliseconds: number
  readonly signal: AbortSignal
}

export interface DiagnosticsOptions {
  readonly rule: DiagnosticsRule
  readonly clock: Clock
  readonly capabilities: () => CapabilityTable
  readonly ask: (method: string, params: object, options: ReportOptions) => Promise<unknown>
  readonly key: (uri: string) => string
}

interface Push {
  readonly version: number | undefined
  /** Nothing else is awaited, so it can only be the report on the last change. */
  readonly last: boolean
  readonly diagnostics: readonly ServerDiagnostic[]
  readonly at: number
}

interface Tracked {
  readonly version: number
  readonly sentAt: number
  /** Changes, this one included, whose reports may still be on their way; of two, no push can be told apart. */
  awaited: number
  /** When the last report came that can be on this change. */
  reportedAt: number | undefined
  /** Whether the server has answered the question behind this change, where it is asked one. */
  isRead: boolean
}

/** Some servers report once on two quick changes; after so much silence nothing more is awaited from such a one. */
const silenceMilliseconds = 10_000

/** A server that has not read a change by then is not believed on it. */
const barrierMilliseconds = 60_000

/** A server that takes its report back while it gives it is asked again; one that always does so is not believed. */
const mostPulls = 5

export class DiagnosticsStore {
  readonly #options: DiagnosticsOptions
  readonly #pushes = new Map<string, Push>()
  readonly #tracked = new Map<string, Tracked>()
  /** Closed while a report on them was awaited: it may still come, after they were opened again. */
  readonly #owed = new Map<string, Tracked>()
  readonly #waiters = new Set<() => void>()
  /** Since when a file has been idle, for servers that say so. */
  readonly #idleSince = new Map<string, number>()
  /** When the server last began to work out reports, for one that says so. */
  #workBegunAt = Number.NEGATIVE_INFINITY
  #ended: BridgeError | undefined
  /** How often the server has taken back what it had answered to pulls. */
  #refreshes = 0
  #saysVersions = false
  /** Pushes for versions we have moved past, or never sent (faults P22, P23). */
  dropped = 0

  constructor(options: DiagnosticsOptions) {
    this.#options = options
  }

  documentSent(document: OpenDocument): void {
    const key = this.#options.key(document.uri)
    const previous = this.#tracked.get(key) ?? this.#owed.get(key)
    const now = this.#options.clock.now()
    const quiet = previous?.reportedAt !== undefined && now - previous.reportedAt >= silenceMilliseconds
    this.#owed.delete(key)
    const tracked: Tracked = {
      version: document.version,
      sentAt: now,
      awaited: (quiet ? 0 : (previous?.awaited ?? 0)) + 1,
      reportedAt: undefined,
      isRead: false,
    }
    this.#tracked.set(key, tracked)
    this.#pushes.delete(key)
    this.#idleSince.delete(key)
    void this.#awaitReading(document, tracked)
    // Whoever waits for a report on the text before learns that there will be none.
    this.#wake()
  }

  async #awaitReading(document: OpenDocument, tracked: Tracked): Promise<void> {
    const { rule } = this.#options
    if (rule.kind !== 'debounced-push' || rule.barrier === undefined) return
    const { signal } = new AbortController()
    try {
      await this.#passBarrier(rule.barrier, document, { signal, milliseconds: barrierMilliseconds })
      tracked.isRead = true
    } catch {
      // What is pushed is not shown to be on this text then: whoever waits for it is told that none came.
    }
  }

  documentClosed(uri: string): void {
    const key = this.#options.key(uri)
    const tracked = this.#tracked.get(key)
    const cannotTell = this.#options.rule.kind === 'one-push-per-change'
    if (cannotTell && tracked !== undefined && tracked.awaited > 0) this.#owed.set(key, tracked)
    this.#tracked.delete(key)
    this.#pushes.delete(key)
    this.#idleSince.delete(key)
  }

  /** False for a push on a text that is gone: it is no news to anybody. */
  published(uri: string, version: number | undefined, raw: unknown): boolean {
    const key = this.#options.key(uri)
    const tracked = this.#tracked.get(key)
    // What is not open has no content that a push could be shown to be for; that there is something wrong is news.
    if (tracked === undefined) return true
    if (version !== undefined && version !== tracked.version) return this.#drop()
    const at = this.#options.clock.now()
    const { rule } = this.#options
    this.#saysVersions ||= version !== undefined
    if (rule.kind === 'standard' && version === undefined && this.#saysVersions) {
      // Not on a text: jedi-language-server takes back what it said of a document like this when it is closed, and that
      // may arrive after it was opened again.
      return this.#drop()
    }
    if (rule.kind === 'one-push-per-change' && version === undefined) {
      if (at - tracked.sentAt < rule.delayMs) {
        // It cannot be the answer to our change yet: the server's own delay has not passed. So it is one on an older.
        tracked.awaited = Math.max(tracked.awaited - 1, 1)
        return this.#drop()
      }
    }
    if (rule.kind === 'debounced-push' && version === undefined) {
      const begunAt = rule.work === undefined ? at : this.#workBegunAt
      // Worked out before the delay of the last change was over, so on the text before it.
      if (begunAt - tracked.sentAt < rule.delayMs) return this.#drop()
      // Sent before the server came to read the change, so on the text before it, too.
      if (rule.barrier !== undefined && !tracked.isRead) return this.#drop()
      tracked.awaited = 1
    }
    const diagnostics = parseDiagnostics(raw)
    // One with our version settles all before it; one without may be on any of the changes still awaited.
    tracked.awaited = version === undefined ? Math.max(tracked.awaited - 1, 0) : 0
    tracked.reportedAt = at
    this.#pushes.set(key, { version, last: tracked.awaited === 0, diagnostics, at })
    this.#wake()
    return true
  }

  #drop(): false {
    this.dropped += 1
    return false
  }

  progressed({ kind, title }: ProgressChange): void {
    const { rule } = this.#options
    if (rule.kind !== 'debounced-push' || kind !== 'begin' || title !== rule.work) return
    this.#workBegunAt = this.#options.clock.now()
  }

  notified(method: string, params: unknown): void {
    const { rule } = this.#options
    if (rule.kind !== 'standard' || rule.idle?.method !== method) return
    const activity = rule.idle.read(params)
    if (activity === undefined) return
    const key = this.#options.key(activity.uri)
    if (activity.idle) this.#idleSince.set(key, this.#options.clock.now())
    else this.#idleSince.delete(key)
    this.#wake()
  }

  /** The server wants every report to be asked for anew. */
  refreshed(): void {
    this.#refreshes += 1
  }

  /** No report will come any more: whoever waits for one is told why at once. */
  end(cause: BridgeError): void {
    this.#ended = cause
    this.#wake()
  }

  /**
   * Before the next change of a server whose pushes cannot be told apart: let the last one arrive first. A server that
   * stays silent must leave time for the question itself.
   */
  async readyForChange(uri: string, options: ReportOptions): Promise<void> {
    if (this.#options.rule.kind !== 'one-push-per-change') return
    const reported = () => {
      const tracked = this.#tracked.get(this.#options.key(uri))
      return tracked === undefined || tracked.reportedAt !== undefined
    }
    await this.#until(reported, { ...options, milliseconds: options.milliseconds / 4 })
  }

  /** Whether a report on the document, or on some, is asked for; otherwise what the server pushes is waited for. */
  pulls(document?: OpenDocument): boolean {
    const { rule } = this.#options
    if (rule.kind !== 'standard') return rule.kind === 'request'
    const capabilities = this.#options.capabilities()
    if (rule.pullsUndeclared) return !capabilities.hasRefused(DocumentDiagnosticRequest.method)
    return capabilities.supports(DocumentDiagnosticRequest, document)
  }

  async report(document: OpenDocument, options: ReportOptions): Promise<DiagnosticsReport> {
    const { rule } = this.#options
    switch (rule.kind) {
      case 'request':
        return this.#onPresent(
          document,
          await rule.ask((method, params) => this.#options.ask(method, params, options), document.uri),
        )
      case 'standard':
        if (this.pulls(document)) {
          const pulled = await this.#pull(document, options)
          if (pulled !== undefined) return pulled
        }
        return this.#awaitPush(document, rule.quietMs, options)
      case 'one-push-per-change':
        return this.#awaitPush(document, 0, options)
      case 'debounced-push':
        return this.#awaitPush(document, rule.quietMs, options)
      default:
        return unreachable(rule)
    }
  }

  /** `undefined` when the server declared pulling and then refused it: fall back to pushes. */
  async #pull(document: OpenDocument, options: ReportOptions): Promise<DiagnosticsReport | undefined> {
    const { clock } = this.#options
    const deadline = clock.now() + options.milliseconds
    // No previous result id is ever sent, so an `unchanged` report can only be a server's mistake (fault D07).
    const params = { textDocument: { uri: document.uri } }
    try {
      for (let asked = 0; asked < mostPulls && (asked === 0 || clock.now() < deadline); asked += 1) {
        const refreshes = this.#refreshes
        const left = { ...options, milliseconds: deadline - clock.now() }
        const items = parseDiagnosticReport(
          await this.#options.ask(DocumentDiagnosticRequest.method, params, left),
        )
        if (items === undefined)
          return unknown('it reported "unchanged" without having been asked to compare')
        // What was worked out before the server took its reports back is not its last word.
        if (refreshes === this.#refreshes) return this.#onPresent(document, items)
      }
      return unknown('it took its reports back each time it was asked for one')
    } catch (thrown) {
      const error = asBridgeError(thrown)
      if (error.kind === 'CapabilityMissing') return undefined
      throw error
    }
  }

  /** What was asked for is on the text the server had then: on this one only where it has it still. */
  #onPresent({ uri, version }: OpenDocument, found: readonly ServerDiagnostic[]): DiagnosticsReport {
    const tracked = this.#tracked.get(this.#options.key(uri))
    return tracked?.version === version
      ? settled(found)
      : unknown('the document changed while its diagnostics were awaited')
  }

  async #awaitPush(
    document: OpenDocument,
    quietMs: number,
    options: ReportOptions,
  ): Promise<DiagnosticsReport> {
    const key = this.#options.key(document.uri)
    const { clock } = this.#options
    const deadline = clock.now() + options.milliseconds
    const changed = () => {
      const tracked = this.#tracked.get(key)
      return tracked !== undefined && tracked.version !== document.version
    }
    const arrived = await this.#until(() => this.#pushes.has(key) || changed(), options)
    if (this.#ended !== undefined) throw this.#ended
    if (!arrived)
      return unknown(`it has not reported on this content within ${seconds(options.milliseconds)}`)
    while (quietMs > 0 && !changed()) {
      const left = { ...options, milliseconds: Math.max(deadline - clock.now(), 0) }
      const isQuiet = () => clock.now() - this.#lastSign(key) >= quietMs
      const quiet = await this.#until(() => isQuiet() || changed(), left, quietMs)
      if (this.#ended !== undefined) throw this.#ended
      if (!quiet) return unknown('it was still working on this content')
      const before = this.#pushes.get(key)
      await this.#passIdleBarrier(document, {
        ...options,
        milliseconds: Math.max(deadline - clock.now(), 0),
      })
      if (this.#pushes.get(key) === before) break
    }
    const push = this.#pushes.get(key)
    const tracked = this.#tracked.get(key)
    if (push === undefined || tracked === undefined || tracked.version !== document.version) {
      return unknown('the document changed while its diagnostics were awaited')
    }
    if (push.version === document.version) return settled(push.diagnostics)
    if (this.#options.rule.kind === 'debounced-push') return settled(push.diagnostics)
    if (this.#options.rule.kind === 'one-push-per-change') {
      if (push.last) return settled(push.diagnostics)
      return {
        ...unknown('two changes followed so closely that its reports cannot be told apart'),
        diagnostics: push.diagnostics,
      }
    }
    return {
      ...unknown('it does not say which version of the file its diagnostics are for'),
      diagnostics: push.diagnostics,
    }
  }

  /** Idle is said between two parts of the work, too; what it has put off is done before it answers. */
  async #passIdleBarrier(document: OpenDocument, options: ReportOptions): Promise<void> {
    const { rule } = this.#options
    if (rule.kind !== 'standard' || rule.idle?.barrier === undefined) return
    await this.#passBarrier(rule.idle.barrier, document, options)
  }

  async #passBarrier(method: string, { uri }: OpenDocument, options: ReportOptions): Promise<void> {
    try {
      await this.#options.ask(method, { textDocument: { uri } }, options)
    } catch (thrown) {
      // An answer it refuses is one, too; for none, nothing is shown.
      const error = asBridgeError(thrown)
      if (error.kind !== 'ServerError' && error.kind !== 'CapabilityMissing') throw error
    }
  }

  /** The last moment the server showed that it was still at work on the file; infinitely late while it says so. */
  #lastSign(key: string): number {
    const { rule } = this.#options
    const pushedAt = this.#pushes.get(key)?.at ?? Number.POSITIVE_INFINITY
    if (rule.kind !== 'standard' || rule.idle === undefined) return pushedAt
    return Math.max(pushedAt, this.#idleSince.get(key) ?? Number.POSITIVE_INFINITY)
  }

  /** Waits for the condition, re-checked on every push and, if asked, at a fixed interval; false at the deadline or end. */
  #until(condition: () => boolean, options: ReportOptions, recheckMs?: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true)
    if (this.#ended !== undefined) return Promise.resolve(false)
    const { clock } = this.#options
    return new Promise(resolve => {
      let recheck = recheckMs === undefined ? undefined : clock.after(recheckMs, onRecheck)
      const finish = (outcome: boolean) => {
        deadline.cancel()
        recheck?.cancel()
        options.signal.removeEventListener('abort', onAbort)
        this.#waiters.delete(check)
        resolve(outcome)
      }
      const onAbort = () => finish(false)
      const check = () => {
        if (condition() || this.#ended !== undefined) finish(condition())
      }
      function onRecheck() {
        if (condition()) finish(true)
        else recheck = clock.after(recheckMs ?? 0, onRecheck)
      }
      const deadline = clock.after(options.milliseconds, () => finish(condition()))
      options.signal.addEventListener('abort', onAbort, { once: true })
      this.#waiters.add(check)
    })
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter()
  }
}

function settled(diagnostics: readonly ServerDiagnostic[]): DiagnosticsReport {
  return { verdict: 'settled', reason: undefined, diagnostics }
}

function unknown(reason: string): DiagnosticsReport {
  return { verdict: 'unknown', reason, diagnostics: [] }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`
}
