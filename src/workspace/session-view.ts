// Keeps one server's view of the files equal to the disk: before every question, open documents are compared with what
// is there now and everything else that changed is announced in the way this server needs.
import { extname } from 'node:path'
import picomatch from 'picomatch'
import type { OpenDocument } from '../lsp/documents.js'
import type { ServerDefinition } from '../servers/definition.js'
import type { Session } from '../supervisor/session.js'
import { pathToUri, uriToPath } from '../text/uri.js'
import type { Currency, FileChange, FileTable } from './file-table.js'
import type { PathGate } from './path-gate.js'
import { readSource, type SourceFile, signatureUnchanged, statSignature } from './source-file.js'

export interface SessionViewOptions {
  readonly session: Session
  readonly table: FileTable
  readonly gate: PathGate
}

const fileChangeTypes = { created: 1, changed: 2, deleted: 3 } as const
// A server that must be shown each changed file one by one is not flooded; beyond this its view is not vouched for.
const mostReopened = 300

export class SessionView {
  readonly #options: SessionViewOptions
  readonly #isInteresting: (path: string) => boolean
  /** The file behind each open document, as it was when it was last read. */
  readonly #sources = new Map<string, SourceFile>()
  #announced: number

  constructor(options: SessionViewOptions) {
    this.#options = options
    this.#isInteresting = interestOf(options.session.candidate.definition)
    // What was recorded before this session began, the server has read from the disk itself.
    this.#announced = options.table.revisionBefore(options.session.startedAt)
  }

  get session(): Session {
    return this.#options.session
  }

  /** Afterwards the server has been told of every change the table vouches for. */
  async bringUpToDate(): Promise<Currency> {
    const currency = await this.#options.table.refresh()
    const complete = this.#announce()
    this.#refreshOpenDocuments()
    if (!currency.current) return currency
    if (complete) return currency
    return {
      current: false,
      reason: 'too many files changed at once for this server to be shown each of them',
    }
  }

  /** Opens the file at exactly this content, or changes the open document to it. */
  async open(
    source: SourceFile,
    languageId: string,
    wait: { signal: AbortSignal; milliseconds: number },
  ): Promise<OpenDocument> {
    const { client } = this.#options.session
    const uri = pathToUri(source.absolute)
    const open = client.documents.get(uri)
    if (open !== undefined && open.content !== source.content)
      await client.diagnostics.readyForChange(uri, wait)
    this.#sources.set(uri, source)
    return client.documents.sync({ uri, languageId, text: source.text.text, content: source.content })
  }

  #refreshOpenDocuments(): void {
    const { client } = this.#options.session
    for (const document of client.documents.all()) {
      const known = this.#sources.get(document.uri)
      const path = uriToPath(document.uri)
      if (
        path === undefined ||
        (known !== undefined && signatureUnchanged(known.signature, statSignature(path)))
      )
        continue
      this.#refreshDocument(document, path)
    }
  }

  #refreshDocument(document: OpenDocument, path: string): void {
    const { client } = this.#options.session
    try {
      const source = readSource(this.#options.gate, path)
      this.#sources.set(document.uri, source)
      client.documents.sync({ ...document, text: source.text.text, content: source.content })
    } catch {
      // It is gone, or no longer a file we may read: the server then has to rely on the disk like everybody else.
      this.#sources.delete(document.uri)
      client.documents.close(document.uri)
    }
  }

  /** False when the server's way of learning changes does not scale to so many. */
  #announce(): boolean {
    const { table, session } = this.#options
    const changes = table.changesAfter(this.#announced).filter(change => this.#isInteresting(change.path))
    this.#announced = table.revision
    if (changes.length === 0) return true
    const { definition } = session.candidate
    session.client.notify('workspace/didChangeWatchedFiles', {
      changes: changes.map(({ path, type }) => ({ uri: pathToUri(path), type: fileChangeTypes[type] })),
    })
    if (definition.quirks.announcesNewFileList !== undefined && changes.some(isNewList)) {
      session.client.readiness.disturbed('it is listing the files of the workspace again')
    }
    if (definition.quirks.changedFilesNeedReopening === undefined) return true
    return this.#reopen(changes)
  }

  #reopen(changes: readonly FileChange[]): boolean {
    const { client, candidate } = this.#options.session
    const toShow = changes.filter(
      ({ path, type }) => type !== 'deleted' && client.documents.get(pathToUri(path)) === undefined,
    )
    for (const { path } of toShow.slice(0, mostReopened)) {
      const languageId = candidate.definition.extensions[extname(path)]
      if (languageId === undefined) continue
      try {
        const source = readSource(this.#options.gate, path)
        const uri = pathToUri(path)
        client.documents.sync({ uri, languageId, text: source.text.text, content: source.content })
        client.documents.close(uri)
      } catch {
        // Deleted again in the meantime, or unreadable: the next sweep tells.
      }
    }
    return toShow.length <= mostReopened
  }
}

function isNewList(change: FileChange): boolean {
  return change.type !== 'changed'
}

function interestOf(definition: ServerDefinition): (path: string) => boolean {
  const names =
    definition.watches.length === 0 ? () => false : picomatch([...definition.watches], { dot: true })
  return path =>
    definition.extensions[extname(path)] !== undefined || names(path.slice(path.lastIndexOf('/') + 1))
}
