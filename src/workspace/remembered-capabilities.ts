// What servers declared when they last ran, kept in the user's state folder: a tool per capability can then be offered
// before the server is started anew (C31). Best effort: without it the expectation of the definition holds.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { property } from '../json.js'

export class RememberedCapabilities {
  readonly #path: string | undefined
  #known: Map<string, ReadonlySet<string>> | undefined

  constructor(stateFolder: string | undefined) {
    this.#path = stateFolder === undefined ? undefined : join(stateFolder, 'capabilities.json')
  }

  /** The methods it declared; undefined when it never ran here. */
  of(server: string): ReadonlySet<string> | undefined {
    return this.#methods().get(server)
  }

  remember(server: string, methods: readonly string[]): void {
    const all = this.#methods()
    const known = all.get(server)
    if (known?.size === methods.length && methods.every(method => known.has(method))) return
    all.set(server, new Set(methods))
    const path = this.#path
    if (path === undefined) return
    const draft = `${path}.${randomUUID()}`
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const written = [...all].map(([name, kept]) => [name, [...kept].sort()])
      writeFileSync(draft, `${JSON.stringify(Object.fromEntries(written))}\n`, { mode: 0o600 })
      renameSync(draft, path)
    } catch {
      // The next run starts from the definition's expectation, which is what it would do without us.
      rmSync(draft, { force: true })
    }
  }

  /** Read when it is first asked for: most presets never do. */
  #methods(): Map<string, ReadonlySet<string>> {
    this.#known ??= readMethods(this.#path)
    return this.#known
  }
}

function readMethods(path: string | undefined): Map<string, ReadonlySet<string>> {
  const methods = new Map<string, ReadonlySet<string>>()
  if (path === undefined) return methods
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof read !== 'object' || read === null) return methods
    for (const server of Object.keys(read)) {
      const declared = property(read, server)
      if (Array.isArray(declared) && declared.every(method => typeof method === 'string'))
        methods.set(server, new Set(declared))
    }
  } catch {
    // Never written yet, or not ours to read.
  }
  return methods
}
