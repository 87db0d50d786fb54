// Changed files that a server must be shown, because it does not read them when they are announced, and that it has not
// taken in yet.
import type { Wait } from '../clock.js'
import type { OpenDocument } from '../lsp/documents.js'
import type { Quirks } from '../servers/definition.js'
import type { Session } from '../supervisor/session.js'
import { pathToUri } from '../text/uri.js'
import type { FileChange } from './change-log.js'
import type { Currency } from './file-table.js'
import { languageIdOf } from './language-id.js'
import { deleted, type ShownDocuments } from './shown-documents.js'

// A server that must be shown each changed file is not flooded; the others follow with the next questions, and until
// then its view is not vouched for.
const mostShown = 50
// For a server that was asked in vain about a changed file, at each further question.
const askedAgainMilliseconds = 1000

export class UnseenFiles {
  readonly #session: Session
  readonly #shown: ShownDocuments
  readonly #changes = new Map<string, FileChange>()
  /** Of these, the version of the document that was waited for in vain. */
  readonly #awaited = new Map<string, number>()

  constructor(session: Session, shown: ShownDocuments) {
    this.#session = session
    this.#shown = shown
  }

  has(path: string): boolean {
    return this.#changes.has(path)
  }

  /** Those of the changes that this server must be shown. */
  add(changes: readonly FileChange[]): void {
    const { quirks } = this.#session.candidate.definition
    for (const change of changes.filter(needsShowing(quirks))) this.#changes.set(change.path, change)
  }

  /** Shown at once and waited for at the next question; undefined where there is nothing to show. */
  addNow(change: FileChange): OpenDocument | undefined {
    this.#changes.set(change.path, change)
    return this.#showFile(change)
  }

  /** Opens what changed; the file is taken in when the server has reported on it, where opening alone is not enough. */
  async show({ signal, milliseconds }: Wait): Promise<Currency> {
    const { client, candidate } = this.#session
    const { quirks } = candidate.definition
    const isPulling = this.#shown.pullsDiagnostics()
    const mustReport = !isPulling || quirks.createdFilesMustBeOpened !== undefined
    const due = [...this.#changes.values()].slice(0, mostShown)
    const shown = this.#showFiles(due)
    // Time is kept back to ask at all, and none is spent twice on a text the server has nothing to say about.
    const isNew = shown.some(
      ({ change, document }) => document !== undefined && this.#awaited.get(change.path) !== document.version,
    )
    // One that is asked may have failed for want of a moment, and asking again costs little.
    const again = isPulling ? Math.min(milliseconds / 2, askedAgainMilliseconds) : 0
    const wait = { signal, milliseconds: isNew ? milliseconds / 2 : again }
    await Promise.all(
      shown.map(async ({ change, document }) => {
        const isUnseen =
          document !== undefined && mustReport && !(await this.#shown.isTakenIn(document, wait))
        this.#changes.delete(change.path)
        this.#awaited.delete(change.path)
        // What the server has nothing to say about must not keep the others from being shown.
        if (isUnseen) {
          this.#changes.set(change.path, change)
          this.#awaited.set(change.path, document.version)
        } else if (document?.content === deleted) client.documents.close(document.uri)
      }),
    )
    // What was pushed before found the file there, and empty; now it is gone.
    if (shown.some(({ document }) => document?.content === deleted)) this.#shown.outdate(new Set())
    if (this.#changes.size === 0) return { current: true }
    const reason = `the server has not taken in every changed file yet (${this.#changes.size} are left)`
    return { current: false, reason }
  }

  #showFiles(due: readonly FileChange[]): { change: FileChange; document: OpenDocument | undefined }[] {
    const { documents } = this.#session.client
    const sent: string[] = []
    const shown = due.map(change => {
      const before = documents.get(pathToUri(change.path))
      const document = this.#showFile(change)
      if (document !== undefined && document !== before) sent.push(document.uri)
      return { change, document }
    })
    // What is pushed on one may have been worked out before the server was shown the next, on which it may depend.
    if (this.#shown.isPushing()) for (const uri of sent.slice(0, -1)) this.#shown.sendAgain(uri)
    return shown.map(({ change, document }) => ({
      change,
      document: document === undefined ? undefined : (documents.get(document.uri) ?? document),
    }))
  }

  #showFile({ path, type }: FileChange): OpenDocument | undefined {
    const languageId = languageIdOf(this.#session.candidate.definition, path)
    if (languageId === undefined) return undefined
    if (type === 'deleted') return this.#shown.showDeleted(path, languageId)
    try {
      return this.#shown.showDisk(path, languageId)
    } catch {
      // Deleted again in the meantime, or unreadable: the next look at the table tells.
      return undefined
    }
  }
}

function needsShowing(quirks: Quirks): (change: FileChange) => boolean {
  if (quirks.changedFilesMustBeOpened !== undefined)
    return ({ type }) => type !== 'deleted' || quirks.deletedFilesAreNoticed === undefined
  return ({ type }) => quirks.createdFilesMustBeOpened !== undefined && type === 'created'
}
