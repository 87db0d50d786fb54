// From what happens in the program to evidence: one record per call with the requests it made, and one for every
// decision, change of a server's state and crash. Keeps them as the mode demands: before the answer, or beside it.
import { relative } from 'node:path'
import { type Clock, withDeadline } from '../clock.js'
import { BridgeError } from '../errors.js'
import type { BridgeEvent, Events } from '../events.js'
import { changeEvents } from './change-events.js'
import { contextEvents } from './context-events.js'
import type { CallRecord, CallTrace, EvidenceStatus, Recorder } from './evidence.js'
import type { EvidenceLog } from './log.js'
import { QuerySums, queryBatch } from './query-batch.js'
import type { EvidenceEvent } from './shapes.js'

export interface RecorderOptions {
  readonly log: EvidenceLog
  readonly mode: 'required' | 'best-effort'
  readonly events: Events
  readonly clock: Clock
  readonly root: string
  readonly folder: string
  /** Hears of every event that is recorded. */
  readonly onEvent?: ((event: EvidenceEvent, id: string) => void) | undefined
}

/** A disk that takes longer does not answer; nobody is made to wait for it. */
const longestWaitMilliseconds = 10_000

export function createRecorder(options: RecorderOptions): Recorder {
  return new LogRecorder(options)
}

interface OpenCall {
  readonly id: string
  readonly sums: QuerySums
}

class LogRecorder implements Recorder {
  readonly #options: RecorderOptions
  readonly #calls = new Map<number, OpenCall>()
  /** Names and versions as servers gave them, by id; the events of a server know its id alone. */
  readonly #servers = new Map<string, { readonly name: string; readonly version: string }>()
  readonly #unsubscribe: () => void
  #counter = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#unsubscribe = options.events.subscribe(event => this.#heard(event))
  }

  begin(): CallTrace {
    this.#counter += 1
    const call = this.#counter
    this.#calls.set(call, { id: this.#options.log.newId(), sums: new QuerySums() })
    return {
      call,
      admit: () => this.#admit(),
      secure: () => this.#secure(),
      close: record => this.#close(call, record),
    }
  }

  async keep(event: EvidenceEvent): Promise<string | undefined> {
    const id = this.#options.log.newId()
    this.#options.onEvent?.(event, id)
    if (this.#options.mode === 'best-effort') return this.#options.log.note(event, id)
    return this.#within(this.#options.log.append(event, id))
  }

  status(): EvidenceStatus {
    const { mode, folder, log } = this.#options
    return { mode, folder, ...log.status }
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    await this.#within(this.#options.log.close()).catch(() => {})
  }

  /** A log that works needs no proof; one that fails, or was never opened, is tried. */
  async #admit(): Promise<void> {
    const { mode, log } = this.#options
    if (mode === 'required' && log.status.state !== 'working') await this.#within(log.secure())
  }

  async #secure(): Promise<void> {
    const { mode, log } = this.#options
    if (mode === 'required') await this.#within(log.secure())
  }

  async #close(call: number, record: CallRecord): Promise<string | undefined> {
    const open = this.#calls.get(call)
    // Closed before: its record could not be kept, and now it is closed as the failure that this made of it.
    if (open === undefined) return undefined
    this.#calls.delete(call)
    const { id, sums } = open
    const { operation, ok, milliseconds } = record
    for (const { id: server, name, version } of record.servers) this.#servers.set(server, { name, version })
    try {
      // A refused call left no trace on purpose; the log counts it. A poller that asked nobody would only fill it.
      if (record.errorKind === 'EvidenceUnavailable' || (record.synthetic === true && sums.isEmpty))
        return undefined
      for (const event of changeEvents(record, id)) this.#note(event)
      // Where evidence is required nothing is handed over without its records.
      for (const event of contextEvents(record, id)) await this.keep(event)
      return await this.#keepBatch(record, queryBatch(record, sums), id)
    } finally {
      this.#options.events.emit({ type: 'answer.recorded', operation, ok, milliseconds })
    }
  }

  async #keepBatch(record: CallRecord, event: EvidenceEvent, id: string): Promise<string | undefined> {
    const { mode, log } = this.#options
    this.#options.onEvent?.(event, id)
    if (mode === 'best-effort') return log.note(event, id)
    try {
      return await this.#within(log.append(event, id))
    } catch (thrown) {
      if (!record.ok || !(thrown instanceof BridgeError) || !changesTheWorld(record)) throw thrown
      const { kind, message } = thrown
      throw new BridgeError({
        kind,
        message: `${record.operation} was carried out, but ${message}`,
        hint: `What it did is done and was allowed on record. ${thrown.hint ?? ''}`,
        cause: thrown,
      })
    }
  }

  #note(event: EvidenceEvent): void {
    const id = this.#options.log.newId()
    this.#options.onEvent?.(event, id)
    this.#options.log.note(event, id)
  }

  #heard(event: BridgeEvent): void {
    switch (event.type) {
      case 'request.finished':
        if (event.call !== undefined) this.#calls.get(event.call)?.sums.add(event)
        return
      case 'policy.decided': {
        const { type: _, call, ...decided } = event
        this.#note({ kind: 'policy_decision', call: this.#calls.get(call)?.id, ...decided })
        return
      }
      case 'server.refused':
        this.#note({
          kind: 'policy_decision',
          operation: event.request,
          effect: 'edit',
          caller: `server ${event.server}`,
          decision: 'deny',
          reason: 'a server never writes or opens a file here',
        })
        return
      case 'server.stateChanged': {
        const { from, to, reason } = event
        this.#note({ kind: 'server_state', ...this.#serverOf(event), from, to, reason })
        return
      }
      case 'server.crashed':
        this.#note({ kind: 'lsp_server_crashed', ...this.#serverOf(event), cause: event.cause })
        return
      default:
        return
    }
  }

  #serverOf({ server: id, root }: { readonly server: string; readonly root: string }) {
    return { server: { id, ...this.#servers.get(id) }, root: relative(this.#options.root, root) || '.' }
  }

  #within<T>(work: Promise<T>): Promise<T> {
    return withDeadline(work, {
      clock: this.#options.clock,
      milliseconds: longestWaitMilliseconds,
      onTimeout: () =>
        new BridgeError({
          kind: 'EvidenceUnavailable',
          message: `the record of this call cannot be kept: the disk did not answer within ${longestWaitMilliseconds / 1000} s`,
          hint: `See whether ${this.#options.folder} is on a disk that works, then ask again.`,
        }),
    })
  }
}

function changesTheWorld({ effect }: CallRecord): boolean {
  return effect === 'edit' || effect === 'execute'
}
