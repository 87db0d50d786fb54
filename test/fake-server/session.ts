// The state of one run of the fake server, and what it learns from each message. Learning is kept apart from
// acting: rules may make the server lie, but it always knows the truth it lies about.
import type { Clock } from '../../src/clock.js'
import type { Encoding } from './columns.js'
import { capabilitiesOf, type Feature, featuresOf } from './features.js'
import { isRequest, listAt, type Message, nameOf, stringAt } from './message.js'
import type { Exit, Script } from './script.js'
import { createOutput, type Output } from './wire.js'
import { World } from './world.js'

/** What the server needs from the place it runs in. */
export interface Body {
  readonly clock: Clock
  /** Which start of this server it is; the first is 1. */
  readonly run: number
  write(bytes: Buffer): void
  writeError(bytes: Buffer): void
  stopReading(): void
  ignoreSignal(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void
  startGrandchild(holdsPipes: boolean): void
  /** What was written before still reaches the client. */
  exit(exit: Exit): void
  received(message: Message): void
  /** The client broke the protocol. */
  complain(complaint: string): void
}

export interface Session {
  readonly script: Script
  readonly body: Body
  readonly world: World
  readonly output: Output
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly features: ReadonlyMap<string, Feature>
  /** The methods a client may call now: announced and not withdrawn, or registered. */
  readonly offered: Set<string>
  readonly state: {
    initializing: boolean
    initialized: boolean
    ready: boolean
    shutDown: boolean
    dead: boolean
  }
  /** Called back at the next message that fits, and then forgotten. */
  readonly waiting: Set<{ fits: (message: Message) => boolean; proceed: () => void }>
  /** The ids of our requests that the client has not answered. */
  readonly unanswered: Set<number | string>
}

export function createSession(script: Script, body: Body): Session {
  const features = featuresOf(script)
  const capabilities = capabilitiesOf(script)
  const announced = [...features].filter(([, feature]) => feature.capability in capabilities)
  const world = new World(complaint => body.complain(complaint))
  world.encoding = encodingOf(script)
  return {
    script,
    body,
    world,
    output: createOutput(bytes => body.write(bytes), body.clock),
    capabilities,
    features,
    // A method that only the script knows is offered by the rule that answers it.
    offered: new Set([
      ...announced.map(([method]) => method),
      ...(script.rules ?? []).map(rule => rule.on).filter(method => !features.has(method)),
    ]),
    state: { initializing: false, initialized: false, ready: false, shutDown: false, dead: false },
    waiting: new Set(),
    unanswered: new Set(),
  }
}

/** Lets those go on who waited for this message. */
export function proceed(message: Message, { waiting }: Session): void {
  for (const waiter of [...waiting].filter(({ fits }) => fits(message))) {
    waiting.delete(waiter)
    waiter.proceed()
  }
}

export function learn(message: Message, session: Session): void {
  const { world, state, body, unanswered } = session
  const { id, params } = message
  switch (nameOf(message)) {
    case 'initialize':
      if (state.initializing) body.complain('a second initialize')
      state.initializing = true
      world.readRoot(stringAt(params, 'workspaceFolders', 0, 'uri') ?? stringAt(params, 'rootUri'))
      return
    case 'initialized':
      state.initialized = true
      return
    case 'textDocument/didOpen':
      world.opened(params)
      return
    case 'textDocument/didChange':
      world.changed(params)
      return
    case 'textDocument/didClose':
      world.closed(params)
      return
    case 'workspace/didChangeWatchedFiles':
      world.watchedFilesChanged(params)
      return
    case 'shutdown':
      // TypeScript 7 refuses a shutdown that has parameters and then never ends.
      if (params !== undefined) body.complain(`shutdown with params ${JSON.stringify(params)}`)
      state.shutDown = true
      return
    case '@response':
      if (id !== undefined && id !== null && unanswered.delete(id)) return
      body.complain(`an answer to ${JSON.stringify(id)}, which was not asked`)
      return
    default:
      if (!isRequest(message)) return
      if (!state.initializing) body.complain(`${message.method} before initialize`)
      else if (state.shutDown) body.complain(`${message.method} after shutdown`)
      else if (!session.offered.has(nameOf(message))) {
        body.complain(`${message.method}, which is not offered`)
      }
  }
}

/** Keeps the list of offered methods true while capabilities are registered and withdrawn. */
export function learnOwnRequest(method: string, params: unknown, session: Session): void {
  const methods = (list: string) => listAt(params, list).flatMap(entry => stringAt(entry, 'method') ?? [])
  if (method === 'client/registerCapability') {
    for (const name of methods('registrations')) session.offered.add(name)
  } else if (method === 'client/unregisterCapability') {
    // The misspelling is the protocol's own.
    for (const name of methods('unregisterations')) session.offered.delete(name)
  }
}

/** An encoding nobody knows is announced all the same (H05); columns then stay UTF-16. */
function encodingOf({ positionEncoding }: Script): Encoding {
  return positionEncoding === 'utf-8' || positionEncoding === 'utf-32' ? positionEncoding : 'utf-16'
}
