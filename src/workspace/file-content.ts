// The content of a file of any kind, text or not, named by its hash: what a plan verifies before it touches the file.
import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'

const chunkBytes = 256 * 1024

/** `sha256:...` of what the descriptor holds, or undefined when that is more than `limit` bytes. */
export function hashOfDescriptor(descriptor: number, limit: number): string | undefined {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let length = 0
  for (;;) {
    const count = readSync(descriptor, chunk, 0, chunk.length, length)
    if (count === 0) return `sha256:${hash.digest('hex')}`
    length += count
    if (length > limit) return undefined
    hash.update(chunk.subarray(0, count))
  }
}
