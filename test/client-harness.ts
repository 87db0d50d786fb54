// A real client that speaks to the fake server inside the test's process, on a clock that moves by hand.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clock } from '../src/clock.js'
import { BridgeError } from '../src/errors.js'
import { type BridgeEvent, type BridgeEventType, type EventOf, Events } from '../src/events.js'
import { type ClientOptions, LspClient } from '../src/lsp/client.js'
import { type FakeServer, fakeServer, type Script } from './fake-server/index.js'
import { type VirtualClock, virtualClock } from './virtual-clock.js'

export interface ClientHarness {
  readonly client: LspClient
  readonly server: FakeServer
  readonly clock: VirtualClock
  readonly events: Events
  /** Why the client thought that its server hangs, each time it did. */
  readonly hung: readonly string[]
  /** Every change of readiness. */
  readonly ready: readonly boolean[]
  /** Everything that was emitted so far under this type. */
  emitted<T extends BridgeEventType>(type: T): readonly EventOf<T>[]
  initialize(): Promise<void>
}

/** An empty folder: what the fake knows is what a test has opened. */
export const harnessRoot = mkdtempSync(join(realpathSync(tmpdir()), 'alidade-client-'))
process.once('exit', () => rmSync(harnessRoot, { recursive: true, force: true }))

export function clientHarness(script: Script = {}, options: Partial<ClientOptions> = {}): ClientHarness {
  const clock = virtualClock()
  const server = fakeServer(script, { clock })
  const events = new Events()
  const seen: BridgeEvent[] = []
  events.subscribe(event => seen.push(event))
  const hung: string[] = []
  const ready: boolean[] = []
  const client = new LspClient({
    ...clientOptions(clock, events),
    input: server.reader,
    output: server.writer,
    explainEnd: async () => died(await server.exited),
    onReady: change => ready.push(change),
    onHung: cause => hung.push(cause),
    ...options,
  })
  return {
    client,
    server,
    clock,
    events,
    hung,
    ready,
    emitted: type => seen.filter(event => isOfType(event, type)),
    initialize: () => client.initialize({ signal: neverAborted(), milliseconds: 300_000 }),
  }
}

export function clientOptions(
  clock: Clock,
  events: Events,
): Omit<ClientOptions, 'input' | 'output' | 'explainEnd'> {
  return {
    admit: () => undefined,
    id: 'fake',
    title: 'Fake',
    root: harnessRoot,
    rootUri: pathToFileURL(harnessRoot).href,
    clock,
    events,
    initializationOptions: undefined,
    settings: {},
    positionEncodings: ['utf-16', 'utf-8', 'utf-32'],
    experimentalCapabilities: {},
    dynamicRegistration: true,
    asksTwice: false,
    readiness: { kind: 'blocks', reason: 'It answers from what it has.' },
    diagnostics: { kind: 'standard', quietMs: 0, reason: 'Pushes carry the version.' },
    unknownRequest: 'null',
    unsetConfiguration: null,
    changeExtras: {},
    rangedChanges: false,
    frameLimitBytes: 1024 * 1024,
    allowLineFeedOnly: false,
    maxOpenDocuments: 16,
    onReady: () => {},
    onHung: () => {},
  }
}

export function neverAborted(): AbortSignal {
  return new AbortController().signal
}

/** What a promise came to, so that a test can go on with its clock and look later. */
export function watched<T>(promise: Promise<T>): { readonly outcome: T | BridgeError | undefined } {
  const watch: { outcome: T | BridgeError | undefined } = { outcome: undefined }
  promise.then(
    value => {
      watch.outcome = value
    },
    error => {
      // Nothing but this class may reach a caller.
      if (!(error instanceof BridgeError)) throw error
      watch.outcome = error
    },
  )
  return watch
}

function died(exit: unknown): BridgeError {
  return new BridgeError({
    kind: 'ServerRestarting',
    message: `Fake died: ${JSON.stringify(exit)}`,
    hint: 'Ask again.',
  })
}

function isOfType<T extends BridgeEventType>(event: BridgeEvent, type: T): event is EventOf<T> {
  return event.type === type
}
