// The files of which a server, or an answer, said that there is something wrong with them. No server tells of all files
// by itself, so this is where a look at the whole workspace begins; what such a look says is asked anew, never kept.
import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { BridgeEvent } from '../../events.js'
import type { Answer } from '../../operations/answer.js'

/** The ones told of last are kept: a generated tree with thousands of broken files must not fill the memory. */
const mostFiles = 1000

export class KnownFiles {
  readonly #root: string
  readonly #paths = new Set<string>()

  constructor(root: string) {
    this.#root = root
  }

  /** Relative to the root with `/`, those told of last first. */
  get paths(): readonly string[] {
    return [...this.#paths].reverse()
  }

  /** Whether something new was learned. */
  hear(event: BridgeEvent): boolean {
    if (event.type !== 'diagnostics.published' || event.count === 0) return false
    const path = this.#pathOf(event.uri)
    return path !== undefined && this.#add(path)
  }

  /** From the answer to any operation that lists files with what was found in them. */
  learn(answer: Answer<unknown>): boolean {
    if (!answer.ok) return false
    const { data } = filesWithFindings.safeParse(answer.result)
    const isNews = (data?.files ?? []).filter(hasFindings).map(({ file }) => this.#add(file))
    return isNews.includes(true)
  }

  /** Looked at, and nothing is wrong with it any more. */
  forget(path: string): void {
    this.#paths.delete(path)
  }

  #add(path: string): boolean {
    const isNew = !this.#paths.delete(path)
    this.#paths.add(path)
    if (this.#paths.size > mostFiles) {
      const [oldest] = this.#paths
      if (oldest !== undefined) this.#paths.delete(oldest)
    }
    return isNew
  }

  #pathOf(uri: string): string | undefined {
    try {
      const path = relative(this.#root, fileURLToPath(uri))
      const isInside = path !== '' && !path.startsWith('..') && !isAbsolute(path)
      return isInside ? path.split(sep).join('/') : undefined
    } catch {
      return undefined
    }
  }
}

const filesWithFindings = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      diagnostics: z.array(z.unknown()).default([]),
      new: z.array(z.unknown()).default([]),
    }),
  ),
})

function hasFindings({
  diagnostics,
  new: added,
}: {
  readonly diagnostics: unknown[]
  readonly new: unknown[]
}): boolean {
  return diagnostics.length > 0 || added.length > 0
}
