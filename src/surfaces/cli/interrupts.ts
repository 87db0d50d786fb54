// Ctrl-C and termination: the first signal lets the command stop its servers in order, the second ends the process at
// once (servers are then killed by the exit handler of whoever started them).

export interface Interrupts {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** The exit code the signal asks for, if there was one. */
  code(): number | undefined
}

const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
const names = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/** As much of the process as is needed. */
export interface SignalSource {
  on(name: (typeof names)[number], listener: () => void): unknown
  exit(code: number): never
}

export function interrupts(from: SignalSource): Interrupts {
  const abort = new AbortController()
  let code: number | undefined
  for (const name of names) {
    from.on(name, () => {
      if (code !== undefined) from.exit(codes[name])
      code = codes[name]
      abort.abort()
    })
  }
  return { signal: abort.signal, code: () => code }
}
