// Files that speak against an answer: they seem to use a symbol, and the server did not name them. Needs no server; what
// such a file really refers to is then asked of one.
import { LRUCache } from 'lru-cache'
import type { Clock, Wait } from '../clock.js'
import type { Session } from '../supervisor/session.js'
import { seemsToDeclare } from '../text/declaring-lines.js'
import type { SourceText } from '../text/lines.js'
import { suspiciousMentions } from '../text/mentions.js'
import type { PublicPosition } from '../text/position.js'
import type { FileTable } from './file-table.js'
import { IgnoredFiles } from './ignored-files.js'
import type { PathGate } from './path-gate.js'
import type { Routes } from './routes.js'
import type { SourceCache } from './source-file.js'
import { type WordMatches, WordSearch } from './word-search.js'

export interface WitnessesOptions {
  readonly gate: PathGate
  readonly table: FileTable
  readonly cache: SourceCache
  readonly routes: Routes
  readonly clock: Clock
}

export interface SuspicionQuery {
  readonly language: string
  readonly word: string
  /** The file that declares the symbol, and those the server named; as answers show them. */
  readonly declaredIn: string
  readonly named: ReadonlySet<string>
  /** Files of which the server may know less than others do: there the word alone is suspicious. */
  readonly gaps: ReadonlySet<string>
}

export interface Suspect {
  readonly file: string
  readonly places: readonly PublicPosition[]
}

interface Cleared {
  /** The state of the workspace it holds for. */
  readonly revision: number
  readonly places: Set<number>
}

export class Witnesses {
  readonly #options: WitnessesOptions
  readonly #words: WordSearch
  readonly #ignored: IgnoredFiles
  /** What a text was found to mention; a text never changes. */
  readonly #mentions = new WeakMap<SourceText, Map<string, readonly PublicPosition[]>>()

  /** Symbols nobody spoke against, of each server that was asked about them. */
  readonly #cleared = new WeakMap<Session, LRUCache<string, Cleared>>()

  constructor(options: WitnessesOptions) {
    this.#options = options
    const { table, clock, gate } = options
    this.#ignored = new IgnoredFiles(gate.root)
    this.#words = new WordSearch({ table, clock, ignored: this.#ignored })
  }

  /** Files of the language that contain the word; begun before the server is asked, it costs the answer no time. */
  filesWith(word: string, language: string, wait: Wait): Promise<WordMatches> {
    return this.#words.filesWith({ word, extensions: this.#options.routes.extensionsOf(language), ...wait })
  }

  /** Whether git would not keep this file. */
  isIgnored(path: string): boolean {
    return this.#ignored.isIgnored(path)
  }

  /** The numbers of places with which nobody spoke against this server's answer, if nothing has changed since. */
  clearedOf(session: Session, handle: string): ReadonlySet<number> | undefined {
    const { isWatched, revision } = this.#options.table
    const cleared = isWatched ? this.#cleared.get(session)?.get(handle) : undefined
    return cleared?.revision === revision ? cleared.places : undefined
  }

  clear(session: Session, handle: string, places: number): void {
    const { revision } = this.#options.table
    const cleared = this.#cleared.get(session) ?? new LRUCache<string, Cleared>({ max: 1000 })
    this.#cleared.set(session, cleared)
    const known = cleared.get(handle)
    if (known?.revision === revision) known.places.add(places)
    else cleared.set(handle, { revision, places: new Set([places]) })
  }

  suspects({ files }: WordMatches, query: SuspicionQuery): Suspect[] {
    return files.flatMap(path => {
      const file = this.#options.gate.display(path)
      if (query.named.has(file)) return []
      const places = this.#mentionsIn(path, file, query)
      return places.length === 0 ? [] : [{ file, places }]
    })
  }

  /** Files that seem to declare the name at their top level, and were not named; as answers show them. */
  declarers(
    { files }: WordMatches,
    { name, named }: { readonly name: string; readonly named: ReadonlySet<string> },
  ): string[] {
    return files.flatMap(path => {
      const file = this.#options.gate.display(path)
      if (named.has(file)) return []
      return seemsToDeclare(this.#textOf(path)?.text ?? '', name) ? [file] : []
    })
  }

  #mentionsIn(path: string, file: string, query: SuspicionQuery): readonly PublicPosition[] {
    const text = this.#textOf(path)
    if (text === undefined) return []
    const known = this.#mentions.get(text) ?? new Map<string, readonly PublicPosition[]>()
    this.#mentions.set(text, known)
    const isKnownGap = query.gaps.has(file)
    const key = `${query.language} ${query.declaredIn} ${query.word} ${isKnownGap}`
    const found = known.get(key) ?? suspiciousMentions({ ...query, text: text.text, file, isKnownGap })
    known.set(key, found)
    return found
  }

  #textOf(path: string): SourceText | undefined {
    try {
      return this.#options.cache.get(path, this.#options.table.stampOf(path)).text
    } catch {
      // Gone since, or not to be read: no witness.
      return undefined
    }
  }
}
