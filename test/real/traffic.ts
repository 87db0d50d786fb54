// Listens in on what a server says, through the bridge's own seam for starting processes: the results need the
// capabilities it declared, and a failing story is explained by its messages.
import { PassThrough, type Readable } from 'node:stream'
import type { Message } from 'vscode-jsonrpc/node'
import { systemClock } from '../../src/clock.js'
import { property } from '../../src/json.js'
import { BoundedMessageReader } from '../../src/lsp/framing.js'
import { createSpawn, type Spawn } from '../../src/supervisor/process.js'
import { ownerMark } from '../../src/supervisor/sweep.js'

export interface Traffic {
  readonly spawn: Spawn
  /** Everything the servers sent, in order. */
  readonly messages: readonly Message[]
  /** The names of the capabilities declared in the handshake, sorted. */
  declared(): string[]
  /** The methods registered later on, sorted. */
  registered(): string[]
}

export function listenIn(): Traffic {
  const start = createSpawn({ clock: systemClock, owner: ownerMark() })
  const messages: Message[] = []
  return {
    messages,
    spawn: async request => {
      const child = await start(request)
      return { ...child, stdout: copied(child.stdout, message => messages.push(message)) }
    },
    declared: () => declaredIn(messages),
    registered: () => registeredIn(messages),
  }
}

/** The stream to read in place of the given one, whose messages are also handed over. */
function copied(stream: Readable, take: (message: Message) => void): Readable {
  const onward = new PassThrough()
  const copy = new PassThrough()
  stream.pipe(onward)
  stream.pipe(copy)
  // Ours, because the library's own gives up where a program writes something else to its output first, as a JVM does.
  new BoundedMessageReader(copy, { clock: systemClock }).listen(take)
  return onward
}

function declaredIn(messages: readonly Message[]): string[] {
  const capabilities = messages
    .map(message => property(property(message, 'result'), 'capabilities'))
    .find(found => typeof found === 'object' && found !== null)
  return Object.entries(capabilities ?? {})
    .filter(([, value]) => value !== null && value !== false && value !== undefined)
    .map(([name]) => name)
    .sort()
}

function registeredIn(messages: readonly Message[]): string[] {
  const methods = messages
    .filter(message => property(message, 'method') === 'client/registerCapability')
    .flatMap(message => listOf(property(property(message, 'params'), 'registrations')))
    .map(registration => String(property(registration, 'method')))
  return [...new Set(methods)].sort()
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
