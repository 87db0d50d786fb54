// The composition root: configuration becomes values, values become a supervisor, a workspace and a pipeline. The only
// place where things are wired together.
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { type Clock, systemClock } from './clock.js'
import { stateFolder } from './config/folders.js'
import { type LoadedSettings, serversFor } from './config/load.js'
import { autodetection, type PresetName } from './config/presets.js'
import { notTrusted } from './config/registered.js'
import { languageEnabled } from './config/resolve.js'
import { asBridgeError, type ErrorKind } from './errors.js'
import { type EventOf, Events } from './events.js'
import type { EvidenceMode, EvidenceStatus } from './evidence/evidence.js'
import { openEvidence } from './evidence/open.js'
import type { Answer } from './operations/answer.js'
import { OfferedCapabilities } from './operations/offered-capabilities.js'
import type { Operation } from './operations/operation.js'
import { presetDefaults } from './operations/preset-defaults.js'
import { type PushedDiagnostics, pushedDiagnostics } from './operations/pushed-diagnostics.js'
import { renderAnswer } from './operations/render.js'
import { type Call, runOperation } from './operations/run.js'
import { type Approve, Authority } from './policy/authority.js'
import { createPolicy } from './policy/policy.js'
import { registrationOf } from './registrations.js'
import { definitionsInOrder, languageMatrix } from './servers/index.js'
import { isExpected } from './servers/undeclared.js'
import { readSettings, type SettingsOptions } from './settings.js'
import { strongestContainment } from './supervisor/containment.js'
import { findCandidates, type LookUp } from './supervisor/discovery.js'
import { createSpawn, type Spawn } from './supervisor/process.js'
import { Programs } from './supervisor/programs.js'
import { createStartSession } from './supervisor/session.js'
import { Supervisor } from './supervisor/supervisor.js'
import { ownerMark, sweepOrphans } from './supervisor/sweep.js'
import { diffOf } from './workspace/edit-plan.js'
import { FileTable } from './workspace/file-table.js'
import { createGit } from './workspace/git.js'
import { createRunGit } from './workspace/git-process.js'
import { interestIn } from './workspace/interest.js'
import { createPathGate } from './workspace/path-gate.js'
import { requireProject } from './workspace/recognised-project.js'
import { RememberedCapabilities } from './workspace/remembered-capabilities.js'
import { type Route, Routes } from './workspace/routes.js'
import { SourceCache } from './workspace/source-file.js'
import { type LanguageCandidates, type MissingServer, Workspace } from './workspace/workspace.js'
import { recoverPlans } from './workspace/write-plan.js'

export interface BridgeOptions extends SettingsOptions {
  /** Whether somebody is there who can be told which server starts. */
  readonly interactive?: boolean | undefined
  /** Whether records of what is asked are kept, and must be. Default: what the preset says. */
  readonly evidence?: EvidenceMode | undefined
  /** Asks somebody, where the policy wants a call approved and it brings nobody to ask. */
  readonly approve?: Approve | undefined
  /** The seams of the tests: time, processes; the servers are among the settings. */
  readonly clock?: Clock | undefined
  readonly spawn?: Spawn | undefined
}

export interface LanguageChoice {
  readonly language: string
  readonly files: number
  readonly candidates: readonly ServerChoice[]
  /** Why there is no candidate. */
  readonly error?: { readonly kind: ErrorKind; readonly message: string; readonly hint: string | undefined }
}

export interface ServerChoice {
  readonly id: string
  readonly title: string
  /** How it was found, in words. */
  readonly how: string
  readonly command: readonly string[]
  readonly version: string | undefined
  /** What it cannot do because the workspace is not trusted. */
  readonly limited: string | undefined
}

/** What holds after a reload. */
export interface Reloaded {
  readonly preset: PresetName
  /** The files that were read, absolute. */
  readonly sources: readonly string[]
  readonly warnings: readonly string[]
  readonly languages: readonly LanguageChoice[]
}

/** A running bridge, without the typed methods that `createBridge` adds. */
export interface BridgeCore {
  readonly root: string
  readonly trusted: boolean
  readonly preset: LoadedSettings['preset']
  /** What the operator should know before anything is asked, e.g. that parts of the configuration are not in force. */
  readonly warnings: readonly string[]
  readonly events: Events
  /** Whether records are being kept, and if not, since when and why. */
  evidence(): EvidenceStatus
  run(operation: Operation, input: unknown, call: Call): Promise<Answer<unknown>>
  render(operation: Operation, answer: Answer<unknown>): string
  /** Which servers would answer for the languages found here, most preferred first. Starts nothing. */
  candidates(): Promise<LanguageChoice[]>
  /** Whether a server runs that answers for this file's language. */
  isServed(file: string): boolean
  /** Whether a server that answers here can answer an operation; undefined while nobody can say. */
  offering(): Promise<(operation: Pick<Operation, 'lsp'>) => boolean | undefined>
  /** The server that must be installed before a file can be asked about; undefined when there is one to try. */
  missingServer(file: string): MissingServer | undefined
  /** A proposal's change of each file as a diff of its own, in the order of the plan. */
  proposedDiffs(
    handle: string,
    options: { readonly context: number },
  ): readonly { readonly file: string; readonly diff: string }[]
  /** What a server pushed, in the shape of an answer. */
  pushed(event: EventOf<'diagnostics.published'>): PushedDiagnostics | undefined
  /** The host says that a model has read this file as it is now; under a read gate that lets it be renamed in (C34). */
  noteRead(file: string): void
  /**
   * Looks at PATH and the configuration again, without disturbing what runs: it holds for new questions and for servers
   * that are started from now on, and what was off for good may start again. Rejects, and changes nothing, when the
   * configuration cannot be read.
   */
  reload(): Promise<Reloaded>
  /** The files of a language, without what git ignores. */
  files(language: string): Promise<string[]>
  /** Stops every server in order; nothing survives it. */
  close(): Promise<void>
}

const initializeMilliseconds = 300_000
const requestMilliseconds = 30_000
const stopGraceMilliseconds = 5000
const sweepMilliseconds = 50
const maxOpenDocuments = 64
const maxFiles = 100_000

export async function openBridge(options: BridgeOptions = {}): Promise<BridgeCore> {
  const env = options.env ?? process.env
  const clock = options.clock ?? systemClock
  const events = new Events()
  // Finding out how servers can be contained takes a moment; it need not wait for the configuration.
  if (options.spawn === undefined) void strongestContainment({ clock })
  // The one thing that a reload replaces; whatever must follow it reads it anew each time, hence the getters below.
  let { root, loaded } = await readSettings(options)
  const load = async () => (await readSettings(options)).loaded
  const bare = createPathGate(root)
  // Before anybody reads a file: what an interrupted apply left half done is no content of the workspace.
  const recovered: string[] = []
  await recoverPlans({ gate: bare, stateFolder: stateFolder(env), log: message => recovered.push(message) })
  const gate = createPathGate(root, {
    get external() {
      return loaded.preset.externalPaths
    },
  })
  const attended = { interactive: options.interactive ?? false }
  const routing = () => {
    const definitions = options.definitions ?? definitionsInOrder(loaded.preset.candidates)
    const registered = serversFor(loaded, attended).map(server => registrationOf(server, definitions))
    return { definitions, registered, languages: loaded.settings.languages }
  }
  const routes = new Routes(routing())
  const { definitions } = routing()
  const programs = new Programs()
  const owner = ownerMark()
  const startSession = createStartSession({
    spawn: options.spawn ?? createSpawn({ clock, owner }),
    clock,
    events,
    initializeMilliseconds,
    get frameLimitBytes() {
      return loaded.settings.frameLimitMb * 1024 * 1024
    },
    maxOpenDocuments,
    admit: ({ uri, ...request }) => authority.admit({ ...request, file: () => uri && workspace.fileOf(uri) }),
    get methods() {
      return loaded.preset.methods
    },
    get unknownRequest() {
      return loaded.preset.unknownRequest
    },
    get unsetConfiguration() {
      return loaded.preset.configurationNull ? null : {}
    },
  })
  const supervision = () => ({
    restart: loaded.settings.restart,
    whileRestarting: loaded.preset.whileRestarting,
    idleMilliseconds: loaded.settings.idleSeconds * 1000,
    announce: autodetection(loaded.preset, attended) === 'announce',
  })
  const supervisor = new Supervisor({ startSession, clock, events, stopGraceMilliseconds, ...supervision() })
  const candidatesOf = (route: Route, serverRoot: string) =>
    candidatesFor(route, serverRoot, {
      workspaceRoot: gate.root,
      loaded,
      env,
      autodetect: autodetection(loaded.preset, attended) !== 'off',
      lookUp: loaded.preset.probe === 'at-boot' ? programs.lookUp : undefined,
    })
  const cache = new SourceCache({ gate, clock })
  const git = createGit({
    // Git lives for milliseconds: nothing stronger than its process group is needed to be rid of it.
    run: createRunGit({ root: gate.root, env, clock, spawn: createSpawn({ clock, owner, atMost: 'group' }) }),
    read: file => exactText(cache, file),
  })
  const table = new FileTable({
    root: gate.root,
    clock,
    isInteresting: interestIn(routes, definitions),
    useWatcher: true,
    sweepMilliseconds,
    maxFiles,
    onSuspect: () => events.emit({ type: 'workspace.changed' }),
  })
  const workspace = new Workspace({
    gate,
    git,
    table,
    cache,
    routes,
    supervisor,
    findCandidates: candidatesOf,
    exists: existsSync,
    requireProject(file) {
      if (loaded.preset.detectBy === 'project-marker')
        requireProject(file, { root: gate.root, routes, exists: existsSync })
    },
    stateFolder: stateFolder(env),
    clock,
    events,
  })
  const recorder = openEvidence({
    get mode() {
      return options.evidence ?? loaded.preset.evidence
    },
    stateFolder: stateFolder(env),
    isChosen: isAbsolute(env.XDG_STATE_HOME ?? ''),
    root: gate.root,
    home: env.HOME,
    events,
    clock,
  })
  const policyOf = ({ preset, settings }: LoadedSettings) =>
    createPolicy(
      {
        preset: preset.name,
        plane: preset.plane,
        edits: preset.edits,
        methods: preset.methods,
        disabledAgent: settings.enabled ? undefined : (options.agent ?? 'without a name'),
        ...settings.policy,
      },
      () => clock.date(),
    )
  let policy = policyOf(loaded)
  const authority = new Authority({ events, policy: () => policy })
  const depend = () => {
    const { preset, settings } = loaded
    return {
      workspace,
      authority,
      approve: options.approve,
      record: recorder,
      events,
      clock,
      callMilliseconds: settings.timeoutMs,
      requestMilliseconds,
      limitBytes: settings.limitKb * 1024,
      idleCounts: preset.idle.counts,
      readGate: preset.readGate,
      manners: {
        argumentErrorKind: preset.argumentErrorKind,
        hintInError: preset.hintInError,
        defaults: presetDefaults(preset),
      },
    }
  }
  let dependencies = depend()
  const probe = () => {
    if (loaded.preset.probe !== 'at-boot') return []
    const probed = (options.definitions ?? languageMatrix).filter(({ language }) =>
      languageEnabled(loaded.settings, language),
    )
    return programs.missing(probed, env.PATH)
  }
  const said = (missing: readonly string[]) => [
    ...missing,
    ...loaded.withheld.map(withheld => {
      const { message, hint } = notTrusted(withheld, gate.root)
      return `${message}. ${hint}`
    }),
  ]
  const offers = new OfferedCapabilities({
    workspace,
    events,
    remembered: new RememberedCapabilities(stateFolder(env)),
    keeps: () => loaded.preset.tools.kind === 'per-capability',
    isExpected,
    languages: () => loaded.settings.languages,
    candidatesAtRoot: language => candidatesOf(routes.forLanguage(language), gate.root),
  })
  // What an earlier run left behind when it was killed is cleared away once, when the first answer is out of the way.
  let swept: Promise<number> | undefined
  const sweep = () => {
    unsubscribe()
    swept ??= sweepOrphans({ owner })
    return swept
  }
  const unsubscribe = events.subscribe(event => {
    if (event.type === 'answer.recorded') void sweep()
  })
  const closing = new AbortController()
  const prewarm = () => {
    for (const language of loaded.settings.prewarm)
      void workspace.prewarm(language, { signal: closing.signal, milliseconds: initializeMilliseconds })
  }
  prewarm()
  return {
    root: gate.root,
    get trusted() {
      return loaded.trust.trusted
    },
    get preset() {
      return loaded.preset
    },
    warnings: [...recovered, ...said(probe())],
    events,
    evidence: () => recorder.status(),
    run: (operation, input, call) => runOperation(operation, input, call, dependencies),
    render: renderAnswer,
    candidates: async () => (await workspace.candidates()).map(choiceOf),
    isServed(file) {
      const language = routes.languageOf(file)
      return workspace.connections().some(({ instance }) => instance.language === language)
    },
    offering: () => offers.present({ hidesMissing: loaded.preset.missingServer === 'hide' }),
    async reload() {
      // Before anything is touched: a configuration that cannot be read leaves everything as it was.
      loaded = await load()
      programs.forget()
      routes.replace(routing())
      table.relist()
      policy = policyOf(loaded)
      dependencies = depend()
      supervisor.reconsider(supervision(), instance =>
        candidatesOf(routes.forLanguage(instance.language), instance.root),
      )
      prewarm()
      const warnings = said(probe())
      const languages = (await workspace.candidates()).map(choiceOf)
      events.emit({ type: 'bridge.reloaded', preset: loaded.preset.name })
      return { preset: loaded.preset.name, sources: loaded.sources, warnings, languages }
    },
    missingServer: file => workspace.missingServer(file),
    proposedDiffs(handle, { context }) {
      const plan = workspace.proposal(handle)
      return plan.files.map(file => ({
        file: file.file,
        diff: diffOf({ ...plan, files: [file] }, { context }),
      }))
    },
    pushed: event => pushedDiagnostics(event, workspace),
    noteRead: file => workspace.reads.note(workspace.read(file)),
    files: language => workspace.keptFilesOf(language),
    async close() {
      closing.abort()
      offers.close()
      workspace.close()
      await Promise.all([supervisor.stopAll('session-end'), sweep()])
      // Last, so that the end of every server is on record, too.
      await recorder.close()
    },
  }
}

function exactText(cache: SourceCache, file: string): string | undefined {
  try {
    const { text, bom } = cache.get(file)
    return bom ? `\ufeff${text.text}` : text.text
  } catch {
    // Gone, no text, or not ours to read: then git's word is all there is.
    return undefined
  }
}

function choiceOf({ language, files, candidates, error }: LanguageCandidates): LanguageChoice {
  const choices = candidates.map(({ definition, how, command, args, version, endpoint, limitedCosts }) => ({
    id: definition.id,
    title: definition.title,
    how,
    command: endpoint === undefined ? [command, ...args] : [],
    version,
    limited: limitedCosts,
  }))
  if (error === undefined) return { language, files, candidates: choices }
  const { kind, message, hint } = error
  return { language, files, candidates: choices, error: { kind, message, hint } }
}

interface CandidateContext {
  readonly lookUp: LookUp | undefined
  readonly loaded: LoadedSettings
  readonly env: NodeJS.ProcessEnv
  readonly autodetect: boolean
  /** The server's own root may lie below it; a program anywhere in it is the workspace's (fault S09). */
  readonly workspaceRoot: string
}

function candidatesFor(
  route: Route,
  root: string,
  { loaded, env, autodetect, workspaceRoot, lookUp }: CandidateContext,
) {
  try {
    return findCandidates({
      language: route.language,
      workspaceRoot,
      root,
      trusted: loaded.trust.trusted,
      registered: route.registered,
      definitions: route.definitions,
      autodetect,
      embeddedFirst: loaded.preset.candidates === 'ours',
      environment: env,
      ...(lookUp === undefined ? {} : { lookUp }),
    })
  } catch (thrown) {
    const withheld = loaded.withheld.find(entry => entry.language === route.language)
    throw withheld === undefined ? asBridgeError(thrown) : notTrusted(withheld, workspaceRoot)
  }
}
