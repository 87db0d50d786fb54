// Writes a plan: all of it or nothing, also when the disk is full at the third file of five or the process is killed in
// between. New contents are staged beside the files, the old ones are kept there until everything is in place, and a
// journal outside the workspace says how to take it back.
//
// A file is replaced by renaming the staged one over it, so a reader sees the old or the new content and never half.
// Mode and owner are carried over; extended attributes are not, Node cannot read them. A file with several names (a
// hard link) gets a file of its own under the planned name: its other names may lie outside the workspace, and writing
// to the shared file would change them there (W04).
import { dirname } from 'node:path'
import { cancelled } from '../clock.js'
import { BridgeError, messageOf } from '../errors.js'
import { asWriteError, noJournal, notTakenBack, readOnly, staleProposal } from './apply-errors.js'
import {
  Journal,
  type JournalContent,
  type JournalOptions,
  type JournalSlot,
  takeJournals,
} from './apply-journal.js'
import { type Attributes, codeOf, type Disk, type FoundFile, systemDisk } from './disk.js'
import type { EditPlan } from './edit-plan.js'
import { quoted } from './path-errors.js'
import type { OpenedFolder, PathGate } from './path-gate.js'
import { type NextContent, type Slot, slotsOf } from './plan-slots.js'
import { fileOf, finishPlan, inFolder, syncFolders, undoPlan } from './undo-plan.js'

export interface WritePlanOptions {
  readonly gate: PathGate
  /** The user's, for the journal. Without one nothing is written: nothing could take it back. */
  readonly stateFolder: string | undefined
  readonly disk?: Disk
  /** Obeyed until the first file is put in place; then it is quicker to finish. */
  readonly signal?: AbortSignal
  readonly log?: (message: string) => void
  /** Who this process is, and who else is at work; tests play several. */
  readonly owner?: string
  readonly isAlive?: (owner: string) => boolean
}

export async function writePlan(plan: EditPlan, options: WritePlanOptions): Promise<void> {
  const slots = slotsOf(plan)
  if (slots.length === 0 && plan.folders.length === 0) return
  await recoverPlans(options)
  const { gate, disk = systemDisk, log } = options
  const id = Journal.newId()
  const content = journalOf(slots, plan, gate, id)
  const journal = await Journal.begin(id, content, journalOptions(options))
  const sources = new Map(content.slots.map(slot => [fileOf(slot), slot]))
  const work = { ...options, disk, slots, content, sources }
  try {
    try {
      await prepare(work)
      await commit(work)
      await journal.commit()
    } catch (failure) {
      await takeBack(failure, journal, work)
      throw asWriteError(failure)
    }
    try {
      await finishPlan(content, work)
      await journal.remove(true)
    } catch (error) {
      // The plan is done; what is left lying about is cleared away by the next look for interrupted work.
      log?.(`an apply left temporary files behind: ${messageOf(error)}`)
    }
  } finally {
    journal.release()
  }
}

/** Takes back what a process that is gone left half done, and clears up what it left done. Never throws. */
export async function recoverPlans(options: WritePlanOptions): Promise<void> {
  const { gate, disk = systemDisk, stateFolder, log } = options
  if (stateFolder === undefined) return
  try {
    for (const { content, isDone, remove } of await takeJournals(journalOptions(options))) {
      if (isDone) await finishPlan(content, { gate, disk })
      else {
        const kept = await undoPlan(content, { gate, disk })
        const files = content.slots.map(slot => quoted(fileOf(slot)))
        log?.(`an apply that was interrupted was taken back: ${files.slice(0, 10).join(', ')}`)
        for (const { file, formerAs } of kept) {
          log?.(
            `${quoted(file)} was changed or moved since and stays so; its former content may be found as ${quoted(formerAs)}`,
          )
        }
      }
      await remove()
    }
  } catch (error) {
    log?.(`an interrupted apply could not be taken back: ${messageOf(error)}`)
  }
}

interface Work extends WritePlanOptions {
  readonly disk: Disk
  readonly slots: readonly Slot[]
  readonly content: JournalContent
  /** By file. */
  readonly sources: ReadonlyMap<string, JournalSlot>
}

function journalOptions(options: WritePlanOptions): JournalOptions {
  const { gate, stateFolder, disk = systemDisk, owner, isAlive, log } = options
  if (stateFolder === undefined) throw noJournal()
  return { root: gate.root, stateFolder, disk, owner, isAlive, log }
}

function journalOf(slots: readonly Slot[], plan: EditPlan, gate: PathGate, id: string): JournalContent {
  const newFolders = new Set<string>()
  const entries = slots.map(({ file, old, next }, index): JournalSlot => {
    const folder = dirname(file)
    const name = file.slice(folder === '.' ? 0 : folder.length + 1)
    if (next !== undefined) for (const missing of missingFolders(folder, gate)) newFolders.add(missing)
    const own = `.alidade-${id}-${index}`
    return {
      folder,
      name,
      ...(old === undefined ? {} : { old, backup: `${own}.old` }),
      ...(next === undefined ? {} : { next: next.content, staged: `${own}.new` }),
    }
  })
  return { slots: entries, newFolders: [...newFolders].sort(), oldFolders: [...plan.folders] }
}

/** Those on the way to the folder that do not exist, from the outermost inwards. */
function missingFolders(folder: string, gate: PathGate): string[] {
  const missing: string[] = []
  for (let path = folder; path !== '.'; path = dirname(path)) {
    try {
      gate.openFolder(`${gate.root}/${path}`).close()
      break
    } catch (error) {
      if (!(error instanceof BridgeError && error.kind === 'FileNotFound')) throw error
      missing.unshift(path)
    }
  }
  return missing
}

/** Everything that can fail for a good reason fails here, while every file is as it was. */
async function prepare(work: Work): Promise<void> {
  const { disk, content, slots } = work
  const found = new Map<string, FoundFile>()
  for (const slot of content.slots) {
    refuseAborted(work)
    if (slot.old !== undefined)
      found.set(fileOf(slot), await inPlace(slot, work, at => backUp(slot, at, disk)))
  }
  for (const folder of content.newFolders) await makeFolder(folder, work)
  await inBatches(content.slots, async (slot, index) => {
    refuseAborted(work)
    const next = slots[index]?.next
    if (next === undefined) return
    const source = next.from === undefined ? undefined : found.get(next.from)
    await inPlace(slot, work, at => stage(slot, next, source?.attributes, at, work))
  })
  await syncFolders(content.slots, work)
  refuseAborted(work)
}

/** The disk writes several files in little more time than one; all have come to an end when this does. */
async function inBatches<T>(
  items: readonly T[],
  run: (item: T, index: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += batchSize) {
    const batch = items.slice(start, start + batchSize)
    const outcomes = await Promise.allSettled(batch.map((item, index) => run(item, start + index)))
    const failure = outcomes.find(outcome => outcome.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }
}

const batchSize = 32

/** The old content under a second name, proven to be the one that the plan was made from. */
async function backUp(slot: JournalSlot, folder: OpenedFolder, disk: Disk): Promise<FoundFile> {
  const { name, backup = '', old } = slot
  const file = fileOf(slot)
  if (!(await disk.isWritable(folder.at(name)))) {
    throw (await disk.look(folder.at(name))) === undefined
      ? staleProposal(file, 'was deleted')
      : readOnly(file)
  }
  try {
    await disk.link(folder.at(name), folder.at(backup))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw staleProposal(file, 'was deleted')
    if (!isWithoutLinks(error)) throw error
    await copy(name, backup, folder, disk)
  }
  const kept = await disk.look(folder.at(backup))
  if (kept?.kind !== 'file' || kept.content !== old) throw staleProposal(file)
  return kept
}

async function copy(from: string, to: string, folder: OpenedFolder, disk: Disk): Promise<void> {
  const found = await disk.look(folder.at(from))
  if (found?.kind !== 'file') return
  await disk.writeNew(folder.at(to), await disk.read(folder.at(from)), found.attributes)
}

async function stage(
  { staged = '' }: JournalSlot,
  { bytes, from, content }: NextContent,
  attributes: Attributes | undefined,
  folder: OpenedFolder,
  work: Work,
): Promise<void> {
  const { disk, sources } = work
  if (bytes !== undefined) {
    await disk.writeNew(folder.at(staged), bytes, attributes)
    return
  }
  // A file that only moves keeps being the same file, where the file system lets it.
  const source = from === undefined ? undefined : sources.get(from)
  if (source === undefined) throw new BridgeError({ kind: 'Bug', message: 'a moved file comes from nowhere' })
  await inPlace(source, work, async origin => {
    const path = origin.at(source.name)
    try {
      await disk.link(path, folder.at(staged))
    } catch (error) {
      if (!isWithoutLinks(error)) throw error
      await disk.writeNew(folder.at(staged), await disk.read(path), attributes)
    }
  })
  const made = await disk.look(folder.at(staged))
  if (made?.kind !== 'file' || made.content !== content) throw staleProposal(from ?? '')
}

async function makeFolder(relative: string, work: Work): Promise<void> {
  const folder = dirname(relative)
  const name = relative.slice(folder === '.' ? 0 : folder.length + 1)
  await inPlace({ folder, name }, work, parent => work.disk.makeFolder(parent.at(name)))
}

/** Names that go are freed first; on a file system without case a new one may be the same. */
async function commit(work: Work): Promise<void> {
  const { content, disk } = work
  const ordered = content.slots.toSorted(
    (a, b) => Number(a.next !== undefined) - Number(b.next !== undefined),
  )
  for (const slot of ordered) await inPlace(slot, work, folder => putInPlace(slot, folder, disk))
  await syncFolders(content.slots, work)
}

async function putInPlace(slot: JournalSlot, folder: OpenedFolder, disk: Disk): Promise<void> {
  const { name, old, staged } = slot
  const path = folder.at(name)
  if (old !== undefined) {
    // Once more, at the last moment: nothing that somebody wrote in the meantime may be lost.
    const now = await disk.look(path)
    if (now?.kind !== 'file' || now.content !== old) throw staleProposal(fileOf(slot))
    if (!folder.isInPlace()) throw staleProposal(fileOf(slot), 'was moved')
    if (staged === undefined) await disk.unlink(path)
    else await disk.rename(folder.at(staged), path)
    return
  }
  if (staged === undefined) return
  try {
    // Unlike a rename, this never replaces what somebody put there in the meantime.
    await disk.link(folder.at(staged), path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw staleProposal(fileOf(slot), 'came into being')
    if (!isWithoutLinks(error)) throw error
    if ((await disk.look(path)) !== undefined) throw staleProposal(fileOf(slot), 'came into being')
    await disk.rename(folder.at(staged), path)
  }
}

async function takeBack(failure: unknown, journal: Journal, work: Work): Promise<void> {
  try {
    const kept = await undoPlan(work.content, work)
    for (const { file, formerAs } of kept) {
      work.log?.(
        `${quoted(file)} was changed or moved meanwhile; its former content may be found as ${quoted(formerAs)}`,
      )
    }
    await journal.remove(false)
  } catch (error) {
    work.log?.(`an apply that failed could not be taken back yet: ${messageOf(error)}`)
    throw notTakenBack(failure, error)
  }
}

/** The folder as the plan knows it; if it is gone, or a link now, the plan is out of date. */
async function inPlace<T>(
  slot: Pick<JournalSlot, 'folder' | 'name'>,
  work: Work,
  run: (folder: OpenedFolder) => Promise<T>,
): Promise<T> {
  const result = await inFolder(slot.folder, work, async folder => ({ value: await run(folder) }))
  if (result === undefined) throw staleProposal(fileOf(slot), 'was moved')
  return result.value
}

function refuseAborted({ signal }: Work): void {
  if (signal?.aborted) throw cancelled(signal)
}

/** Not every file system has hard links, and not every file may get one. */
function isWithoutLinks(error: unknown): boolean {
  return ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(codeOf(error))
}
