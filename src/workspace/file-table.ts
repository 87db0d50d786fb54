// Knows which files of the workspace changed since when, so that a server can be told before it is asked. A watcher per
// folder names suspects; a sweep of `stat` calls, bounded in time, catches what watchers miss (a full event queue, a
// remote file system). When neither can vouch for the whole table, it says so instead of keeping silent.
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate as loopTurn } from 'node:timers/promises'
import type { Clock } from '../clock.js'
import { ChangeLog, type ChangeType, type FileChange } from './change-log.js'
import { FolderWatchers } from './folder-watchers.js'
import { InstalledPackages, manifestName } from './installed-packages.js'

export interface FileTableOptions {
  readonly root: string
  readonly clock: Clock
  /** Which file names matter to any server. */
  readonly isInteresting: (name: string) => boolean
  readonly useWatcher: boolean
  readonly sweepMilliseconds: number
  readonly maxFiles: number
  /** A watcher told of something that may matter; what it was, the next `refresh` finds out. */
  readonly onSuspect?: () => void
}

export type Currency = { readonly current: true } | { readonly current: false; readonly reason: string }

interface Signature {
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly birthtimeMs: number
  readonly ino: number
  /** Looked at so shortly after the change that another one could have left the same times (fault W08). */
  readonly isFresh: boolean
}

/** Never worth a watch: huge, and another program's own. What git ignores counts, for generated sources are there. */
const skippedFolders = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.tox', '.gradle'])
/** A folder with one of these says itself that it is a cache or an environment (cargo's target, Python's venv). */
const cacheMarks = ['CACHEDIR.TAG', 'pyvenv.cfg']

// With healthy watchers the sweep is only an insurance, so it need not run at every question.
const sweepIntervalMs = 2000
// Changes this close to the scan's beginning may have been made just before or just after a server read the file.
const racyMilliseconds = 50
// The steps in which file systems count time: a few milliseconds, or whole seconds, which then show as such.
const fineTickMs = 20
const coarseTickMs = 2100

export class FileTable {
  readonly #options: FileTableOptions
  readonly #files = new Map<string, Signature>()
  readonly #folders = new Map<string, Signature>()
  /** The known files and folders in each known folder. */
  readonly #children = new Map<string, Set<string>>()
  /** Links to files: a write to what is behind them happens in another folder, perhaps one that nobody watches. */
  readonly #links = new Set<string>()
  readonly #manifests = new Set<string>()
  readonly #installed = new InstalledPackages()
  readonly #watchers: FolderWatchers
  readonly #log: ChangeLog
  readonly #startedAt: number
  #scanned: Promise<void> | undefined
  #scanDone = false
  #tooMany = false
  #lastSweep = 0
  #sweepCursor: string[] = []
  #eventsBeforeSweep = 0

  constructor(options: FileTableOptions) {
    this.#options = options
    this.#watchers = new FolderWatchers(options.useWatcher, name => {
      if (name === undefined || options.isInteresting(name)) options.onSuspect?.()
    })
    this.#log = new ChangeLog(options.clock)
    this.#startedAt = options.clock.date().getTime()
  }

  get revision(): number {
    return this.#log.revision
  }

  /** Whether an equal revision means that nothing changed, as far as `refresh` has just been awaited. */
  get isWatched(): boolean {
    return this.#scanDone && this.#watchers.areTrusted && !this.#tooMany
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
    this.#lookAtSuspects()
    // A server that hears of a manifest looks for the packages anew.
    for (const manifest of this.#installed.changed(this.#manifests)) this.#log.record(manifest, 'changed')
    const swept = this.#sweepIfDue()
    if (this.#tooMany) {
      return {
        current: false,
        reason: `the workspace has more than ${this.#options.maxFiles} files to keep in view`,
      }
    }
    if (this.#watchers.areTrusted) return { current: true }
    if (!swept) return { current: false, reason: 'there was no time to look at every file of the workspace' }
    return { current: true }
  }

  /** After other files have become interesting: those that are there are taken in as new ones. */
  relist(): void {
    if (!this.#scanDone) return
    for (const folder of [...this.#folders.keys()]) this.#rescanFolder(folder)
  }

  /** The revision that was reached before this moment (wall clock, milliseconds). */
  revisionBefore(time: number): number {
    return this.#log.revisionBefore(time)
  }

  /**
   * The revision of this file's last change, if the table can vouch for it without a look at the disk: the file is
   * known, its folder is watched, and `refresh` has just read all events.
   */
  stampOf(path: string): number | undefined {
    const isVouchedFor = this.#watchers.areTrusted && this.#files.has(path) && !this.#links.has(path)
    return isVouchedFor ? this.#log.revisionOf(path) : undefined
  }

  /**
   * Somebody says that something changed at this path. It is looked at now, and a file counts as changed even where
   * nothing shows it; whether it is there, the disk decides.
   */
  tell(path: string, type: ChangeType): FileChange[] {
    const before = this.#log.revision
    const stats = statOf(path)
    if (stats?.isDirectory()) {
      // What is not kept in view, such as installed packages, is not taken in by the way.
      if (this.#folders.has(path) || this.#folders.has(dirname(path))) this.#lookBelow(path)
    } else {
      const wasFolder = this.#folders.has(path)
      this.#lookAt(path)
      const isSeen = wasFolder || this.#log.revisionOf(path) > before
      if (!isSeen) this.#log.record(path, stats === undefined ? 'deleted' : asFound(type))
    }
    return this.#log.after(before)
  }

  changesAfter(revision: number): FileChange[] {
    return this.#log.after(revision)
  }

  /** Known files with one of these extensions, of one or more parts, or of such a name, in the order of the walk. */
  *filesWith(extensions: ReadonlySet<string>): Iterable<string> {
    const longer = [...extensions].filter(extension => extension.lastIndexOf('.') !== 0)
    for (const path of this.#files.keys()) {
      const dot = path.lastIndexOf('.')
      if (dot >= 0 && extensions.has(path.slice(dot).toLowerCase())) yield path
      else if (longer.length > 0 && endsLike(path, longer)) yield path
    }
  }

  close(): void {
    this.#watchers.close()
  }

  async #walk(top: string): Promise<void> {
    const pending = [top]
    let sliceEnds = this.#options.clock.now() + 5
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      pending.push(...this.#readFolder(folder, 'scan'))
      if (this.#tooMany) return
      if (this.#options.clock.now() < sliceEnds) continue
      await loopTurn()
      sliceEnds = this.#options.clock.now() + 5
    }
  }

  /** Takes in one folder and returns those in it to go on with. The watch comes before the listing, so nothing falls between. */
  #readFolder(folder: string, mode: 'scan' | 'later'): string[] {
    const stats = statOf(folder)
    if (!stats?.isDirectory()) return []
    if (this.#files.has(folder)) this.#forget(folder)
    const isAnother = this.#isAnother(folder, stats)
    if (isAnother) this.#watchers.unwatch(folder)
    this.#watchers.watch(folder)
    this.#folders.set(folder, this.#signatureOf(stats))
    this.#adopt(folder)
    const entries = entriesOf(folder)
    if (folder !== this.#options.root && entries.some(entry => cacheMarks.includes(entry.name))) {
      this.#forgetFolder(folder)
      return []
    }
    const inner: string[] = []
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        const isNew = isAnother || !this.#folders.has(path)
        if (isNew && !skippedFolders.has(entry.name)) inner.push(path)
      } else if (this.#files.has(path)) {
        if (isAnother) this.#lookAt(path)
      } else if (this.#options.isInteresting(entry.name)) this.#addFile(path, mode)
    }
    if (mode === 'later') this.#forgetMissing(folder, new Set(entries.map(entry => join(folder, entry.name))))
    return inner
  }

  /**
   * Whether the name leads to another folder than before, or nobody watched it for a while: then nothing that is known
   * of its files holds. Numbers of inodes are given again at once, hence the time of birth.
   */
  #isAnother(folder: string, stats: Stats): boolean {
    const known = this.#folders.get(folder)
    if (known === undefined) return false
    const isSame = known.ino === stats.ino && known.birthtimeMs === stats.birthtimeMs
    return !isSame || this.#watchers.missed(folder)
  }

  #addFile(path: string, mode: 'scan' | 'later'): void {
    const found = lookUp(path)
    if (!found?.stats.isFile()) return
    const { stats, isLink } = found
    if (this.#files.size >= this.#options.maxFiles) {
      this.#tooMany = true
      return
    }
    this.#files.set(path, this.#signatureOf(stats))
    if (basename(path) === manifestName) this.#manifests.add(path)
    this.#adopt(path)
    if (isLink) this.#links.add(path)
    if (mode === 'later') this.#log.record(path, 'created')
    else if (stats.ctimeMs >= this.#startedAt - racyMilliseconds) this.#log.record(path, 'changed')
  }

  #adopt(path: string): void {
    const folder = dirname(path)
    const siblings = this.#children.get(folder) ?? new Set()
    this.#children.set(folder, siblings.add(path))
  }

  #lookAtSuspects(): void {
    const { root } = this.#options
    const suspects = new Set([...this.#watchers.takeSuspects(), ...this.#links])
    // A root that went away may come back, and nothing above it is watched.
    if (!this.#folders.has(root)) suspects.add(root)
    for (const path of suspects) this.#lookAt(path)
  }

  /** `isVouchedFor`: a watcher would have told of a second change within one tick of the clock. */
  #lookAt(path: string, isVouchedFor = false): void {
    const stats = statOf(path)
    if (stats?.isDirectory()) {
      if (path === this.#options.root || !skippedFolders.has(basename(path))) this.#rescanFolder(path)
      return
    }
    if (this.#folders.has(path)) this.#forgetFolder(path)
    if (stats === undefined || !stats.isFile()) {
      if (this.#files.has(path)) this.#forget(path)
      return
    }
    // A folder that has just become a cache.
    if (cacheMarks.includes(basename(path))) this.#rescanFolder(dirname(path))
    const known = this.#files.get(path)
    if (known !== undefined) {
      const now = this.#signatureOf(stats)
      this.#files.set(path, now)
      if (!same(known, now) || (known.isFresh && !isVouchedFor)) this.#log.record(path, 'changed')
    } else if (this.#folders.has(dirname(path)) && this.#options.isInteresting(basename(path))) {
      this.#addFile(path, 'later')
    }
  }

  #lookBelow(folder: string): void {
    this.#lookAt(folder)
    const below = join(folder, sep)
    for (const path of [...this.#files.keys()]) if (path.startsWith(below)) this.#lookAt(path)
  }

  /** A folder that is new, whose list changed, or that took the place of another, with everything new in it. */
  #rescanFolder(folder: string): void {
    const pending = [folder]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      pending.push(...this.#readFolder(next, 'later'))
    }
  }

  #forgetMissing(folder: string, present: ReadonlySet<string>): void {
    for (const path of [...(this.#children.get(folder) ?? [])]) {
      if (present.has(path)) continue
      if (this.#folders.has(path)) this.#forgetFolder(path)
      else if (this.#files.has(path)) this.#forget(path)
    }
  }

  #forget(path: string): void {
    this.#files.delete(path)
    this.#manifests.delete(path)
    this.#links.delete(path)
    this.#children.get(dirname(path))?.delete(path)
    this.#log.record(path, 'deleted')
  }

  #forgetFolder(folder: string): void {
    const pending = [folder]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const path of [...(this.#children.get(next) ?? [])]) {
        if (this.#files.has(path)) this.#forget(path)
        else pending.push(path)
      }
      this.#watchers.unwatch(next)
      this.#folders.delete(next)
      this.#children.delete(next)
      this.#children.get(dirname(next))?.delete(next)
    }
  }

  /** True when, by the end, every file has been looked at since the sweep began. */
  #sweepIfDue(): boolean {
    const { clock, sweepMilliseconds } = this.#options
    const isTrusted = this.#watchers.areTrusted
    const begun = this.#sweepCursor.length > 0
    if (isTrusted && !begun && clock.now() - this.#lastSweep < sweepIntervalMs) return true
    if (!begun) {
      this.#sweepCursor = [...this.#folders.keys(), ...this.#files.keys()]
      this.#eventsBeforeSweep = this.#watchers.events
    }
    const ends = clock.now() + sweepMilliseconds
    for (let path = this.#sweepCursor.pop(); path !== undefined; path = this.#sweepCursor.pop()) {
      this.#sweepOver(path, isTrusted)
      if (clock.now() > ends) return false
    }
    this.#lastSweep = clock.now()
    // What the kernel may have lost before the sweep began, the sweep has found.
    this.#watchers.forgive(this.#eventsBeforeSweep)
    // A sweep that was spread over several questions says nothing about the files it saw first.
    return !begun
  }

  #sweepOver(path: string, isTrusted: boolean): void {
    const folder = this.#folders.get(path)
    if (folder === undefined) {
      this.#lookAt(path, isTrusted)
      return
    }
    const stats = statOf(path)
    const isUnchanged = stats !== undefined && same(folder, this.#signatureOf(stats))
    if (!isUnchanged || (folder.isFresh && !isTrusted)) this.#lookAt(path)
  }

  #signatureOf({ size, mtimeMs, ctimeMs, birthtimeMs, ino }: Stats): Signature {
    const tick = ctimeMs % 1000 === 0 ? coarseTickMs : fineTickMs
    const isFresh = this.#options.clock.date().getTime() - ctimeMs < tick
    return { size, mtimeMs, ctimeMs, birthtimeMs, ino, isFresh }
  }
}

/** What is there was not deleted, whatever was said. */
function endsLike(path: string, endings: readonly string[]): boolean {
  const name = basename(path).toLowerCase()
  return endings.some(ending => (ending.startsWith('.') ? name.endsWith(ending) : name === ending))
}

function asFound(type: ChangeType): ChangeType {
  return type === 'created' ? 'created' : 'changed'
}

function statOf(path: string): Stats | undefined {
  return lookUp(path)?.stats
}

function lookUp(path: string): { readonly stats: Stats; readonly isLink: boolean } | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isSymbolicLink()) return stats && { stats, isLink: false }
    // A link to a file counts as that file; a link to a folder is not followed, it may lead out or in circles.
    const behind = statSync(path, { throwIfNoEntry: false })
    return behind?.isFile() ? { stats: behind, isLink: true } : undefined
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

function same(a: Signature, b: Signature): boolean {
  return (
    a.size === b.size &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.birthtimeMs === b.birthtimeMs &&
    a.ino === b.ino
  )
}
