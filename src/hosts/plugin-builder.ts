// The plugin put together step by step, for hosts that prefer it to an object of options.
import { createPlugin, type Plugin, type PluginOptions } from './plugin.js'
import type { SyncRules } from './sync-rules.js'

export interface RegistryOverride {
  readonly env?: Readonly<Record<string, string>>
  readonly extensions?: readonly string[]
  readonly rootMarkers?: readonly string[]
}

export interface PluginBuilder {
  root(folder: string): PluginBuilder
  language(language: string): PluginBuilder
  serverBinary(binary: string): PluginBuilder
  serverArgs(args: readonly string[]): PluginBuilder
  serverEnv(env: Readonly<Record<string, string>>): PluginBuilder
  /** Adds a language to the registry, or replaces its entry. A language that is not a known one needs extensions. */
  registryOverride(
    language: string,
    binary: string,
    args: readonly string[],
    others?: RegistryOverride,
  ): PluginBuilder
  sync(rules: Partial<SyncRules>): PluginBuilder
  build(): Promise<Plugin>
}

export function pluginBuilder(options: PluginOptions = {}): PluginBuilder {
  const and = (more: PluginOptions) => pluginBuilder({ ...options, ...more })
  return {
    root: root => and({ root }),
    language: language => and({ language }),
    serverBinary: binary => and({ server: { ...options.server, binary } }),
    serverArgs: args => and({ server: { ...options.server, args } }),
    serverEnv: env => and({ server: { ...options.server, env } }),
    registryOverride: (language, binary, args, others = {}) =>
      and({ registry: { ...options.registry, [language]: { binary, args, ...others } } }),
    sync: rules => and({ sync: { ...options.sync, ...rules } }),
    build: () => createPlugin(options),
  }
}
