// Why the process is to end, and with which code: the client closed stdin, a signal came, or there is a fault of ours.
// Decided once; what comes later, while servers are being stopped, changes nothing.

export interface Ending {
  readonly code: number
  /** What was thrown, when it was not caught anywhere. */
  readonly fault?: unknown
}

type EndingProcess = Pick<NodeJS.Process, 'on' | 'off' | 'exit' | 'listeners' | 'removeAllListeners'>

const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
const signalNames = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

export interface WatchedEnding {
  readonly ending: Promise<Ending>
  /** The process belongs to its program again. */
  release(): void
}

/** `disconnected` settles when the client is gone. */
export function watchForEnding(from: EndingProcess, disconnected: Promise<void>): WatchedEnding {
  let decided = false
  let decide: (ending: Ending) => void = () => undefined
  const ending = new Promise<Ending>(resolve => {
    decide = given => {
      decided = true
      resolve(given)
    }
  })
  void disconnected.then(() => decide({ code: 0 }))

  const onSignal = (name: (typeof signalNames)[number]) => {
    // Asked twice, somebody is in a hurry; whoever started a server ends it on exit.
    if (decided) from.exit(signals[name])
    decide({ code: signals[name] })
  }
  const onFault = (fault: unknown) => decide({ code: 1, fault })
  // Only one may decide about an uncaught error: a listener that exits at once would not let servers end in order.
  const others = from.listeners('uncaughtException')
  from.removeAllListeners('uncaughtException')
  from.on('uncaughtException', onFault)
  for (const name of signalNames) from.on(name, onSignal)
  return {
    ending,
    release() {
      for (const name of signalNames) from.off(name, onSignal)
      from.off('uncaughtException', onFault)
      for (const other of others) from.on('uncaughtException', other)
    },
  }
}
