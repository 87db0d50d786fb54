// What one call carries through the pipeline: its deadline and signal, the doubts that lower its verdict, the servers
// that took part, and what it is waiting for right now (which a timeout then names).
import { setMaxListeners } from 'node:events'
import { type Clock, withDeadline } from '../clock.js'
import { BridgeError } from '../errors.js'
import type { PolicyQuestion } from '../policy/policy.js'
import type { SessionView } from '../workspace/session-view.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection, Wait, Workspace } from '../workspace/workspace.js'
import {
  type AnsweringServer,
  type Completeness,
  completenessOf,
  type Doubt,
  type Freshness,
} from './answer.js'
import { answeringServer } from './doubts.js'
import type { ContextOf, Operation, ServerPort } from './operation.js'
import { prepareFile } from './prepare.js'

/** Decides on a part of the call: a request, a file. Throws where it may not be. */
export type Authorize = (about: Pick<PolicyQuestion, 'method' | 'file' | 'language'>) => Promise<void>

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
  readonly #deadline: number
  readonly #abort = new AbortController()
  readonly #doubts: Doubt[] = []
  readonly #servers: AnsweringServer[] = []
  readonly #readGate: boolean
  readonly #patience: number | undefined
  readonly #countsAsActivity: CallStateOptions['countsAsActivity']
  /** Whose turn this call has: asking the same server again within it must not queue behind somebody else. */
  readonly #held = new Map<SessionView, HeldTurn>()
  #freshness: Omit<Freshness, 'queried_at'> = { verdict: 'current' }
  waitingFor = 'the call to begin'

  constructor(options: CallStateOptions) {
    const { workspace, clock, milliseconds, requestMilliseconds } = options
    this.#maySend = options.maySend
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

  /** For an answer about the workspace; one about a file is judged by that file. */
  get freshness(): Omit<Freshness, 'queried_at'> {
    return this.#freshness
  }

  remaining(): number {
    return Math.max(this.#deadline - this.#clock.now(), 0)
  }

  wait(): Wait {
    return { signal: this.signal, milliseconds: this.remaining() }
  }

  doubt(doubt: Doubt): void {
    this.#doubts.push(doubt)
  }

  credit(server: AnsweringServer): void {
    if (!this.#servers.some(known => known.id === server.id)) this.#servers.push(server)
  }

  /** Before the question is put a second time, or after a search that only led to the file. */
  forget(): void {
    this.#doubts.length = 0
    this.#servers.length = 0
  }

  /** Cancels whatever is still under way on a server. */
  abandon(): void {
    // A given reason spares the making of an exception with its stack, at every call.
    this.#abort.abort('the call is over')
  }

  /** A server that was still asked then did not answer in time: it must hear that, not of a change of mind. */
  timeOut(): BridgeError {
    const error = this.#timeoutError()
    this.#abort.abort(error)
    return error
  }

  #timeoutError(): BridgeError {
    return new BridgeError({
      kind: 'RequestTimeout',
      message: `no answer within ${Math.round(this.#milliseconds / 100) / 10} s: still waiting for ${this.waitingFor}`,
      hint: 'Ask again: work already begun goes on in the background. A larger timeout_ms waits longer.',
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
    return instance.during(
      () =>
        view.turns[how](async () => {
          const turn: HeldTurn = { how, running: new Set() }
          // Two questions that were put at once wait each for a turn; the later one joins the earlier.
          const isFirst = !this.#held.has(view)
          if (isFirst) this.#held.set(view, turn)
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
      authorize: about => this.authorize(about),
      fresh: freshness => {
        this.#freshness = freshness
      },
      now: () => this.#clock.date().toISOString(),
      maySend: method => this.#maySend(method),
      envelope: () => ({
        completeness: this.completeness,
        freshness: { ...this.#freshness, queried_at: '' },
        servers: this.#servers,
      }),
      port: connection => this.port(connection),
      inShare: (share, work) =>
        withDeadline(work, {
          clock: this.#clock,
          milliseconds: this.remaining() * share,
          signal: this.signal,
          onTimeout: () => this.#timeoutError(),
        }),
      during: (connection, run, how) => this.during(connection, run, how),
      inFile: async (path, needs, run) => {
        const source = this.workspace.read(path)
        const connection = await this.workspace.connect(source, this.wait())
        this.credit(answeringServer(connection))
        return this.during(connection, async () => {
          const { document, currency, standing } = await prepareFile(source, connection, needs, this)
          if (!currency.current) this.doubt({ verdict: 'unknown', reason: currency.reason })
          if (!currency.current) this.#freshness = { verdict: 'unknown', reason: currency.reason }
          return run({ ...this.context(), source, document, server: this.port(connection), standing })
        })
      },
    }
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
