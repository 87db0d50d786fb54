// What one call carries through the pipeline: its deadline and signal, the doubts that lower its verdict, the servers
// that took part, and what it is waiting for right now (which a timeout then names).
import { setMaxListeners } from 'node:events'
import type { Clock } from '../clock.js'
import { BridgeError } from '../errors.js'
import type { Readiness, ReadinessRule } from '../lsp/readiness.js'
import type { Connection, Wait, Workspace } from '../workspace/workspace.js'
import { type AnsweringServer, type Completeness, completenessOf, type Doubt } from './answer.js'
import type { ContextOf, ServerPort } from './operation.js'

export interface CallStateOptions {
  readonly workspace: Workspace
  readonly clock: Clock
  readonly milliseconds: number
  readonly requestMilliseconds: number
}

export class CallState {
  readonly workspace: Workspace
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #requestMilliseconds: number
  readonly #deadline: number
  readonly #abort = new AbortController()
  readonly #doubts: Doubt[] = []
  readonly #servers: AnsweringServer[] = []
  waitingFor = 'the call to begin'

  constructor({ workspace, clock, milliseconds, requestMilliseconds }: CallStateOptions) {
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

  context(): ContextOf['workspace'] {
    return {
      workspace: this.workspace,
      signal: this.signal,
      remaining: () => this.remaining(),
      doubt: doubt => this.doubt(doubt),
      credit: server => this.credit(server),
      port: connection => this.port(connection),
    }
  }
}

export function answeringServer({ session }: Connection): AnsweringServer {
  const { client, candidate } = session
  return {
    id: candidate.definition.id,
    name: client.identity.name,
    version: client.identity.version ?? candidate.version ?? 'unknown',
  }
}

/** What this server cannot know: for want of trust, and by design as far as that touches the given request. */
export function doubtLimits(
  method: string | undefined,
  connection: Connection,
  file: string | undefined,
  call: Pick<ContextOf['workspace'], 'workspace' | 'doubt'>,
): void {
  const { limitedCosts } = connection.session.candidate
  if (limitedCosts !== undefined) {
    const reason = `the workspace is not trusted: ${limitedCosts}`
    call.doubt({
      verdict: 'partial',
      reason,
      hint: 'If you trust the code in this folder, run: alidade trust',
    })
  }
  for (const { methods, reason, hint } of call.workspace.limitsOf(connection, file)) {
    if (method !== undefined && methods.includes(method)) call.doubt({ verdict: 'partial', reason, hint })
  }
}

/** A server that searches only projects with an open file gets one of each opened, as far as there are not too many. */
export async function openProjects(
  method: string | undefined,
  connection: Connection,
  call: Pick<ContextOf['workspace'], 'doubt' | 'signal' | 'remaining'>,
): Promise<void> {
  const { projects, title } = connection.session.candidate.definition
  if (method === undefined || projects === undefined || !projects.methods.includes(method)) return
  const { opened, total } = await connection.view.openProjects({
    signal: call.signal,
    milliseconds: call.remaining(),
  })
  if (opened === total) return
  call.doubt({
    verdict: 'partial',
    reason: `${title} searched ${opened} of the ${total} projects below this root`,
    hint: 'Start Alidade with --root at the part you work on.',
  })
}

/** One judgement of what a server's readiness means, for questions on a file and for searches alike. */
export function doubtReadiness(
  readiness: Readiness,
  { title, readiness: rule }: { readonly title: string; readonly readiness: ReadinessRule },
  call: Pick<ContextOf['workspace'], 'doubt'>,
): void {
  if (!readiness.ready) {
    const verdict = rule.kind === 'unproven' ? 'unknown' : 'partial'
    call.doubt({ verdict, reason: `${title}: ${readiness.reason}`, hint: 'Ask again later for the rest.' })
  } else if (readiness.complaint !== undefined) {
    call.doubt({ verdict: 'partial', reason: `${title} says: ${readiness.complaint}` })
  }
}
