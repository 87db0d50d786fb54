// Whose turn it is with a server: any number may ask at once, but whoever shows it a text that is not on the disk is
// alone with it. In order of arrival, so that nobody waits for ever.
import { type Clock, type Wait, withDeadline } from '../clock.js'
import { BridgeError } from '../errors.js'

type Kind = 'shared' | 'alone'

interface Waiter {
  readonly kind: Kind
  readonly begin: () => void
}

export class Turns {
  readonly #clock: Clock
  readonly #queue: Waiter[] = []
  #sharing = 0
  #isAlone = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isAlone(): boolean {
    return this.#isAlone
  }

  shared<T>(run: () => Promise<T>, wait: Wait): Promise<T> {
    return this.#take('shared', run, wait)
  }

  alone<T>(run: () => Promise<T>, wait: Wait): Promise<T> {
    return this.#take('alone', run, wait)
  }

  async #take<T>(kind: Kind, run: () => Promise<T>, wait: Wait): Promise<T> {
    // The common case costs no turn of the event loop.
    if (this.#queue.length === 0 && this.#mayBegin(kind)) this.#begin(kind)
    else await this.#waitFor(kind, wait)
    try {
      return await run()
    } finally {
      this.#end(kind)
    }
  }

  async #waitFor(kind: Kind, { signal, milliseconds }: Wait): Promise<void> {
    let begin = () => {}
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    const waiter = { kind, begin }
    this.#queue.push(waiter)
    try {
      await withDeadline(begun, { clock: this.#clock, milliseconds, signal, onTimeout: () => neverBegun() })
    } catch (error) {
      const index = this.#queue.indexOf(waiter)
      // It may have been let in at the very moment it gave up.
      if (index < 0) this.#end(kind)
      else {
        this.#queue.splice(index, 1)
        this.#letIn()
      }
      throw error
    }
  }

  #mayBegin(kind: Kind): boolean {
    return !this.#isAlone && (kind === 'shared' || this.#sharing === 0)
  }

  #begin(kind: Kind): void {
    if (kind === 'alone') this.#isAlone = true
    else this.#sharing += 1
  }

  #end(kind: Kind): void {
    if (kind === 'alone') this.#isAlone = false
    else this.#sharing -= 1
    this.#letIn()
  }

  #letIn(): void {
    for (;;) {
      const [next] = this.#queue
      if (next === undefined || !this.#mayBegin(next.kind)) return
      this.#queue.shift()
      this.#begin(next.kind)
      next.begin()
    }
  }
}

function neverBegun(): BridgeError {
  return new BridgeError({
    kind: 'RequestTimeout',
    message: 'no answer: an edit was being tried on this server all the time',
    hint: 'Ask again: a preview ends within its own deadline.',
  })
}
