// What git would not keep: build output, caches, vendored copies. Only the searches that need no server ask; a server
// itself is told of such files like of all others, because generated sources are among them.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

interface Rules {
  readonly modified: number
  readonly rules: Ignore | undefined
}

const largestRulesFile = 256 * 1024

export class IgnoredFiles {
  readonly #root: string
  readonly #byFolder = new Map<string, Rules>()

  constructor(root: string) {
    this.#root = root
  }

  /** The nearest `.gitignore` that has an opinion decides, as in git; a file in an ignored folder stays ignored. */
  isIgnored(absolute: string): boolean {
    const inside = relative(this.#root, absolute)
    if (inside === '' || inside.startsWith('..')) return false
    const parts = inside.split(sep)
    return parts.some((_, index) => {
      const isFolder = index + 1 < parts.length
      return this.#decides(join(this.#root, ...parts.slice(0, index + 1)), isFolder)
    })
  }

  /** Rules are read again when their file changed; call before a search, not for every file. */
  refresh(): void {
    for (const [folder, { modified }] of this.#byFolder) {
      if (modifiedAt(folder) !== modified) this.#byFolder.delete(folder)
    }
  }

  #decides(path: string, isFolder: boolean): boolean {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const rules = this.#rulesOf(folder)
      if (rules !== undefined) {
        const name = relative(folder, path).split(sep).join('/')
        const { ignored, unignored } = rules.test(isFolder ? `${name}/` : name)
        if (ignored || unignored) return ignored
      }
      if (folder === this.#root || folder === dirname(folder)) return false
    }
  }

  #rulesOf(folder: string): Ignore | undefined {
    const known = this.#byFolder.get(folder)
    if (known !== undefined) return known.rules
    const read = { modified: modifiedAt(folder), rules: readRules(folder) }
    this.#byFolder.set(folder, read)
    return read.rules
  }
}

function modifiedAt(folder: string): number {
  try {
    return statSync(join(folder, '.gitignore'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}

function readRules(folder: string): Ignore | undefined {
  try {
    const file = join(folder, '.gitignore')
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size > largestRulesFile) return undefined
    return ignore().add(readFileSync(file, 'utf8'))
  } catch {
    // Unreadable rules hide nothing.
    return undefined
  }
}
