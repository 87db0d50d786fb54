// What operations see of the workspace: files through the one gate, the server that answers for a file with its view
// brought up to date, and places. Everything below (processes, protocol) stays below.
import { dirname } from 'node:path'
import type { Clock, Wait } from '../clock.js'
import { asBridgeError, type BridgeError, messageOf } from '../errors.js'
import type { Events } from '../events.js'
import type { ServerWorkspaceEdit } from '../lsp/edit-results.js'
import type { ServerRange } from '../lsp/parse.js'
import type { ServerLocation } from '../lsp/results.js'
import type { RootFacts, RootRule } from '../servers/definition.js'
import type { ServerInstance } from '../supervisor/instance.js'
import { publicState } from '../supervisor/lifecycle.js'
import { rootFor } from '../supervisor/roots.js'
import type { Session, StartCandidate } from '../supervisor/session.js'
import type { Supervisor } from '../supervisor/supervisor.js'
import type { PositionEncoding } from '../text/position.js'
import { pathToUri, uriToPath } from '../text/uri.js'
import { AddedFolders } from './added-folders.js'
import { outOfTime } from './apply-errors.js'
import type { ChangeType, FileChange } from './change-log.js'
import { type EditPlan, makePlan, type PlanOptions } from './edit-plan.js'
import type { FileTable } from './file-table.js'
import type { Git } from './git.js'
import { GivenTexts } from './given-texts.js'
import { KeptChanges } from './kept-changes.js'
import { KeptDocuments } from './kept-documents.js'
import { mayHoldName } from './name-search.js'
import type { Located, PathGate } from './path-gate.js'
import { type Place, toPlace, toPlaces } from './places.js'
import { Proposals } from './proposals.js'
import { ReadLog } from './read-log.js'
import type { Route, Routes } from './routes.js'
import { SessionView } from './session-view.js'
import { type SourceCache, type SourceFile, signatureUnchanged, statSignature } from './source-file.js'
import { Witnesses } from './witnesses.js'
import { writePlan } from './write-plan.js'

export interface WorkspaceOptions {
  readonly gate: PathGate
  readonly table: FileTable
  readonly cache: SourceCache
  readonly routes: Routes
  readonly supervisor: Supervisor
  readonly findCandidates: (route: Route, root: string) => readonly StartCandidate[]
  readonly exists: RootFacts['exists']
  /** Throws for a file that belongs to no project that is recognised; absent where every file will do. */
  readonly requireProject?: ((file: Located) => void) | undefined
  readonly git: Git
  /** The user's; undefined where nothing may be kept, and then nothing is written either. */
  readonly stateFolder: string | undefined
  readonly clock: Clock
  readonly events: Events
}

/** A live server for a language, with the view it has of the files. */
export interface Connection {
  readonly instance: ServerInstance
  readonly session: Session
  readonly view: SessionView
}

/** A folder for which a language has a server of its own. */
export interface LanguageRoot {
  /** As answers show it. */
  readonly name: string
  readonly root: string
  /** Whether a server was asked for there before. */
  readonly isKnown: boolean
  connect(wait: Wait): Promise<Connection>
}

export interface ServerReport {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly language: string
  readonly root: string
  readonly how: string
  readonly state: string
  readonly indexing?: string
  readonly memory_mb: number
  readonly restarts: number
  readonly last_error?: string
}

export interface KnownServer {
  report(): ServerReport
  /** Ends what runs and starts anew, out of a failed state too; throws what keeps it from starting. */
  restart(wait: Wait): Promise<void>
}

/** What would have to be installed for a language to be answered for. */
export interface MissingServer {
  readonly language: string
  readonly command: string
  readonly install: string
}

/** Who would be asked about a language, in order of preference, or why nobody can be. */
export interface LanguageCandidates {
  readonly language: string
  readonly files: number
  readonly candidates: readonly StartCandidate[]
  readonly error?: BridgeError
}

export class Workspace {
  /** Files that speak against a server's answer. */
  readonly witnesses: Witnesses
  readonly #options: WorkspaceOptions
  readonly #views = new WeakMap<Session, SessionView>()
  readonly #folders = new AddedFolders()
  /** Documents that stay open until they are closed by name. */
  readonly kept = new KeptDocuments()
  /** What servers were shown before it was changed. */
  readonly given: GivenTexts
  /** Changes that were announced, by their handles. */
  readonly changes: KeptChanges
  /** What a host said was read. */
  readonly reads = new ReadLog()
  readonly #proposals: Proposals
  #applying: Promise<unknown> = Promise.resolve()

  constructor(options: WorkspaceOptions) {
    this.#options = options
    this.#proposals = new Proposals(options)
    this.changes = new KeptChanges(options)
    this.given = new GivenTexts({ since: options.clock.date().getTime() })
    this.witnesses = new Witnesses(options)
  }

  get root(): string {
    return this.#options.gate.root
  }

  get routes(): Routes {
    return this.#options.routes
  }

  get git(): Git {
    return this.#options.git
  }

  /** Reads a file of the workspace as it is now; every path an agent gives comes through here. */
  read(path: string): SourceFile {
    return this.#options.cache.get(path)
  }

  /** A path of the workspace by name alone; there need not be such a file. */
  locate(path: string): Located {
    return this.#options.gate.locate(path)
  }

  /** The file that a document is, relative to the workspace; undefined for one that lies elsewhere. */
  fileOf(uri: string): string | undefined {
    const path = uriToPath(uri)
    if (path === undefined) return undefined
    try {
      return this.locate(path).relative
    } catch {
      return undefined
    }
  }

  /** Whether the file still has this content. */
  stillHas(source: SourceFile): boolean {
    // Nearly always one look proves it, since the signature names the very file behind the path.
    if (signatureUnchanged(source.signature, statSignature(source.absolute, this.#options.clock))) return true
    try {
      return this.#options.cache.get(source.absolute).content === source.content
    } catch {
      return false
    }
  }

  async connect(source: Located, wait: Wait): Promise<Connection> {
    this.#options.requireProject?.(source)
    const route = this.#options.routes.forFile(source.relative)
    const connection = await this.#connect(route, this.#rootOf(route, source.absolute), wait)
    const { exists } = this.#options
    const own = this.#folders.rootOf(source.absolute, ruleOf(route), connection.session, exists)
    if (own === undefined) return connection
    const other = await this.#connect(route, own, wait)
    this.#folders.claim(other.instance)
    return other
  }

  /** The servers that run, each with its view. */
  connections(): Connection[] {
    return this.instances().flatMap(instance => {
      const { session } = instance
      return session === undefined ? [] : [{ instance, session, view: this.#viewOf(session) }]
    })
  }

  /** Looks at these paths now; every server hears of what changed there before its next question. */
  async lookAt(paths: readonly Located[], type: ChangeType): Promise<FileChange[]> {
    const { table } = this.#options
    await table.scan()
    return paths.flatMap(({ absolute }) => table.tell(absolute, type))
  }

  /** Looks at what changed on the disk, so that lists of files are of now. */
  async refresh(): Promise<void> {
    await this.#options.table.scan()
    await this.#options.table.refresh()
  }

  /** A moment in the life of the files; undefined where nobody watches them, so that no moment is like another. */
  get revision(): number | undefined {
    const { table } = this.#options
    return table.isWatched ? table.revision : undefined
  }

  /** Absolute; as far as the table has looked. */
  changedAfter(revision: number): string[] {
    return this.#options.table.changesAfter(revision).map(({ path }) => path)
  }

  /** Folders below the root that were added as workspaces of their own, absolute. */
  addedFolders(): readonly string[] {
    return this.#folders.all()
  }

  /** From now on the folder is a workspace of its own, for the servers that are told of it; false when it was one. */
  addFolder(folder: string): boolean {
    return this.#folders.add(folder)
  }

  /** Tells the server of the folders it does not know yet, if it can be told, and nobody tries a text on it. */
  announceFolders({ view }: Pick<Connection, 'view'>, wait: Wait): Promise<void> {
    return this.#folders.announce(view, path => this.#options.gate.display(path), wait)
  }

  /** Ends the servers that ran for its sake; false when it was none. The others have to be told. */
  async removeFolder(folder: string): Promise<boolean> {
    const bereft = this.#folders.remove(folder)
    await Promise.all((bereft ?? []).map(instance => this.#options.supervisor.remove(instance)))
    return bereft !== undefined
  }

  /** In the server's turn: tells it that the folder is none any more. */
  withdrawFolder({ session }: Connection, folder: string): void {
    this.#folders.withdraw(session, folder)
  }

  /** Proves that there is such a folder inside the workspace; links are resolved. */
  locateFolder(path: string): Located {
    const folder = this.#options.gate.openFolder(path)
    try {
      return { absolute: folder.canonical, relative: folder.relative }
    } finally {
      folder.close()
    }
  }

  /** Where a language's servers run, and where else its files would have one of their own. */
  async rootsOf(language: string): Promise<LanguageRoot[]> {
    const roots: LanguageRoot[] = this.instances()
      .filter(instance => instance.language === language)
      .map(instance => ({
        name: this.#options.gate.display(instance.root),
        root: instance.root,
        isKnown: true,
        connect: wait => this.#connectTo(instance, wait),
      }))
    const folders = new Set<string>()
    for (const file of await this.filesOf(language)) {
      if (folders.has(dirname(file))) continue
      folders.add(dirname(file))
      const route = this.#options.routes.forFile(this.#options.gate.display(file))
      const root = this.#rootOf(route, file)
      if (roots.some(other => other.root === root)) continue
      const name = this.#options.gate.display(root)
      roots.push({ name, root, isKnown: false, connect: wait => this.#connect(route, root, wait) })
    }
    return roots
  }

  async filesOf(language: string): Promise<Iterable<string>> {
    await this.#options.table.scan()
    return this.#filesOf(language)
  }

  /** Of the files with its extensions, those that no longer extension or name gives to another language. */
  *#filesOf(language: string): Iterable<string> {
    const { routes, table } = this.#options
    for (const file of table.filesWith(routes.extensionsOf(language))) {
      if (routes.languageOf(file) === language) yield file
    }
  }

  /**
   * Whether a file of this language may declare a name that fits. A server need not be started to find nothing; where
   * reading the files would take long, it may.
   */
  async mayDeclare(language: string, query: string, signal: AbortSignal): Promise<boolean> {
    const { table, clock } = this.#options
    await table.scan()
    // A file that came a moment ago counts, too.
    const { current } = await table.refresh()
    return !current || mayHoldName(this.#filesOf(language), query, { clock, signal })
  }

  /** Without what git ignores, as answers show them. */
  async keptFilesOf(language: string): Promise<string[]> {
    const { gate } = this.#options
    const files = [...(await this.filesOf(language))]
    return files.filter(file => !this.witnesses.isIgnored(file)).map(file => gate.display(file))
  }

  /** How many files of each language were found. Data is in every project: it counts where there is a server for it. */
  async census(): Promise<{ language: string; files: number }[]> {
    await this.#options.table.scan()
    const { routes } = this.#options
    const counts = routes.languages().map(language => {
      const files = [...this.#filesOf(language)]
      const isCounted = routes.declaresSymbols(language) || this.#hasServer(files[0])
      return { language, files: isCounted ? files.length : 0 }
    })
    return counts.filter(({ files }) => files > 0).sort((a, b) => b.files - a.files)
  }

  #hasServer(file: string | undefined): boolean {
    if (file === undefined) return false
    const { routes, gate, findCandidates } = this.#options
    try {
      const route = routes.forFile(gate.display(file))
      return findCandidates(route, this.#rootOf(route, file)).length > 0
    } catch (thrown) {
      return asBridgeError(thrown).kind !== 'ServerUnavailable'
    }
  }

  /** For every language found, the ways to run a server at the root of its first file. Starts nothing. */
  async candidates(): Promise<LanguageCandidates[]> {
    const { routes, gate, findCandidates } = this.#options
    const found: LanguageCandidates[] = []
    for (const { language, files } of await this.census()) {
      const [file] = await this.filesOf(language)
      if (file === undefined) continue
      try {
        const route = routes.forFile(gate.display(file))
        found.push({ language, files, candidates: findCandidates(route, this.#rootOf(route, file)) })
      } catch (thrown) {
        found.push({ language, files, candidates: [], error: asBridgeError(thrown) })
      }
    }
    return found
  }

  /** The server that a file's language lacks on this machine; undefined when there is one to try. */
  missingServer(file: string): MissingServer | undefined {
    const { routes, findCandidates } = this.#options
    try {
      const located = this.locate(file)
      const route = routes.forFile(located.relative)
      try {
        findCandidates(route, this.#rootOf(route, located.absolute))
        return undefined
      } catch (thrown) {
        const [first] = route.definitions
        if (first === undefined || asBridgeError(thrown).kind !== 'ServerUnavailable') return undefined
        return { language: route.language, command: first.command, install: first.install }
      }
    } catch {
      return undefined
    }
  }

  /** Starts a language's server in the background; a failure is only logged. */
  async prewarm(language: string, wait: Wait): Promise<void> {
    try {
      const [first] = await this.rootsOf(language)
      await first?.connect(wait)
    } catch (error) {
      this.#options.events.emit({
        type: 'bridge.logged',
        level: 'warning',
        message: `prewarm ${language}: ${messageOf(error)}`,
      })
    }
  }

  places(locations: readonly ServerLocation[], encoding: PositionEncoding): Place[] {
    return toPlaces(locations, encoding, this.#options)
  }

  place(uri: string, range: ServerRange, encoding: PositionEncoding): Place {
    return toPlace(uri, range, encoding, this.#options)
  }

  /** What a server's edit would make of the files, worked out in memory; writes nothing. */
  plan(edit: ServerWorkspaceEdit, encoding: PositionEncoding, options: PlanOptions = {}): EditPlan {
    return makePlan(edit, encoding, { ...this.#options, ...options })
  }

  /** Keeps the plan and returns its handle. */
  propose(plan: EditPlan): string {
    return this.#proposals.add(plan)
  }

  proposal(handle: string): EditPlan {
    return this.#proposals.get(handle)
  }

  /** Writes all of the plan or nothing; afterwards the changes count as seen, so that the next answer is for them. */
  async apply(plan: EditPlan, { signal, milliseconds }: Wait): Promise<void> {
    const { gate, stateFolder, table, clock, events } = this.#options
    const tooLate = new AbortController()
    const timer = clock.after(milliseconds, () => tooLate.abort(outOfTime()))
    const log = (message: string) => events.emit({ type: 'bridge.logged', level: 'warning', message })
    const limits = { signal: AbortSignal.any([signal, tooLate.signal]), log }
    // One after the other: each is to see what the one before it made of the files.
    const written = this.#applying.then(() => writePlan(plan, { gate, stateFolder, ...limits }))
    this.#applying = written.catch(() => {})
    try {
      await written
    } finally {
      timer.cancel()
    }
    await table.refresh()
  }

  /** What a server cannot know by design in this workspace. */
  limitsOf(connection: Connection, file: string | undefined) {
    const { definition } = connection.session.candidate
    return definition.limits?.({ root: connection.session.root, file, exists: this.#options.exists }) ?? []
  }

  instances(): readonly ServerInstance[] {
    return this.#options.supervisor.all()
  }

  report(): ServerReport[] {
    return this.instances().map(instance => this.#reportOf(instance))
  }

  /** Every server that was ever asked for, to be restarted. */
  servers(): KnownServer[] {
    return this.instances().map(instance => ({
      report: () => this.#reportOf(instance),
      restart: async wait => {
        await instance.restart(wait)
        await this.#connectTo(instance, wait)
      },
    }))
  }

  close(): void {
    this.#options.table.close()
  }

  #rootOf(route: Route, file: string): string {
    return rootFor(file, this.root, ruleOf(route), this.#options.exists)
  }

  async #connect(route: Route, root: string, wait: Wait): Promise<Connection> {
    const { supervisor, findCandidates } = this.#options
    const key = [route.language, ...route.registered.map(server => server.name)].join('+')
    const instance = supervisor.instance(route.language, root, key, () => findCandidates(route, root))
    return this.#connectTo(instance, wait)
  }

  async #connectTo(instance: ServerInstance, wait: Wait): Promise<Connection> {
    // The list of files is made while the server starts; neither waits for the other.
    const scanned = this.#options.table.scan()
    const session = await instance.acquire(wait)
    await scanned
    const connection = { instance, session, view: this.#viewOf(session) }
    await this.announceFolders(connection, wait)
    await this.#openKept(connection, wait)
    return connection
  }

  /** On a server that was started anew they are not open any more; whoever tries a text must not see one come. */
  async #openKept({ instance, session, view }: Connection, wait: Wait): Promise<void> {
    for (const [path, { languageId }] of this.kept.of(instance)) {
      if (view.turns.isAlone) return
      if (session.client.documents.get(pathToUri(path)) !== undefined) continue
      try {
        const document = await view.open(this.read(path), languageId, wait)
        this.kept.keep(instance, session, path, document)
      } catch {
        // Gone since, or not to be read any more.
        this.kept.release(instance, path)
      }
    }
  }

  #viewOf(session: Session): SessionView {
    const existing = this.#views.get(session)
    if (existing !== undefined) return existing
    const { table, gate, clock } = this.#options
    const view = new SessionView({ session, table, gate, clock, given: this.given })
    this.#views.set(session, view)
    return view
  }

  #reportOf(instance: ServerInstance): ServerReport {
    const { candidate, session, life, lastError } = instance
    const readiness = session?.client.readiness.current
    const memory = session?.memoryBytes() ?? 0
    return {
      id: candidate?.definition.id ?? instance.language,
      name: session?.client.identity.name ?? candidate?.definition.title ?? instance.language,
      version: session?.client.identity.version ?? candidate?.version ?? 'unknown',
      language: instance.language,
      root: this.#options.gate.display(instance.root),
      how: candidate?.how ?? 'none',
      state: publicState(life.state),
      memory_mb: Math.round(memory / 1e5) / 10,
      restarts: life.restarts,
      ...(readiness?.ready === false ? { indexing: readiness.reason } : {}),
      ...(lastError === undefined ? {} : { last_error: lastError.message }),
    }
  }
}

function ruleOf({ registered, definitions }: Route): RootRule {
  const [definition] = [...registered.map(server => server.definition), ...definitions]
  return definition?.root ?? { kind: 'workspace' }
}
