// The file system as the evidence log sees it: a handful of calls behind an interface, so that a test can make any one
// of them fail, stop half way, or end the process there.

import * as fs from 'node:fs'
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface EvidenceDisk {
  /** With all folders above it; readable by its owner alone. */
  makeFolder(path: string): Promise<void>
  /** Empty when there is no such folder. */
  list(folder: string): Promise<string[]>
  /** `new` fails with EEXIST over something that is there, `existing` with ENOENT. */
  open(path: string, how: 'new' | 'existing'): Promise<EvidenceFile>
  /** A file that is only read; ENOENT when it is not there. */
  openToRead(path: string): Promise<ReadableFile>
  /** Fails with ENOENT when somebody else was faster. */
  rename(from: string, to: string): Promise<void>
  /** No fault when it is gone already. */
  remove(path: string): Promise<void>
  /** Makes the names in the folder outlive a power cut. */
  syncFolder(path: string): Promise<void>
}

export interface EvidenceFile {
  /** How long it is, and whether its name still leads to it. */
  look(): Promise<{ readonly bytes: number; readonly inPlace: boolean }>
  /** Returns how many bytes were taken, which may be fewer. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Takes everything out again. */
  empty(): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

export interface ReadableFile {
  /** Returns how many bytes there were; fewer than asked for only at the end. */
  read(into: Buffer, position: number): Promise<number>
  close(): Promise<void>
}

/** What waits for the disk goes to a thread; everything else takes microseconds, and a promise would cost more. */
export const systemEvidenceDisk: EvidenceDisk = {
  async makeFolder(path) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    // An existing folder keeps its mode otherwise, and older versions or a careless copy may have left it open.
    if ((statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, 0o700)
  },
  async list(folder) {
    try {
      return readdirSync(folder)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    }
  },
  async open(path, how) {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants
    const flags = O_RDWR | O_NOFOLLOW | (how === 'new' ? O_CREAT | O_EXCL : 0)
    return evidenceFile(openSync(path, flags, 0o600), path)
  },
  async openToRead(path) {
    const handle = await open(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    return {
      async read(into, position) {
        let filled = 0
        while (filled < into.length) {
          const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled)
          if (bytesRead === 0) break
          filled += bytesRead
        }
        return filled
      },
      close: () => handle.close(),
    }
  },
  rename,
  remove: path => rm(path, { force: true }),
  async syncFolder(path) {
    // Windows has no such call; its file systems keep names in a journal.
    if (process.platform === 'win32') return
    const handle = await open(path, fs.constants.O_RDONLY)
    try {
      await handle.sync()
    } catch (error) {
      // Some file systems, shared folders of virtual machines for instance, do not offer it.
      if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error))) throw error
    } finally {
      await handle.close()
    }
  },
}

/** `ENOSPC` and the like; empty for what is no error of the system. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

const writeBytes = promisify(fs.write)
const syncData = promisify(fs.fdatasync)

function evidenceFile(descriptor: number, path: string): EvidenceFile {
  return {
    async look() {
      const own = fstatSync(descriptor)
      const named = statSync(path, { throwIfNoEntry: false })
      return {
        bytes: own.size,
        inPlace: named !== undefined && named.ino === own.ino && named.dev === own.dev,
      }
    },
    async write(bytes, position) {
      return (await writeBytes(descriptor, bytes, 0, bytes.length, position)).bytesWritten
    },
    async empty() {
      ftruncateSync(descriptor, 0)
    },
    sync: () => syncData(descriptor),
    async close() {
      closeSync(descriptor)
    },
  }
}
