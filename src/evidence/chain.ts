// One chain of records on the disk, written by one process: appends whole batches, moves on to the next segment, pins
// what is durable. It never changes what was written; after a failure it goes on in a new segment that says where the
// old one really ended.
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import { encodeCheckpoint, otherSlot, type Slot, type Tip } from './checkpoint.js'
import { type ClaimOptions, remark, writeAll } from './claim.js'
import { codeOf, type EvidenceFile } from './disk.js'
import { checkpointName, segmentName } from './layout.js'
import { encodeLine } from './line.js'
import { type Ending, headOf } from './segment-head.js'
import type { EvidenceEvent } from './shapes.js'

export interface ChainOptions extends ClaimOptions {
  readonly clock: Clock
  readonly newId: () => string
  readonly segmentBytes: number
  readonly segmentMilliseconds: number
}

/** An event with what makes it a record, before it has a place in the chain. */
export interface Entry {
  readonly id: string
  readonly at: string
  readonly event: EvidenceEvent
}

interface Opened {
  readonly chain: string
  readonly tip: Tip
  readonly slot: Slot
  readonly checkpoint: EvidenceFile
  readonly segment: EvidenceFile | undefined
  readonly draft: EvidenceFile | undefined
  readonly ending: Ending | undefined
  /** What the first batch has to tell. */
  readonly told: readonly EvidenceEvent[]
}

export class Chain {
  readonly #options: ChainOptions
  readonly #checkpoint: EvidenceFile
  readonly name: string
  #tip: Tip
  /** The segment now written to; its records end where the tip says. */
  #segment: EvidenceFile | undefined
  /** The next segment, begun and without anything that counts. */
  #draft: EvidenceFile | undefined
  #ending: Ending | undefined
  #told: readonly EvidenceEvent[]
  /** Of the checkpoint: the one that holds the last tip that was pinned. */
  #slot: Slot
  #isPinned = true

  private constructor(options: ChainOptions, opened: Opened) {
    this.#options = options
    this.name = opened.chain
    this.#tip = opened.tip
    this.#slot = opened.slot
    this.#checkpoint = opened.checkpoint
    this.#segment = opened.segment
    this.#draft = opened.draft
    this.#ending = opened.ending
    this.#told = opened.told
  }

  /** Of a chain whose mark is ours, and whose end is known. */
  static async resume(found: FoundEnd, options: ChainOptions): Promise<Chain> {
    return new Chain(options, await openFiles(found, options))
  }

  get tip(): Tip {
    return this.#tip
  }

  /** All of them are on the disk when it returns; when it throws, none of them counts. */
  async commit(entries: readonly Entry[]): Promise<void> {
    const ending = this.#ending ?? (await this.#endingDue())
    // What the log tells of itself stands before the first entry, so it must not be younger.
    const at = entries[0]?.at ?? this.#options.clock.date().toISOString()
    const all = [...this.#told.map(event => this.#entry(event, at)), ...entries]
    if (all.length === 0 && this.#ending === undefined) return
    if (ending === undefined && this.#segment !== undefined) await this.#append(this.#segment, all)
    else await this.#beginSegment(ending, all, at)
    this.#told = []
    await this.#pin()
  }

  /** Leaves the chain to whoever comes next; `left` if it is still to be recovered. */
  async close(state: 'free' | 'left' = 'free'): Promise<void> {
    const { owner } = this.#options
    try {
      if (!this.#isPinned) await this.#pin()
      await this.#checkpoint.sync()
    } catch {
      // The log itself is on the disk; a checkpoint that lags behind is no lie.
    }
    await this.#closeFiles()
    await remark(this.name, { state: 'used', owner: owner.name }, { state }, this.#options)
  }

  /** Somebody else wrote to it: nobody goes on with it. Never throws. */
  async abandon(): Promise<void> {
    const used = { state: 'used', owner: this.#options.owner.name } as const
    await this.#closeFiles()
    await remark(this.name, used, { state: 'damaged' }, this.#options).catch(() => false)
  }

  async #closeFiles(): Promise<void> {
    for (const file of [this.#segment, this.#draft, this.#checkpoint]) await file?.close().catch(() => {})
  }

  /** Undefined when the present segment can go on. */
  async #endingDue(): Promise<Ending | undefined> {
    const { segmentBytes, segmentMilliseconds, clock } = this.#options
    if (this.#segment === undefined) return undefined
    if (this.#tip.bytes >= segmentBytes) return { ended: 'full', discarded_bytes: 0 }
    if (clock.date().getTime() - Date.parse(this.#tip.begun) > segmentMilliseconds)
      return { ended: 'old', discarded_bytes: 0 }
    const { bytes, inPlace } = await this.#segment.look()
    if (!inPlace) return { ended: 'moved', discarded_bytes: 0 }
    return bytes === this.#tip.bytes ? undefined : { ended: 'foreign', discarded_bytes: 0 }
  }

  async #append(segment: EvidenceFile, entries: readonly Entry[]): Promise<void> {
    const { bytes, tip } = this.#encode(this.#tip, entries)
    let ended: Ending['ended'] = 'write_failed'
    try {
      await writeAll(segment, bytes, this.#tip.bytes)
      // After a failed sync the system may have dropped the data and call the next one a success.
      ended = 'sync_failed'
      await segment.sync()
    } catch (error) {
      this.#ending = { ended, discarded_bytes: bytes.length }
      throw error
    }
    this.#tip = tip
  }

  async #beginSegment(ending: Ending | undefined, entries: readonly Entry[], at: string): Promise<void> {
    const { disk, folders } = this.#options
    this.#ending = ending
    const segment = this.#tip.segment + 1
    const draft = await this.#openDraft(segment)
    await draft.empty()
    const head = this.#entry(headOf(this.name, this.#tip, ending, this.#options.identity), at)
    const start = { ...this.#tip, segment, bytes: 0, begun: at }
    const { bytes, tip } = this.#encode(start, [head, ...entries])
    await writeAll(draft, bytes, 0)
    await draft.sync()
    await disk.syncFolder(folders.log)
    await this.#segment?.close().catch(() => {})
    this.#segment = draft
    this.#draft = undefined
    this.#ending = undefined
    this.#tip = tip
  }

  async #openDraft(segment: number): Promise<EvidenceFile> {
    const { disk, folders } = this.#options
    if (this.#draft !== undefined && (await this.#draft.look()).inPlace) return this.#draft
    await this.#draft?.close().catch(() => {})
    this.#draft = undefined
    this.#draft = await disk.open(join(folders.log, segmentName(this.name, segment)), 'new')
    return this.#draft
  }

  #encode(from: Tip, entries: readonly Entry[]): { readonly bytes: Buffer; readonly tip: Tip } {
    let { seq, hash, at } = from
    const lines: string[] = []
    const add = ({ id, at: made, event }: Entry) => {
      seq += 1
      const encoded = encodeLine({ prev: hash, seq }, { id, at: made, ...event })
      hash = encoded.hash
      at = made
      lines.push(encoded.line)
    }
    for (const entry of entries) {
      // The order of the numbers holds; that the clock was set back has to be known to whoever reads the times.
      if (entry.at < at) add(this.#entry({ kind: 'clock_step', from: at, to: entry.at }, entry.at))
      add(entry)
    }
    const bytes = Buffer.from(lines.join(''))
    return { bytes, tip: { ...from, seq, hash, at, bytes: from.bytes + bytes.length } }
  }

  #entry(event: EvidenceEvent, at: string): Entry {
    return { id: this.#options.newId(), at, event }
  }

  /** Not synced: it only has to come after the log, and a checkpoint that is a little old still holds. */
  async #pin(): Promise<void> {
    this.#isPinned = false
    try {
      const slot = otherSlot(this.#slot)
      await writeAll(this.#checkpoint, encodeCheckpoint(this.name, this.#tip), slot)
      this.#slot = slot
      this.#isPinned = true
    } catch {
      // The records are safe; the next batch pins them along with its own.
    }
  }
}

/** Where a chain ends, and what its first batch has to tell. */
export interface FoundEnd {
  readonly chain: string
  readonly tip: Tip
  readonly slot: Slot
  readonly tornBytes?: number
  readonly draft?: number | undefined
  readonly told: readonly EvidenceEvent[]
}

async function openFiles(toOpen: FoundEnd, { disk, folders }: ChainOptions): Promise<Opened> {
  const { chain, tip, slot, tornBytes = 0, draft } = toOpen
  const opened: EvidenceFile[] = []
  const open = async (folder: string, name: string) => {
    const file = await disk.open(join(folder, name), 'existing')
    opened.push(file)
    return file
  }
  try {
    const segment = tip.segment === 0 ? undefined : await open(folders.log, segmentName(chain, tip.segment))
    const begun = draft === undefined ? undefined : await open(folders.log, segmentName(chain, draft))
    const checkpoint = await open(folders.checkpoints, checkpointName(chain))
    const ending = endingOf({ tip, tornBytes, draft })
    // The head of the next segment tells it; twice would be once too often.
    const told = ending === undefined ? toOpen.told : toOpen.told.filter(isAboutOther(chain))
    return { chain, tip, slot, checkpoint, segment, draft: begun, ending, told }
  } catch (error) {
    for (const file of opened) await file.close().catch(() => {})
    throw error
  }
}

function endingOf({
  tip,
  tornBytes = 0,
  draft,
}: Pick<FoundEnd, 'tip' | 'tornBytes' | 'draft'>): Ending | undefined {
  if (tip.segment === 0) return undefined
  if (tornBytes > 0) return { ended: 'torn', discarded_bytes: tornBytes }
  return draft === undefined ? undefined : { ended: 'interrupted', discarded_bytes: 0 }
}

function isAboutOther(chain: string): (event: EvidenceEvent) => boolean {
  return event => event.kind !== 'log_recovered' || event.chain !== chain || event.damaged_chain !== undefined
}

/** Somebody wrote the next segment, or the whole folder is gone: with this chain nothing can be done any more. */
export function isLost(error: unknown): boolean {
  return codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT'
}
