// Takes an apply back, or clears up after one that is done, from its journal alone. Both can be repeated: whatever
// they find was done already, they leave.
import { basename, dirname, join } from 'node:path'
import { BridgeError } from '../errors.js'
import type { JournalContent, JournalSlot } from './apply-journal.js'
import { codeOf, type Disk, type Found } from './disk.js'
import type { OpenedFolder, PathGate } from './path-gate.js'

export interface UndoOptions {
  readonly gate: PathGate
  readonly disk: Disk
}

/** Files that somebody else changed in the meantime: they stay as they are, and their former content beside them. */
export type KeptFile = { readonly file: string; readonly formerAs: string }

export async function undoPlan(content: JournalContent, options: UndoOptions): Promise<KeptFile[]> {
  const kept: KeptFile[] = []
  // New names first: on a file system without case, a new one may stand where an old one is to come back.
  for (const slot of content.slots.toSorted(
    (a, b) => Number(a.old !== undefined) - Number(b.old !== undefined),
  )) {
    const undone = await inFolder(slot.folder, options, async folder => ({
      former: await undoSlot(slot, folder, options.disk),
    }))
    // A folder that somebody moved took the former content along.
    const former = undone === undefined ? slot.backup : undone.former
    if (former !== undefined) kept.push({ file: fileOf(slot), formerAs: fileOf({ ...slot, name: former }) })
  }
  await syncFolders(content.slots, options)
  await removeFolders(content.newFolders, options)
  return kept
}

/** What was kept to take the apply back is no longer needed. */
export async function finishPlan(content: JournalContent, options: UndoOptions): Promise<void> {
  for (const slot of content.slots) {
    await inFolder(slot.folder, options, async folder => {
      for (const name of [slot.staged, slot.backup]) {
        if (name !== undefined) await unlinkIfThere(folder.at(name), options.disk)
      }
    })
  }
  await removeFolders(content.oldFolders, options)
}

/** Every call through the folder as it was found inside the root; a folder that is not there has nothing to undo. */
export async function inFolder<T>(
  relative: string,
  { gate }: Pick<UndoOptions, 'gate'>,
  run: (folder: OpenedFolder) => Promise<T>,
): Promise<T | undefined> {
  let folder: OpenedFolder
  try {
    folder = gate.openFolder(join(gate.root, relative))
  } catch (error) {
    if (error instanceof BridgeError && error.kind === 'FileNotFound') return undefined
    throw error
  }
  try {
    // Plans name folders without links: one that is a link now is another folder.
    if (folder.relative !== relative) return undefined
    return await run(folder)
  } finally {
    folder.close()
  }
}

export async function syncFolders(slots: readonly JournalSlot[], options: UndoOptions): Promise<void> {
  for (const relative of new Set(slots.map(({ folder }) => folder))) {
    await inFolder(relative, options, folder => options.disk.syncFolder(folder.path))
  }
}

export function fileOf({ folder, name }: Pick<JournalSlot, 'folder' | 'name'>): string {
  return folder === '.' ? name : `${folder}/${name}`
}

function isSameFile(a: Found | undefined, b: Found | undefined): boolean {
  return a?.kind === 'file' && b?.kind === 'file' && a.dev === b.dev && a.ino === b.ino
}

/** The name under which the former content stays, if the file was changed by somebody else. */
async function undoSlot(slot: JournalSlot, folder: OpenedFolder, disk: Disk): Promise<string | undefined> {
  const path = folder.at(slot.name)
  const former = slot.backup === undefined ? undefined : await restore(slot, folder, disk)
  const staged = slot.staged === undefined ? undefined : folder.at(slot.staged)
  if (slot.old === undefined && staged !== undefined) {
    const [now, made] = [await disk.look(path), await disk.look(staged)]
    // Without hard links the staged file itself was moved here. A file made by somebody else is left alone.
    const isOurs = made === undefined || isSameFile(now, made)
    if (isOurs && now?.kind === 'file' && now.content === slot.next) await disk.unlink(path)
  }
  if (staged !== undefined) await unlinkIfThere(staged, disk)
  return former
}

async function restore(slot: JournalSlot, folder: OpenedFolder, disk: Disk): Promise<string | undefined> {
  const { name, old, next, staged, backup = '' } = slot
  const path = folder.at(name)
  const kept = await disk.look(folder.at(backup))
  // The backup precedes every change, so without one nothing was changed.
  if (kept === undefined) return undefined
  const now = await disk.look(path)
  const isUntouched = isSameFile(now, kept) || (now?.kind === 'file' && now.content === old)
  if (isUntouched) {
    await disk.unlink(folder.at(backup))
    return undefined
  }
  const isOurs = now === undefined ? next === undefined : now.kind === 'file' && now.content === next
  if (isOurs) {
    await disk.rename(folder.at(backup), path)
    return undefined
  }
  // While the new content still waits, the file was not replaced by us; and before a copy is whole nothing is.
  const isStillWaiting = staged !== undefined && (await disk.look(folder.at(staged))) !== undefined
  if (isStillWaiting || kept.kind !== 'file' || kept.content !== old) {
    await disk.unlink(folder.at(backup))
    return undefined
  }
  const former = `${backup}.kept`
  await disk.rename(folder.at(backup), folder.at(former))
  return former
}

/** Only empty ones, innermost first. */
async function removeFolders(folders: readonly string[], options: UndoOptions): Promise<void> {
  for (const relative of [...folders].sort().reverse()) {
    const parent = dirname(relative)
    await inFolder(parent, options, folder => options.disk.removeFolder(folder.at(basename(relative))))
  }
}

async function unlinkIfThere(path: string, disk: Disk): Promise<void> {
  try {
    await disk.unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
