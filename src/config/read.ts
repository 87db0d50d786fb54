// Reads a small file that may be anything: a pipe, a device, a gigabyte. Never waits for a writer and never reads
// more than its bound (K05), and tells who else could have written it (K06).
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { BridgeError } from '../errors.js'

export interface ReadFile {
  readonly path: string
  readonly bytes: Buffer
  readonly stats: Stats
}

export interface ReadOptions {
  /** The path as it may be shown. */
  readonly name: string
  readonly limit?: number
}

const defaultLimit = 1024 * 1024

/** Undefined when there is no such file. */
export async function readBounded(path: string, options: ReadOptions): Promise<ReadFile | undefined> {
  const { name, limit = defaultLimit } = options
  // Without O_NONBLOCK, opening a pipe waits until somebody writes to it. Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
  const handle = await open(path, flags).catch((cause: unknown) => {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    // Opening a socket fails with ENXIO.
    if (code === 'ENXIO') throw notAFile(name, 'a socket')
    throw unreadable(name, cause)
  })
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw notAFile(name, kindOf(stats))
    if (stats.size > limit) throw tooLarge(name, limit)
    const bytes = await readAtMost(handle, limit)
    if (bytes === undefined) throw tooLarge(name, limit)
    return { path, bytes, stats }
  } catch (cause) {
    throw cause instanceof BridgeError ? cause : unreadable(name, cause)
  } finally {
    await handle.close()
  }
}

/**
 * Why somebody else may have written the file, or undefined. Root may always write, so a file of root's is no
 * stranger's. `user` is null where the platform has no user ids.
 */
export function foreignWriter(
  stats: Stats,
  user: number | null = process.getuid?.() ?? null,
): string | undefined {
  if (user === null) return undefined
  if (stats.uid !== user && stats.uid !== 0) return 'it belongs to another user'
  if ((stats.mode & 0o002) !== 0) return 'every user may write to it'
  return undefined
}

export function errorCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}

/** Undefined when there is more; the size that `stat` gave may be stale, and is zero for the files of /proc. */
async function readAtMost(handle: FileHandle, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  while (length <= limit) {
    const chunk = Buffer.alloc(64 * 1024)
    const { bytesRead } = await handle.read(chunk, 0, chunk.length)
    if (bytesRead === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, bytesRead))
    length += bytesRead
  }
  return undefined
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

function notAFile(name: string, kind: string): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${name} is ${kind}, not a file`,
    hint: 'Put a regular file there, or remove it.',
  })
}

function tooLarge(name: string, limit: number): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${name} is larger than ${limit / 1024} KB`,
    hint: 'A configuration of that size is most likely another file; check the path.',
  })
}

function unreadable(name: string, cause: unknown): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${name} cannot be read (${errorCode(cause) ?? String(cause)})`,
    hint: 'Check the permissions of the file and of the folders above it.',
    cause,
  })
}
