// Finds the ways to run a server for one language, most explicit first: what was registered, then the project's own
// copy (trusted workspaces only), the embedded one, and PATH in the order of the definitions. Starts nothing: the proof
// is the handshake, and a candidate that fails it leads to the next (C30).
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path'
import { BridgeError } from '../errors.js'
import type { Launch, LimitedForm, ServerDefinition } from '../servers/definition.js'
import { serverEnvironment } from './environment.js'
import { foldersUpwards } from './roots.js'
import type { Endpoint, StartCandidate } from './session.js'

/** A server somebody named explicitly. */
export interface RegisteredServer {
  readonly definition: ServerDefinition
  readonly origin: string
  readonly command: string | undefined
  readonly args: readonly string[] | undefined
  readonly endpoint: Endpoint | undefined
  readonly environment: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, unknown>>
  readonly initializationOptions: Readonly<Record<string, unknown>>
}

export interface DiscoveryOptions {
  readonly language: string
  readonly workspaceRoot: string
  readonly root: string
  readonly trusted: boolean
  readonly registered: readonly RegisteredServer[]
  /** The definitions of this language, in order of preference. */
  readonly definitions: readonly ServerDefinition[]
  readonly autodetect: boolean
  /** Ours: the project's own copy, then the embedded one, then PATH. Else the definitions' order alone decides. */
  readonly embeddedFirst: boolean
  readonly environment: NodeJS.ProcessEnv
  /** Where a program lies on PATH, in order; a cache may stand in. */
  readonly lookUp?: LookUp
}

export type LookUp = (command: string, path: string | undefined) => readonly string[]

export function findCandidates(options: DiscoveryOptions): readonly StartCandidate[] {
  const registered = options.registered.map(server => registeredCandidate(server, options))
  const detected = options.autodetect
    ? options.definitions.flatMap(definition => detect(definition, options))
    : []
  const ordered = options.embeddedFirst ? detected.toSorted((a, b) => rank(a.how) - rank(b.how)) : detected
  const all = [...registered, ...ordered]
  if (all.length === 0) throw noServer(options)
  const allowed = all.filter(found => allowedIn(found, options))
  // What somebody named explicitly is never replaced in silence by what was merely found.
  const [chosen] = registered
  if (chosen !== undefined && !allowed.includes(chosen)) throw notTrusted(registered, options)
  if (allowed.length === 0) throw notTrusted(all, options)
  return allowed
}

/**
 * The absolute path of a command on PATH, or undefined. In a workspace that is not trusted a program of its own does not
 * hide the one behind it: `npx` puts the workspace's binaries first.
 */
function findOnPath(
  command: string,
  path: string | undefined,
  options: DiscoveryOptions,
): string | undefined {
  const found = (options.lookUp ?? programsOnPath)(command, path)
  const elsewhere = options.trusted ? undefined : found.find(program => !isInside(program, options))
  return elsewhere ?? found[0]
}

export function programsOnPath(command: string, path: string | undefined): string[] {
  if (isAbsolute(command)) return isExecutable(command) ? [command] : []
  const extensions = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  return absoluteFolders(path ?? '')
    .flatMap(folder => extensions.map(extension => join(folder, command + extension)))
    .filter(isExecutable)
}

/** A relative entry is never searched: it means the current folder, which for a server is the workspace. */
function absoluteFolders(path: string): string[] {
  return path.split(delimiter).filter(folder => isAbsolute(folder))
}

const ownCopy = "the project's own copy"
const embedded = 'embedded'
const onPath = 'found on PATH'
const order: readonly string[] = [ownCopy, embedded, onPath]

function rank(how: string): number {
  return order.indexOf(how)
}

function detect(definition: ServerDefinition, options: DiscoveryOptions): StartCandidate[] {
  const program = findOnPath(definition.command, options.environment.PATH, options)
  const launches: readonly (readonly [string, Launch | undefined])[] = [
    [ownCopy, options.trusted ? definition.project?.(options.root) : undefined],
    [embedded, definition.embedded?.()],
    [onPath, program === undefined ? undefined : { command: program, args: definition.args }],
  ]
  return launches.flatMap(([how, launch]) =>
    launch === undefined ? [] : [{ ...candidate({ definition, how, launch, options }), isDetected: true }],
  )
}

function registeredCandidate(server: RegisteredServer, options: DiscoveryOptions): StartCandidate {
  const { definition } = server
  // A known server chosen by its name is the copy that comes with us, where there is one.
  const shipped = server.command === undefined ? definition.embedded?.() : undefined
  const command = shipped?.command ?? server.command ?? definition.command
  const { PATH: ownPath } = server.environment
  const base = candidate({
    definition,
    how: `registered by ${server.origin}`,
    launch: {
      command: findOnPath(command, ownPath ?? options.environment.PATH, options) ?? command,
      args: server.args ?? shipped?.args ?? definition.args,
    },
    options,
  })
  return {
    ...base,
    endpoint: server.endpoint,
    environment: {
      ...base.environment,
      ...server.environment,
      ...(ownPath === undefined ? {} : { PATH: absoluteFolders(ownPath).join(delimiter) }),
    },
    settings: merge(base.settings, server.settings),
    initializationOptions: merge(base.initializationOptions, server.initializationOptions),
  }
}

function candidate(input: {
  readonly definition: ServerDefinition
  readonly how: string
  readonly launch: Launch
  readonly options: DiscoveryOptions
}): StartCandidate {
  const { definition, how, launch, options } = input
  const limited = options.trusted ? undefined : reduced(definition.limited)
  return {
    definition,
    how,
    command: launch.command,
    args: [...launch.args, ...(limited?.args ?? [])],
    environment: serverEnvironment(options.environment, {
      ...definition.environment,
      ...limited?.environment,
    }),
    endpoint: undefined,
    settings: merge(definition.settings ?? {}, limited?.settings ?? {}),
    initializationOptions: merge(
      definition.initializationOptions ?? {},
      limited?.initializationOptions ?? {},
    ),
    version: launch.version,
    limitedCosts: limited?.costs({ root: options.root, file: undefined, exists: existsSync }),
  }
}

function reduced(form: LimitedForm): Extract<LimitedForm, { kind: 'reduced' }> | undefined {
  return form.kind === 'reduced' ? form : undefined
}

/** An untrusted workspace may neither supply the program nor run a server that has no limited form (fault S09). */
function allowedIn(found: StartCandidate, options: DiscoveryOptions): boolean {
  if (options.trusted) return true
  if (refusal(found, options) !== undefined) return false
  // Whoever runs Alidade out of this folder's node_modules already runs what came with it.
  if (found.how === embedded || found.command === found.definition.embedded?.()?.command) return true
  return found.endpoint !== undefined || !isInside(found.command, options)
}

/** Why a server has no form that could run here untrusted; undefined when it has one. */
function refusal(
  { definition }: StartCandidate,
  { root, workspaceRoot }: DiscoveryOptions,
): string | undefined {
  const { limited } = definition
  if (limited.kind === 'refused') return limited.reason
  if (limited.kind === 'same') return undefined
  return limited.refusedWhen?.(foldersUpwards(join(root, 'here'), workspaceRoot), existsSync)
}

function isInside(command: string, { root, workspaceRoot }: DiscoveryOptions): boolean {
  try {
    // A server is started in its root, so that is where a relative path leads.
    const real = realpathSync(resolve(root, command))
    return real.startsWith(workspaceRoot.endsWith(sep) ? workspaceRoot : workspaceRoot + sep)
  } catch {
    // What does not exist is no program of the workspace; starting it will say that it is missing.
    return false
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function noServer(options: DiscoveryOptions): BridgeError {
  const [first] = options.definitions
  if (first === undefined) {
    return new BridgeError({
      kind: 'NoServerForExtension',
      message: `no language server is known for ${options.language}`,
      hint: 'Register one under "servers" in the configuration.',
    })
  }
  const names = options.definitions.map(definition => definition.command).join(', ')
  return new BridgeError({
    kind: 'ServerUnavailable',
    message: options.autodetect
      ? `no language server for ${options.language} was found (looked for ${names})`
      : `no language server for ${options.language} is registered, and auto-detection is off`,
    hint: `Install it: ${first.install}`,
  })
}

function notTrusted(found: readonly StartCandidate[], options: DiscoveryOptions): BridgeError {
  const [first] = found
  const refused = first === undefined ? undefined : refusal(first, options)
  const reason = refused ?? 'its program lies inside the workspace'
  return new BridgeError({
    kind: 'NotTrusted',
    message: `${first?.definition.title ?? options.language} is not started in a workspace that is not trusted: ${reason}`,
    hint: `If you trust the code in this folder, run: alidade trust ${options.workspaceRoot}`,
  })
}

/** Deep merge of plain settings; lists and scalars are replaced. */
function merge(base: unknown, extra: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = isPlain(base) ? { ...base } : {}
  for (const [key, value] of Object.entries(extra)) {
    const before = result[key]
    result[key] = isPlain(before) && isPlain(value) ? merge(before, value) : value
  }
  return result
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
