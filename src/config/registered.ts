// From the entries under `servers` to the list the bridge tries, most explicit first (R-20), with what an untrusted
// workspace may not say set aside and named.
import { BridgeError } from '../errors.js'
import { nearest } from '../text/nearest.js'
import type { Environment } from './folders.js'
import type { Source } from './parse.js'
import type { Configuration, ServerConfiguration, ServerEndpoint } from './schema.js'
import { parseEndpoint } from './schema.js'
import type { TrustVerdict } from './trust.js'
import { dotted, invalid, type Problem } from './validate.js'

export type Origin = 'flag' | 'user' | 'workspace'

/** One configuration, and where it came from. */
export interface Layer {
  readonly origin: Origin
  readonly configuration: Configuration
  readonly source: Source
}

export interface RegisteredServer {
  readonly name: string
  readonly language: string
  readonly origin: Origin
  /** `file:line:column` of the entry. */
  readonly declaredAt: string
  /** With neither command nor endpoint, the entry chooses the known server of its name. */
  readonly command: string | undefined
  /** Undefined: those of the known server. */
  readonly args: readonly string[] | undefined
  readonly endpoint: ServerEndpoint | undefined
  readonly scope: readonly string[]
  /** Empty only where a known server is chosen, which has its own. */
  readonly extensions: readonly string[]
  /** Whether the entry itself lists them; otherwise they are those of its language. */
  readonly listsExtensions: boolean
  readonly rootMarkers: readonly string[]
  readonly initializationOptions: Readonly<Record<string, unknown>>
  readonly settings: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string>>
}

/** Something the workspace's file says that only a trusted workspace may say. It is not in force. */
export interface Withheld {
  /** The entry that is left out as a whole; undefined for a setting. */
  readonly server: string | undefined
  readonly language: string | undefined
  /** `servers.go.command`, with its file:line:column. */
  readonly keys: readonly { readonly key: string; readonly place: string }[]
  readonly reason: string
}

/** The servers the bridge brings along; by their names a file may choose among them. */
export interface KnownServers {
  readonly names: readonly string[]
  extensionsOf(language: string): readonly string[] | undefined
  /** Their languages and the kinds of their files, with the language each counts as. */
  readonly languages?: ReadonlyMap<string, string>
}

/**
 * Keys that can make a server run what their author likes. Settings and initialization options belong here because
 * servers take commands from them: gopls `-toolexec` in its build flags, rust-analyzer its check command, the
 * TypeScript server its plugins.
 */
const privilegedKeys = ['command', 'args', 'env', 'endpoint', 'initialization_options', 'settings'] as const

/** These decide what a model may do. */
const privilegedSettings = ['preset', 'knobs', 'policy'] as const

/** The privileged keys of a configuration, with their places. */
export function privilegedKeysOf({ configuration, source }: Layer): { key: string; place: string }[] {
  const settings = privilegedSettings
    .filter(key => configuration[key] !== undefined)
    .map(key => ({ key, place: source.place([key], 'key') }))
  const ofServers = Object.entries(configuration.servers ?? {}).flatMap(([name, server]) =>
    privilegedIn(name, server, source),
  )
  return [...settings, ...ofServers]
}

export interface RegistrationOptions {
  /** Most explicit first. */
  readonly layers: readonly Layer[]
  readonly trust: TrustVerdict
  readonly env: Environment
  /** Undefined names: every name may choose, and whether there is such a server is found out later. */
  readonly known: { readonly names: readonly string[] | undefined } & Pick<KnownServers, 'extensionsOf'>
}

export function registerServers(options: RegistrationOptions): {
  readonly servers: readonly RegisteredServer[]
  readonly withheld: readonly Withheld[]
} {
  const servers: RegisteredServer[] = []
  const withheld: Withheld[] = []
  const problems: Problem[] = []
  const taken = new Set<string>()
  for (const layer of options.layers) {
    for (const [name, entry] of Object.entries(layer.configuration.servers ?? {})) {
      // A name stands for one server; the more explicit entry hides the other.
      if (taken.has(name)) continue
      taken.add(name)
      const keys = privilegedIn(name, entry, layer.source)
      if (layer.origin === 'workspace' && !options.trust.trusted && keys.length > 0) {
        withheld.push({ server: name, language: entry.language, keys, reason: reasonOf(options.trust) })
        continue
      }
      const found = problemsOf(name, entry, layer, options)
      const expanded = expandAll(name, entry, layer.source, options.env)
      problems.push(...found, ...expanded.problems)
      servers.push(registeredServer(name, entry, layer, { ...options, environment: expanded.environment }))
    }
  }
  if (problems.length > 0) throw invalid(problems)
  return { servers, withheld }
}

/** What a call gets that would need what was withheld. */
export function notTrusted(withheld: Withheld, root: string): BridgeError {
  const keys = withheld.keys.map(({ key, place }) => `${key} (${place})`).join(', ')
  return new BridgeError({
    kind: 'NotTrusted',
    message: `the workspace's configuration names ${keys}, which is not in force: ${withheld.reason}`,
    hint: `Look at the file; if you trust it and the code in this folder, run: alidade trust ${root}`,
  })
}

export function reasonOf(trust: TrustVerdict): string {
  if (trust.trusted) return 'the workspace is trusted'
  switch (trust.reason) {
    case 'never trusted':
      return 'the workspace was never trusted'
    case 'configuration changed since':
      return 'its configuration changed since it was trusted'
    case 'the record of trust cannot be read':
      return trust.reason
  }
}

function privilegedIn(name: string, server: ServerConfiguration, source: Source) {
  return privilegedKeys
    .filter(key => server[key] !== undefined)
    .map(key => ['servers', name, key])
    .map(path => ({ key: dotted(path), place: source.place(path, 'key') }))
}

function registeredServer(
  name: string,
  entry: ServerConfiguration,
  layer: Layer,
  options: RegistrationOptions & { readonly environment: Readonly<Record<string, string>> },
): RegisteredServer {
  const chooses = entry.command === undefined && entry.endpoint === undefined
  return {
    name,
    language: entry.language,
    origin: layer.origin,
    declaredAt: layer.source.place(['servers', name], 'key'),
    command: entry.command,
    args: entry.args,
    endpoint: entry.endpoint === undefined ? undefined : parseEndpoint(entry.endpoint),
    scope: entry.scope ?? ['**'],
    extensions: entry.extensions ?? (chooses ? [] : (options.known.extensionsOf(entry.language) ?? [])),
    listsExtensions: entry.extensions !== undefined,
    rootMarkers: entry.root_markers ?? [],
    initializationOptions: entry.initialization_options ?? {},
    settings: entry.settings ?? {},
    environment: options.environment,
  }
}

/** What the schema cannot know: whether a missing part may be missing (R-24). */
function problemsOf(
  name: string,
  entry: ServerConfiguration,
  { source, origin }: Layer,
  { known }: RegistrationOptions,
): Problem[] {
  const path = ['servers', name]
  const place = source.place(path, 'key')
  if (entry.command === undefined && entry.endpoint === undefined) {
    // Without a list of names only the workspace's file, which hardly ever may name a command, is believed.
    const chooses = known.names === undefined ? origin === 'workspace' : known.names.includes(name)
    if (chooses) return []
    const [meant] = nearest(name, known.names ?? [], 1)
    const suggestion = meant === undefined ? '' : `; did you mean the known server "${meant}"?`
    const hint =
      'Add "command" (with "args") or "endpoint", or name the entry after a server that is known: alidade doctor lists them.'
    return [{ place, message: `${dotted(path)} has neither command nor endpoint${suggestion}`, hint }]
  }
  if (entry.extensions !== undefined || known.extensionsOf(entry.language) !== undefined) return []
  return [
    {
      place,
      message: `${dotted(path)} must list its extensions: the language "${entry.language}" is not a known one`,
      hint: 'Add "extensions", e.g. [".go"].',
    },
  ]
}

function expandAll(name: string, entry: ServerConfiguration, source: Source, env: Environment) {
  const environment: Record<string, string> = {}
  const problems: Problem[] = []
  for (const [variable, template] of Object.entries(entry.env ?? {})) {
    const path = ['servers', name, 'env', variable]
    const refuse = (message: string, hint: string) => {
      problems.push({ place: source.place(path), message: `${dotted(path)} ${message}`, hint })
      return ''
    }
    environment[variable] = template.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (match, reference, close) => {
      if (match === '$${') return '${'
      if (close === '' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(reference)) {
        return refuse(
          'has a "${" that begins no variable',
          `Write "\${NAME}", or "$\${" for the two characters themselves.`,
        )
      }
      // An empty string in its place would point the server at another folder or account without a word (K08).
      return (
        own(env, reference) ??
        refuse(`uses \${${reference}}, which is not set`, `Set ${reference}, or write its value out.`)
      )
    })
  }
  return { environment, problems }
}

/** An environment handed in by a program may be a plain object, which inherits a `toString`. */
function own(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}
