// Alidade as a plugin of an agent: it contributes tools that follow what the servers can do, tells of what servers say by
// themselves, and keeps them in step with the host's own edits. It knows no agent framework.
import { type BridgeCore, type BridgeOptions, openBridge, type Reloaded } from '../bridge.js'
import { type AgentTool, agentTool } from '../dialects/agent-tool.js'
import { followTools } from '../dialects/follow-tools.js'
import { toolsFor } from '../dialects/index.js'
import { BridgeError } from '../errors.js'
import { restartServer } from '../operations/restart-server.js'
import { builtInRegistry, type Registry, type RegistryEntry } from '../servers/registry.js'
import { DocumentSync, type SyncOutcome, type ToolUse } from './document-sync.js'
import type { PluginState } from './plugin-state.js'
import { type PluginStateChange, PluginStates } from './plugin-states.js'
import { relaySignals } from './relay.js'
import {
  type Directive,
  type NotificationHook,
  type Route,
  type SignalKind,
  Signals,
  type TaskListener,
} from './signals.js'
import { defaultSyncRules, type SyncRules } from './sync-rules.js'

export interface PluginOptions extends Omit<BridgeOptions, 'preset'> {
  /** Serves this language alone; without it every language of the workspace. */
  readonly language?: string | undefined
  /** How that language's server is run, where it is not the registry's. */
  readonly server?: Partial<RegistryEntry> | undefined
  /** Entries to add to the registry, or to put in the place of its own. */
  readonly registry?: Registry | undefined
  /** Which of the host's tools change, remove and read files. */
  readonly sync?: Partial<SyncRules> | undefined
}

export interface Plugin {
  readonly root: string
  /** What runs under which name, entries of the host included. */
  readonly registry: Registry
  /** Told once, e.g. that a program is missing. */
  readonly warnings: readonly string[]
  /** Where the plugin stands: the most alive of its servers. */
  readonly state: PluginState
  onStateChange(listener: (change: PluginStateChange) => void): () => void
  /** The tools there are now: one for each capability the servers declare, none while the plugin is Dormant. */
  tools(): Promise<readonly AgentTool[]>
  onToolsChanged(listener: () => void): () => void
  /** To be called after every tool of the host; never rejects, so it never fails an edit. */
  postToolUse(use: ToolUse): Promise<SyncOutcome>
  /** Observes what servers say; decides nothing. */
  onNotification(hook: NotificationHook): () => void
  /** The same as events with their data. */
  onTask(listener: TaskListener): () => void
  /** Directs the agent: what a route returns is handed out by `takeDirectives`. */
  route(kind: SignalKind, route: Route): () => void
  takeDirectives(): Directive[]
  /** Says that the model has read this file as it is now. */
  noteRead(file: string): void
  /** Looks at PATH and the configuration again; leaves Dormant where there is something to start now. */
  reload(): Promise<Reloaded>
  /** Ends the servers and starts them anew, out of Dormant too. Rejects with what keeps one from starting. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function createPlugin(options: PluginOptions = {}): Promise<Plugin> {
  const { language, server, registry: own = {}, sync, settings = {}, ...bridgeOptions } = options
  const registry = { ...builtInRegistry, ...own }
  const core = await openBridge({
    ...bridgeOptions,
    preset: 'plugin',
    settings: {
      ...settings,
      ...(language === undefined ? {} : { languages: [language] }),
      servers: { ...settings.servers, ...registered(own, language, server, registry) },
    },
  })
  const signals = new Signals()
  const states = new PluginStates(core.events)
  const list = async () => toolsFor(core.preset, await core.offering())
  const documents = new DocumentSync(core, { ...defaultSyncRules, ...sync })
  const relay = relaySignals(core, signals)
  const toolListeners = new Set<() => void>()
  const unfollow = followTools({
    events: core.events,
    list: async () => (await list()).map(({ name }) => name),
    onChange: () => {
      for (const listener of toolListeners) listener()
    },
  })
  const missing = await missingServer(core, language)
  if (missing !== undefined) states.sleep()
  return {
    root: core.root,
    registry,
    warnings: missing === undefined ? core.warnings : [...core.warnings, missing],
    get state() {
      return states.current
    },
    onStateChange: listener => states.subscribe(listener),
    tools: async () => (await list()).map(tool => agentTool(tool, core)),
    onToolsChanged(listener) {
      toolListeners.add(listener)
      return () => toolListeners.delete(listener)
    },
    async postToolUse(use) {
      const outcome = await documents.afterTool(use)
      // Not waited for: an edit is not held up by the analysis it causes.
      for (const file of outcome.synced) relay.lookAt(file)
      return outcome
    },
    onNotification: hook => signals.onNotification(hook),
    onTask: listener => signals.onTask(listener),
    route: (kind, route) => signals.route(kind, route),
    takeDirectives: () => signals.takeDirectives(),
    noteRead: file => core.noteRead(file),
    async reload() {
      const reloaded = await core.reload()
      if ((await missingServer(core, language)) === undefined) states.wake()
      else states.sleep()
      return reloaded
    },
    async restart() {
      const answer = await core.run(restartServer, language === undefined ? {} : { language }, {
        caller: 'host',
      })
      const { ok } = answer
      if (!ok) throw new BridgeError({ kind: answer.kind, message: answer.error, hint: answer.hint })
    },
    async close() {
      unfollow()
      relay.close()
      await core.close()
    },
  }
}

/** What the host names is registered, and so comes before everything that is found. */
function registered(
  own: Registry,
  language: string | undefined,
  server: Partial<RegistryEntry> | undefined,
  registry: Registry,
) {
  const entries = Object.entries(own)
  if (language !== undefined && server !== undefined) {
    const binary = server.binary ?? registry[language]?.binary
    if (binary === undefined) {
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: `the registry has no server for ${language}, and none was named`,
        hint: 'Give the binary, or add an entry to the registry.',
      })
    }
    // The registry's own arguments belong to the registry's own program.
    const usual = binary === registry[language]?.binary ? registry[language]?.args : []
    entries.push([language, { ...registry[language], ...server, binary, args: server.args ?? usual ?? [] }])
  }
  return Object.fromEntries(
    entries.map(([name, { binary, args, env, extensions, rootMarkers }]) => [
      name,
      {
        language: name,
        command: binary,
        args: [...args],
        ...(env === undefined ? {} : { env: { ...env } }),
        ...(extensions === undefined ? {} : { extensions: [...extensions] }),
        ...(rootMarkers === undefined ? {} : { root_markers: [...rootMarkers] }),
      },
    ]),
  )
}

/** without a program to start, the plugin is Dormant from the beginning, with one warning. */
async function missingServer(core: BridgeCore, language: string | undefined): Promise<string | undefined> {
  const isOffered = await core.offering()
  if (isOffered({ lsp: null }) !== false) return undefined
  const choices = await core.candidates()
  const errors = choices.flatMap(({ error }) => error ?? [])
  const [first] = errors
  if (first === undefined) return `no language server for ${language ?? 'this workspace'} was found`
  return first.hint === undefined ? first.message : `${first.message}. ${first.hint}`
}
