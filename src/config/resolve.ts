// From the layers to one value per knob: the preset gives every value, and what a layer says replaces it, later
// layers last. Pure, apart from the layers nothing is looked at.
import { definedOnly } from '../json.js'
import { withKnobs } from './knobs.js'
import { type ResolvedPolicy, resolvePolicy } from './policy-schema.js'
import { type Preset, presets } from './presets.js'
import { type Layer, reasonOf, type Withheld } from './registered.js'
import { type AgentBlock, type Configuration, defaults } from './schema.js'
import type { TrustVerdict } from './trust.js'

export interface Settings {
  /** False for an agent whose block does not opt in: it is offered nothing. */
  readonly enabled: boolean
  /** Empty allows every language. */
  readonly languages: readonly string[]
  readonly prewarm: readonly string[]
  /** 0 is never. */
  readonly idleSeconds: number
  readonly timeoutMs: number
  readonly restart: Preset['restart']
  readonly limitKb: number
  readonly frameLimitMb: number
  readonly policy: ResolvedPolicy
}

export interface ResolveOptions {
  readonly user?: Layer | undefined
  readonly workspace?: Layer | undefined
  readonly trust: TrustVerdict
  /** Undefined without `--agent`: then choosing a preset is the opt-in (C32). */
  readonly agent?: AgentBlock | undefined
  readonly flags: Layer
}

export function resolveSettings(options: ResolveOptions): {
  readonly settings: Settings
  readonly preset: Preset
  readonly withheld: readonly Withheld[]
} {
  const { user, workspace, agent, flags } = options
  const { allowed, withheld } = settingsOfWorkspace(options)
  const layers = [user?.configuration, allowed, agent && agentLayer(agent), flags.configuration]
  const given = layers.filter(found => found !== undefined).reduce<Configuration>(merge, {})
  const chosen = withKnobs(presets[given.preset ?? 'default'], given.knobs ?? {})
  const backoffMs = given.restart?.backoff_ms ?? chosen.restart.backoffMs
  // C32: without an agent, choosing a preset is the opt-in.
  const enabled = agent === undefined || (agent.enabled ?? false)
  const preset: Preset = {
    ...chosen,
    // an agent that does not opt in never sees a tool advertised.
    tools: enabled ? chosen.tools : { kind: 'none' },
    idle: { ...chosen.idle, seconds: given.idle_seconds ?? chosen.idle.seconds },
    restart: {
      ...chosen.restart,
      max: given.restart?.max ?? chosen.restart.max,
      counts: given.restart?.counts ?? chosen.restart.counts,
      trigger: given.restart?.trigger ?? chosen.restart.trigger,
      reset: given.restart?.reset ?? chosen.restart.reset,
      backoffMs,
      // A wait that somebody wrote down is meant, ceiling or not.
      maxBackoffMs: Math.max(chosen.restart.maxBackoffMs, ...backoffMs),
    },
    limitKb: given.limit_kb ?? chosen.limitKb,
  }
  const languages = given.languages ?? []
  const settings: Settings = {
    enabled,
    languages,
    // An agent's list of languages may well be shorter than what the user's file warms for everybody.
    prewarm: (given.prewarm ?? []).filter(language => languageEnabled({ languages }, language)),
    idleSeconds: preset.idle.seconds,
    timeoutMs: given.timeout_ms ?? defaults.timeoutMs,
    restart: preset.restart,
    limitKb: preset.limitKb,
    frameLimitMb: given.frame_limit_mb ?? defaults.frameLimitMb,
    policy: resolvePolicy(
      [user?.configuration.policy, flags.configuration.policy],
      workspace?.configuration.policy,
    ),
  }
  return { settings, preset, withheld: workspace === undefined ? [] : withheld }
}

/** an empty list allows every language, any other only its own. */
export function languageEnabled({ languages }: Pick<Settings, 'languages'>, language: string): boolean {
  return languages.length === 0 || languages.includes(language)
}

/** An omitted key leaves the earlier layer standing. */
function agentLayer(agent: AgentBlock): Configuration {
  return { languages: agent.languages, prewarm: agent.prewarm, idle_seconds: agent.idle_teardown_secs }
}

function merge(base: Configuration, later: Configuration): Configuration {
  const restart = { ...base.restart, ...definedOnly(later.restart ?? {}) }
  const knobs = { ...base.knobs, ...definedOnly(later.knobs ?? {}) }
  return { ...base, ...definedOnly(later), restart, knobs }
}

/**
 * What an untrusted workspace may not turn: the preset and its knobs, which decide what a model may do, and a list of
 * languages that is wider than the operator's.
 */
function settingsOfWorkspace({ user, workspace, trust, flags }: ResolveOptions) {
  const withheld: Withheld[] = []
  if (workspace === undefined || trust.trusted) return { allowed: workspace?.configuration, withheld }
  const withhold = (key: 'preset' | 'knobs' | 'languages') => {
    const place = workspace.source.place([key], 'key')
    withheld.push({ server: undefined, language: undefined, keys: [{ key, place }], reason: reasonOf(trust) })
  }
  const { preset, knobs, languages, ...others } = workspace.configuration
  // A preset given on the command line would win anyway; there is nothing to complain about.
  if (preset !== undefined && flags.configuration.preset === undefined) withhold('preset')
  if (knobs !== undefined) withhold('knobs')
  const operators = user?.configuration.languages ?? []
  const narrows =
    languages === undefined ||
    operators.length === 0 ||
    (languages.length > 0 && languages.every(language => operators.includes(language)))
  if (!narrows) withhold('languages')
  const allowed: Configuration = { ...others, languages: narrows ? languages : undefined }
  return { allowed, withheld }
}
