// Says on stderr what goes on while an answer is awaited. A person sees one line that is rewritten in place, erased
// before the answer, and reads which server starts and how it was found; a script sees warnings alone.
import type { BridgeCore, LanguageChoice } from '../../bridge.js'
import type { Clock, Timer } from '../../clock.js'
import type { BridgeEvent, Events } from '../../events.js'
import { cleanLine } from '../../text/clean.js'
import type { Console } from './console.js'

export interface ProgressOptions {
  readonly console: Pick<Console, 'attended' | 'columns' | 'warn' | 'note' | 'raw'>
  readonly events: Events
  readonly candidates: BridgeCore['candidates']
  readonly clock: Clock
}

/** Below this nobody wonders what is going on. */
const patienceMilliseconds = 700
const redrawMilliseconds = 200
const longestMessage = 300

/** Returns the function that ends it and erases the line. */
export function showProgress(options: ProgressOptions): () => void {
  const progress = new Progress(options)
  const unsubscribe = options.events.subscribe(event => progress.take(event))
  return () => {
    unsubscribe()
    progress.end()
  }
}

class Progress {
  readonly #options: ProgressOptions
  readonly #startedAt: number
  readonly #announced = new Map<string, string>()
  readonly #titles = new Map<string, string>()
  #activity = 'looking at the workspace'
  #drawn = false
  #ended = false
  #timer: Timer | undefined

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
    if (options.console.attended) this.#redrawAfter(patienceMilliseconds)
  }

  take(event: BridgeEvent): void {
    switch (event.type) {
      case 'bridge.logged':
        if (event.level === 'warning' || event.level === 'error') this.#warn(event.message)
        return
      case 'server.crashed':
        this.#warn(`${this.#title(event.server)} crashed: ${event.cause}`)
        return
      case 'server.stateChanged':
        if (event.to === 'starting') this.#starting(event.server)
        if (event.to === 'restarting') this.#activity = `restarting ${this.#title(event.server)}`
        if (event.to === 'ready') this.#activity = `waiting for ${this.#title(event.server)}`
        return
      case 'server.chosen':
        this.#activity = `${this.#title(event.server)} reads the project`
        if (this.#announced.get(event.server) !== event.how)
          this.#announce(event.server, event.how, 'started')
        return
      case 'server.progress':
        this.#activity = `${this.#title(event.server)}: ${event.message}`
        return
      default:
        return
    }
  }

  end(): void {
    this.#ended = true
    this.#timer?.cancel()
    this.#erase()
  }

  #starting(server: string): void {
    this.#activity = `starting ${this.#title(server)}`
    if (!this.#options.console.attended || this.#announced.has(server)) return
    // Starting nothing, this is quick; the server's own handshake takes far longer.
    void this.#options.candidates().then(
      choices => {
        const choice = firstChoice(choices, server)
        if (choice === undefined || this.#ended) return
        const { title, version, how } = choice
        this.#titles.set(server, version === undefined ? title : `${title} ${version}`)
        if (this.#announced.has(server)) return
        this.#activity = `starting ${this.#title(server)}`
        this.#announce(server, how, 'starting')
      },
      // What cannot be said now is said when the server has been chosen, or by the failure itself.
      () => undefined,
    )
  }

  #announce(server: string, how: string, verb: 'starting' | 'started'): void {
    this.#announced.set(server, how)
    if (!this.#options.console.attended) return
    this.#erase()
    this.#options.console.note(`${verb} ${this.#title(server)} (${how})`)
  }

  #warn(message: string): void {
    this.#erase()
    this.#options.console.warn(cleanLine(message, longestMessage).text)
  }

  #title(server: string): string {
    return this.#titles.get(server) ?? server
  }

  #redrawAfter(milliseconds: number): void {
    this.#timer = this.#options.clock.after(milliseconds, () => {
      this.#draw()
      this.#redrawAfter(redrawMilliseconds)
    })
  }

  #draw(): void {
    const seconds = Math.floor((this.#options.clock.now() - this.#startedAt) / 1000)
    const elapsed = `, ${seconds} s`
    // One column stays free: a full line would wrap and could not be erased.
    const width = Math.max(this.#options.console.columns() - elapsed.length - 1, 1)
    this.#options.console.raw(`\r\x1b[2K${cleanLine(this.#activity, width).text}${elapsed}`)
    this.#drawn = true
  }

  #erase(): void {
    if (!this.#drawn) return
    this.#options.console.raw('\r\x1b[2K')
    this.#drawn = false
  }
}

function firstChoice(choices: readonly LanguageChoice[], server: string) {
  return choices.flatMap(({ candidates }) => candidates.slice(0, 1)).find(({ id }) => id === server)
}
