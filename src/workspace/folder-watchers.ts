// One watcher per folder, and what they named since somebody last asked. They are believed only as far as the kernel
// can be: not after more events than its queue may have held, not about a folder that was moved or removed.
import { type FSWatcher, watch } from 'node:fs'
import { basename, join } from 'node:path'

// Beyond this many events since the last sweep the kernel's queue may have overflowed, which it does in silence.
const eventsBeforeDistrust = 4000

export class FolderWatchers {
  readonly #watchers = new Map<string, FSWatcher>()
  #suspects = new Set<string>()
  readonly #onSuspect: (name: string | undefined) => void
  #isUsed: boolean
  #events = 0

  /** `onSuspect`: told at once of what is named, or undefined when it has no name or is no file that is there. */
  constructor(isUsed: boolean, onSuspect: (name: string | undefined) => void) {
    this.#isUsed = isUsed
    this.#onSuspect = onSuspect
  }

  get events(): number {
    return this.#events
  }

  /** Whether everything that changed was named. */
  get areTrusted(): boolean {
    return this.#isUsed && this.#events < eventsBeforeDistrust
  }

  /** Whether nobody would have told what happened in this folder, although there are watchers. */
  missed(folder: string): boolean {
    return this.#isUsed && !this.#watchers.has(folder)
  }

  watch(folder: string): void {
    if (!this.missed(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        this.#events += 1
        this.#suspects.add(name === null ? folder : join(folder, name.toString()))
        // This is also how the kernel tells that the folder itself was moved or removed, after which it tells no more.
        if (event === 'rename' && name?.toString() === basename(folder)) this.#distrust(folder)
        this.#onSuspect(event === 'change' ? name?.toString() : undefined)
      })
      watcher.on('error', () => this.#distrust(folder))
      this.#watchers.set(folder, watcher)
    } catch (error) {
      // Gone again before it could be watched: then there is nothing to watch.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
      // Out of watches or unsupported here (fault W21): from now on nothing is vouched for.
      this.#isUsed = false
    }
  }

  unwatch(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  takeSuspects(): ReadonlySet<string> {
    const suspects = this.#suspects
    this.#suspects = new Set()
    return suspects
  }

  /** So many events no longer count, because everything has been looked at since. */
  forgive(events: number): void {
    this.#events -= events
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #distrust(folder: string): void {
    this.unwatch(folder)
    this.#suspects.add(folder)
  }
}
