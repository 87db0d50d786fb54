// A source file as it was at one moment: its exact content, the content's name, and the signature by which a
// later look can prove that it is still the same without reading it again.
import { type BigIntStats, fstatSync, readSync, statSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../clock.js'
import { BridgeError } from '../errors.js'
import { decodeSource } from '../text/decode.js'
import { contentHash } from '../text/hash.js'
import { SourceText } from '../text/lines.js'
import { quoted } from './path-errors.js'
import type { OpenedFile, PathGate } from './path-gate.js'

export const largestSource = 10 * 1024 * 1024

export interface FileSignature {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  /** The wall clock right before the file was looked at. */
  readonly readAtMs: number
}

export interface SourceFile {
  readonly absolute: string
  readonly relative: string
  /** With all links resolved: two names of one file have the same. */
  readonly canonical: string
  readonly hardLinked: boolean
  /** Length of the content, its byte order mark included. */
  readonly bytes: number
  readonly text: SourceText
  readonly bom: boolean
  /** `sha256:...` of the bytes. */
  readonly content: string
  readonly signature: FileSignature
}

export function readSource(gate: PathGate, path: string, clock: Clock = systemClock): SourceFile {
  const file = gate.open(path)
  try {
    const { bytes, signature } = readStable(file, clock)
    const { text, bom } = decodeSource(bytes, quoted(file.relative))
    const { absolute, relative, canonical, hardLinked } = file
    return {
      absolute,
      relative,
      canonical,
      hardLinked,
      bytes: bytes.length,
      text: new SourceText(text),
      bom,
      content: contentHash(bytes),
      signature,
    }
  } finally {
    file.close()
  }
}

/** Undefined when there is nothing at the path, or nothing that may be looked at. */
export function statSignature(path: string, clock: Clock = systemClock): FileSignature | undefined {
  const readAtMs = clock.date().getTime()
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : signatureOf(stats, readAtMs)
  } catch {
    return undefined
  }
}

/**
 * True only when it proves that the content is the one read with `previous`; false means "changed, or not certain"
 * and calls for reading again. Equal times prove nothing when the file changed within the same tick of the file
 * system's clock as the reading (Git's "racy" files, W08), so the last change has to be older than that. Writes
 * through a shared memory mapping escape it, as they escape everything that looks at times.
 */
export function signatureUnchanged(previous: FileSignature, current: FileSignature | undefined): boolean {
  return (
    current !== undefined &&
    previous.dev === current.dev &&
    previous.ino === current.ino &&
    previous.size === current.size &&
    previous.mtimeNs === current.mtimeNs &&
    previous.ctimeNs === current.ctimeNs &&
    BigInt(Math.floor(previous.readAtMs)) * 1_000_000n - previous.ctimeNs > tickOf(previous)
  )
}

export interface SourceCacheOptions {
  readonly gate: PathGate
  readonly clock?: Clock
  readonly maxFiles?: number
  readonly maxBytes?: number
}

/** Sources for showing the lines of results; every `get` proves that the kept one is current, or reads again. */
export class SourceCache {
  readonly #gate: PathGate
  readonly #clock: Clock
  readonly #files: LRUCache<string, SourceFile>
  readonly #stamps: LRUCache<string, { stamp: number; file: SourceFile }>

  constructor({
    gate,
    clock = systemClock,
    maxFiles = 2000,
    maxBytes = 64 * 1024 * 1024,
  }: SourceCacheOptions) {
    this.#gate = gate
    this.#clock = clock
    // One more than the bytes, because the cache refuses entries of size 0.
    this.#stamps = new LRUCache({
      max: maxFiles,
      maxSize: maxBytes,
      sizeCalculation: ({ file }) => file.bytes + 1,
    })
    this.#files = new LRUCache({ max: maxFiles, maxSize: maxBytes, sizeCalculation: file => file.bytes + 1 })
  }

  /** `stamp`: whoever watches the file says by it that an equal stamp means an equal file; spares the look at the disk. */
  get(path: string, stamp?: number): SourceFile {
    const stamped = stamp === undefined ? undefined : this.#stamps.get(path)
    if (stamped !== undefined && stamped.stamp === stamp) return stamped.file
    const file = this.#proven(path)
    // Only what was already old when it was read is safe to be kept under a stamp (the racy case again).
    if (stamp !== undefined && signatureUnchanged(file.signature, file.signature))
      this.#stamps.set(path, { stamp, file })
    return file
  }

  #proven(path: string): SourceFile {
    const { absolute } = this.#gate.locate(path)
    const kept = this.#files.get(absolute)
    if (kept !== undefined && signatureUnchanged(kept.signature, statSignature(absolute, this.#clock)))
      return kept
    // What cannot be read any more must not be answered from memory later.
    this.#files.delete(absolute)
    const read = readSource(this.#gate, absolute, this.#clock)
    // The lines found in an equal content are still right.
    const file = kept?.content === read.content ? { ...read, text: kept.text } : read
    this.#files.set(absolute, file)
    return file
  }
}

// Kernel timestamps advance in steps of up to 10 ms.
const fineTick = 20_000_000n
// A change time on a whole second means, nearly always, a file system that counts whole seconds, or two.
const coarseTick = 2_100_000_000n

function tickOf({ ctimeNs }: FileSignature): bigint {
  return ctimeNs % 1_000_000_000n === 0n ? coarseTick : fineTick
}

function signatureOf(stats: BigIntStats, readAtMs: number): FileSignature {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return { dev, ino, size, mtimeNs, ctimeNs, readAtMs }
}

/**
 * The signature is taken before the bytes, so that a change during the reading shows as a change afterwards. If one
 * is seen at once, half-written content is likely and the file is read again, a few times.
 */
function readStable(file: OpenedFile, clock: Clock): { bytes: Uint8Array; signature: FileSignature } {
  for (let attempt = 1; ; attempt++) {
    const readAtMs = clock.date().getTime()
    const before = fstatSync(file.descriptor, { bigint: true })
    const bytes = readBounded(file, Number(before.size))
    const after = fstatSync(file.descriptor, { bigint: true })
    const isStable =
      before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs
    if (isStable || attempt === 3) return { bytes, signature: signatureOf(before, readAtMs) }
  }
}

/** The limit holds for the bytes that arrive; the size that was announced may be out of date (W09). */
function readBounded(file: OpenedFile, expected: number): Uint8Array {
  if (expected > largestSource) throw tooLarge(file)
  // One byte more than expected, so that the end is seen without a second buffer.
  let buffer = Buffer.allocUnsafe(expected + 1)
  let length = 0
  for (;;) {
    const count = readSync(file.descriptor, buffer, length, buffer.length - length, length)
    length += count
    if (length > largestSource) throw tooLarge(file)
    if (count === 0) return buffer.subarray(0, length)
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * length + 4096, largestSource + 1))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
  }
}

function tooLarge(file: OpenedFile): BridgeError {
  return new BridgeError({
    kind: 'FileTooLarge',
    message: `${quoted(file.relative)} is larger than 10 MB`,
    hint: 'Files of up to 10485760 bytes are read; name a smaller one, it is probably generated from others.',
  })
}
