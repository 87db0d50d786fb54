// The evidence log of one process: takes events, writes them in batches, and says which of them are on the disk. Whoever
// must be certain waits for `append`; whoever must not wait uses `note`, which costs a place in a list.
import type { Clock, Timer } from '../clock.js'
import { BridgeError, messageOf } from '../errors.js'
import { type Chain, type ChainOptions, type Entry, isLost } from './chain.js'
import { codeOf } from './disk.js'
import { newName } from './layout.js'
import { openChain, recoverChains } from './open-chain.js'
import type { EvidenceEvent } from './shapes.js'

export interface EvidenceLogOptions extends Omit<ChainOptions, 'newId'> {
  /** Makes the texts of an event fit to be kept. */
  readonly clean: (event: EvidenceEvent) => EvidenceEvent
  /** How long a noted event may wait for company. */
  readonly flushMilliseconds: number
  /** How many events are held in memory while the disk takes none. */
  readonly mostHeld: number
  /** The log began to fail, or works again. */
  readonly onChange?: (status: LogStatus) => void
}

export interface LogStatus {
  readonly state: 'unopened' | 'working' | 'failing' | 'closed'
  /** Since when it fails, and why. */
  readonly since?: string
  readonly cause?: string
  /** Events that were not kept, and calls that were refused, since it began to fail. */
  readonly lost: number
  readonly refused: number
}

export const logDefaults = {
  flushMilliseconds: 50,
  segmentBytes: 8 * 1024 * 1024,
  segmentMilliseconds: 24 * 60 * 60 * 1000,
  mostHeld: 2000,
} as const

interface Waiting {
  /** Undefined for somebody who only waits until everything before is on the disk. */
  readonly entry: Entry | undefined
  readonly settle?: { resolve(): void; reject(error: BridgeError): void }
}

interface Trouble {
  readonly since: string
  readonly cause: string
  lost: number
  refused: number
}

const firstRetryMilliseconds = 1000
const lastRetryMilliseconds = 30_000

export class EvidenceLog {
  readonly #options: EvidenceLogOptions
  readonly #clock: Clock
  readonly #nonce = newName()
  #counter = 0
  #queue: Waiting[] = []
  #chain: Chain | undefined
  #running: Promise<void> | undefined
  #recovering: Promise<void> | undefined
  #timer: Timer | undefined
  #trouble: Trouble | undefined
  #retryMilliseconds = firstRetryMilliseconds
  #closed = false
  #ending: Promise<void> | undefined

  constructor(options: EvidenceLogOptions) {
    this.#options = options
    this.#clock = options.clock
  }

  get status(): LogStatus {
    const { lost, refused } = this.#trouble ?? { lost: 0, refused: 0 }
    if (this.#closed) return { state: 'closed', lost, refused }
    if (this.#trouble === undefined)
      return { state: this.#chain === undefined ? 'unopened' : 'working', lost, refused }
    const { since, cause } = this.#trouble
    return { state: 'failing', since, cause, lost, refused }
  }

  /** A name for a record that is yet to be made. */
  newId(): string {
    this.#counter += 1
    return `ev:${this.#nonce}-${this.#counter.toString(36)}`
  }

  /** Keeps the event with the next batch and returns its id at once; undefined when it cannot be kept now. */
  note(event: EvidenceEvent, id = this.newId()): string | undefined {
    if (this.#closed) return undefined
    const { mostHeld, flushMilliseconds } = this.#options
    // A disk that hangs fails nothing; it shows by what piles up.
    if (this.#queue.length >= mostHeld * 10) this.#enterTrouble('the disk does not keep up')
    if (this.#queue.length >= mostHeld && this.#trouble !== undefined) {
      this.#trouble.lost += 1
      return undefined
    }
    this.#queue.push({ entry: this.#entry(event, id) })
    if (this.#running === undefined)
      this.#runAfter(this.#trouble === undefined ? flushMilliseconds : this.#retryMilliseconds)
    return this.#trouble === undefined ? id : undefined
  }

  /** Resolves when the record is on the disk; rejects with EvidenceUnavailable, and then it is not kept. */
  async append(event: EvidenceEvent, id = this.newId()): Promise<string> {
    await this.#waitFor(this.#entry(event, id))
    return id
  }

  /** Resolves when everything noted so far is on the disk, and more could be put there. */
  secure(): Promise<void> {
    return this.#waitFor(undefined)
  }

  /** Writes what is left, and leaves the chain to whoever comes next. */
  close(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  async #end(): Promise<void> {
    await this.#recovering
    this.#closed = true
    this.#timer?.cancel()
    await this.#running
    if (this.#queue.length > 0 || this.#trouble !== undefined) await this.#commit()
    // Opened only now, at the end, it may just have begun to look after others.
    await this.#recovering
    await this.#chain?.close().catch(() => {})
  }

  #entry(event: EvidenceEvent, id: string): Entry {
    return { id, at: this.#clock.date().toISOString(), event }
  }

  #waitFor(entry: Entry | undefined): Promise<void> {
    if (this.#closed) return Promise.reject(this.#unavailable('the log is closed'))
    return new Promise((resolve, reject) => {
      this.#queue.push({ entry, settle: { resolve, reject } })
      this.#run()
    })
  }

  #runAfter(milliseconds: number): void {
    this.#timer ??= this.#clock.after(milliseconds, () => {
      this.#timer = undefined
      this.#run()
    })
  }

  #run(): void {
    if (this.#running !== undefined) return
    this.#timer?.cancel()
    this.#timer = undefined
    this.#running = this.#commitAll().finally(() => {
      this.#running = undefined
      if (this.#queue.length === 0 || this.#closed) return
      if (this.#hasWaiters()) this.#run()
      else if (this.#trouble === undefined) this.#runAfter(this.#options.flushMilliseconds)
      else this.#retryLater()
    })
  }

  #hasWaiters(): boolean {
    return this.#queue.some(({ settle }) => settle !== undefined)
  }

  /** Everybody who came while the disk was busy shares the next batch. */
  async #commitAll(): Promise<void> {
    do await this.#commit()
    while (this.#hasWaiters())
  }

  async #commit(): Promise<void> {
    const batch = this.#queue
    this.#queue = []
    const told = this.#trouble === undefined ? undefined : { ...this.#trouble }
    try {
      const { clean } = this.#options
      const entries = batch.flatMap(({ entry }) => entry ?? [])
      const cleaned = entries.map(entry => ({ ...entry, event: clean(entry.event) }))
      await this.#write([...cleaned, ...this.#gap(batch)])
    } catch (error) {
      this.#fail(error, batch)
      return
    }
    this.#retryMilliseconds = firstRetryMilliseconds
    if (this.#trouble !== undefined && told !== undefined) this.#leaveTrouble(this.#trouble, told)
    for (const { settle } of batch) settle?.resolve()
  }

  /** What was lost while the gap was written is another gap, for the next batch. */
  #leaveTrouble(trouble: Trouble, told: Trouble): void {
    const lost = trouble.lost - told.lost
    this.#trouble = lost > 0 ? { ...trouble, since: told.since, lost, refused: 0 } : undefined
    if (this.#trouble === undefined) this.#options.onChange?.(this.status)
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const chain = await this.#open()
    try {
      await chain.commit(entries)
    } catch (error) {
      if (!isLost(error)) throw error
      await chain.abandon()
      this.#chain = undefined
      await (await this.#open(chain.name)).commit(entries)
    }
  }

  async #open(lost?: string): Promise<Chain> {
    if (this.#chain !== undefined) return this.#chain
    const options = { ...this.#options, newId: () => this.newId() }
    this.#chain = await openChain(options, lost)
    // The chains of others that were left are recovered, too, but nobody waits for that.
    this.#recovering = recoverChains(options).then(
      told => {
        for (const event of told) this.note(event)
      },
      // Whoever opens the log next tries again.
      () => {},
    )
    return this.#chain
  }

  /** What happened while nothing could be kept; the last of its batch, because it is the youngest. */
  #gap(batch: readonly Waiting[]): Entry[] {
    if (this.#trouble === undefined) return []
    const until = this.#clock.date().toISOString()
    const delayed = batch.filter(({ settle }) => settle === undefined).length
    const event: EvidenceEvent = { kind: 'evidence_gap', ...this.#trouble, until, delayed }
    return [{ id: this.newId(), at: until, event: this.#options.clean(event) }]
  }

  #fail(error: unknown, batch: readonly Waiting[]): void {
    const trouble = this.#enterTrouble(causeOf(error))
    // Who waited was told that it is not kept, so it must not turn up later as if it had happened.
    const kept = batch.filter(({ settle }) => settle === undefined)
    this.#hold([...kept, ...this.#queue], trouble)
    for (const { settle } of batch) {
      if (settle === undefined) continue
      trouble.refused += 1
      settle.reject(this.#unavailable(causeOf(error), error))
    }
  }

  #enterTrouble(cause: string): Trouble {
    if (this.#trouble !== undefined) return this.#trouble
    this.#trouble = { since: this.#clock.date().toISOString(), cause, lost: 0, refused: 0 }
    this.#options.onChange?.(this.status)
    return this.#trouble
  }

  /** The first ones stay, so that what is missing is one stretch; nobody who waits is forgotten. */
  #hold(queue: readonly Waiting[], trouble: Trouble): void {
    let held = 0
    this.#queue = queue.filter(({ settle }) => settle !== undefined || ++held <= this.#options.mostHeld)
    trouble.lost += queue.length - this.#queue.length
  }

  #retryLater(): void {
    this.#runAfter(this.#retryMilliseconds)
    this.#retryMilliseconds = Math.min(this.#retryMilliseconds * 2, lastRetryMilliseconds)
  }

  #unavailable(cause: string, thrown?: unknown): BridgeError {
    return new BridgeError({
      kind: 'EvidenceUnavailable',
      message: `the record of this call cannot be kept (${cause}), and evidence is required here`,
      hint: `Make room in ${this.#options.folders.log}, or make it writable, then ask again; with a preset whose evidence is best-effort answers go on without it.`,
      cause: thrown,
    })
  }
}

/** The system's own word for it, `ENOSPC` for instance; messages may name paths of this machine. */
function causeOf(error: unknown): string {
  const code = codeOf(error)
  if (code !== '') return code
  return messageOf(error)
}
