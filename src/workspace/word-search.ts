// Which files contain a word, found without any server: what a server's answer is held against. Cheap by being bounded,
// by searching bytes, and by remembering what was found until something changes.
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { setImmediate as turnOfOthers } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.js'
import type { FileTable } from './file-table.js'
import type { IgnoredFiles } from './ignored-files.js'

export interface WordSearchOptions {
  readonly table: Pick<FileTable, 'revision' | 'filesWith' | 'isWatched'>
  readonly ignored: IgnoredFiles
  readonly clock: Clock
}

export interface WordQuery {
  readonly word: string
  readonly extensions: ReadonlySet<string>
  readonly milliseconds: number
  readonly signal: AbortSignal
}

export interface WordMatches {
  /** Absolute paths, in the order of the workspace's list. */
  readonly files: readonly string[]
  /** How many files were not looked at for want of time. */
  readonly unread: number
}

/** Milliseconds. */
const longestTurn = 4
const largestFile = 2 * 1024 * 1024
const rememberedWords = 200

export class WordSearch {
  readonly #options: WordSearchOptions
  readonly #found = new LRUCache<string, { readonly revision: number; readonly matches: WordMatches }>({
    max: rememberedWords,
  })

  constructor(options: WordSearchOptions) {
    this.#options = options
  }

  async filesWith(query: WordQuery): Promise<WordMatches> {
    const { revision, isWatched } = this.#options.table
    const key = `${[...query.extensions].join(' ')} ${query.word}`
    const known = this.#found.get(key)
    // Without watchers an equal revision says nothing about the files.
    if (isWatched && known?.revision === revision) return known.matches
    const matches = await this.#search(query)
    if (matches.unread === 0) this.#found.set(key, { revision, matches })
    return matches
  }

  async #search({ word, extensions, milliseconds, signal }: WordQuery): Promise<WordMatches> {
    const { table, ignored, clock } = this.#options
    if (word === '') return { files: [], unread: 0 }
    // Whoever asked goes first: the question on which a server is to work meanwhile.
    await turnOfOthers()
    ignored.refresh()
    const files = [...table.filesWith(extensions)].filter(file => !ignored.isIgnored(file))
    const bytes = Buffer.from(word, 'utf8')
    const ends = clock.now() + milliseconds
    const hits: string[] = []
    let next = 0
    while (next < files.length && !signal.aborted && clock.now() < ends) {
      const pauseAt = performance.now() + longestTurn
      for (let file = files[next]; file !== undefined; file = files[next]) {
        next += 1
        if (contains(file, bytes)) hits.push(file)
        if (performance.now() >= pauseAt) break
      }
      await turnOfOthers()
    }
    return { files: hits, unread: files.length - next }
  }
}

/** All files go through one piece of memory: a fresh one for each would be most of what this process holds. */
let content: Buffer | undefined

/** Synchronous: a small file is read in a tenth of the time that handing it to another thread and back takes. */
function contains(file: string, word: Buffer): boolean {
  content ??= Buffer.allocUnsafeSlow(largestFile + 1)
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, readOnly)
    const length = readAll(descriptor, content)
    return length <= largestFile && hasWord(content.subarray(0, length), word)
  } catch {
    // Gone or unreadable: no witness.
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** A link may lead out of the workspace; what is no file any more must not keep us waiting. */
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

function readAll(descriptor: number, into: Buffer): number {
  let length = 0
  while (length < into.length) {
    const count = readSync(descriptor, into, length, into.length - length, null)
    if (count === 0) break
    length += count
  }
  return length
}

/** Bytes above ASCII belong to letters of some script; taking them as part of a word misses no ASCII identifier. */
function hasWord(content: Buffer, word: Buffer): boolean {
  for (let at = content.indexOf(word); at >= 0; at = content.indexOf(word, at + 1)) {
    if (!isWordByte(content[at - 1]) && !isWordByte(content[at + word.length])) return true
  }
  return false
}

function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false
  return (
    byte >= 0x80 ||
    byte === 0x5f ||
    byte === 0x24 ||
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a)
  )
}
