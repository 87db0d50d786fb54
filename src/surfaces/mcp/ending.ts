// Why the process is to end, and with which code: the client closed stdin, a signal came, or there is a fault of ours.
// Decided once; what comes later, while servers are being stopped, changes nothing.
import type { EventEmitter } from 'node:events'

export interface Ending {
  readonly code: number
  /** What was thrown, when it was not caught anywhere. */
  readonly fault?: unknown
}

export interface EndingProcess extends Pick<EventEmitter, 'on' | 'removeAllListeners'> {
  exit(code: number): never
}

/** Listens for the rest of the process' life; `disconnected` settles when the client is gone. */
export function untilEnding(of: EndingProcess, disconnected: Promise<void>): Promise<Ending> {
  return new Promise(resolve => {
    let decided = false
    const decide = (ending: Ending) => {
      decided = true
      resolve(ending)
    }
    void disconnected.then(() => decide({ code: 0 }))
    for (const [name, code] of Object.entries(signalCodes)) {
      of.on(name, () => {
        // Asked twice, somebody is in a hurry; whoever started a server kills it on exit.
        if (decided) of.exit(code)
        decide({ code })
      })
    }
    // Another listener that exits at once would not let the servers end in order, and would tell of the fault again.
    of.removeAllListeners('uncaughtException')
    of.on('uncaughtException', fault => decide({ code: 1, fault }))
  })
}

const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
