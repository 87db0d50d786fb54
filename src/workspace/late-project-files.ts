// Project files that a server looks at only now and then: after a change of one it gets the time to do so, because what it
// builds afterwards is right.
import type { Clock, Wait } from '../clock.js'
import type { ServerDefinition } from '../servers/definition.js'
import type { FileChange } from './change-log.js'
import type { FileTable } from './file-table.js'

export type Lateness = NonNullable<ServerDefinition['projectFilesSeenAfter']>

export class LateProjectFiles {
  readonly #table: FileTable
  readonly #clock: Clock
  /** When these changes were first heard of: whoever asks later has less to wait for. */
  #heard: { readonly changes: string; readonly at: number } | undefined

  constructor(table: FileTable, clock: Clock) {
    this.#table = table
    this.#clock = clock
  }

  /** False where there is not the time for it, or nobody waits any more. */
  async seen(changed: readonly FileChange[], lateness: Lateness, wait: Wait): Promise<boolean> {
    const { revision } = this.#table
    const changes = changed
      .map(({ path, type }) => `${type} ${path} ${this.#table.stampOf(path) ?? revision}`)
      .join('\n')
    if (this.#heard?.changes !== changes) this.#heard = { changes, at: this.#clock.now() }
    const left = lateness.milliseconds - (this.#clock.now() - this.#heard.at)
    // Time is kept back to ask at all.
    if (left > wait.milliseconds / 2) return false
    return left <= 0 || this.#pause(left, wait.signal)
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise(resolve => {
      const finish = (isOver: boolean) => {
        timer.cancel()
        signal.removeEventListener('abort', onAbort)
        resolve(isOver)
      }
      const onAbort = () => finish(false)
      const timer = this.#clock.after(milliseconds, () => finish(true))
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
