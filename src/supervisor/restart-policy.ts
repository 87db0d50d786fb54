// What is done after a server died, as data. The type lives here and not with the presets that fill it in, because
// the supervisor obeys it and must not know the configuration.

export interface RestartPolicy {
  /** How many of what `counts` names are put up with; `Infinity` is no bound. */
  readonly max: number
  /** `crashes` are exits with a status other than zero; `failed-starts` are starts without a successful initialize. */
  readonly counts: 'failed-starts' | 'restarts' | 'crashes'
  /** `eager` starts again by itself, `on-call` when the next call needs the server. */
  readonly trigger: 'eager' | 'on-call'
  /** Whether a successful initialize forgives what was counted. */
  readonly reset: 'on-initialize' | 'never'
  /** The wait before the first restart, the second, ...; the last one repeats. Empty is no wait. */
  readonly backoffMs: readonly number[]
  readonly maxBackoffMs: number
}
