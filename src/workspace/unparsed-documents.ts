// Texts that a server was sent and has not parsed yet, for one that answers from nothing until it has: its report on the
// text shows it.
import type { Wait } from '../clock.js'
import type { Documents, OpenDocument } from '../lsp/documents.js'
import type { Currency } from './file-table.js'

// For a text that was waited for in vain, at each further question about it.
const againMilliseconds = 1000

export class UnparsedDocuments {
  readonly #documents: Documents
  readonly #isTakenIn: (document: OpenDocument, wait: Wait) => Promise<boolean>
  /** By address, with the version that was waited for in vain, if one was. */
  readonly #awaited = new Map<string, number | undefined>()

  constructor(documents: Documents, isTakenIn: (document: OpenDocument, wait: Wait) => Promise<boolean>) {
    this.#documents = documents
    this.#isTakenIn = isTakenIn
  }

  add(uri: string): void {
    this.#awaited.set(uri, undefined)
  }

  has(uri: string): boolean {
    return this.#awaited.has(uri)
  }

  /** Time is kept back to ask at all. */
  async lookAt(document: OpenDocument, { signal, milliseconds }: Wait): Promise<void> {
    if (!this.has(document.uri)) return
    const most = this.#isAwaited(document) ? againMilliseconds : Number.POSITIVE_INFINITY
    await this.#look(document, { signal, milliseconds: Math.min(milliseconds / 2, most) })
  }

  /** Those nobody asks about now are not waited for twice, but neither is the view vouched for. */
  async lookAtAll({ signal, milliseconds }: Wait): Promise<Currency> {
    const due: Promise<void>[] = []
    for (const uri of this.#awaited.keys()) {
      const document = this.#documents.get(uri)
      if (document === undefined) this.#awaited.delete(uri)
      else {
        const some = this.#isAwaited(document) ? 0 : milliseconds / 2
        due.push(this.#look(document, { signal, milliseconds: some }))
      }
    }
    if (due.length > 0) await Promise.all(due)
    const left = this.#awaited.size
    if (left === 0) return { current: true }
    const count = left === 1 ? '1 is left' : `${left} are left`
    return { current: false, reason: `the server has not parsed every open file yet (${count})` }
  }

  #isAwaited({ uri, version }: OpenDocument): boolean {
    return this.#awaited.get(uri) === version
  }

  async #look(document: OpenDocument, wait: Wait): Promise<void> {
    const isTakenIn = await this.#isTakenIn(document, wait)
    // Sent again meanwhile, it is another text's report that is owed.
    if (this.#documents.get(document.uri)?.version !== document.version) return
    if (isTakenIn) this.#awaited.delete(document.uri)
    else if (this.has(document.uri)) this.#awaited.set(document.uri, document.version)
  }
}
