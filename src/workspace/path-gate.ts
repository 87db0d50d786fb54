// The one gate that every path goes through, on its way in from callers and servers and on its way out into
// answers. What is inside the workspace is decided on the opened file, never on a name: between a check of the
// name and the opening a symbolic link can be swapped (W03).
//
// The calls are synchronous on purpose. Opening, checking and reading a file of 20 KB takes 16 microseconds this
// way and 275 through promises (measured on Node 20), and a question has less than two milliseconds for all.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { BridgeError } from '../errors.js'
import { cleanLine } from '../text/clean.js'
import { uriToPath } from '../text/uri.js'
import { externalName, externalPrefix } from './external.js'
import { firstNames, nearestNames } from './nearest-names.js'
import {
  codeOf,
  invalid,
  longestShown,
  notAFile,
  notAFolder,
  outside,
  quoted,
  unreadable,
} from './path-errors.js'

export interface Located {
  /** Below the canonical root; a symbolic link further down is not resolved. */
  readonly absolute: string
  /** With `/` on every system; `.` for the root itself. */
  readonly relative: string
}

/** Belongs to whoever asked for it, who has to close it. */
export interface OpenedFile extends Located {
  readonly descriptor: number
  /** Where the file really is, all links resolved; inside the root. */
  readonly canonical: string
  /**
   * The file has other names, and whether one of them is outside cannot be known (W04). It is let through,
   * because package managers fill a project with hard links; whoever shows it may say so.
   */
  readonly hardLinked: boolean
  close(): void
}

/**
 * Belongs to whoever asked for it, who has to close it. What is done at `at` is done in this very folder: a link put in
 * the place of its name, or of a folder above, no longer matters. Where the kernel offers no such path it is the plain
 * one, and `isInPlace` right before is all that can be had.
 */
export interface OpenedFolder {
  /** Where the folder really is, all links resolved; inside the root. */
  readonly canonical: string
  /** With `/` on every system; `.` for the root itself. */
  readonly relative: string
  /** Of the folder itself, as `at`. */
  readonly path: string
  at(name: string): string
  /** Whether it is still where it was opened. */
  isInPlace(): boolean
  close(): void
}

export interface PathGate {
  /** The canonical root. */
  readonly root: string
  /** How names outside the root are shown. */
  readonly external: 'marked' | 'plain'
  /** By name alone; only `open` proves it. */
  contains(absolutePath: string): boolean
  /** Accepts a path relative to `base`, an absolute one, or a `file:` URI; the file need not exist. */
  locate(input: string, base?: string): Located
  open(path: string): OpenedFile
  openFolder(path: string): OpenedFolder
  /** The path as answers show it: relative inside the root, else `external:...` or the plain path. */
  display(absolutePath: string): string
}

export interface PathGateOptions {
  /**
   * How an opened file is shown to be inside: by asking the kernel for the descriptor's path (Linux), or by
   * comparing its identity with that of the file which the resolved name leads to. The default is the first where
   * there is one.
   */
  readonly containment?: 'descriptor' | 'identity'
  /** How answers name a file outside the root: `external:...`, or by its plain path (C33). Read anew each time. */
  readonly external?: 'marked' | 'plain'
}

export function createPathGate(root: string, options: PathGateOptions = {}): PathGate {
  const spelled = resolve(root)
  const canonical = canonicalRoot(spelled)
  return new Gate(canonical, spelled, options)
}

class Gate implements PathGate {
  readonly root: string
  readonly #spelled: string
  readonly #containment: 'descriptor' | 'identity'
  readonly #options: PathGateOptions

  constructor(root: string, spelled: string, options: PathGateOptions) {
    this.root = root
    this.#spelled = spelled
    this.#containment = options.containment ?? (hasDescriptorPaths ? 'descriptor' : 'identity')
    this.#options = options
  }

  get external(): 'marked' | 'plain' {
    return this.#options.external ?? 'marked'
  }

  contains(absolutePath: string): boolean {
    return this.#byName(resolve(this.root, absolutePath)) !== undefined
  }

  locate(input: string, base: string = this.root): Located {
    const asked = resolve(this.root, base, plainPath(input))
    const absolute = this.#byName(asked) ?? this.#byOtherPrefix(asked)
    if (absolute === undefined) throw outside(basename(asked))
    return { absolute, relative: this.#relative(absolute) }
  }

  display(absolutePath: string): string {
    const normal = resolve(this.root, absolutePath)
    const inside = this.#byName(normal)
    if (inside !== undefined) return this.#relative(inside)
    return this.external === 'plain' ? normal : externalName(normal).label
  }

  open(path: string): OpenedFile {
    const place = this.locate(path)
    // An editor that saves by renaming takes the old file away under an open descriptor; the next try finds the
    // new one.
    for (let attempt = 0; attempt < 3; attempt++) {
      const opened = this.#openOnce(place)
      if (opened !== undefined) return opened
    }
    throw this.#missing(place)
  }

  openFolder(path: string): OpenedFolder {
    const place = this.locate(path)
    const descriptor = this.#folderDescriptor(place)
    let isKept = false
    try {
      const stats = fstatSync(descriptor)
      const canonical = this.#pathOf(descriptor, place)
      if (canonical === undefined || !isWithin(this.root, canonical)) throw outside(place.relative)
      if (!stats.isDirectory()) throw notAFolder(place)
      isKept = true
      const path = this.#containment === 'descriptor' ? `/proc/self/fd/${descriptor}` : canonical
      return {
        canonical,
        relative: this.#relative(canonical),
        path,
        at: name => join(path, plainName(name)),
        isInPlace: () => this.#pathOf(descriptor, { absolute: canonical }) === canonical,
        close: () => closeSync(descriptor),
      }
    } finally {
      if (!isKept) closeSync(descriptor)
    }
  }

  #folderDescriptor(place: Located): number {
    try {
      return openSync(place.absolute, openFlags | (constants.O_DIRECTORY ?? 0))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw this.#missing(place)
      if (codeOf(error) === 'ENOTDIR' && !this.#leadsOutside(place.absolute)) throw notAFolder(place)
      throw this.#refused(place, error)
    }
  }

  /** Undefined when the file was taken away in between. */
  #openOnce(place: Located): OpenedFile | undefined {
    this.#refuseSpecial(place)
    const descriptor = this.#descriptorFor(place)
    if (descriptor === undefined) return undefined
    let isKept = false
    try {
      const stats = fstatSync(descriptor)
      const canonical = this.#pathOf(descriptor, place)
      if (canonical === undefined) return undefined
      if (!isWithin(this.root, canonical)) throw outside(place.relative)
      if (!stats.isFile() || kernelFiles.test(canonical)) throw notAFile(place, stats)
      if (stats.nlink === 0) return undefined
      isKept = true
      const close = () => closeSync(descriptor)
      return { ...place, descriptor, canonical, hardLinked: stats.nlink > 1, close }
    } finally {
      if (!isKept) closeSync(descriptor)
    }
  }

  /** Opening a device or a pipe can have effects of its own, so what is known not to be a file stays closed. */
  #refuseSpecial(place: Located): void {
    let stats: Stats | undefined
    try {
      stats = statSync(place.absolute, { throwIfNoEntry: false })
    } catch (error) {
      throw this.#refused(place, error)
    }
    if (stats === undefined) throw this.#missing(place)
    if (stats.isFile()) return
    throw this.#leadsOutside(place.absolute) ? outside(place.relative) : notAFile(place, stats)
  }

  #descriptorFor(place: Located): number | undefined {
    try {
      return openSync(place.absolute, openFlags)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw this.#refused(place, error)
    }
  }

  /** Undefined when the name no longer leads to what was opened, which only the second way can find. */
  #pathOf(descriptor: number, place: Pick<Located, 'absolute'>): string | undefined {
    if (this.#containment === 'identity') return pathByIdentity(descriptor, place.absolute)
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  }

  #byName(absolute: string): string | undefined {
    if (isWithin(this.root, absolute)) return absolute
    if (isWithin(this.#spelled, absolute)) return join(this.root, relative(this.#spelled, absolute))
    return undefined
  }

  /** The root may be reached through another link than the one it was given by, as `/tmp` on macOS. */
  #byOtherPrefix(absolute: string): string | undefined {
    const names = absolute.split(sep)
    for (let count = 2; count <= names.length; count++) {
      let real: string
      try {
        real = realpathSync.native(names.slice(0, count).join(sep))
      } catch {
        return undefined
      }
      if (isWithin(this.root, real)) return join(real, ...names.slice(count))
    }
    return undefined
  }

  #relative(absolute: string): string {
    const path = relative(this.root, absolute)
    if (path === '') return '.'
    return sep === '/' ? path : path.replaceAll(sep, '/')
  }

  /**
   * Follows the links one by one and says whether they leave the root, without looking at what is there: whether
   * a file outside exists must not show in the kind of an error.
   */
  #leadsOutside(absolute: string): boolean {
    let at = this.root
    let names = relative(this.root, absolute).split(sep)
    for (let links = 0; names.length > 0; ) {
      const [name = '', ...rest] = names
      at = join(at, name)
      names = rest
      if (!isWithin(this.root, at)) return true
      const target = linkTarget(at)
      if (target === undefined) continue
      links += 1
      if (links > mostLinks) return false
      const inside = isAbsolute(target) ? this.#byName(resolve(target)) : undefined
      if (isAbsolute(target) && inside === undefined) return true
      at = inside === undefined ? dirname(at) : this.root
      names = [...(inside === undefined ? target : relative(this.root, inside)).split(sep), ...rest]
    }
    return false
  }

  #refused(place: Located, error: unknown): BridgeError {
    return this.#leadsOutside(place.absolute) ? outside(place.relative) : unreadable(place, error)
  }

  #missing(place: Located): BridgeError {
    if (this.#leadsOutside(place.absolute)) return outside(place.relative)
    if (!existsSync(this.root)) {
      return new BridgeError({
        kind: 'FileNotFound',
        message: 'the workspace root no longer exists',
        hint: 'It was deleted, moved or unmounted; start again with --root naming the folder as it is now.',
      })
    }
    const near = this.#nearest(place.absolute).map(name => JSON.stringify(name))
    return new BridgeError({
      kind: 'FileNotFound',
      message: `there is no file ${quoted(place.relative)} in the workspace`,
      hint:
        near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : 'Give the path relative to the workspace root, with its extension.',
    })
  }

  /** Names like the first one of the path that does not exist, beside it. */
  #nearest(absolute: string): string[] {
    let wanted = absolute
    while (wanted !== this.root && !existsSync(dirname(wanted))) wanted = dirname(wanted)
    if (!isWithin(this.root, dirname(wanted))) return []
    return nearestNames(basename(wanted), this.#namesIn(dirname(wanted)))
      .map(name => this.#relative(join(dirname(wanted), name)))
      .filter(path => cleanLine(path, longestShown).text === path)
  }

  /** Listed through a proven descriptor as well: the names of a folder outside are nobody's business. */
  #namesIn(folder: string): string[] {
    let descriptor: number | undefined
    try {
      if (this.#containment === 'identity') {
        const real = realpathSync.native(folder)
        return isWithin(this.root, real) ? firstNames(real) : []
      }
      descriptor = openSync(folder, openFlags | constants.O_DIRECTORY)
      const link = `/proc/self/fd/${descriptor}`
      return isWithin(this.root, readlinkSync(link)) ? firstNames(link) : []
    } catch {
      // No suggestion is better than another error on top of the one being told.
      return []
    } finally {
      if (descriptor !== undefined) closeSync(descriptor)
    }
  }
}

const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')
// Non-blocking, or a pipe that replaced the file would hang us; no controlling terminal from a device. Windows
// has neither flag.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
// They claim to be regular files of size 0 and are endless or change with every look.
const kernelFiles = /^\/(?:proc|sys)\//
const mostLinks = 40

function canonicalRoot(spelled: string): string {
  let stats: Stats | undefined
  let canonical = spelled
  try {
    canonical = realpathSync.native(spelled)
    stats = statSync(canonical)
  } catch (cause) {
    throw new BridgeError({
      kind: 'FileNotFound',
      message: `the workspace root ${quoted(basename(spelled))} does not exist or cannot be read`,
      hint: 'Name an existing folder with --root.',
      cause,
    })
  }
  if (stats.isDirectory()) return canonical
  throw new BridgeError({
    kind: 'NotAFile',
    message: `the workspace root ${quoted(basename(spelled))} is not a folder`,
    hint: 'Name the folder that holds the project with --root.',
  })
}

function plainPath(input: string): string {
  if (input === '') throw invalid('the path is empty')
  if (input.includes('\0')) throw invalid('the path contains a NUL character')
  if (/\p{Surrogate}/u.test(input)) throw invalid('the path is not valid Unicode')
  if (input.startsWith(externalPrefix)) throw outside(input.slice(externalPrefix.length))
  if (/^file:\//i.test(input)) {
    const path = uriToPath(input)
    if (path === undefined) throw invalid('the file: URI does not name a local file')
    return path
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(input)) throw invalid('only file: URIs name files of the workspace')
  return input
}

/** A name in a folder, and nothing that would lead out of it. */
function plainName(name: string): string {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name) && !name.includes(sep)
  if (!isPlain) throw invalid(`${quoted(name)} is not the name of a file`)
  return name
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

/**
 * Where the kernel does not tell a descriptor's path: the entry that the resolved name leads to has to be the very
 * file that was opened, and the name has to resolve to itself afterwards, or a folder was swapped in between.
 */
function pathByIdentity(descriptor: number, absolute: string): string | undefined {
  try {
    const real = realpathSync.native(absolute)
    const opened = fstatSync(descriptor, { bigint: true })
    const named = lstatSync(real, { bigint: true })
    const isSame = opened.ino === named.ino && opened.dev === named.dev
    return isSame && realpathSync.native(real) === real ? real : undefined
  } catch {
    return undefined
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
