// What happened to a line that is not the next link of its chain. It takes a look at what follows, which only the first
// bad record of a chain has to pay for.
import { join } from 'node:path'
import type { Tip } from './checkpoint.js'
import type { EvidenceDisk } from './disk.js'
import { type EvidenceFolders, type FoundChain, segmentName } from './layout.js'
import { computedHash, type LineParts, partsOf } from './line.js'
import type { ChainState, Link } from './link.js'
import { scanLines } from './scan.js'
import { readRecord } from './shapes.js'

export interface Misfit {
  readonly why: Extract<Link, { fits: false }>['why']
  readonly parts: LineParts | undefined
  readonly text: string
  /** Where in its segment it begins. */
  readonly position: number
}

export interface MisfitSurroundings {
  readonly disk: EvidenceDisk
  readonly folders: EvidenceFolders
  readonly found: FoundChain
  readonly segment: number
  readonly pin: Tip | undefined
}

export interface Explanation {
  readonly fault: 'altered' | 'removed' | 'reordered' | 'inserted' | 'wrong_genesis' | 'unparsable'
  readonly seq: number
  readonly id?: string
  readonly detail: string
}

/** `state` is where the chain stood before the line. */
export async function explainMisfit(
  misfit: Misfit,
  state: ChainState,
  surroundings: MisfitSurroundings,
): Promise<Explanation> {
  const { why, parts } = misfit
  const record = readRecord(misfit.text)
  const id = record === undefined ? {} : { id: record.id }
  const expected = state.seq + 1
  if (why === 'layout' || why === 'hash' || parts === undefined) {
    if (record === undefined)
      return { fault: 'unparsable', seq: expected, detail: 'the line is not a record of the log' }
    return { fault: 'altered', seq: expected, ...id, detail: 'its content is not what its hash says' }
  }
  if (why === 'order') {
    if (parts.seq < expected)
      return { fault: 'inserted', seq: parts.seq, ...id, detail: `record ${parts.seq} stands here once more` }
    const later = await following(misfit.position, surroundings, other => other.seq === expected)
    if (later !== undefined)
      return { fault: 'reordered', seq: parts.seq, ...id, detail: `record ${expected} belongs here` }
    const last = parts.seq - 1
    const range = last === expected ? `record ${expected} is` : `records ${expected} to ${last} are`
    return { fault: 'removed', seq: expected, detail: `${range} missing before record ${parts.seq}` }
  }
  if (state.seq === 0)
    return {
      fault: 'wrong_genesis',
      seq: 1,
      ...id,
      detail: 'the chain was begun for another workspace or name',
    }
  // One of two neighbours was changed and given a new hash. What follows, or the checkpoint, says which one is genuine.
  const next = await following(misfit.position, surroundings, () => true)
  const { pin } = surroundings
  const isGenuine = next === undefined ? pin?.hash === parts.hash : next.prev === parts.hash
  if (isGenuine)
    return { fault: 'altered', seq: state.seq, detail: `record ${expected} follows on another content of it` }
  return { fault: 'altered', seq: expected, ...id, detail: `it does not follow on record ${state.seq}` }
}

/** The first sound line after the one at `position` that is wanted. */
async function following(
  position: number,
  { disk, folders, found, segment }: MisfitSurroundings,
  isWanted: (parts: LineParts) => boolean,
): Promise<LineParts | undefined> {
  let wanted: LineParts | undefined
  for (const number of found.segments.filter(other => other >= segment)) {
    await scanLines({
      disk,
      path: join(folders.log, segmentName(found.chain, number)),
      from: number === segment ? position : 0,
      onLine({ bytes, start, end, position: at }) {
        if (number === segment && at === position) return true
        const parts = partsOf(bytes, start, end)
        if (parts === undefined || computedHash(bytes, start, end) !== parts.hash || !isWanted(parts))
          return true
        wanted = parts
        return false
      },
    })
    if (wanted !== undefined) break
  }
  return wanted
}
