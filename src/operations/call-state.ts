// What one call carries through the pipeline: its deadline and signal, the doubts that lower its verdict, the servers
// that took part, and what it is waiting for right now (which a timeout then names).
import { setMaxListeners } from 'node:events'
import { type Clock, type Wait, withDeadline } from '../clock.js'
import { BridgeError } from '../errors.js'
import type { About } from '../policy/call-authority.js'
import { pathToUri } from '../text/uri.js'
import type { SessionView } from '../workspace/session-view.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection, Workspace } from '../workspace/workspace.js'
import {
  type AnsweringServer,
  type Completeness,
  type Currentness,
  completenessOf,
  type Doubt,
  worseOf,
} from './answer.js'
import { answeringServer, doubtCurrency } from './doubts.js'
import type { ContextOf, FileContext, FileNeeds, Operation, ServerPort } from './operation.js'
import { keptChanging, prepareFile } from './prepare.js'
import { waits } from './waits.js'

/** Decides on parts of the call: a request, files. Throws where one may not be. */
export type Authorize = (...abouts: readonly About[]) => Promise<void>

export interface CallStateOptions {
  readonly workspace: Workspace
  readonly clock: Clock
  readonly milliseconds: number
  readonly requestMilliseconds: number
  /** Whether a request of this kind may be sent at all. */
  readonly maySend: (method: string) => boolean
  /** Which outcomes keep a server from being stopped as idle. */
  readonly countsAsActivity: (outcome: 'success' | 'failure') => boolean
  readonly authorize: Authorize
  /** From now on nobody is asked to approve anything. */
  readonly askNoMore: () => void
  /** Whether a file must have been read before what it declares is renamed. */
  readonly readGate: boolean
  readonly patience?: number | undefined
}

export class CallState {
  readonly workspace: Workspace
  readonly authorize: Authorize
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #requestMilliseconds: number
  readonly #maySend: CallStateOptions['maySend']
  readonly #askNoMore: () => void
  readonly #deadline: number
  readonly #abort = new AbortController()
  readonly #doubts: Doubt[] = []
  readonly #servers: AnsweringServer[] = []
  readonly #readGate: boolean
  readonly #patience: number | undefined
  readonly #countsAsActivity: CallStateOptions['countsAsActivity']
  /** Whose turn this call has: asking the same server again within it must not queue behind somebody else. */
  readonly #held = new Map<SessionView, HeldTurn>()
  #freshness: Currentness = { verdict: 'current' }
  #accomplished: { readonly what: string; readonly hint: string } | undefined
  #pauses = 0
  #pausedAt = 0
  #pausedFor = 0
  #stopped: BridgeError | undefined
  waitingFor = 'the call to begin'

  constructor(options: CallStateOptions) {
    const { workspace, clock, milliseconds, requestMilliseconds } = options
    this.#maySend = options.maySend
    this.#askNoMore = options.askNoMore
    this.#countsAsActivity = options.countsAsActivity
    this.authorize = options.authorize
    this.#readGate = options.readGate
    this.#patience = options.patience
    this.workspace = workspace
    this.#clock = clock
    this.#milliseconds = milliseconds
    this.#requestMilliseconds = requestMilliseconds
    // Inner waits end a little before the call does, so that what has arrived by then can still be told.
    this.#deadline = clock.now() + milliseconds * 0.95
    // Dozens of changed files may be waited for at once, which Node takes for a leak and says so on stderr.
    setMaxListeners(0, this.#abort.signal)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get servers(): readonly AnsweringServer[] {
    return this.#servers
  }

  get completeness(): Completeness {
    return completenessOf(this.#doubts)
  }

  /** What every part of the call said of the content that its answer is true for. */
  get freshness(): Currentness {
    return this.#freshness
  }

  remaining(): number {
    return Math.max(this.#deadline + this.paused() - this.#clock.now(), 0)
  }

  /** Milliseconds for which the call's time has stood still. */
  paused(): number {
    return this.#pausedFor + (this.#pauses === 0 ? 0 : this.#clock.now() - this.#pausedAt)
  }

  /** Its time stands still until the returned function is called: whoever is asked to approve need not hurry. */
  pause(): () => void {
    if (this.#pauses === 0) this.#pausedAt = this.#clock.now()
    this.#pauses += 1
    return () => {
      this.#pausedFor = this.paused()
      this.#pausedAt = this.#clock.now()
      this.#pauses -= 1
    }
  }

  wait(): Wait {
    return { signal: this.signal, milliseconds: this.remaining() }
  }

  doubt(doubt: Doubt): void {
    this.#doubts.push(doubt)
  }

  /** What one part of the call knows better does not mend what another part could not know. */
  fresh(freshness: Currentness): void {
    this.#freshness = worseOf(this.#freshness, freshness)
  }

  credit(server: AnsweringServer): void {
    if (!this.#servers.some(known => known.id === server.id)) this.#servers.push(server)
  }

  /** Before the question is put a second time, or after a search that only led to the file. */
  forget(): void {
    this.#doubts.length = 0
    this.#servers.length = 0
    this.#freshness = { verdict: 'current' }
  }

  /** Cancels whatever is still under way on a server. */
  abandon(): void {
    // A given reason spares the making of an exception with its stack, at every call.
    this.#abort.abort('the call is over')
  }

  /** Nothing more is done, and the call fails with this, whatever an operation makes of it. */
  stop(error: BridgeError): void {
    this.#stopped ??= error
    this.#abort.abort(error)
  }

  throwIfStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped
  }

  /** A server that was still asked then did not answer in time: it must hear that, not of a change of mind. */
  timeOut(): BridgeError {
    const error = this.#timeoutError(this.#milliseconds)
    this.#abort.abort(error)
    return error
  }

  #timeoutError(milliseconds: number): BridgeError {
    const { what, hint } = this.#accomplished ?? {}
    const done = what === undefined ? '' : `; ${what}`
    return new BridgeError({
      kind: 'RequestTimeout',
      message: `no answer within ${Math.round(milliseconds / 100) / 10} s: still waiting for ${this.waitingFor}${done}`,
      hint:
        hint ?? 'Ask again: work already begun goes on in the background. A larger timeout_ms waits longer.',
    })
  }

  /** C34: who changes what it has not seen changes it blindly. */
  checkRead({ needsRead }: Pick<Operation, 'needsRead'>, source: SourceFile): void {
    if (this.#readGate && needsRead === true) this.workspace.reads.require(source)
  }

  port(connection: Connection): ServerPort {
    const { client } = connection.session
    return {
      client,
      connection,
      request: (request, params) =>
        client.request(request, params, {
          signal: this.signal,
          milliseconds: Math.min(this.#requestMilliseconds, this.remaining()),
        }),
    }
  }

  /** Asks the server in turn: nobody changes what it sees for a trial while this runs (`alone`: nobody else asks). */
  async during<T>(
    connection: Connection,
    run: () => Promise<T>,
    how: 'shared' | 'alone' = 'shared',
  ): Promise<T> {
    const { instance, view } = connection
    const held = this.#held.get(view)
    if (held !== undefined) return within(held, run, how)
    const { name } = connection.session.client.identity
    this.waitingFor = waits.turn(name)
    return instance.during(
      () =>
        view.turns[how](async () => {
          const turn: HeldTurn = { how, running: new Set() }
          // Two questions that were put at once wait each for a turn; the later one joins the earlier.
          const isFirst = !this.#held.has(view)
          if (isFirst) this.#held.set(view, turn)
          this.waitingFor = waits.answer(name)
          try {
            return await run()
          } finally {
            // What this call began meanwhile has no turn of its own: the server is not let go before it is done.
            while (turn.running.size > 0) await Promise.allSettled(turn.running)
            if (isFirst) this.#held.delete(view)
          }
        }, this.wait()),
      this.#countsAsActivity,
    )
  }

  context(): ContextOf['workspace'] {
    return {
      workspace: this.workspace,
      signal: this.signal,
      remaining: () => this.remaining(),
      patience: this.#patience,
      doubt: doubt => this.doubt(doubt),
      credit: server => this.credit(server),
      authorize: (...abouts) => this.authorize(...abouts),
      askNoMore: () => this.#askNoMore(),
      fresh: freshness => this.fresh(freshness),
      awaiting: what => {
        this.waitingFor = what
      },
      accomplished: (what, hint) => {
        this.#accomplished = { what, hint }
      },
      now: () => this.#clock.date().toISOString(),
      maySend: method => this.#maySend(method),
      envelope: () => ({
        completeness: this.completeness,
        freshness: { ...this.#freshness, queried_at: '' },
        servers: this.#servers,
      }),
      port: connection => this.port(connection),
      inShare: (share, work) => {
        const milliseconds = this.remaining() * share
        return withDeadline(work, {
          clock: this.#clock,
          milliseconds,
          signal: this.signal,
          paused: () => this.paused(),
          onTimeout: () => this.#timeoutError(milliseconds),
        })
      },
      during: (connection, run, how) => this.during(connection, run, how),
      inFile: async (path, needs, run) => {
        const first = await this.#inFileOnce(path, needs, run)
        const reply = first ?? (await this.#inFileOnce(path, needs, run))
        if (reply === undefined) throw keptChanging()
        return reply.result
      },
    }
  }

  /** Undefined where the file was edited before the server could be asked. */
  async #inFileOnce<T>(
    path: string,
    needs: FileNeeds,
    run: (context: FileContext) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const source = this.workspace.read(path)
    // Before a server is started for it.
    const language = this.workspace.routes.languageOf(source.relative)
    await this.authorize({ method: needs.lsp?.method, file: source.relative, language })
    this.waitingFor = waits.start
    const connection = await this.workspace.connect(source, this.wait())
    this.credit(answeringServer(connection))
    return this.during(connection, async () => {
      // Whatever else has to be opened, this file is not closed for want of room.
      const letGo = connection.session.client.documents.hold(pathToUri(source.absolute))
      try {
        const { document, currency, standing } = await prepareFile(source, connection, needs, this)
        if (document.content !== source.content) return undefined
        doubtCurrency(currency, this)
        const server = this.port(connection)
        return { result: await run({ ...this.context(), source, document, server, standing }) }
      } finally {
        letGo()
      }
    })
  }
}

interface HeldTurn {
  readonly how: 'shared' | 'alone'
  /** Questions of the same call that were begun within the turn. */
  readonly running: Set<Promise<unknown>>
}

function within<T>(held: HeldTurn, run: () => Promise<T>, how: HeldTurn['how']): Promise<T> {
  if (how === 'alone' && held.how === 'shared') {
    // Waiting for the others to leave, while being one of them, would take for ever.
    throw new BridgeError({ kind: 'Bug', message: 'a turn that is shared cannot become one alone' })
  }
  const running = run()
  held.running.add(running)
  return running.finally(() => held.running.delete(running))
}
