// Passes on what the servers do while a call waits for them, so that a person watching the client sees a start or an
// index being built instead of a silent tool.
import type { Clock, Timer } from '../../clock.js'
import type { BridgeEvent, Events } from '../../events.js'

export interface ProgressOptions {
  readonly events: Pick<Events, 'subscribe'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly signal: AbortSignal
  readonly send: (step: ProgressStep) => void
}

/** `progress` counts the messages: servers' percentages begin anew with every phase, and MCP wants it to increase. */
export interface ProgressStep {
  readonly progress: number
  readonly message: string
}

/** Servers report hundreds of steps a second; the latest one every so often is all that can be read. */
export const progressIntervalMilliseconds = 250

/** Returns the function that ends it; nothing is sent afterwards. */
export function passOnProgress({ events, clock, signal, send }: ProgressOptions): () => void {
  let progress = 0
  let nextAt = Number.NEGATIVE_INFINITY
  let waiting: string | undefined
  let last: string | undefined
  let timer: Timer | undefined
  const flush = () => {
    timer = undefined
    const message = waiting
    waiting = undefined
    // A cancelled request must not be spoken of any more.
    if (message === undefined || message === last || signal.aborted) return
    last = message
    progress += 1
    nextAt = clock.now() + progressIntervalMilliseconds
    send({ progress, message })
  }
  const unsubscribe = events.subscribe(event => {
    const message = describe(event)
    if (message === undefined) return
    waiting = message
    const delay = nextAt - clock.now()
    if (delay <= 0) flush()
    else timer ??= clock.after(delay, flush)
  })
  return () => {
    unsubscribe()
    timer?.cancel()
  }
}

function describe(event: BridgeEvent): string | undefined {
  switch (event.type) {
    case 'server.progress':
      return `${event.server}: ${event.message}${event.percent === undefined ? '' : ` (${event.percent}%)`}`
    case 'server.stateChanged':
      return `${event.server}: ${event.to}${event.reason === undefined ? '' : `, ${event.reason}`}`
    case 'server.chosen':
      return `${event.server}: chosen (${event.how})`
    default:
      return undefined
  }
}
