// What operations see of the workspace: files through the one gate, the server that answers for a file with its view
// brought up to date, and places. Everything below (processes, protocol) stays below.
import { dirname } from 'node:path'
import type { Clock } from '../clock.js'
import { asBridgeError, type BridgeError } from '../errors.js'
import type { Events } from '../events.js'
import type { ServerLocation, ServerRange } from '../lsp/results.js'
import type { RootFacts } from '../servers/definition.js'
import type { ServerInstance } from '../supervisor/instance.js'
import { publicState } from '../supervisor/lifecycle.js'
import { rootFor } from '../supervisor/roots.js'
import type { Session, StartCandidate } from '../supervisor/session.js'
import type { Supervisor } from '../supervisor/supervisor.js'
import type { PositionEncoding } from '../text/position.js'
import type { FileTable } from './file-table.js'
import type { PathGate } from './path-gate.js'
import { type Place, toPlace, toPlaces } from './places.js'
import type { Route, Routes } from './routes.js'
import { SessionView } from './session-view.js'
import type { SourceCache, SourceFile } from './source-file.js'

export interface WorkspaceOptions {
  readonly gate: PathGate
  readonly table: FileTable
  readonly cache: SourceCache
  readonly routes: Routes
  readonly supervisor: Supervisor
  readonly findCandidates: (route: Route, root: string) => readonly StartCandidate[]
  readonly exists: RootFacts['exists']
  readonly clock: Clock
  readonly events: Events
}

export interface Wait {
  readonly signal: AbortSignal
  readonly milliseconds: number
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

/** Who would be asked about a language, in order of preference, or why nobody can be. */
export interface LanguageCandidates {
  readonly language: string
  readonly files: number
  readonly candidates: readonly StartCandidate[]
  readonly error?: BridgeError
}

export class Workspace {
  readonly #options: WorkspaceOptions
  readonly #views = new WeakMap<Session, SessionView>()

  constructor(options: WorkspaceOptions) {
    this.#options = options
  }

  get root(): string {
    return this.#options.gate.root
  }

  get routes(): Routes {
    return this.#options.routes
  }

  /** Reads a file of the workspace as it is now; every path an agent gives comes through here. */
  read(path: string): SourceFile {
    return this.#options.cache.get(path)
  }

  /** Whether the file still has this content. */
  stillHas(source: SourceFile): boolean {
    try {
      return this.#options.cache.get(source.absolute).content === source.content
    } catch {
      return false
    }
  }

  async connect(source: SourceFile, wait: Wait): Promise<Connection> {
    const route = this.#options.routes.forFile(source.relative)
    return this.#connect(route, this.#rootOf(route, source.absolute), wait)
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
    return this.#options.table.filesWith(this.#options.routes.extensionsOf(language))
  }

  /** How many files of each language were found. */
  async census(): Promise<{ language: string; files: number }[]> {
    await this.#options.table.scan()
    const { routes, table } = this.#options
    const counts = routes.languages().map(language => {
      let files = 0
      for (const _ of table.filesWith(routes.extensionsOf(language))) files += 1
      return { language, files }
    })
    return counts.filter(({ files }) => files > 0).sort((a, b) => b.files - a.files)
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

  /** Starts a language's server in the background; a failure is only logged. */
  async prewarm(language: string, wait: Wait): Promise<void> {
    try {
      const [first] = await this.rootsOf(language)
      await first?.connect(wait)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#options.events.emit({
        type: 'bridge.logged',
        level: 'warning',
        message: `prewarm ${language}: ${message}`,
      })
    }
  }

  places(locations: readonly ServerLocation[], encoding: PositionEncoding): Place[] {
    return toPlaces(locations, encoding, this.#options)
  }

  place(uri: string, range: ServerRange, encoding: PositionEncoding): Place {
    return toPlace(uri, range, encoding, this.#options)
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

  close(): void {
    this.#options.table.close()
  }

  #rootOf(route: Route, file: string): string {
    const [definition] = [...route.registered.map(server => server.definition), ...route.definitions]
    return rootFor(file, this.root, definition?.root ?? { kind: 'workspace' }, this.#options.exists)
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
    return { instance, session, view: this.#viewOf(session) }
  }

  #viewOf(session: Session): SessionView {
    const existing = this.#views.get(session)
    if (existing !== undefined) return existing
    const { table, gate, clock } = this.#options
    const view = new SessionView({ session, table, gate, clock })
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
