// Keeps the baselines of announced changes under handles ("c:..."): the texts that the named files had, and of all
// others what git's HEAD does not tell. On disk too, because `begin-change` and `check-change` of the command line are
// two processes; what is read back has to prove itself by its handle.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import { type Clock, systemClock } from '../clock.js'
import { BridgeError } from '../errors.js'
import type { Events } from '../events.js'
import { HandleFolder } from './handle-folder.js'
import { quoted } from './path-errors.js'
import type { PathGate } from './path-gate.js'
import { shortHash } from './stored-plan.js'

const baselineSchema = z.strictObject({
  version: z.literal(1),
  root: z.string(),
  /** Two changes that begin in the same state are two. */
  nonce: z.string(),
  began: z.string(),
  /** The files it was announced for; empty where nobody said which. */
  named: z.array(z.string()),
  /** The commit that has the texts of all files that are not listed; absent where git knows nothing. */
  head: z.string().exactOptional(),
  files: z.array(
    z.strictObject({
      file: z.string(),
      /** Absent where there was no such file. */
      text: z.string().exactOptional(),
      /** Why there is no text although there was a file. */
      unread: z.string().exactOptional(),
    }),
  ),
  /** Why not every file is listed that ought to be. */
  gap: z.string().exactOptional(),
})

export type KeptChange = z.infer<typeof baselineSchema>
export type ChangeStart = Pick<KeptChange, 'named' | 'head' | 'files' | 'gap'>

/** What one change-set made of a file, and when that was judged. */
export interface Claim {
  readonly content: string | undefined
  readonly at: number
}

export interface KeptChangesOptions {
  readonly gate: PathGate
  /** The user's state folder; undefined keeps everything in memory. */
  readonly stateFolder: string | undefined
  readonly events: Events
  readonly clock?: Clock
}

const handlePrefix = 'c:'
const mostChanges = 100
const keptDays = 7
const mostCharacters = 256 * 1024 * 1024

export class KeptChanges {
  readonly #options: KeptChangesOptions
  readonly #folder: HandleFolder | undefined
  readonly #kept: LRUCache<string, KeptChange>
  /** By change, then by file: which contents were judged as its own. */
  readonly #claims = new LRUCache<string, Map<string, Claim>>({ max: mostChanges })

  constructor(options: KeptChangesOptions) {
    this.#options = options
    const { gate, stateFolder, clock = systemClock } = options
    this.#folder =
      stateFolder === undefined
        ? undefined
        : new HandleFolder({
            path: join(stateFolder, 'changes', shortHash(gate.root, 16)),
            what: 'changes',
            clock,
            mostFiles: mostChanges,
            keptMilliseconds: keptDays * 24 * 60 * 60 * 1000,
            log: message => this.#log(message),
          })
    this.#kept = new LRUCache({ max: mostChanges, maxSize: mostCharacters, sizeCalculation: sizeOf })
  }

  /** Returns the handle. */
  begin({ named, head, files, gap }: ChangeStart): string {
    const { gate, clock = systemClock } = this.#options
    const change: KeptChange = {
      version: 1,
      root: gate.root,
      nonce: randomUUID(),
      began: clock.date().toISOString(),
      named,
      ...(head === undefined ? {} : { head }),
      files,
      ...(gap === undefined ? {} : { gap }),
    }
    const handle = handleOf(change)
    this.#kept.set(handle, change)
    this.#folder?.write(nameOf(handle), JSON.stringify(change))
    return handle
  }

  get(handle: string): KeptChange {
    refuseOtherKinds(handle)
    const change = this.#kept.get(handle) ?? this.#read(handle)
    if (change === undefined) throw unknownHandle(handle)
    this.#kept.set(handle, change)
    return change
  }

  /** This change-set was found to have made this content of the file; undefined where it took the file away. */
  claim(handle: string, file: string, content: string | undefined): void {
    const { clock = systemClock } = this.#options
    const claims = this.#claims.get(handle) ?? new Map<string, Claim>()
    claims.set(file, { content, at: clock.date().getTime() })
    this.#claims.set(handle, claims)
  }

  /**
   * The other change-sets that changed the file since this one began, and not to what this one began with: whose work
   * the present content is, nobody can say (D06).
   */
  sharers(handle: string, file: string, baseline: string | undefined): string[] {
    const began = Date.parse(this.get(handle).began)
    return [...this.#claims.entries()].flatMap(([other, claims]) => {
      const claim = other === handle ? undefined : claims.get(file)
      return claim === undefined || claim.at < began || claim.content === baseline ? [] : [other]
    })
  }

  /**
   * Another change that was announced for this file later, when the file still was as this change began: what became of
   * it since then is the work of that one (D06).
   */
  announcedLater(handle: string, file: string, baseline: string | undefined): string | undefined {
    const { began } = this.get(handle)
    for (const [other, change] of this.#kept.entries()) {
      if (other === handle || change.began < began || !change.named.includes(file)) continue
      const kept = change.files.find(listed => listed.file === file)
      if (kept !== undefined && kept.unread === undefined && kept.text === baseline) return other
    }
    return undefined
  }

  #read(handle: string): KeptChange | undefined {
    const text = this.#folder?.read(nameOf(handle))
    if (text === undefined) return undefined
    const change = parsed(text)
    if (change !== undefined && handleOf(change) === handle && this.#isOurs(change)) return change
    this.#log(`the change ${handle} on disk is damaged and was not used`)
    return undefined
  }

  #isOurs({ root, files }: KeptChange): boolean {
    const { gate } = this.#options
    try {
      return root === gate.root && files.every(({ file }) => gate.locate(file).relative === file)
    } catch {
      return false
    }
  }

  #log(message: string): void {
    this.#options.events.emit({ type: 'bridge.logged', level: 'warning', message })
  }
}

function parsed(text: string): KeptChange | undefined {
  try {
    return baselineSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Of everything, so that nothing can be put into a file that its name does not vouch for. */
function handleOf({ version, root, nonce, began, named, head, files, gap }: KeptChange): string {
  const facts = files.map(({ file, text, unread }) => [file, text ?? null, unread ?? null])
  const whole = [version, root, nonce, began, named, head ?? null, facts, gap ?? null]
  return handlePrefix + shortHash(JSON.stringify(whole), 12)
}

function nameOf(handle: string): string {
  return handle.slice(handlePrefix.length)
}

function sizeOf({ files }: KeptChange): number {
  return files.reduce((sum, { file, text }) => sum + file.length + (text?.length ?? 0), 1)
}

function refuseOtherKinds(handle: string): void {
  if (/^c:[0-9a-f]{12}$/.test(handle)) return
  const shown = quoted(handle)
  const others: Readonly<Record<string, string>> = {
    's:': 'a symbol: give it to an operation on symbols, such as find_references',
    'p:': 'a proposal: give it to apply_edit or preview_edit',
  }
  const other = others[handle.slice(0, 2)]
  throw new BridgeError({
    kind: 'InvalidArguments',
    message:
      other === undefined ? `${shown} is not the handle of a change` : `${shown} is the handle of ${other}`,
    hint: 'The handle of a change begins with "c:" and comes from begin_change.',
  })
}

function unknownHandle(handle: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `there is no change ${quoted(handle)} in this workspace`,
    hint: `Changes are kept for ${keptDays} days, the last ${mostChanges} of a workspace. Without a handle, check_change compares with what the servers were shown before, or with git's HEAD.`,
  })
}
