// The bytes between two frames that are no header: log lines that ended up on standard output. They are counted,
// bounded and thrown away; only the last few of a line are kept, to notice a header that stands inside it.

// Enough for `Content-Length: ` with ten digits and the line end.
const tailBytes = 32
const nothing = Buffer.alloc(0)

export class FrameNoise {
  readonly #maxBytes: number
  readonly #lengthAtEnd: RegExp
  #sinceFrame = 0
  #unreported = 0
  #inLine = 0
  #tail: Buffer = nothing

  constructor(maxBytes: number, lineFeedOnly: boolean) {
    this.#maxBytes = maxBytes
    this.#lengthAtEnd = lineFeedOnly
      ? /content-length: ?[0-9]{1,10}\r?\n$/i
      : /content-length: ?[0-9]{1,10}\r\n$/i
  }

  get retainedBytes(): number {
    return this.#tail.length
  }

  /** How much more may come before the next frame. */
  get allowedBytes(): number {
    return Math.max(0, this.#maxBytes - this.#sinceFrame)
  }

  add(bytes: Uint8Array): void {
    this.#sinceFrame += bytes.length
    this.#inLine += bytes.length
    this.#tail = lastBytes(this.#tail, bytes)
  }

  /** Returns the length line at the end of the noise line, if there is one. It is not counted as noise yet. */
  endLine(): Buffer | undefined {
    const glued = this.#lengthAtEnd.exec(this.#tail.toString('latin1'))?.[0]
    this.#unreported += this.#inLine - (glued?.length ?? 0)
    this.#inLine = 0
    this.#tail = nothing
    return glued === undefined ? undefined : Buffer.from(glued, 'latin1')
  }

  /** What looked like a length line was noise after all. */
  addGlued(glued: Uint8Array): void {
    this.#unreported += glued.length
  }

  frameBegan(): void {
    this.#sinceFrame = 0
  }

  /** The bytes skipped since the last report, of complete lines only unless the stream is over. */
  report(isOver: boolean): number {
    const bytes = isOver ? this.#unreported + this.#inLine : this.#unreported
    if (isOver) this.#inLine = 0
    this.#unreported = 0
    return bytes
  }
}

function lastBytes(before: Buffer, added: Uint8Array): Buffer {
  if (added.length >= tailBytes) return Buffer.from(added.subarray(-tailBytes))
  return Buffer.concat([before.subarray(Math.max(0, before.length + added.length - tailBytes)), added])
}
