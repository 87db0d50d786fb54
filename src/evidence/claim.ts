// Several processes write evidence of one workspace at the same time, each to a chain of its own. A chain is taken by
// renaming its mark, which only one of them can do; a process that ends leaves its chain to the next one.
import { join } from 'node:path'
import { encodeCheckpoint } from './checkpoint.js'
import { codeOf, type EvidenceDisk, type EvidenceFile } from './disk.js'
import {
  chainsIn,
  checkpointName,
  type EvidenceFolders,
  type FoundChain,
  type Mark,
  markName,
  newName,
  type WorkspaceIdentity,
} from './layout.js'
import type { Owner } from './owner.js'
import { emptyTip } from './survey.js'

export interface ClaimOptions {
  readonly disk: EvidenceDisk
  readonly folders: EvidenceFolders
  readonly identity: WorkspaceIdentity
  readonly owner: Owner
}

export interface Claim extends Pick<FoundChain, 'chain' | 'segments'> {
  /** `left`: its writer ended without closing it. */
  readonly how: 'new' | 'free' | 'left'
}

/** One that was left first, because it has to be recovered; else a free one, else a new one. */
export async function claimChain(options: ClaimOptions): Promise<Claim> {
  const { disk, folders } = options
  await disk.makeFolder(folders.log)
  await disk.makeFolder(folders.checkpoints)
  const taken = (await claimLeft(options)) ?? (await claim('free', options))
  return taken ?? { chain: await beginChain(options), segments: [], how: 'new' }
}

/** Undefined when every writer closed its chain, or still runs. */
export function claimLeft(options: ClaimOptions): Promise<Claim | undefined> {
  return claim('left', options)
}

/** Gives a chain back as it was found. */
export async function release({ chain, how }: Claim, options: ClaimOptions): Promise<void> {
  const state = how === 'left' ? 'left' : 'free'
  await remark(chain, { state: 'used', owner: options.owner.name }, { state }, options)
}

async function claim(how: 'free' | 'left', options: ClaimOptions): Promise<Claim | undefined> {
  const { disk, folders, owner } = options
  for (const { chain, mark } of chainsIn(await disk.list(folders.log))) {
    if (mark === undefined || howOf(mark, owner) !== how) continue
    if (!(await remark(chain, mark, { state: 'used', owner: owner.name }, options))) continue
    // Looked at again: somebody may have had it, and written to it, since the first look.
    const own = chainsIn(await disk.list(folders.log)).find(other => other.chain === chain)
    return { chain, segments: own?.segments ?? [], how }
  }
  return undefined
}

function howOf(mark: Mark, owner: Owner): 'free' | 'left' | undefined {
  if (mark.state === 'used') return owner.isAlive(mark.owner) ? undefined : 'left'
  return mark.state === 'damaged' ? undefined : mark.state
}

/** False when it had no such mark any more: somebody else was faster. */
export async function remark(
  chain: string,
  from: Mark,
  to: Mark,
  { disk, folders }: Pick<ClaimOptions, 'disk' | 'folders'>,
): Promise<boolean> {
  try {
    await disk.rename(join(folders.log, markName(chain, from)), join(folders.log, markName(chain, to)))
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * The checkpoint comes first, and whole: a log without one, or with one that cannot be read, is then always a log that
 * lost it. What a failed attempt leaves is taken away again, as nothing was recorded in it.
 */
async function beginChain(options: ClaimOptions): Promise<string> {
  const { disk, folders, identity, owner } = options
  const chain = newName()
  const path = join(folders.checkpoints, checkpointName(chain))
  const draft = `${path}.new`
  try {
    const checkpoint = await disk.open(draft, 'new')
    try {
      const slot = encodeCheckpoint(chain, emptyTip(identity, chain))
      await writeAll(checkpoint, Buffer.concat([slot, slot]), 0)
      await checkpoint.sync()
    } finally {
      await checkpoint.close()
    }
    await disk.rename(draft, path)
    await disk.syncFolder(folders.checkpoints)
    const mark = markName(chain, { state: 'used', owner: owner.name })
    await (await disk.open(join(folders.log, mark), 'new')).close()
    return chain
  } catch (error) {
    for (const left of [draft, path]) await disk.remove(left).catch(() => {})
    throw error
  }
}

/** A write may take fewer bytes than it was given; one that takes none never will. */
export async function writeAll(file: EvidenceFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const taken = await file.write(bytes.subarray(done), position + done)
    if (taken <= 0) throw Object.assign(new Error('the disk took nothing'), { code: 'ENOSPC' })
    done += taken
  }
}
