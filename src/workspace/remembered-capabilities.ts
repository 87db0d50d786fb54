// What servers declared when they last ran, kept in the user's state folder: a tool per capability can then be offered
// before the server is started anew (C31). Best effort: without it the expectation of the definition holds.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { property } from '../json.js'

export class RememberedCapabilities {
  readonly #path: string | undefined
  readonly #methods = new Map<string, ReadonlySet<string>>()

  constructor(stateFolder: string | undefined) {
    this.#path = stateFolder === undefined ? undefined : join(stateFolder, 'capabilities.json')
    if (this.#path === undefined) return
    try {
      const read: unknown = JSON.parse(readFileSync(this.#path, 'utf8'))
      if (typeof read !== 'object' || read === null) return
      for (const server of Object.keys(read)) {
        const methods = property(read, server)
        if (Array.isArray(methods) && methods.every(method => typeof method === 'string'))
          this.#methods.set(server, new Set(methods))
      }
    } catch {
      // Never written yet, or not ours to read.
    }
  }

  /** The methods it declared; undefined when it never ran here. */
  of(server: string): ReadonlySet<string> | undefined {
    return this.#methods.get(server)
  }

  remember(server: string, methods: readonly string[]): void {
    const known = this.#methods.get(server)
    if (known?.size === methods.length && methods.every(method => known.has(method))) return
    this.#methods.set(server, new Set(methods))
    const path = this.#path
    if (path === undefined) return
    const draft = `${path}.${randomUUID()}`
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const all = [...this.#methods].map(([name, kept]) => [name, [...kept].sort()])
      writeFileSync(draft, `${JSON.stringify(Object.fromEntries(all))}\n`, { mode: 0o600 })
      renameSync(draft, path)
    } catch {
      // The next run starts from the definition's expectation, which is what it would do without us.
      rmSync(draft, { force: true })
    }
  }
}
