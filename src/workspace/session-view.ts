// Keeps one server's view of the files equal to the disk: before every question, open documents are compared with what
// is there now and everything else that changed is announced in the way this server needs.

import { extname } from 'node:path'
import picomatch from 'picomatch'
import { type Clock, systemClock } from '../clock.js'
import type { OpenDocument } from '../lsp/documents.js'
import type { Quirks, ServerDefinition } from '../servers/definition.js'
import type { Session } from '../supervisor/session.js'
import { pathToUri, uriToPath } from '../text/uri.js'
import type { FileChange } from './change-log.js'
import type { Currency, FileTable } from './file-table.js'
import type { GivenTexts } from './given-texts.js'
import type { PathGate } from './path-gate.js'
import { projectFiles } from './project-files.js'
import { readSource, type SourceFile, signatureUnchanged, statSignature } from './source-file.js'
import { runTrial, type Trial, TriedDocuments } from './trial.js'
import { Turns } from './turns.js'

interface Wait {
  readonly signal: AbortSignal
  readonly milliseconds: number
}

export interface SessionViewOptions {
  readonly session: Session
  readonly table: FileTable
  readonly gate: PathGate
  readonly clock?: Clock
  /** Hears of every text of the disk that the server is shown. */
  readonly given?: GivenTexts
}

// Half of the documents that may be open at once, so that opening them does not close others again.
const mostProjects = 32

const fileChangeTypes = { created: 1, changed: 2, deleted: 3 } as const
// A server that must be shown each changed file is not flooded; the others follow with the next questions, and until
// then its view is not vouched for.
const mostShown = 50
// For a server that was asked in vain about a changed file, at each further question.
const askedAgainMilliseconds = 1000
// The list follows within 40 ms where it follows at all; excluded files bring none.
const newListGraceMilliseconds = 3000
// Indexing begins with the first question after new project files were seen, if anything is to be indexed.
const reindexGraceMilliseconds = 500

export class SessionView {
  /** Who may ask this server now. */
  readonly turns: Turns
  readonly #options: SessionViewOptions
  readonly #isInteresting: (path: string) => boolean
  /** The file behind each open document, as it was when it was last read. */
  readonly #sources = new Map<string, SourceFile>()
  /** Open documents whose pushed diagnostics may rest on another file that changed since. */
  readonly #outdated = new Set<string>()
  /** Changed files that this server must be shown and has not taken in yet. */
  readonly #unseen = new Map<string, FileChange>()
  /** Of these, the version of the document that was waited for in vain. */
  readonly #awaited = new Map<string, number>()
  readonly #tried: TriedDocuments
  #announced: number
  #projects: { readonly revision: number; readonly files: readonly string[] } | undefined
  #hasLoaded = false
  #updating: Promise<unknown> = Promise.resolve()

  constructor(options: SessionViewOptions) {
    this.#options = options
    this.turns = new Turns(options.clock ?? systemClock)
    this.#tried = new TriedDocuments(options.session.client)
    this.#isInteresting = interestOf(options.session.candidate.definition)
    // What was recorded before this session began, the server has read from the disk itself.
    this.#announced = options.table.revisionBefore(options.session.startedAt)
  }

  get session(): Session {
    return this.#options.session
  }

  /** Whether this server is told of a change to such a file. */
  caresAbout(path: string): boolean {
    return this.#isInteresting(path)
  }

  /** Afterwards the server has been told of every change the table vouches for. */
  bringUpToDate(wait: Wait): Promise<Currency> {
    // One at a time: a second question must not be asked while the changes that the first one saw are on their way.
    const updated = this.#updating.then(() => this.#update(wait))
    this.#updating = updated.catch(() => undefined)
    return updated
  }

  async #update(wait: Wait): Promise<Currency> {
    const currency = await this.#options.table.refresh()
    const announced = await this.#announce(wait)
    this.#refreshOpenDocuments()
    const parsed = await this.#tried.lookAgain(wait)
    return [currency, announced, parsed].find(({ current }) => !current) ?? currency
  }

  /** Opens the file at exactly this content, or changes the open document to it. */
  async open(source: SourceFile, languageId: string, wait: Wait): Promise<OpenDocument> {
    const { client } = this.#options.session
    const uri = pathToUri(source.absolute)
    const known = client.documents.get(uri)
    if (known !== undefined && known.content !== source.content)
      await client.diagnostics.readyForChange(uri, wait)
    this.#remember(uri, source)
    const outdated = this.#outdated.delete(uri)
    const document = client.documents.sync({
      uri,
      languageId,
      text: source.text.text,
      content: source.content,
    })
    // Its own text is the same, but something it may depend on changed: its pushed diagnostics are no longer proof.
    if (outdated && document === known) client.documents.touch(uri)
    const shown = client.documents.get(uri) ?? document
    const { answersBeforeParsing } = this.#options.session.candidate.definition.quirks
    if (shown !== known && answersBeforeParsing !== undefined)
      await this.#isTakenIn(shown, { ...wait, milliseconds: wait.milliseconds / 2 })
    return shown
  }

  /** While `run` lasts, the server may be shown texts that are on no disk; afterwards it sees the disk again. */
  trying<T>(run: (trial: Trial) => Promise<T>): Promise<T> {
    const { client } = this.#options.session
    return runTrial(
      {
        client,
        isAlone: () => this.turns.isAlone,
        isPushing: () => this.#isPushing(),
        outdateExcept: uris => this.#outdate(uris),
        restore: (uri, path) => this.#restore(uri, path),
      },
      run,
    )
  }

  /** Opens one file of each project below the root, for servers that know only those; says how many there are. */
  async openProjects(wait: Wait): Promise<{ opened: number; total: number }> {
    const { table, session, gate } = this.#options
    const { definition } = session.candidate
    if (this.#projects?.revision !== table.revision) {
      this.#projects = { revision: table.revision, files: projectFiles(table, definition, session.root) }
    }
    const { files } = this.#projects
    const chosen = files.slice(0, mostProjects)
    for (const file of chosen) {
      const languageId = languageIdOf(definition, file)
      if (languageId === undefined || session.client.documents.get(pathToUri(file)) !== undefined) continue
      try {
        await this.open(readSource(gate, file), languageId, wait)
      } catch {
        // Gone since it was listed, or not to be read: the list is made anew with the next change.
      }
    }
    return { opened: chosen.length, total: files.length }
  }

  #refreshOpenDocuments(): void {
    const { client } = this.#options.session
    for (const document of client.documents.all()) {
      const known = this.#sources.get(document.uri)
      const path = uriToPath(document.uri)
      if (path === undefined || this.#unseen.has(path)) continue
      if (known !== undefined && signatureUnchanged(known.signature, statSignature(path))) continue
      this.#refreshDocument(document, path)
    }
  }

  #refreshDocument(document: OpenDocument, path: string): void {
    const { client } = this.#options.session
    try {
      const source = readSource(this.#options.gate, path)
      this.#remember(document.uri, source)
      const synced = client.documents.sync({ ...document, text: source.text.text, content: source.content })
      if (synced !== document) this.#outdated.delete(document.uri)
    } catch {
      // It is gone, or no longer a file we may read: the server then has to rely on the disk like everybody else.
      this.#sources.delete(document.uri)
      client.documents.close(document.uri)
    }
  }

  #remember(uri: string, source: SourceFile): void {
    this.#sources.set(uri, source)
    this.#options.given?.note(source)
  }

  #outdate(except: ReadonlySet<string>): void {
    const { documents, diagnostics } = this.#options.session.client
    for (const document of documents.all()) {
      if (!except.has(document.uri) && !diagnostics.pulls(document)) this.#outdated.add(document.uri)
    }
  }

  #restore(uri: string, path: string): void {
    const { client, candidate } = this.#options.session
    const document = client.documents.get(uri)
    if (document === undefined) return
    this.#tried.add(uri)
    if (candidate.definition.quirks.changedFilesMustBeOpened === undefined) {
      this.#refreshDocument(document, path)
      return
    }
    // Closed at once, such a server would keep the trial in its index: the next question waits until it has looked again.
    const change: FileChange = { path, type: statSignature(path) === undefined ? 'deleted' : 'changed' }
    this.#unseen.set(path, change)
    if (this.#showFile(change) === undefined) client.documents.close(uri)
  }

  async #announce(wait: Wait): Promise<Currency> {
    const { table, session } = this.#options
    const { revision } = table
    const changes = table.changesAfter(this.#announced).filter(change => this.#isInteresting(change.path))
    const { client } = session
    const { quirks } = session.candidate.definition
    if (changes.length > 0 && quirks.announceOnlyWhenLoaded !== undefined && !(await this.#loaded(wait))) {
      return { current: false, reason: 'the server is still loading and cannot be told of changes yet' }
    }
    if (!(await this.#projectFilesSeen(changes, wait))) {
      return { current: false, reason: 'the server has not looked at its changed project files yet' }
    }
    this.#announced = revision
    if (changes.length === 0) return this.#showUnseen(wait)
    client.notify('workspace/didChangeWatchedFiles', {
      changes: changes.map(({ path, type }) => ({ uri: pathToUri(path), type: fileChangeTypes[type] })),
    })
    this.#outdate(new Set())
    if (quirks.announcesNewFileList !== undefined && changes.some(isNewList)) {
      client.readiness.disturbed('it is listing the files of the workspace again', newListGraceMilliseconds)
    }
    const { reloads } = session.candidate.definition
    if (reloads !== undefined && changes.some(({ path, type }) => reloads.after(path, type))) {
      client.readiness.disturbed(reloads.reason, reloads.withinMilliseconds)
    }
    for (const change of changes.filter(needsShowing(quirks))) this.#unseen.set(change.path, change)
    return this.#showUnseen(wait)
  }

  /** A server that looks at them now and then gets the time to do so; what it builds afterwards is right. */
  async #projectFilesSeen(changes: readonly FileChange[], wait: Wait): Promise<boolean> {
    const { session, clock = systemClock } = this.#options
    const { client, candidate } = session
    const { projectFilesSeenAfter: lateness } = candidate.definition
    // Before the first document it has not read them at all.
    if (lateness === undefined || client.documents.all().length === 0) return true
    if (changes.every(({ path }) => languageIdOf(candidate.definition, path) !== undefined)) return true
    if (lateness.milliseconds > wait.milliseconds / 2) return false
    await new Promise<void>(resolve => {
      const timer = clock.after(lateness.milliseconds, resolve)
      wait.signal.addEventListener('abort', () => {
        timer.cancel()
        resolve()
      })
    })
    client.readiness.disturbed(lateness.reason, reindexGraceMilliseconds)
    return !wait.signal.aborted
  }

  async #loaded({ signal, milliseconds }: Wait): Promise<boolean> {
    const { readiness } = this.#options.session.client
    // Some time is kept back to ask at all.
    this.#hasLoaded ||= (await readiness.settle({ signal, milliseconds: milliseconds * 0.75 })).ready
    return this.#hasLoaded
  }

  #pullsDiagnostics(): boolean {
    return this.#options.session.client.diagnostics.pulls()
  }

  /** Whether a text may be sent again for a report on it; one that owes a report for each change would lose count. */
  #isPushing(): boolean {
    const { diagnostics } = this.#options.session.candidate.definition
    return diagnostics.kind !== 'one-push-per-change' && !this.#pullsDiagnostics()
  }

  /** Opens what changed; the file is taken in when the server has reported on it, where opening alone is not enough. */
  async #showUnseen({ signal, milliseconds }: Wait): Promise<Currency> {
    const { client, candidate } = this.#options.session
    const { quirks } = candidate.definition
    const mustReport = !this.#pullsDiagnostics() || quirks.createdFilesMustBeOpened !== undefined
    const due = [...this.#unseen.values()].slice(0, mostShown)
    const shown = this.#showFiles(due)
    // Time is kept back to ask at all, and none is spent twice on a text the server has nothing to say about.
    const isNew = shown.some(
      ({ change, document }) => document !== undefined && this.#awaited.get(change.path) !== document.version,
    )
    // One that is asked may have failed for want of a moment, and asking again costs little.
    const again = this.#pullsDiagnostics() ? Math.min(milliseconds / 2, askedAgainMilliseconds) : 0
    const wait = { signal, milliseconds: isNew ? milliseconds / 2 : again }
    await Promise.all(
      shown.map(async ({ change, document }) => {
        const isUnseen = document !== undefined && mustReport && !(await this.#isTakenIn(document, wait))
        this.#unseen.delete(change.path)
        this.#awaited.delete(change.path)
        // What the server has nothing to say about must not keep the others from being shown.
        if (isUnseen) {
          this.#unseen.set(change.path, change)
          this.#awaited.set(change.path, document.version)
        } else if (document?.text === '') client.documents.close(document.uri)
      }),
    )
    if (this.#unseen.size === 0) return { current: true }
    const reason = `the server has not taken in every changed file yet (${this.#unseen.size} are left)`
    return { current: false, reason }
  }

  #showFiles(due: readonly FileChange[]): { change: FileChange; document: OpenDocument | undefined }[] {
    const { documents } = this.#options.session.client
    const sent: string[] = []
    const shown = due.map(change => {
      const before = documents.get(pathToUri(change.path))
      const document = this.#showFile(change)
      if (document !== undefined && document !== before) sent.push(document.uri)
      return { change, document }
    })
    // What is pushed on one may have been worked out before the server was shown the next, on which it may depend.
    if (this.#isPushing()) for (const uri of sent.slice(0, -1)) documents.touch(uri)
    return shown.map(({ change, document }) => ({
      change,
      document: document === undefined ? undefined : (documents.get(document.uri) ?? document),
    }))
  }

  async #isTakenIn(document: OpenDocument, wait: Wait): Promise<boolean> {
    try {
      const report = await this.#options.session.client.diagnostics.report(document, wait)
      return report.verdict === 'settled'
    } catch {
      // A server that will not report on some file is not vouched for; the question itself can still be asked.
      return false
    }
  }

  /** Undefined where there is nothing to show. */
  #showFile({ path, type }: FileChange): OpenDocument | undefined {
    const { client, candidate } = this.#options.session
    const languageId = languageIdOf(candidate.definition, path)
    if (languageId === undefined) return undefined
    const uri = pathToUri(path)
    if (type === 'deleted') {
      // What is in no file any more is taken back by showing the file empty.
      this.#sources.delete(uri)
      return client.documents.sync({ uri, languageId, text: '', content: 'deleted' })
    }
    try {
      const source = readSource(this.#options.gate, path)
      this.#remember(uri, source)
      this.#outdated.delete(uri)
      return client.documents.sync({ uri, languageId, text: source.text.text, content: source.content })
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

function isNewList(change: FileChange): boolean {
  return change.type !== 'changed'
}

function interestOf(definition: ServerDefinition): (path: string) => boolean {
  const names =
    definition.watches.length === 0 ? () => false : picomatch([...definition.watches], { dot: true })
  return path => languageIdOf(definition, path) !== undefined || names(path.slice(path.lastIndexOf('/') + 1))
}

function languageIdOf({ extensions }: ServerDefinition, path: string): string | undefined {
  const wanted = extname(path).toLowerCase()
  return Object.entries(extensions).find(([extension]) => extension.toLowerCase() === wanted)?.[1]
}
