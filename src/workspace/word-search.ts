// Which files contain a word, found without any server: what a server's answer is held against. Cheap by being bounded,
// by searching bytes, and by remembering what was found until something changes.
import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
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

const readersAtOnce = 16
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
    ignored.refresh()
    const files = [...table.filesWith(extensions)].filter(file => !ignored.isIgnored(file))
    const bytes = Buffer.from(word, 'utf8')
    const ends = clock.now() + milliseconds
    const hits = new Set<string>()
    let next = 0
    const read = async () => {
      for (let file = files[next]; file !== undefined; file = files[next]) {
        if (signal.aborted || clock.now() >= ends) return
        next += 1
        if (await contains(file, bytes, signal)) hits.add(file)
      }
    }
    await Promise.all(Array.from({ length: readersAtOnce }, read))
    return { files: files.filter(file => hits.has(file)), unread: files.length - next }
  }
}

async function contains(file: string, word: Buffer, signal: AbortSignal): Promise<boolean> {
  try {
    // A link may lead out of the workspace.
    const content = await readFile(file, { signal, flag: constants.O_RDONLY | constants.O_NOFOLLOW })
    return content.length <= largestFile && hasWord(content, word)
  } catch {
    // Gone, unreadable or no longer wanted: no witness.
    return false
  }
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
