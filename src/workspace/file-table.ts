// Knows which files of the workspace changed since when, so that a server can be told before it is asked. A watcher per
// folder names suspects; a sweep of `stat` calls, bounded in time, catches what watchers miss (a full event queue, a
// remote file system). When neither can vouch for the whole table, it says so instead of keeping silent.
import { type FSWatcher, lstatSync, readdirSync, type Stats, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as loopTurn } from 'node:timers/promises'
import type { Clock } from '../clock.js'

export type ChangeType = 'created' | 'changed' | 'deleted'

export interface FileChange {
  readonly path: string
  readonly type: ChangeType
}

export interface FileTableOptions {
  readonly root: string
  readonly clock: Clock
  /** Which file names matter to any server. */
  readonly isInteresting: (name: string) => boolean
  readonly useWatcher: boolean
  readonly sweepMilliseconds: number
  readonly maxFiles: number
}

export type Currency = { readonly current: true } | { readonly current: false; readonly reason: string }

interface Signature {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly ino: number
}

/** Never worth a watch: huge, and another program's own. What git ignores counts, for generated sources are there. */
const skippedFolders = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.tox', '.gradle'])
/** A folder with one of these says itself that it is a cache or an environment (cargo's target, Python's venv). */
const cacheMarks = ['CACHEDIR.TAG', 'pyvenv.cfg']

// With healthy watchers the sweep is only an insurance, so it need not run at every question.
const sweepIntervalMs = 2000
// Beyond this many events since the last sweep the kernel's queue may have overflowed, which it does in silence.
const eventsBeforeDistrust = 4000
// Changes this close to the scan's beginning may have been made just before or just after a server read the file.
const racyMilliseconds = 50

export class FileTable {
  readonly #options: FileTableOptions
  readonly #files = new Map<string, Signature>()
  readonly #folders = new Map<string, number>()
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changes = new Map<string, { revision: number; type: ChangeType; at: number }>()
  readonly #dirty = new Set<string>()
  readonly #startedAt: number
  #revision = 0
  #scanned: Promise<void> | undefined
  #scanDone = false
  #tooMany = false
  #watching: boolean
  #events = 0
  #lastSweep = 0
  #sweepCursor: string[] = []

  constructor(options: FileTableOptions) {
    this.#options = options
    this.#watching = options.useWatcher
    this.#startedAt = options.clock.date().getTime()
  }

  get revision(): number {
    return this.#revision
  }

  get size(): number {
    return this.#files.size
  }

  /** Walks the tree once, in slices, so that nothing else waits for it. */
  scan(): Promise<void> {
    this.#scanned ??= this.#walk(this.#options.root).then(() => {
      this.#scanDone = true
      this.#lastSweep = this.#options.clock.now()
    })
    return this.#scanned
  }

  /** Looks at what may have changed; afterwards `changesAfter` is complete if the answer says current. */
  async refresh(): Promise<Currency> {
    // Two turns of the event loop: the second is sure to follow a poll, in which all queued watch events are read.
    await loopTurn()
    await loopTurn()
    if (!this.#scanDone)
      return { current: false, reason: 'the workspace is still being listed for the first time' }
    this.#lookAtDirty()
    const swept = this.#sweepIfDue()
    if (this.#tooMany) {
      return {
        current: false,
        reason: `the workspace has more than ${this.#options.maxFiles} files to keep in view`,
      }
    }
    if (this.#watching && this.#events < eventsBeforeDistrust) return { current: true }
    if (!swept) return { current: false, reason: 'there was no time to look at every file of the workspace' }
    return { current: true }
  }

  /** The revision that was reached before this moment (wall clock, milliseconds). */
  revisionBefore(time: number): number {
    let reached = 0
    for (const { revision, at } of this.#changes.values())
      if (at < time && revision > reached) reached = revision
    return reached
  }

  /**
   * The revision of this file's last change, if the table can vouch for it without a look at the disk: the file is
   * known, its folder is watched, and `refresh` has just read all events.
   */
  stampOf(path: string): number | undefined {
    if (!this.#watching || this.#events >= eventsBeforeDistrust || !this.#files.has(path)) return undefined
    return this.#changes.get(path)?.revision ?? 0
  }

  changesAfter(revision: number): FileChange[] {
    if (revision >= this.#revision) return []
    const found: FileChange[] = []
    for (const [path, change] of this.#changes) {
      if (change.revision > revision) found.push({ path, type: change.type })
    }
    return found
  }

  /** Known files with one of these extensions, in the order of the walk. */
  *filesWith(extensions: ReadonlySet<string>): Iterable<string> {
    for (const path of this.#files.keys()) {
      const dot = path.lastIndexOf('.')
      if (dot >= 0 && extensions.has(path.slice(dot))) yield path
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  async #walk(top: string): Promise<void> {
    const pending = [top]
    let sliceEnds = this.#options.clock.now() + 5
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      pending.push(...this.#readFolder(folder, 'scan'))
      if (this.#files.size > this.#options.maxFiles) {
        this.#tooMany = true
        return
      }
      if (this.#options.clock.now() < sliceEnds) continue
      await loopTurn()
      sliceEnds = this.#options.clock.now() + 5
    }
  }

  /** Takes in one folder and returns the folders in it. The watch comes before the listing, so nothing falls between. */
  #readFolder(folder: string, mode: 'scan' | 'later'): string[] {
    const stats = statOf(folder)
    if (stats === undefined) return []
    this.#watchFolder(folder)
    this.#folders.set(folder, stats.mtimeMs)
    const inner: string[] = []
    const entries = entriesOf(folder)
    if (entries.some(entry => cacheMarks.includes(entry.name))) return []
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) inner.push(path)
      } else if (this.#options.isInteresting(entry.name) && !this.#files.has(path)) this.#addFile(path, mode)
    }
    return inner
  }

  #addFile(path: string, mode: 'scan' | 'later'): void {
    const stats = statOf(path)
    if (stats === undefined || !stats.isFile()) return
    this.#files.set(path, signatureOf(stats))
    if (mode === 'later') this.#record(path, 'created')
    else if (stats.ctimeMs >= this.#startedAt - racyMilliseconds) this.#record(path, 'changed')
  }

  #watchFolder(folder: string): void {
    if (!this.#watching || this.#watchers.has(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        this.#events += 1
        this.#dirty.add(name === null ? folder : join(folder, name.toString()))
      })
      watcher.on('error', () => this.#dirty.add(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // Out of watches or unsupported here (fault W21): from now on the sweep alone vouches for the table.
      this.#watching = false
    }
  }

  #lookAtDirty(): void {
    if (this.#dirty.size === 0) return
    const suspects = [...this.#dirty]
    this.#dirty.clear()
    for (const path of suspects) this.#lookAt(path)
  }

  #lookAt(path: string): void {
    const known = this.#files.get(path)
    const stats = statOf(path)
    if (stats?.isDirectory()) {
      if (!skippedFolders.has(basename(path))) this.#rescanFolder(path)
      return
    }
    if (stats === undefined || !stats.isFile()) {
      if (known !== undefined) this.#forget(path)
      else if (this.#folders.has(path)) this.#forgetFolder(path)
      return
    }
    if (known === undefined) {
      if (this.#options.isInteresting(basename(path))) this.#addFile(path, 'later')
      return
    }
    const now = signatureOf(stats)
    if (same(known, now)) return
    this.#files.set(path, now)
    this.#record(path, 'changed')
  }

  /** A folder that is new or whose list changed: takes in what appeared, forgets what is gone. */
  #rescanFolder(folder: string): void {
    const pending = [folder]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const inner of this.#readFolder(next, 'later')) if (!this.#folders.has(inner)) pending.push(inner)
    }
    const prefix = join(folder, '/')
    for (const path of this.#files.keys()) {
      if (path.startsWith(prefix) && !path.slice(prefix.length).includes('/') && statOf(path) === undefined) {
        this.#forget(path)
      }
    }
  }

  #forget(path: string): void {
    this.#files.delete(path)
    this.#record(path, 'deleted')
  }

  #forgetFolder(folder: string): void {
    const prefix = join(folder, '/')
    for (const path of [...this.#files.keys()]) if (path.startsWith(prefix)) this.#forget(path)
    for (const path of [...this.#folders.keys()]) {
      if (path !== folder && !path.startsWith(prefix)) continue
      this.#folders.delete(path)
      this.#watchers.get(path)?.close()
      this.#watchers.delete(path)
    }
  }

  /** True when, by the end, every file has been looked at since the sweep began. */
  #sweepIfDue(): boolean {
    const { clock, sweepMilliseconds } = this.#options
    const trusted = this.#watching && this.#events < eventsBeforeDistrust
    const begun = this.#sweepCursor.length > 0
    if (trusted && !begun && clock.now() - this.#lastSweep < sweepIntervalMs) return true
    if (!begun) this.#sweepCursor = [...this.#folders.keys(), ...this.#files.keys()]
    const ends = clock.now() + sweepMilliseconds
    for (let path = this.#sweepCursor.pop(); path !== undefined; path = this.#sweepCursor.pop()) {
      const folderTime = this.#folders.get(path)
      if (folderTime === undefined) this.#lookAt(path)
      else if (statOf(path)?.mtimeMs !== folderTime) this.#lookAt(path)
      if (clock.now() > ends) return false
    }
    this.#lastSweep = clock.now()
    this.#events = 0
    // A sweep that was spread over several questions says nothing about the files it saw first.
    return !begun
  }

  #record(path: string, type: ChangeType): void {
    this.#revision += 1
    const before = this.#changes.get(path)
    const merged = before?.type === 'created' && type === 'changed' ? 'created' : type
    this.#changes.set(path, {
      revision: this.#revision,
      type: merged,
      at: this.#options.clock.date().getTime(),
    })
  }
}

function statOf(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isSymbolicLink()) return stats
    // A link to a file counts as that file; a link to a folder is not followed, it may lead out or in circles.
    const behind = statSync(path, { throwIfNoEntry: false })
    return behind?.isFile() ? behind : undefined
  } catch {
    return undefined
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function signatureOf({ size, mtimeMs, ctimeMs, ino }: Stats): Signature {
  return { size, mtimeMs, ctimeMs, ino }
}

function same(a: Signature, b: Signature): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino
}
