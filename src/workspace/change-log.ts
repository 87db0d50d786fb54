// What changed and in which order, so that everybody can be told what is new to him: each server has read the files at a
// moment of its own.
import type { Clock } from '../clock.js'

export type ChangeType = 'created' | 'changed' | 'deleted'

export interface FileChange {
  readonly path: string
  readonly type: ChangeType
}

interface LastChange {
  readonly revision: number
  readonly isDeleted: boolean
  /** The revision at which the file last came into being; 0 when it was there from the start. */
  readonly created: number
  readonly at: number
}

export class ChangeLog {
  readonly #clock: Clock
  readonly #last = new Map<string, LastChange>()
  #revision = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get revision(): number {
    return this.#revision
  }

  record(path: string, type: ChangeType): void {
    this.#revision += 1
    const revision = this.#revision
    const created = type === 'created' ? revision : (this.#last.get(path)?.created ?? 0)
    const at = this.#clock.date().getTime()
    this.#last.set(path, { revision, isDeleted: type === 'deleted', created, at })
  }

  /** The revision of this file's last change; 0 when it never changed. */
  revisionOf(path: string): number {
    return this.#last.get(path)?.revision ?? 0
  }

  /** The revision that was reached before this moment (wall clock, milliseconds). */
  revisionBefore(time: number): number {
    let reached = 0
    for (const { revision, at } of this.#last.values())
      if (at < time && revision > reached) reached = revision
    return reached
  }

  after(revision: number): FileChange[] {
    if (revision >= this.#revision) return []
    const found: FileChange[] = []
    for (const [path, change] of this.#last) {
      if (change.revision <= revision) continue
      // Whoever knew the file already is not told of its creation again.
      const type = change.created > revision ? 'created' : 'changed'
      found.push({ path, type: change.isDeleted ? 'deleted' : type })
    }
    return found
  }
}
