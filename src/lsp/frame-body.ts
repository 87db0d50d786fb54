// Collects the body of one frame out of chunks of any size. Memory follows the bytes that arrive rather than the
// length that was promised, and copying stays linear even when they arrive one at a time.

// A length is believed up to here at once; beyond, room grows by doubling and never past the stated length.
const firstBytes = 1024 * 1024

export class FrameBody {
  readonly #length: number
  #filled = 0
  #room: Buffer | undefined

  constructor(length: number) {
    this.#length = length
  }

  get retainedBytes(): number {
    return this.#room?.length ?? 0
  }

  get missingBytes(): number {
    return this.#length - this.#filled
  }

  /** Takes at most the missing bytes; returns the whole body once it is complete, as a view if it came in one piece. */
  take(arrived: Uint8Array): Uint8Array | undefined {
    if (this.#room === undefined && arrived.length === this.#length) return arrived
    const room = this.#roomFor(this.#filled + arrived.length)
    room.set(arrived, this.#filled)
    this.#filled += arrived.length
    return this.#filled === this.#length ? room : undefined
  }

  #roomFor(needed: number): Buffer {
    const current = this.#room
    if (current !== undefined && current.length >= needed) return current
    const wanted = Math.max(needed, firstBytes, 2 * (current?.length ?? 0))
    const grown = Buffer.allocUnsafe(Math.min(this.#length, wanted))
    if (current !== undefined) grown.set(current.subarray(0, this.#filled))
    this.#room = grown
    return grown
  }
}
