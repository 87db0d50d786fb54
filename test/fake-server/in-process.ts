// The fake server inside the test's own process, over crossed streams: fast, on the test's own clock, and with
// everything it received at hand.
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { type Clock, systemClock } from '../../src/clock.js'
import { BridgeError } from '../../src/errors.js'
import { type Message, nameOf } from './message.js'
import type { Act, Exit, Script } from './script.js'
import { createServer } from './server.js'

export interface FakeServer {
  /** What the client reads. */
  readonly reader: Readable
  /** What the client writes to. */
  readonly writer: Writable
  readonly stderr: Readable
  /** Every message received. */
  readonly log: readonly Message[]
  /** Every breach of the protocol by the client. */
  readonly complaints: readonly string[]
  readonly exited: Promise<Exit>
  /** The nth message with this method (`@response` for answers), now or when it comes. Fails if the server ends first. */
  received(method: string, nth?: number): Promise<Message>
  /** Acts out of turn, so that the test decides when something happens. */
  perform(...acts: readonly Act[]): Promise<void>
  kill(signal?: 'SIGKILL' | 'SIGTERM'): void
}

export interface FakeServerOptions {
  readonly clock?: Clock
  /** Which start of the server this is, for rules with `run`. */
  readonly run?: number
}

export function fakeServer(
  script: Script = {},
  { clock = systemClock, run = 1 }: FakeServerOptions = {},
): FakeServer {
  refuseGrandchildren(script)
  const toClient = new PassThrough()
  const toServer = new PassThrough()
  const stderr = new PassThrough()
  const log: Message[] = []
  const complaints: string[] = []
  const ignored = new Set<string>()
  const waiting = new Set<{ check: () => void; fail: (error: Error) => void }>()
  const { promise: exited, resolve: reportExit } = deferred<Exit>()
  let ended = false

  const exit = (how: Exit) => {
    if (ended) return
    ended = true
    server.die()
    toClient.end()
    stderr.end()
    toServer.destroy()
    reportExit(how)
    for (const { fail } of waiting) fail(endedFirst(how))
  }
  const server = createServer(script, {
    clock,
    run,
    write: bytes => toClient.write(bytes),
    writeError: bytes => stderr.write(bytes),
    stopReading: () => toServer.off('data', server.receive).pause(),
    ignoreSignal: signal => ignored.add(signal),
    startGrandchild: () => undefined,
    exit,
    received: message => {
      log.push(message)
      for (const { check } of [...waiting]) check()
    },
    complain: complaint => complaints.push(complaint),
  })
  toServer.on('data', server.receive)
  toServer.on('end', server.end)
  // A client that closes its side abruptly is one that ends.
  toServer.on('error', () => server.end())
  server.start()

  return {
    reader: toClient,
    writer: toServer,
    stderr,
    log,
    complaints,
    exited,
    received: (method, nth = 1) =>
      new Promise((resolve, reject) => {
        const waiter = {
          check: () => {
            const found = log.filter(message => nameOf(message) === method)[nth - 1]
            if (found === undefined) return
            waiting.delete(waiter)
            resolve(found)
          },
          fail: reject,
        }
        waiting.add(waiter)
        waiter.check()
        if (ended && waiting.has(waiter)) void exited.then(how => reject(endedFirst(how)))
      }),
    perform: (...acts) => server.perform(acts),
    kill: (signal = 'SIGKILL') => {
      if (!ignored.has(signal)) exit({ signal })
    },
  }

  function endedFirst(how: Exit): BridgeError {
    return new BridgeError({
      kind: 'SessionDead',
      message: `the fake server ended (${JSON.stringify(how)}) before it received what was waited for`,
      hint: `It received ${log.map(nameOf).join(', ') || 'nothing'}.`,
    })
  }
}

/** A fault that cannot happen here must not look as if it had been tested. */
function refuseGrandchildren(script: Script): void {
  if (!script.rules?.some(rule => rule.do.some(({ act }) => act === 'grandchild'))) return
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: 'a server inside the process leaves no grandchild',
    hint: 'Use fakeServerCommand for this script.',
  })
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
