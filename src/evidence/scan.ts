// Reads the lines of a segment in large pieces and hands them out where they lie, without copying or parsing: a million
// records are verified at the speed of hashing them.
import { codeOf, type EvidenceDisk } from './disk.js'
import { longestLine } from './line.js'

export interface ScannedLine {
  readonly bytes: Buffer
  readonly start: number
  /** Without the line feed. */
  readonly end: number
  /** Where in the file the line begins. */
  readonly position: number
}

export interface ScanOptions {
  readonly disk: EvidenceDisk
  readonly path: string
  readonly from?: number
  /** Nothing at or after this position is looked at. */
  readonly to?: number | undefined
  /** False ends the scan. The line is valid only during the call. */
  readonly onLine: (line: ScannedLine) => boolean
}

export interface Scanned {
  /** After the last complete line that was handed out. */
  readonly position: number
  /** What follows it, up to the end of the file or `to`, and is no complete line. */
  readonly rest: Buffer
  readonly stopped: boolean
}

/** Fails with ENOENT where there is no such file. */
export async function scanLines({ disk, path, from = 0, to, onLine }: ScanOptions): Promise<Scanned> {
  const file = await disk.openToRead(path)
  try {
    let buffer = Buffer.allocUnsafe(pieceBytes)
    let position = from
    for (;;) {
      const wanted = Math.min(buffer.length, (to ?? Number.POSITIVE_INFINITY) - position)
      const filled = wanted <= 0 ? 0 : await file.read(buffer.subarray(0, wanted), position)
      let start = 0
      for (let end = buffer.indexOf(lineFeed, start); end >= 0 && end < filled; ) {
        const goesOn = onLine({ bytes: buffer, start, end, position: position + start })
        start = end + 1
        if (!goesOn) return { position: position + start, rest: Buffer.alloc(0), stopped: true }
        end = buffer.indexOf(lineFeed, start)
      }
      position += start
      const isLast = filled < buffer.length
      if (isLast) return { position, rest: Buffer.from(buffer.subarray(start, filled)), stopped: false }
      // A line that fills the whole piece: a longer piece is needed, up to what a line may be.
      if (start === 0 && buffer.length > 2 * longestLine)
        return { position, rest: Buffer.from(buffer), stopped: false }
      if (start === 0) buffer = Buffer.allocUnsafe(buffer.length * 2)
    }
  } finally {
    await file.close()
  }
}

/** Undefined when there is no such file. */
export async function readPart(
  disk: EvidenceDisk,
  path: string,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Buffer | undefined> {
  try {
    const file = await disk.openToRead(path)
    try {
      const buffer = Buffer.alloc(bytes)
      return buffer.subarray(0, await file.read(buffer, from))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const pieceBytes = 256 * 1024
const lineFeed = 0x0a
