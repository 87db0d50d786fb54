// Every event in the program, one closed union, and the one emitter they go through. Consumers are the log,
// the evidence record, `status`, and tests, which await an event instead of sleeping.

export type ServerState =
  | 'idle'
  | 'starting'
  | 'indexing'
  | 'ready'
  | 'restarting'
  | 'stopping'
  | 'stopped'
  | 'failed'

export type LogLevel = 'debug' | 'info' | 'warning' | 'error'

interface ServerRef {
  /** The definition's id, e.g. `typescript`. */
  readonly server: string
  /** The absolute root the instance serves. */
  readonly root: string
}

export type BridgeEvent =
  | ({
      readonly type: 'server.stateChanged'
      readonly from: ServerState
      readonly to: ServerState
      readonly reason?: string
    } & ServerRef)
  | ({
      readonly type: 'server.chosen'
      readonly how: string
      readonly command: readonly string[]
    } & ServerRef)
  /** Before a server that was found by itself is started, where the operator is to be told first. */
  | ({
      readonly type: 'server.announced'
      readonly how: string
      readonly command: readonly string[]
    } & ServerRef)
  | ({ readonly type: 'server.crashed'; readonly cause: string } & ServerRef)
  | ({
      readonly type: 'server.logged'
      readonly level: LogLevel
      readonly message: string
      /** `show` is meant for a person, `log` for a log; absent for what we say of the server ourselves. */
      readonly channel?: 'show' | 'log'
    } & ServerRef)
  | ({ readonly type: 'server.progress'; readonly message: string; readonly percent?: number } & ServerRef)
  /** A server asked us to write or open something, which it may not. */
  | ({ readonly type: 'server.refused'; readonly request: string } & ServerRef)
  | ({ readonly type: 'request.started'; readonly method: string; readonly id: number } & ServerRef)
  | ({
      readonly type: 'request.finished'
      readonly method: string
      readonly id: number
      readonly outcome: 'responded' | 'timed_out' | 'error' | 'cancelled'
      readonly milliseconds: number
      /** The call it was sent for; absent for what no call asked for. */
      readonly call?: number
      /** The size of the response; absent where none came. */
      readonly bytes?: number
    } & ServerRef)
  | ({ readonly type: 'document.synced'; readonly uri: string; readonly version: number } & ServerRef)
  | ({
      readonly type: 'diagnostics.published'
      readonly uri: string
      readonly version?: number
      readonly count: number
      /** As they came, with what their columns count. */
      readonly raw?: { readonly items: readonly unknown[]; readonly encoding: string }
    } & ServerRef)
  /** Something in the workspace may have changed on disk; what it was is known after the next look at the files. */
  | { readonly type: 'workspace.changed' }
  | {
      readonly type: 'policy.decided'
      readonly operation: string
      readonly decision: 'allow' | 'deny' | 'ask'
      readonly effect: string
      readonly caller: string
      readonly method?: string | undefined
      readonly file?: string | undefined
      readonly language?: string | undefined
      readonly reason: string
      readonly call: number
    }
  | {
      readonly type: 'answer.recorded'
      readonly operation: string
      readonly ok: boolean
      readonly milliseconds: number
    }
  /** The configuration and the installed programs were looked at again. */
  | { readonly type: 'bridge.reloaded'; readonly preset: string }
  | { readonly type: 'bridge.logged'; readonly level: LogLevel; readonly message: string }

export type BridgeEventType = BridgeEvent['type']
export type EventOf<T extends BridgeEventType> = Extract<BridgeEvent, { type: T }>
type Stamped<E extends BridgeEvent> = E & { readonly at: Date }
export type Listener = (event: Stamped<BridgeEvent>) => void

export class Events {
  readonly #listeners = new Set<Listener>()

  emit(event: BridgeEvent): void {
    if (this.#listeners.size === 0) return
    const stamped = { ...event, at: new Date() }
    for (const listener of this.#listeners) listener(stamped)
  }

  /** Returns the function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The next event of this type that fits, for tests and for callers that wait. */
  until<T extends BridgeEventType>(
    type: T,
    matches: (event: EventOf<T>) => boolean = () => true,
    signal?: AbortSignal,
  ): Promise<EventOf<T>> {
    return new Promise((resolve, reject) => {
      const stop = this.subscribe(event => {
        if (!isOfType(event, type) || !matches(event)) return
        stop()
        resolve(event)
      })
      signal?.addEventListener('abort', () => {
        stop()
        reject(signal.reason)
      })
    })
  }
}

/** From now on what is asked under this signal belongs to the call: everything a call asks, it asks under its own. */
export function nameCall(signal: AbortSignal, call: number): void {
  calls.set(signal, call)
}

export function callOf(signal: AbortSignal): number | undefined {
  return calls.get(signal)
}

const calls = new WeakMap<AbortSignal, number>()

function isOfType<T extends BridgeEventType>(event: BridgeEvent, type: T): event is EventOf<T> {
  return event.type === type
}
