// A disk on which any one call can fail, on which everything can fail from some call on, or on which the process ends:
// then no call happens any more, as after `kill -9`. A write that is cut off leaves half of its bytes behind.
import { chmodSync, writeFileSync } from 'node:fs'
import { type Attributes, type Disk, systemDisk } from '../src/workspace/disk.js'

export type Fault =
  | { readonly kind: 'none' }
  /** The n-th call fails, counted from 0. */
  | { readonly kind: 'fail-once'; readonly at: number }
  | { readonly kind: 'fail-from'; readonly at: number }
  /** The process ends before the n-th call, or in the middle of it where that can be. */
  | { readonly kind: 'kill'; readonly at: number }

export interface FaultyDisk extends Disk {
  /** How many calls were made. */
  readonly calls: number
}

export interface FaultyDiskOptions {
  readonly fault: Fault
  /** As a file system without hard links. */
  readonly hasLinks?: boolean
  /** Runs before the n-th call, like somebody else on the same machine. */
  readonly before?: (call: number) => void
}

export function faultyDisk({ fault, hasLinks = true, before }: FaultyDiskOptions): FaultyDisk {
  let calls = 0
  const isDue = (call: number) => {
    switch (fault.kind) {
      case 'none':
        return false
      case 'fail-once':
        return call === fault.at
      case 'fail-from':
      case 'kill':
        return call >= fault.at
    }
  }
  async function attempt<T>(run: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    const call = calls
    calls += 1
    before?.(call)
    if (!isDue(call)) return run()
    if (half !== undefined && (fault.kind !== 'kill' || call === fault.at)) await half().catch(() => {})
    throw Object.assign(new Error('the disk says no'), { code: 'EIO' })
  }
  return {
    get calls() {
      return calls
    },
    look: path => attempt(() => systemDisk.look(path)),
    writeNew: (path, bytes, attributes) =>
      attempt(
        async () => writeAtOnce(path, bytes, attributes),
        async () => writeAtOnce(path, bytes.subarray(0, bytes.length / 2), attributes),
      ),
    read: path => attempt(() => systemDisk.read(path)),
    list: folder => attempt(() => systemDisk.list(folder)),
    link: (existing, path) =>
      attempt(async () => {
        if (!hasLinks) throw Object.assign(new Error('no links here'), { code: 'EPERM' })
        await systemDisk.link(existing, path)
      }),
    rename: (from, to) => attempt(() => systemDisk.rename(from, to)),
    unlink: path => attempt(() => systemDisk.unlink(path)),
    makeFolder: path => attempt(() => systemDisk.makeFolder(path)),
    removeFolder: path => attempt(() => systemDisk.removeFolder(path)),
    syncFolder: () => attempt(async () => {}),
    isWritable: path => attempt(() => systemDisk.isWritable(path)),
    writtenAt: path => attempt(() => systemDisk.writtenAt(path)),
  }
}

/** Without waiting for the disk, which takes milliseconds and cannot be told from no wait while the machine has power. */
function writeAtOnce(path: string, bytes: Uint8Array, attributes: Attributes | undefined): void {
  writeFileSync(path, bytes, { flag: 'wx' })
  if (attributes !== undefined) chmodSync(path, attributes.mode)
}
