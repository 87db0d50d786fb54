// What a bridge is to be, read from its options and the configuration files, before anything is opened.
import { findRoot } from './config/folders.js'
import { type LoadedSettings, loadSettings } from './config/load.js'
import type { PresetName } from './config/presets.js'
import type { Configuration } from './config/schema.js'
import type { ServerDefinition } from './servers/definition.js'
import { definitionsInOrder } from './servers/index.js'

export interface SettingsOptions {
  /** Default: CLAUDE_PROJECT_DIR, else the nearest folder upwards with .git, else the current one. */
  readonly root?: string | undefined
  readonly preset?: PresetName | undefined
  readonly configFile?: string | undefined
  readonly agent?: string | undefined
  readonly timeoutMs?: number | undefined
  /** What else the embedding program settles; it has the last word. */
  readonly settings?: Configuration | undefined
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly definitions?: readonly ServerDefinition[] | undefined
}

export interface ReadSettings {
  /** Absolute, with every link resolved. */
  readonly root: string
  readonly loaded: LoadedSettings
}

export async function readSettings(options: SettingsOptions): Promise<ReadSettings> {
  const env = options.env ?? process.env
  const { root } = await findRoot({ cwd: process.cwd(), env, flag: options.root })
  const loaded = await loadSettings({
    root,
    env,
    configFile: options.configFile,
    agent: options.agent,
    flags: {
      ...options.settings,
      preset: options.preset ?? options.settings?.preset,
      timeout_ms: options.timeoutMs ?? options.settings?.timeout_ms,
    },
    known: knownServers(options.definitions ?? definitionsInOrder('ours')),
  })
  return { root, loaded }
}

/** By these names a configuration may choose among the servers that are known here. */
function knownServers(definitions: readonly ServerDefinition[]) {
  return {
    names: definitions.map(({ id }) => id),
    languages: new Map([
      ...definitions.flatMap(({ language, extensions }) =>
        Object.values(extensions).map(kind => [kind, language] as const),
      ),
      ...definitions.map(({ language }) => [language, language] as const),
    ]),
    extensionsOf(language: string) {
      const found = definitions.filter(definition => definition.language === language)
      return found.length === 0 ? undefined : found.flatMap(({ extensions }) => Object.keys(extensions))
    },
  }
}
