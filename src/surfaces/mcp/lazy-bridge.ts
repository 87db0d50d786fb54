// The one bridge of the process, opened in the background: a client gets its handshake before the configuration is read
// or most of the program is loaded. A failure to open is told to every caller, and tried again by the next one.
import type { BridgeCore, BridgeOptions } from '../../bridge.js'
import { asBridgeError } from '../../errors.js'
import type { BridgeEvent } from '../../events.js'

export type Log = (message: string) => void

export class LazyBridge {
  readonly #options: BridgeOptions
  readonly #log: Log
  #opening: Promise<BridgeCore> | undefined
  #lastFailure: string | undefined

  constructor(options: BridgeOptions, log: Log) {
    this.#options = options
    this.#log = log
  }

  /** Rejects with a BridgeError. */
  open(): Promise<BridgeCore> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Waits for an opening under way, so that nothing it started survives. */
  async close(): Promise<void> {
    const bridge = await this.#opening?.catch(() => undefined)
    await bridge?.close()
  }

  async #open(): Promise<BridgeCore> {
    try {
      const { openBridge } = await import('../../bridge.js')
      const bridge = await openBridge(this.#options)
      for (const warning of bridge.warnings) this.#log(`warning: ${warning}`)
      bridge.events.subscribe(event => this.#report(event))
      return bridge
    } catch (thrown) {
      // The configuration may have been mended when the next call comes.
      this.#opening = undefined
      const error = asBridgeError(thrown)
      const text = error.hint === undefined ? error.message : `${error.message} (${error.hint})`
      if (text !== this.#lastFailure) this.#log(text)
      this.#lastFailure = text
      throw error
    }
  }

  #report(event: BridgeEvent): void {
    if (event.type === 'bridge.logged' && (event.level === 'warning' || event.level === 'error'))
      this.#log(`${event.level}: ${event.message}`)
    if (event.type === 'server.announced')
      this.#log(`starting ${event.server}, found by itself (${event.how}): ${shown(event.command)}`)
    if (event.type === 'server.chosen') this.#log(`${event.server}: ${event.how}: ${shown(event.command)}`)
    if (event.type === 'server.crashed') this.#log(`${event.server} died: ${event.cause}`)
  }
}

function shown(command: readonly string[]): string {
  return command.join(' ').replace(/\s+/g, ' ').slice(0, 300)
}
