// The texts the servers were given before somebody changed a file: the baseline of a change that nobody announced. A text
// that was given after the file had changed already is none, and git is asked instead.
import { LRUCache } from 'lru-cache'
import type { SourceFile } from './source-file.js'

export interface GivenTextsOptions {
  /** The wall clock, in milliseconds, when files began to be looked at. */
  readonly since: number
  readonly mostFiles?: number
  readonly mostBytes?: number
}

/** Undefined source: whoever gave it came too late, or nobody may go by it. */
interface Given {
  readonly source: SourceFile | undefined
}

export class GivenTexts {
  readonly #since: bigint
  readonly #given: LRUCache<string, Given>

  constructor({ since, mostFiles = 1000, mostBytes = 64 * 1024 * 1024 }: GivenTextsOptions) {
    this.#since = BigInt(Math.floor(since)) * 1_000_000n
    this.#given = new LRUCache({
      max: mostFiles,
      maxSize: mostBytes,
      sizeCalculation: ({ source }) => (source?.bytes ?? 0) + 1,
    })
  }

  /** A server is shown this text of the disk. Only the first one counts, until a verdict accepts another. */
  note(source: SourceFile): void {
    if (this.#given.has(source.absolute)) return
    // The time of the last change cannot be set by hand, unlike that of the last writing.
    const isLate = source.signature.ctimeNs >= this.#since
    this.#given.set(source.absolute, { source: isLate ? undefined : source })
  }

  baselineOf(absolute: string): SourceFile | undefined {
    return this.#given.get(absolute)?.source
  }

  /** Every file with a baseline. */
  all(): SourceFile[] {
    return [...this.#given.values()].flatMap(({ source }) => source ?? [])
  }

  /** A verdict found nothing wrong with it: the next change begins here. */
  accept(source: SourceFile): void {
    this.#given.set(source.absolute, { source })
  }

  /** Another baseline was used, and stays in use whatever servers are shown. */
  disregard(absolute: string): void {
    if (this.baselineOf(absolute) === undefined) this.#given.set(absolute, { source: undefined })
  }
}
