// All server instances of one bridge: exactly one per language and root, created on first use, stopped together.
import type { Clock } from '../clock.js'
import type { Events } from '../events.js'
import { ServerInstance } from './instance.js'
import type { StopReason } from './lifecycle.js'
import type { RestartPolicy } from './restart-policy.js'
import type { StartCandidate, StartSession } from './session.js'

export interface SupervisorOptions {
  readonly startSession: StartSession
  readonly clock: Clock
  readonly events: Events
  readonly restart: RestartPolicy
  readonly whileRestarting: 'wait' | 'fail'
  readonly idleMilliseconds: number
  readonly stopGraceMilliseconds: number
  readonly announce?: boolean
}

/** What a change of the configuration may change for servers that are started later. */
export type Reconfiguration = Pick<
  SupervisorOptions,
  'restart' | 'whileRestarting' | 'idleMilliseconds' | 'announce'
>

export class Supervisor {
  #options: SupervisorOptions
  readonly #instances = new Map<string, ServerInstance>()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /**
   * The instance for this language and root; candidates are looked up only when there is none yet. `choice` tells
   * registrations with different scopes apart.
   */
  instance(
    language: string,
    root: string,
    choice: string,
    findCandidates: () => readonly StartCandidate[],
  ): ServerInstance {
    const key = `${choice}\0${root}`
    const existing = this.#instances.get(key)
    if (existing !== undefined) return existing
    const instance = new ServerInstance({ ...this.#options, language, root, candidates: findCandidates() })
    this.#instances.set(key, instance)
    return instance
  }

  /**
   * From now on new instances follow other rules. Every known one gets the ways to run it that there are now; one that
   * has none any more and does not run is forgotten, so that the next call says why.
   */
  reconsider(
    rules: Reconfiguration,
    findCandidates: (instance: ServerInstance) => readonly StartCandidate[],
  ): void {
    this.#options = { ...this.#options, ...rules }
    for (const [key, instance] of this.#instances) {
      try {
        instance.reconsider(findCandidates(instance))
      } catch {
        if (instance.session === undefined) this.#instances.delete(key)
      }
    }
  }

  all(): readonly ServerInstance[] {
    return [...this.#instances.values()]
  }

  /** For a root that is none any more; the same language and root would begin a new life. */
  async remove(instance: ServerInstance): Promise<void> {
    for (const [key, known] of this.#instances) if (known === instance) this.#instances.delete(key)
    await instance.stop('session-end')
  }

  async stopAll(why: StopReason): Promise<void> {
    await Promise.all(this.all().map(instance => instance.stop(why)))
  }
}
