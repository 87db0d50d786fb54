// Time and waiting behind one interface, so that every deadline can be tested on a virtual clock. `now` is
// monotonic: a jump of the wall clock neither forgives nor condemns (fault M15).
import { BridgeError } from './errors.js'

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds on a monotonic scale. */
  now(): number
  /** The wall clock, for stamps that people and files read. */
  date(): Date
  after(milliseconds: number, action: () => void): Timer
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(milliseconds, action) {
    const handle = setTimeout(action, milliseconds)
    // A pending deadline must never keep a finished command alive.
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** How long somebody waits at most, and what calls it off. */
export interface Wait {
  readonly signal: AbortSignal
  readonly milliseconds: number
}

export interface WaitOptions {
  readonly clock: Clock
  readonly milliseconds: number
  readonly signal?: AbortSignal | undefined
  /** Milliseconds that have not counted so far, such as while a person is asked. */
  readonly paused?: (() => number) | undefined
  /** Made only when the time is up. */
  readonly onTimeout: () => BridgeError
}

/** Every wait has a deadline and a signal: settles with the promise, the deadline or the abort, whichever is first. */
export function withDeadline<T>(promise: Promise<T>, options: WaitOptions): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const { signal } = options
    if (signal?.aborted) {
      // Nobody waits for it any more, and its failure must not end the process as unhandled.
      promise.catch(() => {})
      reject(cancelled(signal))
      return
    }
    const onAbort = () => finish(() => reject(cancelled(signal)))
    const { clock, milliseconds, paused } = options
    const countedSince = clock.now() - (paused?.() ?? 0)
    const onTime = () => {
      const left = paused === undefined ? 0 : countedSince + milliseconds + paused() - clock.now()
      if (left > 0) timer = clock.after(Math.max(left, leastMilliseconds), onTime)
      else finish(() => reject(options.onTimeout()))
    }
    let timer = clock.after(milliseconds, onTime)
    const finish = (settle: () => void) => {
      timer.cancel()
      signal?.removeEventListener('abort', onAbort)
      settle()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    promise.then(
      value => finish(() => resolve(value)),
      error => finish(() => reject(error)),
    )
  })
}

// While a pause lasts, what is left does not shrink; it must not be looked at without a break.
const leastMilliseconds = 20

export function cancelled(signal: AbortSignal | undefined): BridgeError {
  if (signal?.reason instanceof BridgeError) return signal.reason
  return new BridgeError({
    kind: 'Cancelled',
    message: 'the caller cancelled the call',
    hint: 'Ask again if the answer is still wanted.',
    cause: signal?.reason,
  })
}
