// The one pipeline every call goes through, read top to bottom: parse the input, ask the policy, find the server, bring
// its view of the files up to date, wait until it can answer, resolve the target, run, judge, record. Errors are caught
// here and nowhere else.
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { z } from 'zod'
import { type Clock, withDeadline } from '../clock.js'
import { asBridgeError, BridgeError } from '../errors.js'
import type { Events } from '../events.js'
import type { Recorder } from '../evidence/evidence.js'
import { parseDocumentSymbols } from '../lsp/results.js'
import type { Policy } from '../policy/policy.js'
import { occurrences } from '../text/lines.js'
import { type PublicPosition, toPublicPositionIn, toServerPosition } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection, Workspace } from '../workspace/workspace.js'
import {
  type Answer,
  type AnsweringServer,
  type AnswerTarget,
  completenessOf,
  type Doubt,
  type Failure,
  type Freshness,
} from './answer.js'
import { formatHandle } from './handle.js'
import { parseInput } from './input.js'
import type { Operation, ServerPort } from './operation.js'
import { cutToFit } from './render.js'
import { searchWorkspace } from './search.js'
import { declaredSymbols } from './symbol-path.js'
import { type Declared, findTarget, type TargetInput, targetFile } from './target.js'

export interface RunDependencies {
  readonly workspace: Workspace
  readonly policy: Policy
  readonly record: Recorder
  readonly events: Events
  readonly clock: Clock
  /** For a whole call, unless it says otherwise. */
  readonly callMilliseconds: number
  /** For one request to a server that is ready. */
  readonly requestMilliseconds: number
  readonly limitBytes: number
  readonly idleCounts: 'model' | 'success' | 'any'
}

export interface Call {
  readonly caller: 'model' | 'host'
  /** Asked by a poller, not by somebody: keeps no server alive. */
  readonly synthetic?: boolean
  readonly signal?: AbortSignal | undefined
}

export async function runOperation(
  operation: Operation,
  rawInput: unknown,
  call: Call,
  dependencies: RunDependencies,
): Promise<Answer<unknown>> {
  const { clock, events } = dependencies
  const startedAt = clock.now()
  const servers: AnsweringServer[] = []
  try {
    const input = parseInput(operation, rawInput)
    decide(operation, call, dependencies)
    const milliseconds = timeoutOf(input) ?? dependencies.callMilliseconds
    const run = new Run(operation, input, call, dependencies, servers, startedAt + milliseconds)
    const answer = await withDeadline(run.answer(), {
      clock,
      milliseconds,
      signal: call.signal,
      onTimeout: () => run.timedOut(milliseconds),
    }).finally(() => run.abandon())
    const evidence = dependencies.record({
      operation: operation.name,
      ok: true,
      milliseconds: clock.now() - startedAt,
      servers,
    })
    return evidence === undefined ? answer : { ...answer, evidence }
  } catch (thrown) {
    const error = asBridgeError(thrown)
    if (error.kind === 'Bug')
      events.emit({ type: 'bridge.logged', level: 'error', message: describeBug(error) })
    dependencies.record({
      operation: operation.name,
      ok: false,
      milliseconds: clock.now() - startedAt,
      servers,
    })
    return failure(error)
  }
}

export function failure(error: BridgeError): Failure {
  const { kind, message, hint, candidates } = error
  const base = { ok: false as const, kind, error: message, hint: hint ?? 'See the message.' }
  return candidates === undefined ? base : { ...base, candidates }
}

type AnsweredCall = Extract<Answer<unknown>, { ok: true }>

/** One call on its way through the pipeline. */
class Run {
  readonly #operation: Operation
  readonly #input: Readonly<Record<string, unknown>>
  readonly #call: Call
  readonly #dependencies: RunDependencies
  readonly #servers: AnsweringServer[]
  readonly #deadline: number
  readonly #abort = new AbortController()
  readonly #doubts: Doubt[] = []
  #waitingFor = 'the call to begin'

  constructor(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    call: Call,
    dependencies: RunDependencies,
    servers: AnsweringServer[],
    deadline: number,
  ) {
    this.#operation = operation
    this.#input = input
    this.#call = call
    this.#dependencies = dependencies
    this.#servers = servers
    this.#deadline = deadline
  }

  async answer(): Promise<AnsweredCall> {
    if (this.#operation.on === 'workspace') return this.#answerForWorkspace(this.#operation)
    const first = await this.#answerForFile()
    if (first.unchanged) return first.answer
    // The file was edited while its server was asked: the first answer is for a text that is gone (fault W08).
    this.#doubts.length = 0
    const second = await this.#answerForFile()
    if (second.unchanged) return second.answer
    const reason = 'the file kept changing while it was asked about'
    return { ...second.answer, freshness: { ...second.answer.freshness, verdict: 'stale', reason } }
  }

  timedOut(milliseconds: number): BridgeError {
    return new BridgeError({
      kind: 'RequestTimeout',
      message: `no answer within ${Math.round(milliseconds / 100) / 10} s: still waiting for ${this.#waitingFor}`,
      hint: 'Ask again: work already begun goes on in the background. A larger timeout_ms waits longer.',
    })
  }

  /** Cancels whatever is still under way on a server. */
  abandon(): void {
    // A given reason spares the making of an exception with its stack, at every call.
    this.#abort.abort('the call is over')
  }

  async #answerForWorkspace(operation: Operation): Promise<AnsweredCall> {
    const result = await operation.run(this.#input, {
      ...this.#callContext(),
      port: (connection: Connection) => this.#port(connection),
    })
    return this.#envelope(result, undefined, { verdict: 'current', queried_at: this.#now() })
  }

  async #answerForFile(): Promise<{ answer: AnsweredCall; unchanged: boolean }> {
    const { workspace } = this.#dependencies
    const source = await this.#source()
    this.#waitingFor = 'the language server to start'
    const connection = await workspace.connect(source, this.#wait())
    const server = this.#port(connection)
    this.#credit(connection)
    return connection.instance.during(
      () => this.#ask(source, connection, server),
      outcome => this.#countsAsActivity(outcome),
    )
  }

  async #ask(source: SourceFile, connection: Connection, server: ServerPort) {
    const { workspace } = this.#dependencies
    const operation = this.#operation
    this.#checkCapability(connection)
    const currency = await connection.view.bringUpToDate(this.#wait())
    const route = workspace.routes.forFile(source.relative)
    const document = await connection.view.open(source, route.languageId, this.#wait())
    if (operation.needsWholeWorkspace) await this.#settle(connection, source)
    this.#waitingFor = `${connection.session.client.identity.name} to answer`
    const queriedAt = this.#now()
    const file = { ...this.#callContext(), source, document, server }
    let target: AnswerTarget | undefined
    let result: unknown
    if (operation.on === 'symbol') {
      target = await this.#target(source, document.uri, server)
      const position = toServerPosition(source.text.line(target.line) ?? '', target, server.client.encoding)
      result = await operation.run(this.#input, {
        ...file,
        target,
        at: { textDocument: { uri: document.uri }, position },
      })
    } else result = await operation.run(this.#input, file)
    const freshness: Freshness = {
      verdict: currency.current ? 'current' : 'unknown',
      content: source.content,
      queried_at: queriedAt,
      ...(currency.current ? {} : { reason: currency.reason }),
    }
    return { answer: this.#envelope(result, target, freshness), unchanged: workspace.stillHas(source) }
  }

  /** The file the call is about; without one, the workspace index is asked where the symbol is declared. */
  async #source(): Promise<SourceFile> {
    const { workspace } = this.#dependencies
    const input: TargetInput = this.#input
    const file = targetFile(input)
    if (file !== undefined) return workspace.read(file)
    if (input.symbol === undefined) {
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: 'neither file nor symbol was given',
        hint: 'Give file and symbol, or symbol alone to have it looked up in the workspace.',
      })
    }
    this.#waitingFor = 'the workspace to be searched'
    const place = await searchWorkspace(input.symbol, this.#workspaceContext())
    this.#servers.length = 0
    return workspace.read(place.file)
  }

  async #target(source: SourceFile, uri: string, server: ServerPort): Promise<AnswerTarget> {
    const declared = async (): Promise<readonly Declared[]> => {
      if (!server.client.supports(DocumentSymbolRequest)) return []
      const symbols = declaredSymbols(
        parseDocumentSymbols(await server.request(DocumentSymbolRequest, { textDocument: { uri } })),
      )
      return symbols.map(({ path, segments, name, selection }) => {
        const start = toPublicPositionIn(source.text, selection.start, server.client.encoding)
        return { path, segments, ...nameWithin(source, name, start) }
      })
    }
    const found = await findTarget(source, this.#input, declared)
    const { line, column, symbol, note } = found
    const place = { file: source.relative, line, column, symbol }
    const handle = formatHandle(place, source.text.line(line) ?? '')
    return note === undefined ? { ...place, handle } : { ...place, handle, note }
  }

  async #settle(connection: Connection, source: SourceFile): Promise<void> {
    const { client, candidate } = connection.session
    this.#waitingFor = `${client.identity.name} to finish indexing`
    const left = this.remaining()
    // Some time is kept back to ask at all: an honest partial answer beats a timeout.
    const milliseconds = Math.max(left - Math.min(10_000, left / 4), 0)
    const readiness = await client.readiness.settle({ milliseconds, signal: this.#abort.signal })
    const title = candidate.definition.title
    if (!readiness.ready) {
      const verdict = candidate.definition.readiness.kind === 'unproven' ? 'unknown' : 'partial'
      this.#doubts.push({
        verdict,
        reason: `${title}: ${readiness.reason}`,
        hint: 'Ask again later for the rest.',
      })
    } else if (readiness.complaint !== undefined) {
      this.#doubts.push({ verdict: 'partial', reason: `${title} says: ${readiness.complaint}` })
    }
    this.#addKnownLimits(connection, source)
  }

  #addKnownLimits(connection: Connection, source: SourceFile): void {
    const { limitedCosts } = connection.session.candidate
    const hint = 'If you trust the code in this folder, run: alidade trust'
    if (limitedCosts !== undefined) this.#limited(`the workspace is not trusted: ${limitedCosts}`, hint)
    const method = this.#operation.lsp?.method
    for (const limit of this.#dependencies.workspace.limitsOf(connection, source.absolute)) {
      if (method !== undefined && limit.methods.includes(method)) this.#limited(limit.reason, limit.hint)
    }
  }

  #limited(reason: string, hint: string | undefined): void {
    this.#doubts.push({ verdict: 'partial', reason, hint })
  }

  #checkCapability(connection: Connection): void {
    const { lsp } = this.#operation
    const { client } = connection.session
    if (lsp === null || client.supports(lsp)) return
    throw new BridgeError({
      kind: 'CapabilityMissing',
      message: `${client.identity.name} does not offer ${lsp.method}, which ${this.#operation.name} needs`,
      hint: 'Use server_status to see what runs; another server for this language may offer it.',
    })
  }

  #envelope(result: unknown, target: AnswerTarget | undefined, freshness: Freshness): AnsweredCall {
    const { limitBytes } = this.#dependencies
    const cut = cutToFit(this.#operation, result, { target, limitBytes })
    return {
      ok: true,
      result: cut.result,
      ...(target === undefined ? {} : { target }),
      completeness: completenessOf(this.#doubts),
      freshness,
      servers: [...this.#servers],
      ...(cut.truncated === undefined ? {} : { truncated: cut.truncated }),
    }
  }

  remaining(): number {
    return Math.max(this.#deadline - this.#dependencies.clock.now(), 0)
  }

  #callContext() {
    return {
      workspace: this.#dependencies.workspace,
      signal: this.#abort.signal,
      remaining: () => this.remaining(),
      doubt: (doubt: Doubt) => void this.#doubts.push(doubt),
      credit: (server: AnsweringServer) => this.#creditServer(server),
    }
  }

  #workspaceContext() {
    return { ...this.#callContext(), port: (connection: Connection) => this.#port(connection) }
  }

  #port(connection: Connection): ServerPort {
    const { client } = connection.session
    return {
      client,
      connection,
      request: (request, params) =>
        client.request(request, params, {
          signal: this.#abort.signal,
          milliseconds: Math.min(this.#dependencies.requestMilliseconds, this.remaining()),
        }),
    }
  }

  #credit(connection: Connection): void {
    this.#creditServer(answeringServer(connection))
  }

  #creditServer(server: AnsweringServer): void {
    if (!this.#servers.some(known => known.id === server.id)) this.#servers.push(server)
  }

  #countsAsActivity(outcome: 'success' | 'failure'): boolean {
    const { idleCounts } = this.#dependencies
    if (idleCounts === 'any') return true
    if (this.#call.synthetic === true) return false
    return idleCounts === 'model' || outcome === 'success'
  }

  #wait() {
    return { signal: this.#abort.signal, milliseconds: this.remaining() }
  }

  #now(): string {
    return this.#dependencies.clock.date().toISOString()
  }
}

export function answeringServer(connection: Connection): AnsweringServer {
  const { client, candidate } = connection.session
  return {
    id: candidate.definition.id,
    name: client.identity.name,
    version: client.identity.version ?? candidate.version ?? 'unknown',
  }
}

/** Some servers select the whole declaration; the name in it is what a question must point at. */
function nameWithin(source: SourceFile, name: string, start: PublicPosition): PublicPosition {
  const bare = name.slice(name.lastIndexOf('.') + '.'.length)
  const columns = occurrences(source.text.line(start.line) ?? '', bare)
  return { line: start.line, column: columns.find(column => column >= start.column) ?? start.column }
}

function decide(operation: Operation, call: Call, { policy, events }: RunDependencies): void {
  const decided = policy({ operation: operation.name, effect: operation.effect, caller: call.caller })
  events.emit({ type: 'policy.decided', operation: operation.name, decision: decided.decision })
  if (decided.decision === 'allow') return
  throw new BridgeError({
    kind: decided.decision === 'deny' ? 'PolicyDenied' : 'ApprovalRequired',
    message: decided.reason,
    hint: decided.hint,
  })
}

const withTimeout = z.object({ timeout_ms: z.number().optional() })

function timeoutOf(input: unknown): number | undefined {
  return withTimeout.safeParse(input).data?.timeout_ms
}

function describeBug(error: BridgeError): string {
  const { cause } = error
  return cause instanceof Error ? (cause.stack ?? cause.message) : error.message
}
