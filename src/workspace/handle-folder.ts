// A folder in which what a handle stands for survives the process: private, bounded in number and age. Losing it costs
// something that can be made again, so nothing here is allowed to fail a call.

import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import { messageOf } from '../errors.js'

export interface HandleFolderOptions {
  readonly path: string
  /** What is kept there, in the plural, for messages. */
  readonly what: string
  readonly clock: Clock
  readonly mostFiles: number
  readonly keptMilliseconds: number
  readonly log: (message: string) => void
}

export class HandleFolder {
  readonly #options: HandleFolderOptions

  constructor(options: HandleFolderOptions) {
    this.#options = options
  }

  write(name: string, text: string): void {
    const { path, what, log } = this.#options
    if (text.length > largest) {
      log(`${what}: ${name} is too large to be kept on disk`)
      return
    }
    const temporary = join(path, `${randomUUID()}.new`)
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      chmodSync(path, 0o700)
      writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
      renameSync(temporary, this.#fileOf(name))
      this.#prune()
    } catch (cause) {
      removeIfPossible(temporary)
      log(`${what} are kept in memory only: ${messageOf(cause)}`)
    }
  }

  /** Undefined when there is none, it is too old, or somebody else may have put it there. */
  read(name: string): string | undefined {
    let descriptor: number
    try {
      descriptor = openSync(this.#fileOf(name), openFlags)
    } catch {
      return undefined
    }
    try {
      const stats = fstatSync(descriptor)
      const isForeign = process.getuid !== undefined && stats.uid !== process.getuid()
      const isUsable = stats.isFile() && !isForeign && stats.mtimeMs >= this.#oldest()
      // A character takes up to six bytes in JSON.
      return isUsable && stats.size <= 6 * largest ? readFileSync(descriptor, 'utf8') : undefined
    } catch {
      return undefined
    } finally {
      closeSync(descriptor)
    }
  }

  /** The newest ones stay. */
  #prune(): void {
    const { path, mostFiles } = this.#options
    const found = readdirSync(path).flatMap(name => {
      const stats = statSync(join(path, name), { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ path: join(path, name), time: stats.mtimeMs }]
    })
    found.sort((a, b) => b.time - a.time)
    const oldest = this.#oldest()
    for (const [index, file] of found.entries()) {
      if (index >= mostFiles || file.time < oldest) removeIfPossible(file.path)
    }
  }

  #oldest(): number {
    return this.#options.clock.date().getTime() - this.#options.keptMilliseconds
  }

  #fileOf(name: string): string {
    return join(this.#options.path, `${name}.json`)
  }
}

const largest = 64 * 1024 * 1024
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It counts against the bound again next time, and nothing depends on it.
  }
}
