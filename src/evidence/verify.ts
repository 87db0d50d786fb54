// Reads a whole log and says whether it is what was written: nothing altered, removed, moved, cut or put back. The first
// record that is not as it was is named; everything before it is proven.
import { join } from 'node:path'
import type { Tip } from './checkpoint.js'
import type { EvidenceDisk } from './disk.js'
import {
  chainsIn,
  type EvidenceFolders,
  type FoundChain,
  pinnedIn,
  segmentName,
  type WorkspaceIdentity,
} from './layout.js'
import { genesisHash } from './line.js'
import { type ChainState, linkOf } from './link.js'
import { explainMisfit, type Misfit } from './misfit.js'
import { readPart, scanLines } from './scan.js'
import { readRecord } from './shapes.js'
import { readCheckpoint, readHead, type SegmentHead } from './survey.js'

export const faults = [
  'altered',
  'removed',
  'reordered',
  'inserted',
  'truncated',
  'rolled_back',
  'torn',
  'wrong_genesis',
  'unparsable',
  'unpinned',
] as const
export type Fault = (typeof faults)[number]

export interface BadRecord {
  readonly fault: Fault
  readonly chain: string
  readonly segment: number
  /** Counts from 1 within its segment. */
  readonly line: number
  readonly seq: number
  readonly id?: string | undefined
  readonly detail: string
}

export interface ChainVerdict {
  readonly chain: string
  /** Records that are proven. */
  readonly records: number
  readonly bytes: number
  /** The last of them. */
  readonly head: ChainState
  readonly begun: string
  readonly bad?: BadRecord
  readonly notes: readonly string[]
}

export interface LogVerdict {
  /** `absent`: there is neither a log nor the trace of one. */
  readonly verdict: 'sound' | 'bad' | 'absent'
  readonly records: number
  readonly bytes: number
  readonly bad?: BadRecord
  /** In the order in which they were begun. */
  readonly chains: readonly ChainVerdict[]
}

/** A record that was known elsewhere: in an export, or from an earlier verification. */
export interface KnownRecord extends ChainState {
  readonly chain: string
}

export interface VerifyOptions {
  readonly disk: EvidenceDisk
  readonly folders: EvidenceFolders
  readonly identity: WorkspaceIdentity
  /** Whether the process that marked a chain as its own still runs. */
  readonly isAlive: (owner: string) => boolean
  readonly known?: readonly KnownRecord[]
}

export async function verifyLog(options: VerifyOptions): Promise<LogVerdict> {
  const { disk, folders, known = [] } = options
  // Checkpoints before segments: what is written meanwhile only makes the log longer than they say.
  const pins = new Map<string, Tip | undefined>()
  for (const chain of pinnedIn(await disk.list(folders.checkpoints)))
    pins.set(chain, (await readCheckpoint(chain, options))?.tip)
  const found = new Map(chainsIn(await disk.list(folders.log)).map(chain => [chain.chain, chain]))
  const verdicts: ChainVerdict[] = []
  for (const chain of new Set([...found.keys(), ...pins.keys(), ...known.map(record => record.chain)])) {
    const entry = found.get(chain) ?? { chain, segments: [], mark: undefined }
    const pin = pins.get(chain)
    const wanted = known.filter(record => record.chain === chain)
    // Announced and never begun.
    if (entry.segments.length === 0 && pin?.seq === 0 && wanted.length === 0) continue
    verdicts.push(await new ChainCheck(entry, pin, wanted, options).run())
  }
  const chains = verdicts.toSorted((a, b) => (a.begun < b.begun ? -1 : a.begun > b.begun ? 1 : 0))
  const bad = chains.find(chain => chain.bad !== undefined)?.bad
  const records = chains.reduce((sum, chain) => sum + chain.records, 0)
  const bytes = chains.reduce((sum, chain) => sum + chain.bytes, 0)
  if (bad !== undefined) return { verdict: 'bad', records, bytes, bad, chains }
  return { verdict: chains.length === 0 ? 'absent' : 'sound', records, bytes, chains }
}

class ChainCheck {
  readonly #options: VerifyOptions
  readonly #found: FoundChain
  readonly #pin: Tip | undefined
  /** What is known from elsewhere, by number. */
  readonly #known = new Map<number, string>()
  readonly #notes: string[] = []
  #state: ChainState
  #bytes = 0
  #begun = ''

  constructor(
    found: FoundChain,
    pin: Tip | undefined,
    known: readonly KnownRecord[],
    options: VerifyOptions,
  ) {
    this.#options = options
    this.#found = found
    this.#pin = pin
    this.#state = { seq: 0, hash: genesisHash(options.identity.workspace, found.chain) }
    for (const record of known) this.#known.set(record.seq, record.hash)
    if (pin !== undefined && pin.seq > 0) this.#known.set(pin.seq, pin.hash)
  }

  async run(): Promise<ChainVerdict> {
    const bad = (await this.#segments()) ?? this.#ends()
    const { chain } = this.#found
    const { seq: records } = this.#state
    const verdict = { chain, records, bytes: this.#bytes, head: this.#state, begun: this.#begun }
    return { ...verdict, ...(bad === undefined ? {} : { bad }), notes: this.#notes }
  }

  async #segments(): Promise<BadRecord | undefined> {
    const { segments, chain } = this.#found
    for (const [index, segment] of segments.entries()) {
      if (segment !== index + 1)
        return this.#bad('removed', index + 1, 1, `segment ${index + 1} is missing; ${segment} is there`)
      const next = segments[index + 1]
      // A segment's end is known from the head of the next one, if that is there.
      const head = next === segment + 1 ? await readHead(chain, next, this.#options) : 'unfinished'
      const bad = await this.#segment(
        segment,
        typeof head === 'string' ? undefined : head,
        next === undefined,
      )
      if (bad !== undefined) return bad
    }
    return undefined
  }

  async #segment(
    segment: number,
    next: SegmentHead | undefined,
    isOpenEnd: boolean,
  ): Promise<BadRecord | undefined> {
    const { disk, folders } = this.#options
    const path = join(folders.log, segmentName(this.#found.chain, segment))
    const end = next?.event.previous
    let lines = 0
    let misfit: Misfit | undefined
    let bad: BadRecord | undefined
    const scanned = await scanLines({
      disk,
      path,
      to: end?.bytes,
      onLine: line => {
        lines += 1
        const link = linkOf(this.#state, line)
        if (!link.fits) {
          const text = line.bytes.toString('utf8', line.start, line.end)
          misfit = { why: link.why, parts: link.parts, text, position: line.position }
          return false
        }
        if (lines === 1) {
          bad = this.#checkHead(segment, line.bytes.toString('utf8', line.start, line.end))
          if (bad !== undefined) return false
        }
        const { seq, hash } = link.state
        const known = this.#known.size === 0 ? undefined : this.#known.get(seq)
        if (known !== undefined && known !== hash) {
          bad = this.#bad('altered', segment, lines, 'it is not the record that was here before', seq)
          return false
        }
        this.#state = link.state
        return true
      },
    })
    if (bad !== undefined) return bad
    if (misfit !== undefined) {
      const rest = { disk, folders, found: this.#found, segment, pin: this.#pin }
      const { fault, seq, id, detail } = await explainMisfit(misfit, this.#state, rest)
      return this.#bad(fault, segment, seq === this.#state.seq ? lines - 1 : lines, detail, seq, id)
    }
    this.#bytes += scanned.position
    if (end !== undefined) return this.#checkEnd(segment, path, scanned.position, lines, end)
    if (scanned.rest.length === 0) return undefined
    return this.#tornEnd(segment, lines, scanned.rest.length, isOpenEnd)
  }

  /** The first line says of which workspace, chain and segment it is the first. */
  #checkHead(segment: number, text: string): BadRecord | undefined {
    const { workspace } = this.#options.identity
    const record = readRecord(text)
    const event = record?.event
    if (this.#begun === '') this.#begun = record?.at ?? ''
    const fault = segment === 1 ? 'wrong_genesis' : 'altered'
    if (event === undefined || !('workspace' in event) || (segment === 1) !== (event.kind === 'log_opened'))
      return this.#bad(fault, segment, 1, 'the segment does not begin with its head')
    if (event.workspace !== workspace)
      return this.#bad(fault, segment, 1, 'it is the log of another workspace')
    if (event.chain !== this.#found.chain || event.segment !== segment)
      return this.#bad(fault, segment, 1, `it is segment ${event.segment} of chain ${event.chain}`)
    if (event.kind === 'log_recovered') this.#notes.push(`segment ${segment}: ${event.reason}`)
    return undefined
  }

  async #checkEnd(
    segment: number,
    path: string,
    position: number,
    lines: number,
    end: { readonly bytes: number; readonly seq: number; readonly discarded_bytes: number },
  ): Promise<BadRecord | undefined> {
    if (position !== end.bytes || this.#state.seq !== end.seq)
      return this.#bad('truncated', segment, lines + 1, `its segment had ${end.seq} records and ends before`)
    const allowed = end.bytes + end.discarded_bytes
    const beyond = await readPart(this.#options.disk, path, { from: allowed, bytes: 1 })
    if (beyond === undefined || beyond.length === 0) return undefined
    return this.#bad('inserted', segment, lines + 1, 'something was added after the end of the segment')
  }

  #tornEnd(segment: number, lines: number, bytes: number, isOpenEnd: boolean): BadRecord | undefined {
    const { mark } = this.#found
    if (isOpenEnd && mark?.state === 'used' && this.#options.isAlive(mark.owner)) {
      this.#notes.push('a record is being written')
      return undefined
    }
    const isMissing = (this.#pin?.seq ?? 0) > this.#state.seq
    const detail = isMissing
      ? `${bytes} bytes are left of it; the checkpoint knows ${this.#pin?.seq} records`
      : `${bytes} bytes are left of it; it was never acknowledged, and the next writer goes on after it`
    return this.#bad(isMissing ? 'truncated' : 'torn', segment, lines + 1, detail)
  }

  /** Every line fits; is it all of them? */
  #ends(): BadRecord | undefined {
    const { segments } = this.#found
    const last = segments.at(-1) ?? 1
    const missing = [...this.#known.keys()].filter(seq => seq > this.#state.seq)
    if (missing.length > 0) {
      const count = Math.max(...missing)
      if (segments.length === 0) return this.#bad('removed', 1, 1, `all ${count} records are gone`)
      return this.#bad('rolled_back', last, 0, `the log ends here, and ${count} records are known`)
    }
    if (this.#pin !== undefined) return undefined
    return this.#bad(
      'unpinned',
      last,
      0,
      'the checkpoint is missing, so nobody can tell whether the log was cut',
    )
  }

  #bad(
    fault: Fault,
    segment: number,
    line: number,
    detail: string,
    seq = this.#state.seq + 1,
    id?: string,
  ): BadRecord {
    const { chain } = this.#found
    return { fault, chain, segment, line, seq, ...(id === undefined ? {} : { id }), detail }
  }
}
