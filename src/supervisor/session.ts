// A session is one live conversation with one server process (or socket): client, process and their common end. This
// file turns a definition into client options and proves the server by its handshake.
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type Clock, cancelled, withDeadline } from '../clock.js'
import { asBridgeError, BridgeError, messageOf } from '../errors.js'
import type { Events } from '../events.js'
import { allPositionEncodings } from '../lsp/capabilities.js'
import { LspClient } from '../lsp/client.js'
import { closedFailure } from '../lsp/failures.js'
import type { OutgoingRequest } from '../lsp/requests.js'
import type { ServerDefinition } from '../servers/definition.js'
import { pathToUri } from '../text/uri.js'
import type { ServerProcess, Spawn } from './process.js'

/** One way to run a server for a root, everything resolved. */
export interface StartCandidate {
  readonly definition: ServerDefinition
  /** How it was found, in words: "embedded", "on PATH", "registered by the user". */
  readonly how: string
  /** Found by itself, not named by anybody. */
  readonly isDetected?: boolean
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** A running server to connect to instead of a command. */
  readonly endpoint: Endpoint | undefined
  readonly settings: Readonly<Record<string, unknown>>
  readonly initializationOptions: unknown
  readonly version: string | undefined
  /** What the limited form costs, when the workspace is not trusted. */
  readonly limitedCosts: string | undefined
}

export type Endpoint =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

export interface SessionEnd {
  readonly cause: BridgeError
  /** Exit code 0: not counted by rules that count crashes only. */
  readonly clean: boolean
}

export interface Session {
  readonly client: LspClient
  readonly candidate: StartCandidate
  readonly root: string
  /** Wall clock, in milliseconds: files changed after it may have been read in either state. */
  readonly startedAt: number
  readonly ended: Promise<SessionEnd>
  memoryBytes(): number | undefined
  stop(graceMilliseconds: number): Promise<void>
  kill(): void
}

export interface StartContext {
  readonly root: string
  readonly signal: AbortSignal
  readonly onReadiness: (ready: boolean) => void
  readonly onHung: (cause: string) => void
}

/** No process was started: its program is missing, or cannot be run. */
export class NothingToStart extends BridgeError {}

export type StartSession = (candidate: StartCandidate, context: StartContext) => Promise<Session>

export interface SessionOptions {
  readonly spawn: Spawn
  readonly clock: Clock
  readonly events: Events
  readonly initializeMilliseconds: number
  readonly frameLimitBytes: number
  readonly maxOpenDocuments: number
  /** The last gate before the wire; undefined lets a request pass. */
  readonly admit: (request: OutgoingRequest & { readonly language: string }) => Promise<void> | undefined
  /** The only requests that may be sent, lifecycle aside. */
  readonly methods: 'any' | readonly string[]
  readonly unknownRequest: 'null' | 'method-not-found'
  readonly unsetConfiguration: null | Readonly<Record<string, never>>
}

export function createStartSession(options: SessionOptions): StartSession {
  return async (candidate, context) => {
    const startedAt = options.clock.date().getTime()
    const peer =
      candidate.endpoint === undefined
        ? await spawnPeer(candidate, context, options)
        : await connectPeer(candidate.endpoint, context.signal, options.clock)
    const client = createClient(candidate, context, peer, options)
    const ended = endOf(peer, client, candidate)
    try {
      await Promise.race([
        client.initialize({ signal: context.signal, milliseconds: options.initializeMilliseconds }),
        ended.then(({ cause }) => Promise.reject(cause)),
      ])
    } catch (thrown) {
      peer.kill()
      await gone(peer, options.clock)
      throw startFailure(thrown, candidate, peer)
    }
    return {
      client,
      candidate,
      root: context.root,
      startedAt,
      ended,
      memoryBytes: () => peer.process?.memoryBytes(),
      kill: () => peer.kill(),
      async stop(graceMilliseconds) {
        await client.shutdown(graceMilliseconds)
        // buf goes neither on `exit` nor on SIGTERM, only when nothing more can come.
        peer.output.end()
        await peer.end(terminationMilliseconds)
      },
    }
  }
}

// A server that did not go on `exit` has had its chance (fault C10).
const terminationMilliseconds = 2000

/** The other end of the conversation, process or socket. */
interface Peer {
  readonly input: Readable
  readonly output: Writable
  readonly process: ServerProcess | undefined
  readonly gone: Promise<{ readonly how: string; readonly clean: boolean }>
  kill(): void
  end(graceMilliseconds: number): Promise<void>
}

async function spawnPeer(
  candidate: StartCandidate,
  context: StartContext,
  options: SessionOptions,
): Promise<Peer> {
  const data = await dataFolder(candidate)
  const child = await options
    .spawn({
      command: candidate.command,
      args: [...candidate.args, ...data.args],
      cwd: context.root,
      env: { ...candidate.environment, ...data.environment },
    })
    .catch(async thrown => {
      await data.remove()
      throw nothingToStart(asBridgeError(thrown), candidate)
    })
  void child.exited.then(() => data.remove())
  return {
    input: child.stdout,
    output: child.stdin,
    process: child,
    gone: child.exited.then(({ code, signal }) => ({
      how: signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`,
      clean: code === 0,
    })),
    kill: () => child.kill(),
    end: graceMilliseconds => child.terminate({ graceMilliseconds }),
  }
}

/** What a server keeps between starts can be stale, and two of one root would be in each other's way. */
async function dataFolder({ definition, args }: StartCandidate) {
  const rule = definition.dataFolder
  // Whoever names a folder in the arguments has decided otherwise.
  if (rule === undefined || ('argument' in rule && args.includes(rule.argument)))
    return { args: [], environment: {}, remove: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), `alidade-${definition.id}-`))
  return {
    args: 'argument' in rule ? [rule.argument, folder] : [],
    environment: 'variable' in rule ? { [rule.variable]: folder } : {},
    // What cannot be removed, because a straggler still writes there, is left to whoever clears temporary files.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {}),
  }
}

// A server that is just being started by somebody else listens a moment later (fault S14).
const connectMilliseconds = 5000
const reconnectMilliseconds = 200

async function connectPeer(endpoint: Endpoint, signal: AbortSignal, clock: Clock): Promise<Peer> {
  const givesUpAt = clock.now() + connectMilliseconds
  for (;;) {
    try {
      return await connectOnce(endpoint, signal)
    } catch (error) {
      if (signal.aborted || clock.now() >= givesUpAt) throw error
    }
    await new Promise<void>(resolve => {
      clock.after(reconnectMilliseconds, resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

function connectOnce(endpoint: Endpoint, signal: AbortSignal): Promise<Peer> {
  return new Promise((resolve, reject) => {
    const socket = endpoint.kind === 'unix' ? connect(endpoint.path) : connect(endpoint.port, endpoint.host)
    const where = endpoint.kind === 'unix' ? `unix:${endpoint.path}` : `${endpoint.host}:${endpoint.port}`
    const onAbort = () => {
      socket.destroy()
      reject(cancelled(signal))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    socket.once('error', cause => {
      reject(
        new BridgeError({
          kind: 'ServerUnavailable',
          message: `nothing answers at ${where}: ${cause.message}`,
          hint: 'Start the server that listens there, or correct "endpoint" in the configuration.',
          cause,
        }),
      )
    })
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort)
      resolve({
        input: socket,
        output: socket,
        process: undefined,
        gone: new Promise(settle => {
          socket.once('close', () => settle({ how: 'it closed the connection', clean: true }))
        }),
        kill: () => socket.destroy(),
        async end() {
          socket.destroy()
        },
      })
    })
  })
}

function createClient(
  candidate: StartCandidate,
  context: StartContext,
  peer: Peer,
  options: SessionOptions,
): LspClient {
  const { definition } = candidate
  return new LspClient({
    id: definition.id,
    title: definition.title,
    root: context.root,
    rootUri: pathToUri(context.root),
    input: peer.input,
    output: peer.output,
    clock: options.clock,
    events: options.events,
    initializationOptions: candidate.initializationOptions,
    settings: candidate.settings,
    positionEncodings: definition.positionEncodings ?? allPositionEncodings,
    experimentalCapabilities: definition.experimentalCapabilities ?? {},
    dynamicRegistration: definition.quirks.registersTooLate === undefined,
    asksTwice: definition.quirks.parsesTooEarly !== undefined,
    readiness: definition.readiness,
    diagnostics: definition.diagnostics,
    methods: options.methods,
    unknownRequest: options.unknownRequest,
    unsetConfiguration:
      definition.quirks.needsConfigurationObject === undefined ? options.unsetConfiguration : {},
    allowLineFeedOnly: definition.quirks.lineFeedOnlyHeaders !== undefined,
    changeExtras: definition.changeExtras ?? {},
    rangedChanges: definition.quirks.wholeTextMisread !== undefined,
    frameLimitBytes: options.frameLimitBytes,
    maxOpenDocuments: options.maxOpenDocuments,
    admit: request => options.admit({ ...request, language: definition.language }),
    explainEnd: () => explainEnd(peer, candidate, options.clock),
    onReady: context.onReadiness,
    onHung: context.onHung,
  })
}

/** Whatever ends first, process or connection, ends both; the first cause is kept. */
function endOf(peer: Peer, client: LspClient, candidate: StartCandidate): Promise<SessionEnd> {
  const byProcess = peer.gone.then(({ how, clean }): SessionEnd => {
    const cause = deathOf(candidate, peer, how)
    client.close(cause)
    return { cause, clean }
  })
  const byConnection = client.closed.then((cause): SessionEnd => {
    peer.kill()
    return { cause, clean: false }
  })
  return Promise.race([byProcess, byConnection])
}

/** A dying process closes its pipe before its exit is known; the exit tells more than "the connection ended". */
function explainEnd(peer: Peer, candidate: StartCandidate, clock: Clock): Promise<BridgeError> {
  const { title } = candidate.definition
  return withDeadline(
    peer.gone.then(({ how }) => deathOf(candidate, peer, how)),
    { clock, milliseconds: 500, onTimeout: () => closedFailure(title, undefined) },
  ).catch(error => asBridgeError(error))
}

const killMilliseconds = 1000

/** A start that failed has left no process when it says so, and its last words are known. */
async function gone(peer: Peer, clock: Clock): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = clock.after(killMilliseconds, resolve)
    void peer.gone.then(() => {
      timer.cancel()
      resolve()
    })
  })
}

function deathOf(candidate: StartCandidate, peer: Peer, how: string): BridgeError {
  return new BridgeError({
    kind: 'ServerRestarting',
    message: `${candidate.definition.title} died: ${how}${tail(peer)}`,
    hint: 'Ask again in a few seconds; until then text search (grep) still works.',
  })
}

/** Keeps the reason and adds how to come by the program; a shortage of resources is another matter. */
function nothingToStart(error: BridgeError, { definition }: StartCandidate): BridgeError {
  if (error.kind !== 'ServerUnavailable') return error
  const hint = [error.hint, `To install it: ${definition.install}`]
    .filter(part => part !== undefined)
    .join(' ')
  return new NothingToStart({ kind: error.kind, message: error.message, hint, cause: error })
}

function startFailure(thrown: unknown, candidate: StartCandidate, peer: Peer): BridgeError {
  const { definition } = candidate
  const said = messageOf(thrown)
  const kind =
    thrown instanceof BridgeError && thrown.kind === 'Cancelled' ? 'Cancelled' : 'ServerUnavailable'
  const evidence = said.includes('stderr') ? '' : tail(peer)
  return new BridgeError({
    kind,
    message: `${definition.title} (${candidate.how}) did not start: ${said}${evidence}`,
    hint: `Install or repair it: ${definition.install}`,
    cause: thrown,
  })
}

function tail(peer: Peer): string {
  const text = peer.process?.stderrTail().trim() ?? ''
  return text === '' ? '' : `; its stderr ends: ${text.split('\n').slice(-4).join(' | ').slice(-600)}`
}
