// Follows every server of a bridge and shows the plugin as a whole in one of its five states: the most alive of them,
// and every state on the way to it.
import type { Events } from '../events.js'
import { type PluginState, passedThrough, pluginStateOf } from './plugin-state.js'

export interface PluginStateChange {
  readonly from: PluginState
  readonly to: PluginState
  /** The server that changed; undefined when the installation itself was looked at. */
  readonly server?: string
}

/** The most alive first. */
const order: readonly PluginState[] = ['Ready', 'Starting', 'Restarting', 'Discovering', 'Dormant']

export class PluginStates {
  readonly #servers = new Map<string, PluginState>()
  readonly #listeners = new Set<(change: PluginStateChange) => void>()
  #without: PluginState = 'Discovering'
  #current: PluginState = 'Discovering'

  constructor(events: Pick<Events, 'subscribe'>) {
    events.subscribe(event => {
      if (event.type !== 'server.stateChanged') return
      const key = `${event.server}\0${event.root}`
      const before = this.#servers.get(key) ?? 'Discovering'
      for (const state of passedThrough(before, pluginStateOf(event.to, event.reason))) {
        this.#servers.set(key, state)
        this.#settle(event.server)
      }
    })
  }

  get current(): PluginState {
    return this.#current
  }

  subscribe(listener: (change: PluginStateChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** There is nothing that could be started. */
  sleep(): void {
    this.#without = 'Dormant'
    this.#settle()
  }

  /** There is something to start again. */
  wake(): void {
    this.#without = 'Discovering'
    for (const [key, state] of this.#servers) if (state === 'Dormant') this.#servers.delete(key)
    this.#settle()
  }

  #settle(server?: string): void {
    const all = [...this.#servers.values()]
    const to = all.length === 0 ? this.#without : (order.find(state => all.includes(state)) ?? this.#without)
    if (to === this.#current) return
    const change = { from: this.#current, to, ...(server === undefined ? {} : { server }) }
    this.#current = to
    for (const listener of this.#listeners) listener(change)
  }
}
