// Where evidence lies and what its files are called. Checkpoints lie in a folder of their own: whoever removes or
// restores a log as a whole does not take its checkpoint along unnoticed.
import { hash, randomBytes } from 'node:crypto'
import { isAbsolute, join, relative } from 'node:path'

export interface EvidenceFolders {
  /** Segments, and one mark for each chain that says who writes it. */
  readonly log: string
  readonly checkpoints: string
}

export interface WorkspaceIdentity {
  /** `sha256:...` of the canonical path of the root. */
  readonly workspace: string
  /** The last part of the path, for people. */
  readonly name: string
}

/** What stands in a folder of evidence, from the names alone. */
export interface FoundChain {
  readonly chain: string
  /** In order. */
  readonly segments: readonly number[]
  readonly mark: Mark | undefined
}

export type Mark =
  | { readonly state: 'free' }
  /** Its writer is known to have ended without closing it. */
  | { readonly state: 'left' }
  | { readonly state: 'used'; readonly owner: string }
  /** Found to be damaged; nobody continues it. */
  | { readonly state: 'damaged' }

export function evidenceFolders(stateFolder: string, root: string): EvidenceFolders {
  const name = hash('sha256', root).slice(0, 32)
  return {
    log: join(stateFolder, 'evidence', name),
    checkpoints: join(stateFolder, 'evidence', 'checkpoints', name),
  }
}

export function identityOf(root: string): WorkspaceIdentity {
  return { workspace: `sha256:${hash('sha256', root)}`, name: root.split(/[\\/]/).at(-1) ?? '' }
}

/** A log inside the workspace would be seen, searched and committed with it. */
export function isInside(folder: string, root: string): boolean {
  const path = relative(root, folder)
  return path === '' || (!path.startsWith('..') && !isAbsolute(path))
}

/** Random, because processes that begin chains at the same time do not know of each other. */
export function newName(): string {
  return BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(13, '0')
    .slice(-8)
}

export function segmentName(chain: string, segment: number): string {
  return `${chain}-${String(segment).padStart(6, '0')}.jsonl`
}

export function checkpointName(chain: string): string {
  return `${chain}.checkpoint`
}

export function markName(chain: string, mark: Mark): string {
  return mark.state === 'used' ? `${chain}.used-${mark.owner}` : `${chain}.${mark.state}`
}

export function chainsIn(names: readonly string[]): FoundChain[] {
  const segments = new Map<string, number[]>()
  const marks = new Map<string, Mark>()
  for (const name of names) {
    const [, chain, number, rest] = /^([0-9a-z]{8})(?:-(\d{6,12})\.jsonl|\.(.+))$/.exec(name) ?? []
    if (chain === undefined) continue
    const own = segments.get(chain) ?? []
    segments.set(chain, own)
    if (number !== undefined) own.push(Number(number))
    const mark = markOf(rest)
    // Two marks of one chain: seen in the moment in which it changes hands. The one in use counts.
    if (mark !== undefined && marks.get(chain)?.state !== 'used') marks.set(chain, mark)
  }
  return [...segments].map(([chain, own]) => ({
    chain,
    segments: own.toSorted((a, b) => a - b),
    mark: marks.get(chain),
  }))
}

/** Chains that have a checkpoint. */
export function pinnedIn(names: readonly string[]): string[] {
  return names.flatMap(name => /^([0-9a-z]{8})\.checkpoint$/.exec(name)?.[1] ?? [])
}

function markOf(text: string | undefined): Mark | undefined {
  if (text === 'free' || text === 'left' || text === 'damaged') return { state: text }
  if (text?.startsWith('used-')) return { state: 'used', owner: text.slice('used-'.length) }
  return undefined
}
