// Keeps one server's view of the files equal to the disk: before every question, open documents are compared with what
// is there now and everything else that changed is announced in the way this server needs.

import picomatch from 'picomatch'
import { type Clock, cancelled, systemClock, type Wait } from '../clock.js'
import type { OpenDocument } from '../lsp/documents.js'
import type { ServerDefinition } from '../servers/definition.js'
import type { Session } from '../supervisor/session.js'
import { pathToUri } from '../text/uri.js'
import type { FileChange } from './change-log.js'
import type { Currency, FileTable } from './file-table.js'
import { languageIdOf } from './language-id.js'
import { LateProjectFiles } from './late-project-files.js'
import { projectFiles } from './project-files.js'
import { ShownDocuments, type ShownDocumentsOptions } from './shown-documents.js'
import { readSource, type SourceFile, statSignature } from './source-file.js'
import { runTrial, type Trial, TriedDocuments } from './trial.js'
import { Turns } from './turns.js'
import { UnseenFiles } from './unseen-files.js'

export interface SessionViewOptions extends ShownDocumentsOptions {
  readonly table: FileTable
  readonly clock?: Clock
}

// Half of the documents that may be open at once, so that opening them does not close others again.
const mostProjects = 32

const fileChangeTypes = { created: 1, changed: 2, deleted: 3 } as const
// The list follows within 40 ms where it follows at all; excluded files bring none.
const newListGraceMilliseconds = 3000
// Indexing begins with the first question after new project files were seen, if anything is to be indexed.
const reindexGraceMilliseconds = 500
// Of the time of a call that comes while another's changes are announced; the rest is for an answer that says so.
const queueingShare = 0.75

export class SessionView {
  /** Who may ask this server now. */
  readonly turns: Turns
  readonly #options: SessionViewOptions
  readonly #clock: Clock
  readonly #updates: Turns
  readonly #isInteresting: (path: string) => boolean
  readonly #shown: ShownDocuments
  readonly #unseen: UnseenFiles
  readonly #tried: TriedDocuments
  readonly #lateFiles: LateProjectFiles
  #announced: number
  readonly #heldProjects = new Map<string, () => void>()
  #projects: { readonly revision: number; readonly files: readonly (readonly string[])[] } | undefined
  #hasLoaded = false

  constructor(options: SessionViewOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.turns = new Turns(this.#clock)
    this.#updates = new Turns(this.#clock)
    this.#lateFiles = new LateProjectFiles(options.table, this.#clock)
    this.#tried = new TriedDocuments(options.session.client)
    this.#shown = new ShownDocuments(options)
    this.#unseen = new UnseenFiles(options.session, this.#shown)
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
  async bringUpToDate(given: Wait): Promise<Currency> {
    const { signal } = given
    const wait = untilDeadline(given, this.#clock)
    let isBegun = false
    const update = () => {
      isBegun = true
      if (signal.aborted) throw cancelled(signal)
      return this.#update(wait)
    }
    try {
      // One at a time: a second question must not be asked while the changes that the first one saw are on their way.
      return await this.#updates.alone(update, { signal, milliseconds: wait.milliseconds * queueingShare })
    } catch (thrown) {
      if (isBegun || signal.aborted) throw thrown
      return { current: false, reason: 'the server is still being told of earlier changes' }
    }
  }

  async #update(wait: Wait): Promise<Currency> {
    const currency = await this.#options.table.refresh()
    const announced = await this.#announce(wait)
    this.#shown.followDisk(path => this.#unseen.has(path))
    const looked = await this.#tried.lookAgain(wait)
    const parsed = await this.#shown.parsed(wait)
    return [currency, announced, looked, parsed].find(({ current }) => !current) ?? currency
  }

  /**
   * Opens the file at exactly this content. Where it was edited since it was read, the server is shown what is there now,
   * and the document has another content than was given.
   */
  open(source: SourceFile, languageId: string, wait: Wait): Promise<OpenDocument> {
    return this.#shown.open(source, languageId, wait)
  }

  /** False of a text that the server may answer about from nothing. */
  hasParsed(document: Pick<OpenDocument, 'uri'>): boolean {
    return this.#shown.hasParsed(document)
  }

  /** Whether the server has held this text ever since; it may have been sent again. */
  isShown(document: OpenDocument): boolean {
    return this.#shown.isShown(document)
  }

  /** While `run` lasts, the server may be shown texts that are on no disk; afterwards it sees the disk again. */
  trying<T>(run: (trial: Trial) => Promise<T>): Promise<T> {
    const { client } = this.#options.session
    return runTrial(
      {
        client,
        isAlone: () => this.turns.isAlone,
        isPushing: () => this.#shown.isPushing(),
        outdateExcept: uris => this.#shown.outdate(uris),
        restore: (uri, path) => this.#restore(uri, path),
      },
      run,
    )
  }

  /** Opens one file of each project below the root, for servers that know only those; says of how many one is open. */
  async openProjects(wait: Wait): Promise<{ opened: number; total: number }> {
    const { table, session } = this.#options
    const { documents } = session.client
    const { definition } = session.candidate
    if (this.#projects?.revision !== table.revision) {
      this.#projects = { revision: table.revision, files: projectFiles(table, definition, session.root) }
    }
    const { files: projects } = this.#projects
    const openOf = (files: readonly string[]) =>
      files.flatMap(file => documents.get(pathToUri(file)) ?? [])[0]
    const chosen = projects.slice(0, mostProjects)
    for (const files of chosen)
      if (openOf(files) === undefined && !wait.signal.aborted) await this.#openFirst(files, wait)
    this.#holdProjects(chosen.flatMap(files => openOf(files)?.uri ?? []))
    return { opened: projects.filter(files => openOf(files) !== undefined).length, total: projects.length }
  }

  /** Closed for want of room, a project would be loaded anew at the next question, which takes longer than the question. */
  #holdProjects(uris: readonly string[]): void {
    const { documents } = this.#options.session.client
    for (const [uri, letGo] of this.#heldProjects) {
      if (uris.includes(uri)) continue
      letGo()
      this.#heldProjects.delete(uri)
    }
    for (const uri of uris) if (!this.#heldProjects.has(uri)) this.#heldProjects.set(uri, documents.hold(uri))
  }

  async #openFirst(files: readonly string[], wait: Wait): Promise<void> {
    const { gate, session } = this.#options
    for (const file of files) {
      const languageId = languageIdOf(session.candidate.definition, file)
      if (languageId === undefined) continue
      try {
        await this.open(readSource(gate, file), languageId, wait)
        return
      } catch {
        // Gone since it was listed, too large, or no text: the next one will do as well.
      }
    }
  }

  #restore(uri: string, path: string): void {
    const { client, candidate } = this.#options.session
    const document = client.documents.get(uri)
    if (document === undefined) return
    this.#tried.add(uri)
    if (candidate.definition.quirks.changedFilesMustBeOpened === undefined) {
      this.#shown.refresh(document, path)
      return
    }
    // Closed at once, such a server would keep the trial in its index: the next question waits until it has looked again.
    const change: FileChange = { path, type: statSignature(path) === undefined ? 'deleted' : 'changed' }
    if (this.#unseen.addNow(change) === undefined) client.documents.close(uri)
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
    if (changes.length === 0) return this.#unseen.show(wait)
    client.notify('workspace/didChangeWatchedFiles', {
      changes: changes.map(({ path, type }) => ({ uri: pathToUri(path), type: fileChangeTypes[type] })),
    })
    this.#shown.outdate(new Set())
    if (quirks.announcesNewFileList !== undefined && changes.some(isNewList)) {
      client.readiness.disturbed('it is listing the files of the workspace again', newListGraceMilliseconds)
    }
    const { reloads } = session.candidate.definition
    if (reloads !== undefined && changes.some(({ path, type }) => reloads.after(path, type))) {
      client.readiness.disturbed(reloads.reason, reloads.withinMilliseconds)
    }
    this.#unseen.add(changes)
    return this.#unseen.show(wait)
  }

  async #projectFilesSeen(changes: readonly FileChange[], wait: Wait): Promise<boolean> {
    const { client, candidate } = this.#options.session
    const { projectFilesSeenAfter: lateness } = candidate.definition
    // Before the first document it has not read them at all.
    if (lateness === undefined || client.documents.all().length === 0) return true
    const due = changes.filter(({ path }) => languageIdOf(candidate.definition, path) === undefined)
    if (due.length === 0) return true
    if (!(await this.#lateFiles.seen(due, lateness, wait))) return false
    client.readiness.disturbed(lateness.reason, reindexGraceMilliseconds)
    return true
  }

  async #loaded({ signal, milliseconds }: Wait): Promise<boolean> {
    const { readiness } = this.#options.session.client
    // Some time is kept back to ask at all.
    this.#hasLoaded ||= (await readiness.settle({ signal, milliseconds: milliseconds * 0.75 })).ready
    return this.#hasLoaded
  }
}

/** The same wait, of which less is left at every look. */
function untilDeadline({ signal, milliseconds }: Wait, clock: Clock): Wait {
  const deadline = clock.now() + milliseconds
  return {
    signal,
    get milliseconds() {
      return Math.max(deadline - clock.now(), 0)
    },
  }
}

function isNewList(change: FileChange): boolean {
  return change.type !== 'changed'
}

function interestOf(definition: ServerDefinition): (path: string) => boolean {
  const names =
    definition.watches.length === 0 ? () => false : picomatch([...definition.watches], { dot: true })
  return path => languageIdOf(definition, path) !== undefined || names(path.slice(path.lastIndexOf('/') + 1))
}
