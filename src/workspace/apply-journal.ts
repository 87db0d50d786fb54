// What an apply is about to do, written down before it does it. If the process ends in between, the next one finds the
// journal and takes everything back; renaming it to its second name is the moment from which the plan counts as done.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { systemProcesses } from '../supervisor/process-table.js'
import { ownerMark } from '../supervisor/sweep.js'
import { codeOf, type Disk } from './disk.js'
import { shortHash } from './stored-plan.js'

const slotSchema = z.strictObject({
  /** Relative to the root, no links in it. */
  folder: z.string(),
  name: z.string(),
  /** The content it has, and the one it gets; absent for no file. */
  old: z.string().exactOptional(),
  next: z.string().exactOptional(),
  /** Names in the same folder. */
  staged: z.string().exactOptional(),
  backup: z.string().exactOptional(),
})

const journalSchema = z.strictObject({
  version: z.literal(1),
  root: z.string(),
  slots: z.array(slotSchema),
  /** From the outermost inwards. */
  newFolders: z.array(z.string()),
  /** They go with the plan, if it leaves them empty. */
  oldFolders: z.array(z.string()),
})

export type JournalSlot = z.infer<typeof slotSchema>
export type JournalContent = Omit<z.infer<typeof journalSchema>, 'version' | 'root'>

export interface JournalOptions {
  readonly root: string
  /** The user's state folder. */
  readonly stateFolder: string
  readonly disk: Disk
  /** Who this process is; tests play several. */
  readonly owner?: string | undefined
  readonly isAlive?: ((owner: string) => boolean) | undefined
  readonly log?: ((message: string) => void) | undefined
}

export interface FoundJournal {
  readonly content: JournalContent
  readonly isDone: boolean
  /** Says that all of it is taken back or finished. */
  remove(): Promise<void>
}

export class Journal {
  readonly id: string
  readonly #disk: Disk
  readonly #folder: string
  readonly #path: string

  private constructor(id: string, disk: Disk, folder: string, path: string) {
    this.id = id
    this.#disk = disk
    this.#folder = folder
    this.#path = path
  }

  /** A name for the files of this apply. */
  static newId(): string {
    return randomUUID().slice(0, 8)
  }

  static async begin(id: string, content: JournalContent, options: JournalOptions): Promise<Journal> {
    const { root, disk, owner = thisProcess() } = options
    const folder = folderOf(options)
    const path = join(folder, `${owner}.${id}`)
    const journal = new Journal(id, disk, folder, path)
    active.add(id)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const text = JSON.stringify({ version: 1, root, ...content } satisfies z.infer<typeof journalSchema>)
      await disk.writeNew(`${path}.new`, Buffer.from(text), ownFile())
      await disk.rename(`${path}.new`, `${path}${begun}`)
      await disk.syncFolder(folder)
    } catch (cause) {
      active.delete(id)
      await disk.unlink(`${path}.new`).catch(() => {})
      await disk.unlink(`${path}${begun}`).catch(() => {})
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: `nothing was written: the journal that would take a broken apply back cannot be kept (${codeOf(cause) || String(cause)})`,
        hint: 'Make the state folder writable, or set XDG_STATE_HOME to one that is.',
        cause,
      })
    }
    return journal
  }

  /** Once this returns, the plan is done, whatever happens to the process. */
  async commit(): Promise<void> {
    await this.#disk.rename(`${this.#path}${begun}`, `${this.#path}${done}`)
    await this.#disk.syncFolder(this.#folder).catch(() => {})
  }

  async remove(isDone: boolean): Promise<void> {
    await this.#disk.unlink(`${this.#path}${isDone ? done : begun}`)
  }

  /** From here on, whoever looks for interrupted work may take it. */
  release(): void {
    active.delete(this.id)
  }
}

/** Takes every journal whose owner is gone; nobody else gets the same one. */
export async function takeJournals(options: JournalOptions): Promise<FoundJournal[]> {
  const { disk, root, owner = thisProcess(), isAlive } = options
  const folder = folderOf(options)
  const taken: FoundJournal[] = []
  for (const name of await disk.list(folder)) {
    const [, holder, id, suffix] = /^(.+)\.([0-9a-f]{8})(\.new|\.begun|\.done)$/.exec(name) ?? []
    if (holder === undefined || id === undefined || active.has(id)) continue
    const path = join(folder, name)
    const isOwn = holder === owner
    if (!isOwn && (isAlive?.(holder) ?? (await seemsAlive(holder, path, disk)))) continue
    if (suffix === '.new') {
      // It ended before it did anything else.
      await disk.unlink(path).catch(() => {})
      continue
    }
    const mine = join(folder, `${owner}.${id}${suffix}`)
    try {
      if (!isOwn) await disk.rename(path, mine)
      const content = journalSchema.parse(JSON.parse(Buffer.from(await disk.read(mine)).toString('utf8')))
      if (content.root !== root) continue
      taken.push({ content, isDone: suffix === done, remove: () => disk.unlink(mine) })
    } catch (error) {
      // Another process was faster, or the journal says nothing that could be acted upon.
      if (codeOf(error) !== 'ENOENT') options.log?.(`the journal ${name} of an interrupted apply is damaged`)
    }
  }
  return taken
}

const begun = '.begun'
const done = '.done'
// Those of this process that are at work; everything else under its name is left over.
const active = new Set<string>()
// An apply takes seconds. After this time a process that cannot be identified beyond doubt no longer counts as at work.
const longestApplyMs = 10 * 60 * 1000

function folderOf({ stateFolder, root }: JournalOptions): string {
  return join(stateFolder, 'applying', shortHash(root, 16))
}

function ownFile() {
  return { mode: 0o600, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

let self: string | undefined

function thisProcess(): string {
  const mark = self === undefined ? ownerMark() : undefined
  self ??= `${process.pid}-${mark?.startTime ?? 0}-${mark?.namespace.replace(/\D/g, '') ?? 0}`
  return self
}

/** By pid and start time in our own namespace; elsewhere only time can tell. */
async function seemsAlive(owner: string, path: string, disk: Disk): Promise<boolean> {
  const [pid = '', startTime = '', namespace = ''] = owner.split('-')
  const isKnown = namespace !== '0' && namespace === thisProcess().split('-')[2]
  if (isKnown) {
    const entry = systemProcesses.read(Number(pid))
    return entry !== undefined && !entry.zombie && entry.startTime === Number(startTime)
  }
  const writtenAt = await disk.writtenAt(path)
  return writtenAt !== undefined && Date.now() - writtenAt < longestApplyMs
}
