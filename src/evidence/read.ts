// Reads records back: of all chains, in the order of their times, a segment at a time. Only what belongs to a chain is
// read; what a failed write left after the end of a segment is not.
import { join } from 'node:path'
import { property } from '../json.js'
import type { EvidenceDisk } from './disk.js'
import { chainsIn, type EvidenceFolders, type FoundChain, segmentName } from './layout.js'
import { partsOf } from './line.js'
import type { ChainState } from './link.js'
import { scanLines } from './scan.js'
import { readHead } from './survey.js'

/** One line of the log with what a filter asks for. */
export interface StoredLine extends ChainState {
  readonly chain: string
  readonly id: string
  readonly at: string
  readonly kind: string
  /** Without its line feed. */
  readonly text: string
}

export interface RecordFilter {
  /** ISO times; both are inclusive. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Empty or absent: all. */
  readonly kinds?: readonly string[] | undefined
  readonly id?: string | undefined
}

export interface ReadOptions {
  readonly disk: EvidenceDisk
  readonly folders: EvidenceFolders
}

/** How far a reader has come in a chain. */
export interface Reading {
  readonly segment: number
  readonly position: number
}

export function passes(line: StoredLine, { since, until, kinds = [], id }: RecordFilter): boolean {
  if (since !== undefined && line.at < since) return false
  if (until !== undefined && line.at > until) return false
  if (kinds.length > 0 && !kinds.includes(line.kind)) return false
  return id === undefined || line.id === id || (isItem(id) && line.text.includes(JSON.stringify(id)))
}

/** Items of a context have names of their own, inside the event that tells of them. */
export function isItem(id: string): boolean {
  return /^cx:[\w-]+$/.test(id)
}

export async function foundChains({ disk, folders }: ReadOptions): Promise<FoundChain[]> {
  return chainsIn(await disk.list(folders.log)).filter(({ segments }) => segments.length > 0)
}

/** The lines of one segment after a position, and where to go on from. */
export async function readSegment(
  { chain, segments }: FoundChain,
  from: Reading,
  options: ReadOptions,
): Promise<{ readonly lines: StoredLine[]; readonly next: Reading; readonly isOver: boolean }> {
  const { disk, folders } = options
  const { segment, position } = from
  const head = segments.includes(segment + 1) ? await readHead(chain, segment + 1, options) : 'unfinished'
  const to = typeof head === 'string' ? undefined : head.event.previous?.bytes
  const lines: StoredLine[] = []
  const scanned = await scanLines({
    disk,
    path: join(folders.log, segmentName(chain, segment)),
    from: position,
    to,
    onLine({ bytes, start, end }) {
      const parts = partsOf(bytes, start, end)
      const line = parts && storedLine(chain, parts, bytes.toString('utf8', start, end))
      if (line !== undefined) lines.push(line)
      return true
    },
  })
  // Without a head of the next segment this one may still grow.
  const isOver = typeof head !== 'string'
  return {
    lines,
    next: isOver ? { segment: segment + 1, position: 0 } : { segment, position: scanned.position },
    isOver,
  }
}

/** Every record that passes, oldest first; chains are merged by time and each keeps its own order. */
export async function* readLog(filter: RecordFilter, options: ReadOptions): AsyncGenerator<StoredLine> {
  const streams = (await foundChains(options)).map(found => new ChainStream(found, filter, options))
  for (;;) {
    let oldest: ChainStream | undefined
    for (const stream of streams) {
      const line = await stream.peek()
      if (line === undefined) continue
      const other = oldest === undefined ? undefined : await oldest.peek()
      if (other === undefined || line.at < other.at) oldest = stream
    }
    const line = await oldest?.peek()
    if (oldest === undefined || line === undefined) return
    oldest.take()
    yield line
  }
}

class ChainStream {
  readonly #found: FoundChain
  readonly #filter: RecordFilter
  readonly #options: ReadOptions
  readonly #waiting: number[]
  #lines: StoredLine[] = []
  #index = 0

  constructor(found: FoundChain, filter: RecordFilter, options: ReadOptions) {
    this.#found = found
    this.#filter = filter
    this.#options = options
    this.#waiting = [...found.segments]
  }

  async peek(): Promise<StoredLine | undefined> {
    while (this.#index >= this.#lines.length) {
      const segment = this.#waiting.shift()
      if (segment === undefined) return undefined
      const { lines } = await readSegment(this.#found, { segment, position: 0 }, this.#options)
      this.#lines = lines.filter(line => passes(line, this.#filter))
      this.#index = 0
    }
    return this.#lines[this.#index]
  }

  take(): void {
    this.#index += 1
  }
}

/** Undefined for a line that cannot be read; `verify` is there to say so. */
function storedLine(chain: string, { seq, hash }: ChainState, text: string): StoredLine | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const [id, at, kind] = ['id', 'at', 'kind'].map(key => property(value, key))
  if (typeof id !== 'string' || typeof at !== 'string' || typeof kind !== 'string') return undefined
  return { chain, seq, hash, id, at, kind, text }
}
