// Speaks LSP to one server over two streams: handshake, typed requests, documents, diagnostics, readiness. Knows no language, no agent and no process; the supervisor owns those.

import type { Readable, Writable } from 'node:stream'
import { createMessageConnection, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node'
import {
  HoverRequest,
  type InitializeParams,
  type MessageSignature,
  ShutdownRequest,
} from 'vscode-languageserver-protocol'
import { type Clock, withDeadline } from '../clock.js'
import { type BridgeError, messageOf } from '../errors.js'
import type { Events, LogLevel } from '../events.js'
import { property } from '../json.js'
import { cleanLine } from '../text/clean.js'
import type { PositionEncoding } from '../text/position.js'
import { uriKey } from '../text/uri.js'
import { CapabilityTable, clientCapabilities, type RequestConstant } from './capabilities.js'
import { type DiagnosticsRule, DiagnosticsStore } from './diagnostics.js'
import { Documents } from './documents.js'
import { capabilityFailure, closedFailure, timeoutFailure } from './failures.js'
import { BoundedMessageReader, BoundedMessageWriter } from './framing.js'
import { parseInitializeResult, type ServerIdentity } from './handshake.js'
import { describeProgress, ProgressTracker } from './progress.js'
import { ReadinessMonitor, type ReadinessRule } from './readiness.js'
import { type OutgoingRequest, type OwnEvent, type RequestOptions, Requests } from './requests.js'
import { answerServerRequest } from './server-requests.js'
import { guardTraffic } from './traffic.js'
import { WireViolationError } from './wire-violation.js'
import { WorkspaceFolders } from './workspace-folders.js'

export interface ClientOptions {
  readonly id: string
  readonly title: string
  readonly root: string
  readonly rootUri: string
  readonly input: Readable
  readonly output: Writable
  readonly clock: Clock
  readonly events: Events
  readonly initializationOptions: unknown
  readonly settings: Readonly<Record<string, unknown>>
  readonly positionEncodings: readonly PositionEncoding[]
  readonly experimentalCapabilities: Readonly<Record<string, unknown>>
  /** Whether the server must have answered something after a change before it is asked anything that matters. */
  readonly asksTwice: boolean
  /** Whether the server may register what it can do after the handshake. */
  readonly dynamicRegistration: boolean
  readonly readiness: ReadinessRule
  readonly diagnostics: DiagnosticsRule
  /** The only requests that may be sent, lifecycle aside; whatever else is offered counts as not offered. */
  readonly methods?: 'any' | readonly string[]
  readonly unknownRequest: 'null' | 'method-not-found'
  readonly unsetConfiguration: null | Readonly<Record<string, never>>
  readonly changeExtras: Readonly<Record<string, unknown>>
  /** Whether a change of a whole text names the range it replaces. */
  readonly rangedChanges: boolean
  readonly frameLimitBytes: number
  readonly allowLineFeedOnly: boolean
  readonly maxOpenDocuments: number
  /** The last gate before the wire; undefined lets a request pass. Lifecycle and synchronisation do not come to it. */
  readonly admit: (request: OutgoingRequest) => Promise<void> | undefined
  /** The stream ended without a violation: whoever owns the process may know more than that. */
  readonly explainEnd: () => Promise<BridgeError>
  readonly onReady: (ready: boolean) => void
  /** Requests keep timing out and a probe was not answered either. */
  readonly onHung: (cause: string) => void
}

/** A typed request constant with its capability, e.g. `ReferencesRequest`. */
export interface TypedRequest<P> extends RequestConstant {
  readonly type: MessageSignature & { readonly _?: [P, ...unknown[]] | undefined }
}

/** The protocol's numbers; what comes after them is for whoever debugs the server. */
const messageLevels: Readonly<Record<number, LogLevel>> = { 1: 'error', 2: 'warning', 3: 'info' }

const registrationMilliseconds = 1000
const lookAgainMilliseconds = 10_000

export class LspClient {
  readonly #options: ClientOptions
  readonly #connection: MessageConnection
  readonly #requests: Requests
  #capabilities = new CapabilityTable({})
  #identity: ServerIdentity
  #encoding: PositionEncoding = 'utf-16'
  #closed = false
  #onClosed: (cause: BridgeError) => void = () => {}
  #initializedAt = 0
  readonly #registrationWaiters = new Set<() => void>()
  /** One list for each command that runs: the edits the server asked for meanwhile. */
  readonly #collecting = new Set<unknown[]>()
  readonly folders: WorkspaceFolders
  /** Fulfilled when the server has answered a question that came after the last change, where it must have. */
  #lookedAgain: Promise<unknown> | undefined
  readonly closed: Promise<BridgeError>
  readonly documents: Documents
  readonly diagnostics: DiagnosticsStore
  readonly progress: ProgressTracker
  readonly readiness: ReadinessMonitor

  constructor(options: ClientOptions) {
    this.#options = options
    this.#identity = { name: options.title, version: undefined }
    this.closed = new Promise(resolve => {
      this.#onClosed = resolve
    })
    const { clock } = options
    this.folders = new WorkspaceFolders({
      rootUri: options.rootUri,
      name: options.root.split(/[\\/]/).at(-1) ?? options.root,
      capabilities: () => this.#capabilities,
      notify: (method, params) => this.notify(method, params),
    })
    this.readiness = new ReadinessMonitor({ rule: options.readiness, clock, onChange: options.onReady })
    this.progress = new ProgressTracker(change => {
      this.readiness.progressed(change)
      this.diagnostics.progressed(change)
      const percent = change.percent === undefined ? {} : { percent: change.percent }
      this.#emit({ type: 'server.progress', message: describeProgress(change), ...percent })
    })
    this.diagnostics = new DiagnosticsStore({
      rule: options.diagnostics,
      clock,
      capabilities: () => this.#capabilities,
      ask: (method, params, asking) => this.#ask(method, params, asking),
      key: uriKey,
    })
    this.documents = new Documents({
      notify: (method, params) => this.notify(method, params),
      sync: () => this.#capabilities.declared.textDocumentSync,
      changeExtras: options.changeExtras,
      changedRange: () => (options.rangedChanges ? this.#encoding : undefined),
      maxOpen: options.maxOpenDocuments,
      onOpened: document => {
        this.#lookAgain(document.uri)
        this.diagnostics.documentSent(document)
        this.readiness.documentOpened()
        this.#emit({ type: 'document.synced', uri: document.uri, version: document.version })
      },
      onChanged: document => {
        this.#lookAgain(document.uri)
        this.diagnostics.documentSent(document)
        this.#emit({ type: 'document.synced', uri: document.uri, version: document.version })
      },
      onClosed: uri => this.diagnostics.documentClosed(uri),
    })
    const reader = new BoundedMessageReader(options.input, {
      clock,
      maxFrameBytes: options.frameLimitBytes,
      allowLineFeedOnly: options.allowLineFeedOnly,
    })
    const writer = new BoundedMessageWriter(options.output)
    const guarded = guardTraffic(reader, writer)
    this.#connection = createMessageConnection(guarded.reader, guarded.writer, silentLogger)
    this.#requests = new Requests({
      title: options.title,
      connection: this.#connection,
      writer,
      traffic: guarded,
      clock,
      emit: event => this.#emit(event),
      admit: options.admit,
      onRefused: method => this.#capabilities.refuse(method),
      onHung: options.onHung,
    })
    this.#listen()
  }

  get capabilities(): CapabilityTable {
    return this.#capabilities
  }

  get identity(): ServerIdentity {
    return this.#identity
  }

  get encoding(): PositionEncoding {
    return this.#encoding
  }

  /** initialize, InitializeResult, initialized, in this order. */
  async initialize(options: RequestOptions): Promise<void> {
    const { rootUri, initializationOptions, positionEncodings, experimentalCapabilities } = this.#options
    const { dynamicRegistration } = this.#options
    const params: InitializeParams = {
      // Inside a process namespace our id means nothing, and servers that poll it would quit.
      processId: null,
      clientInfo: { name: 'alidade' },
      rootUri,
      workspaceFolders: [...this.folders.all],
      capabilities: clientCapabilities({
        positionEncodings,
        experimental: experimentalCapabilities,
        dynamicRegistration,
      }),
      initializationOptions,
    }
    const result = await this.#requests.initialize(params, options)
    const { capabilities, encoding, identity } = parseInitializeResult(result, positionEncodings)
    this.#encoding = encoding
    this.#capabilities = new CapabilityTable(capabilities, this.#options.methods)
    if (identity !== undefined) this.#identity = identity
    this.#initializedAt = this.#options.clock.now()
    this.notify('initialized', {})
    if (Object.keys(this.#options.settings).length > 0) {
      this.notify('workspace/didChangeConfiguration', { settings: this.#options.settings })
    }
  }

  /**
   * Sends a request the server can answer; the result is raw and must be parsed (`results.ts`). Retries what the
   * protocol says may be retried; a timeout or abort cancels on the server and leaves the session alive.
   */
  async request<P>(request: TypedRequest<P>, params: P, options: RequestOptions): Promise<unknown> {
    if (!this.#capabilities.supports(request)) throw capabilityFailure(this.#options.title, request.method)
    return this.#ask(request.method, params, options)
  }

  async #ask(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    if (this.#lookedAgain === undefined) return this.#requests.ask(method, params, options)
    const { clock, title } = this.#options
    const { signal, milliseconds } = options
    const deadline = clock.now() + milliseconds
    const onTimeout = () => timeoutFailure(title, method, milliseconds)
    await withDeadline(this.#lookedAgain, { clock, signal, milliseconds, onTimeout })
    return this.#requests.ask(method, params, { signal, milliseconds: Math.max(deadline - clock.now(), 0) })
  }

  /** Sent behind a change; what it answers is of no interest, only that it has come to it. */
  #lookAgain(uri: string): void {
    if (!this.#options.asksTwice || !this.supports(HoverRequest)) return
    const { signal } = new AbortController()
    const params = { textDocument: { uri }, position: { line: 0, character: 0 } }
    this.#lookedAgain = this.#requests
      .ask(HoverRequest.method, params, { signal, milliseconds: lookAgainMilliseconds })
      // A failure is an answer too, and a server that gives none fails the question that waits for this.
      .catch(() => undefined)
  }

  supports(request: RequestConstant): boolean {
    return this.#capabilities.supports(request)
  }

  /** Servers register part of what they can do only after the handshake; a young one is given a moment for it. */
  async offers(request: RequestConstant, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options
    const left = this.#initializedAt + registrationMilliseconds - clock.now()
    if (this.supports(request) || left <= 0 || signal.aborted) return this.supports(request)
    await new Promise<void>(resolve => {
      const check = () => {
        if (this.supports(request)) finish()
      }
      const finish = () => {
        timer.cancel()
        signal.removeEventListener('abort', finish)
        this.#registrationWaiters.delete(check)
        resolve()
      }
      const timer = clock.after(left, finish)
      signal.addEventListener('abort', finish, { once: true })
      this.#registrationWaiters.add(check)
    })
    return this.supports(request)
  }

  /** Hands over the edits the server asks for while this runs; to the server they are refused, as always. */
  async collectEdits<T>(run: (edits: readonly unknown[]) => Promise<T>): Promise<T> {
    const edits: unknown[] = []
    this.#collecting.add(edits)
    try {
      return await run(edits)
    } finally {
      this.#collecting.delete(edits)
    }
  }

  notify(method: string, params: object): void {
    if (this.#requests.isOver) return
    this.#connection.sendNotification(method, params).catch(() => {
      // The stream is gone; `closed` tells why, and every pending request fails with that.
    })
  }

  /** shutdown, then exit; both must go out without any `params` (TypeScript 7 refuses `params: [null]`). */
  async shutdown(milliseconds: number): Promise<void> {
    if (this.#requests.isOver) return
    try {
      await withDeadline(this.#connection.sendRequest(ShutdownRequest.type), {
        clock: this.#options.clock,
        milliseconds,
        onTimeout: () => timeoutFailure(this.#options.title, 'shutdown', milliseconds),
      })
    } catch {
      // A server that cannot shut down politely is told to exit all the same and killed afterwards.
    }
    if (!this.#requests.isOver) await this.#connection.sendNotification('exit').catch(() => {})
  }

  /** Fails every pending request at once. */
  failPending(cause: BridgeError): void {
    this.#requests.failPending(cause)
    this.diagnostics.end(cause)
    this.readiness.end()
  }

  /** Ends the conversation: what is pending fails with this cause, and whatever comes later too. */
  close(cause: BridgeError): void {
    if (this.#closed) return
    this.#closed = true
    this.#requests.close(cause)
    this.failPending(cause)
    this.#connection.dispose()
    this.#onClosed(cause)
  }

  #listen(): void {
    const connection = this.#connection
    connection.onNotification((method, params) => this.#notified(method, params))
    // The library keeps progress from the catch-all handler above.
    connection.onUnhandledProgress(({ token, value }) => this.progress.update(token, value))
    connection.onRequest((method, params) => this.#requested(method, params))
    connection.onError(([error]) => {
      // A broken pipe is what a death looks like from here; the close that follows finds out more.
      if (error instanceof WireViolationError && error.reason === 'stream-failed') return
      this.close(closedFailure(this.#options.title, error))
    })
    connection.onClose(() => {
      this.#requests.streamEnded()
      void this.#options.explainEnd().then(cause => this.close(cause))
    })
    connection.listen()
  }

  #notified(method: string, params: unknown): void {
    if (method === 'window/logMessage') this.#logged(params, 'log')
    else if (method === 'window/showMessage') this.#logged(params, 'show')
    else if (method === 'textDocument/publishDiagnostics') this.#published(params)
    // Telemetry and whatever else is unknown is dropped, never forwarded (fault P30, R-98).
    else {
      this.readiness.notified(method, params)
      this.diagnostics.notified(method, params)
    }
  }

  #logged(params: unknown, channel: 'log' | 'show'): void {
    const message: unknown = property(params, 'message')
    const type: unknown = property(params, 'type')
    if (typeof message !== 'string') return
    this.readiness.logged(message)
    const level = typeof type === 'number' ? (messageLevels[type] ?? 'debug') : 'debug'
    this.#emit({ type: 'server.logged', level, channel, message: cleanLine(message, 500).text })
  }

  #published(params: unknown): void {
    const uri: unknown = property(params, 'uri')
    const version: unknown = property(params, 'version')
    const diagnostics: unknown = property(params, 'diagnostics')
    if (typeof uri !== 'string' || !Array.isArray(diagnostics)) return
    const known = typeof version === 'number' ? version : undefined
    try {
      if (!this.diagnostics.published(uri, known, diagnostics)) return
    } catch (error) {
      // A malformed push is no report: whoever waits for one learns at its deadline that none came.
      this.#log('warning', `a diagnostics push was malformed: ${messageOf(error)}`)
      return
    }
    const stamp = known === undefined ? {} : { version: known }
    const raw = { items: diagnostics, encoding: this.#encoding }
    this.#emit({ type: 'diagnostics.published', uri, count: diagnostics.length, raw, ...stamp })
  }

  #requested(method: string, params: unknown): unknown {
    const answer = answerServerRequest(method, params, {
      settings: this.#options.settings,
      unsetConfiguration: this.#options.unsetConfiguration,
      workspaceFolders: this.folders.all,
      register: registrations => {
        this.#capabilities.register(registrations)
        for (const waiter of [...this.#registrationWaiters]) waiter()
      },
      unregister: unregistrations => this.#capabilities.unregister(unregistrations),
      createProgress: token => this.progress.create(token),
      refreshDiagnostics: () => this.diagnostics.refreshed(),
      refused: refused => {
        this.#emit({ type: 'server.refused', request: refused })
        this.#log('warning', `refused the server's ${refused}: it would write or open something`)
      },
      offerEdit: edit => {
        for (const edits of this.#collecting) edits.push(edit)
        return this.#collecting.size > 0
      },
    })
    if (answer !== undefined) return answer.result
    if (this.#options.unknownRequest === 'null') return null
    return new ResponseError(-32601, `${method} is not supported`)
  }

  #log(level: LogLevel, message: string): void {
    this.#emit({ type: 'server.logged', level, message })
  }

  #emit(event: OwnEvent): void {
    this.#options.events.emit({ ...event, server: this.#options.id, root: this.#options.root })
  }
}

const silentLogger = { error() {}, warn() {}, info() {}, log() {} }
