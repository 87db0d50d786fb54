// Finds out where a chain ends that somebody else wrote: from its checkpoint on, line by line. What breaks off in the
// middle of a line is what a killed writer leaves; anything else that does not fit was not done by a writer.
import { join } from 'node:path'
import { type Checkpoint, decodeCheckpoint, type Slot, slotBytes, type Tip } from './checkpoint.js'
import type { EvidenceDisk } from './disk.js'
import {
  checkpointName,
  type EvidenceFolders,
  type FoundChain,
  segmentName,
  type WorkspaceIdentity,
} from './layout.js'
import { genesisHash, lineEnd, longestLine } from './line.js'
import { linkOf } from './link.js'
import { readPart, type ScannedLine, scanLines } from './scan.js'
import { type EventOfKind, readRecord } from './shapes.js'

export interface SurveyOptions {
  readonly disk: EvidenceDisk
  readonly folders: EvidenceFolders
  readonly identity: WorkspaceIdentity
}

export type Survey =
  | {
      readonly state: 'sound'
      readonly tip: Tip
      /** Of the checkpoint: the one that is to be kept until the next is written. */
      readonly slot: Slot
      /** Bytes after the tip that are no complete record. */
      readonly tornBytes: number
      /** A segment that was begun and has no complete first line. */
      readonly draft: number | undefined
    }
  | { readonly state: 'damaged'; readonly reason: string }

/** Before its first record. */
export function emptyTip({ workspace }: WorkspaceIdentity, chain: string): Tip {
  return { segment: 0, seq: 0, bytes: 0, hash: genesisHash(workspace, chain), at: '', begun: '' }
}

export async function surveyChain(
  { chain, segments }: Pick<FoundChain, 'chain' | 'segments'>,
  options: SurveyOptions,
): Promise<Survey> {
  const checkpoint = await readCheckpoint(chain, options)
  if (checkpoint === undefined) return damaged('its checkpoint is missing or unreadable')
  const { tip: pinned, slot } = checkpoint
  if (pinned.seq > 0 && !(await isThere(chain, pinned, options)))
    return damaged(`record ${pinned.seq}, which its checkpoint names, is not where it was`)
  let tip = pinned
  let tornBytes = 0
  for (;;) {
    const next = tip.segment + 1
    const begun = segments.includes(next) ? await readHead(chain, next, options) : 'absent'
    if (begun === 'foreign') return damaged(`segment ${next} does not begin like one`)
    const head = typeof begun === 'string' ? undefined : begun
    if (tip.segment > 0) {
      const walked = await walk(chain, tip, head?.event.previous?.bytes, options)
      if (walked === undefined) return damaged(`a line after record ${tip.seq} is not the next one`)
      tip = walked.tip
      tornBytes = walked.tornBytes
    }
    if (head === undefined) {
      return { state: 'sound', tip, slot, tornBytes, draft: begun === 'unfinished' ? next : undefined }
    }
    const { previous } = head.event
    if (previous !== undefined && (previous.seq !== tip.seq || previous.hash !== tip.hash))
      return damaged(`segment ${next} does not follow on segment ${tip.segment}`)
    tip = { ...tip, segment: next, bytes: 0, begun: head.at }
  }
}

/** Undefined when it is missing or neither of its slots is whole. */
export async function readCheckpoint(
  chain: string,
  { disk, folders }: Pick<SurveyOptions, 'disk' | 'folders'>,
): Promise<Checkpoint | undefined> {
  const path = join(folders.checkpoints, checkpointName(chain))
  const bytes = await readPart(disk, path, { from: 0, bytes: 2 * slotBytes })
  return bytes === undefined ? undefined : decodeCheckpoint(chain, bytes)
}

export interface SegmentHead {
  readonly event: {
    readonly workspace: string
    readonly chain: string
    readonly segment: number
    readonly previous?: EventOfKind<'segment_opened'>['previous'] | undefined
  }
  readonly at: string
}

/** The first line of a segment: `unfinished` without a complete one, `foreign` when it is not the head of a segment. */
export async function readHead(
  chain: string,
  segment: number,
  { disk, folders }: Pick<SurveyOptions, 'disk' | 'folders'>,
): Promise<SegmentHead | 'unfinished' | 'foreign'> {
  const path = join(folders.log, segmentName(chain, segment))
  const part = (await readPart(disk, path, { from: 0, bytes: headBytes })) ?? Buffer.alloc(0)
  const end = part.indexOf(lineFeed)
  if (end < 0) return part.length < headBytes ? 'unfinished' : 'foreign'
  const record = readRecord(part.toString('utf8', 0, end))
  switch (record?.event?.kind) {
    case 'log_opened':
    case 'segment_opened':
    case 'log_recovered':
      return { event: record.event, at: record.at }
    default:
      return 'foreign'
  }
}

/** Heads are short; a first line that is longer is none. */
const headBytes = 16 * 1024
const lineFeed = 0x0a

function damaged(reason: string): Survey {
  return { state: 'damaged', reason }
}

/** Whether the record that a checkpoint names ends where it says. */
async function isThere(chain: string, tip: Tip, { disk, folders }: SurveyOptions): Promise<boolean> {
  const ending = lineEnd(tip.hash)
  const from = tip.bytes - ending.length
  if (from < 0) return false
  const path = join(folders.log, segmentName(chain, tip.segment))
  const found = await readPart(disk, path, { from, bytes: ending.length })
  return found?.toString('latin1') === ending
}

/** From the tip to the end of its segment; undefined when a complete line does not fit. */
async function walk(
  chain: string,
  from: Tip,
  to: number | undefined,
  { disk, folders }: SurveyOptions,
): Promise<{ readonly tip: Tip; readonly tornBytes: number } | undefined> {
  let tip = from
  let broken: 'not' | 'torn' | 'damaged' = 'not'
  const scanned = await scanLines({
    disk,
    path: join(folders.log, segmentName(chain, from.segment)),
    from: from.bytes,
    to,
    onLine(line) {
      if (broken === 'torn') return true
      const link = linkOf(tip, line)
      // After a power cut whole blocks of a file may be zeros, with later ones written.
      if (!link.fits) broken = hasZeros(line) ? 'torn' : 'damaged'
      else tip = advance(tip, line, link.state)
      return broken !== 'damaged'
    },
  })
  if (isDamaged(broken) || scanned.rest.length > longestLine) return undefined
  return { tip, tornBytes: scanned.position + scanned.rest.length - tip.bytes }
}

/** The compiler does not see that a callback changes it. */
function isDamaged(state: string): boolean {
  return state === 'damaged'
}

function advance(
  tip: Tip,
  { bytes, start, end, position }: ScannedLine,
  parts: { seq: number; hash: string },
): Tip {
  const at = readRecord(bytes.toString('utf8', start, end))?.at ?? tip.at
  return { ...tip, seq: parts.seq, hash: parts.hash, at, bytes: position + end - start + 1 }
}

function hasZeros({ bytes, start, end }: ScannedLine): boolean {
  const zero = bytes.indexOf(0, start)
  return zero >= 0 && zero < end
}
