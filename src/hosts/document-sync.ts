// After a host's own tools wrote, changed or removed a file, its server is told at once, as an editor would tell it. The
// edit itself never fails for it: whatever goes wrong here, the next question finds the file as it is on the disk.
import type { BridgeCore } from '../bridge.js'
import { asBridgeError } from '../errors.js'
import { closeDocument } from '../operations/close-document.js'
import { openDocument } from '../operations/open-document.js'
import { kindOfTool, pathsIn, type SyncRules } from './sync-rules.js'

/** What a host knows about a tool that has just been used. */
export interface ToolUse {
  readonly toolName: string
  readonly args: unknown
  /** False when the tool itself failed: then nothing was changed. */
  readonly ok?: boolean
}

export interface SyncOutcome {
  /** The files that servers were told of. */
  readonly synced: readonly string[]
  /** Why a file was not; never an error to the host. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
}

/** Kept open at once; the operation itself allows some more, for whoever opens files by name. */
const mostOpen = 24
const patienceMilliseconds = 5000
const asHost = { caller: 'host', synthetic: true } as const

export class DocumentSync {
  readonly #bridge: Pick<BridgeCore, 'run' | 'isServed' | 'noteRead'>
  readonly #rules: SyncRules
  /** By path as it was given, oldest first. */
  readonly #open = new Set<string>()

  constructor(bridge: Pick<BridgeCore, 'run' | 'isServed' | 'noteRead'>, rules: SyncRules) {
    this.#bridge = bridge
    this.#rules = rules
  }

  /** Never rejects. */
  async afterTool({ toolName, args, ok = true }: ToolUse): Promise<SyncOutcome> {
    const kind = ok ? kindOfTool(toolName, this.#rules) : undefined
    const synced: string[] = []
    const skipped: { path: string; reason: string }[] = []
    if (kind === undefined) return { synced, skipped }
    for (const path of pathsIn(args, this.#rules)) {
      try {
        if (kind === 'reading') this.#bridge.noteRead(path)
        // A server that does not run yet reads the file when it starts.
        else if (!this.#bridge.isServed(path)) skipped.push({ path, reason: 'no server runs yet' })
        else if (kind === 'changing') synced.push(await this.#changed(path))
        else synced.push(await this.#removed(path))
      } catch (thrown) {
        skipped.push({ path, reason: asBridgeError(thrown).message })
      }
    }
    return { synced, skipped }
  }

  /** didOpen the first time, didChange with the whole text afterwards. */
  async #changed(path: string): Promise<string> {
    await this.#makeRoom(path)
    const input = { file: path, timeout_ms: patienceMilliseconds }
    const answer = await this.#bridge.run(openDocument, input, asHost)
    if (!answer.ok) throw new Error(answer.error)
    this.#open.add(path)
    return openDocument.output.parse(answer.result).file
  }

  /** didClose. */
  async #removed(path: string): Promise<string> {
    this.#open.delete(path)
    const input = { file: path, timeout_ms: patienceMilliseconds }
    const answer = await this.#bridge.run(closeDocument, input, asHost)
    if (!answer.ok) throw new Error(answer.error)
    return closeDocument.output.parse(answer.result).file
  }

  async #makeRoom(path: string): Promise<void> {
    if (this.#open.delete(path) || this.#open.size < mostOpen) return
    const [oldest] = this.#open
    // The edit at hand is another file's; should there be no room for it, opening it says so.
    if (oldest !== undefined) await this.#removed(oldest).catch(() => undefined)
  }
}
