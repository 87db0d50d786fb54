// Documents that stay open on their server until they are closed by name, also over a restart of the server. All others
// are opened when they are asked about and closed when too many are open.
import type { ServerInstance } from '../supervisor/instance.js'
import type { Session } from '../supervisor/session.js'

interface Kept {
  readonly languageId: string
  /** On the session it was last opened on. */
  release: () => void
}

/** Of the 64 that may be open at once: beside these and one for each of 32 projects, questions still find room. */
export const mostKept = 24

export class KeptDocuments {
  readonly #byServer = new WeakMap<ServerInstance, Map<string, Kept>>()

  /** By absolute path. */
  of(instance: ServerInstance): ReadonlyMap<string, { readonly languageId: string }> {
    return this.#byServer.get(instance) ?? new Map()
  }

  /** The document is open there; afterwards it is not closed for want of room. */
  keep(instance: ServerInstance, { client }: Session, path: string, document: Document): void {
    const kept = this.#byServer.get(instance) ?? new Map<string, Kept>()
    this.#byServer.set(instance, kept)
    kept.get(path)?.release()
    kept.set(path, { languageId: document.languageId, release: client.documents.hold(document.uri) })
  }

  /** False when it was not kept. */
  release(instance: ServerInstance, path: string): boolean {
    const kept = this.#byServer.get(instance)
    kept?.get(path)?.release()
    return kept?.delete(path) ?? false
  }
}

interface Document {
  readonly uri: string
  readonly languageId: string
}
