// The file system as applying a plan sees it: a handful of calls, each of which either happened or did not. Behind an
// interface, so that a test can make any one of them fail, or end the process there.
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { hashOfDescriptor } from './file-content.js'

export interface FoundFile {
  readonly kind: 'file'
  /** `sha256:...` of the bytes. */
  readonly content: string
  readonly dev: bigint
  readonly ino: bigint
  readonly attributes: Attributes
}

/** `other`: a link, a folder, a pipe. */
export type Found = FoundFile | { readonly kind: 'other' }

export interface Attributes {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export interface Disk {
  /** What is at the path itself, never behind a link; undefined when there is nothing. */
  look(path: string): Promise<Found | undefined>
  /** Whole and on the disk when it returns; never over something that is there. */
  writeNew(path: string, bytes: Uint8Array, attributes?: Attributes): Promise<void>
  read(path: string): Promise<Uint8Array>
  list(folder: string): Promise<string[]>
  link(existing: string, path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** False when it was there already. */
  makeFolder(path: string): Promise<boolean>
  /** False when it is not empty, or not there. */
  removeFolder(path: string): Promise<boolean>
  /** Makes the names in the folder outlive a power cut. */
  syncFolder(path: string): Promise<void>
  isWritable(path: string): Promise<boolean>
  /** When it was last written, in milliseconds of the wall clock; undefined when it is not there. */
  writtenAt(path: string): Promise<number | undefined>
}

/** Waiting for the disk goes to a thread; everything else takes microseconds, and promises would cost more than it. */
export const systemDisk: Disk = {
  async look(path) {
    let descriptor: number
    try {
      descriptor = openSync(path, lookFlags)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      // A link, or a socket.
      if (['ELOOP', 'ENXIO', 'EMLINK'].includes(codeOf(error))) return { kind: 'other' }
      throw error
    }
    try {
      const stats = fstatSync(descriptor, { bigint: true })
      if (!stats.isFile()) return { kind: 'other' }
      const content = hashOfDescriptor(descriptor, Number.MAX_SAFE_INTEGER) ?? ''
      const attributes = {
        mode: Number(stats.mode) & 0o7777,
        uid: Number(stats.uid),
        gid: Number(stats.gid),
      }
      return { kind: 'file', content, dev: stats.dev, ino: stats.ino, attributes }
    } finally {
      closeSync(descriptor)
    }
  },
  async writeNew(path, bytes, attributes) {
    const handle = await open(path, writeFlags, attributes === undefined ? 0o666 : 0o600)
    try {
      await handle.writeFile(bytes)
      if (attributes !== undefined) {
        const { mode, uid, gid } = attributes
        const made = await handle.stat()
        if (made.uid !== uid) await handle.chown(uid, gid)
        // A group we are not in cannot be kept, which is no reason to refuse the owner his own file.
        else if (made.gid !== gid) await handle.chown(uid, gid).catch(() => {})
        await handle.chmod(mode)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  async read(path) {
    return readFileSync(path)
  },
  async list(folder) {
    try {
      return readdirSync(folder)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    }
  },
  async link(existing, path) {
    linkSync(existing, path)
  },
  async rename(from, to) {
    renameSync(from, to)
  },
  async unlink(path) {
    unlinkSync(path)
  },
  async makeFolder(path) {
    try {
      mkdirSync(path)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
  },
  async removeFolder(path) {
    try {
      rmdirSync(path)
      return true
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false
      throw error
    }
  },
  async syncFolder(path) {
    // Windows has no such call; its file systems keep names in a journal.
    if (process.platform === 'win32') return
    const handle = await open(path, constants.O_RDONLY)
    try {
      await handle.sync()
    } catch (error) {
      // Some file systems, shared folders of virtual machines for instance, do not offer it.
      if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error))) throw error
    } finally {
      await handle.close()
    }
  },
  async isWritable(path) {
    try {
      accessSync(path, constants.W_OK)
      return true
    } catch {
      return false
    }
  },
  async writtenAt(path) {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
  },
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

const noFollow = constants.O_NOFOLLOW ?? 0
const lookFlags = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0)
const writeFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow
