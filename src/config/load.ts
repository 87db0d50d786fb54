// Reads every file that has a say, in the order of contract section 5, and resolves them to one set of values. The
// bridge is the only caller; it hands the values down.
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { BridgeError } from '../errors.js'
import { type AgentsSource, agentBlock } from './agents.js'
import { configurationFolder, type Environment } from './folders.js'
import { knownExtensions } from './languages.js'
import { parseConfiguration, parserFor, type Source, withoutFile } from './parse.js'
import { checkPolicyLanguages } from './policy-languages.js'
import type { Preset } from './presets.js'
import { foreignWriter, type ReadFile, readBounded } from './read.js'
import {
  type KnownServers,
  type Layer,
  privilegedKeysOf,
  type RegisteredServer,
  registerServers,
  type Withheld,
} from './registered.js'
import { resolveSettings, type Settings } from './resolve.js'
import { agentsFileSchema, type Configuration, combinedSchema, configurationSchema } from './schema.js'
import { TrustStore, type TrustVerdict } from './trust.js'
import { invalid, validate } from './validate.js'
import { readWorkspaceFiles, type WorkspaceFiles } from './workspace-files.js'

export interface LoadOptions {
  readonly root: string
  readonly env: Environment
  /** `--config`: stands in for the user's file; relative to the current folder. */
  readonly configFile?: string | undefined
  /** `--agent`. */
  readonly agent?: string | undefined
  /** What the command line or the embedding program says; it has the last word. */
  readonly flags: Configuration
  readonly known?: KnownServers | undefined
  readonly trustStore?: TrustStore | undefined
}

export interface LoadedSettings {
  readonly settings: Settings
  /** The chosen preset with the knobs that the configuration turned. */
  readonly preset: Preset
  /** Most explicit first. */
  readonly servers: readonly RegisteredServer[]
  /** The files that were read, absolute, in the order in which they have a say. */
  readonly sources: readonly string[]
  readonly workspaceConfig: { readonly path: string; readonly hash: string } | undefined
  readonly trust: TrustVerdict
  readonly withheld: readonly Withheld[]
}

export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const { env, flags } = options
  const root = await realpath(options.root)
  const trustStore = options.trustStore ?? new TrustStore({ env })
  const given = options.configFile === undefined ? undefined : await givenFile(options.configFile)
  const user = given?.configuration ?? (await userFile(env))
  const files = await readWorkspaceFiles(root)
  const trust = await trustStore.isTrusted(root, files.fingerprint)
  const workspace = await workspaceLayer(files)
  const agents = options.agent === undefined ? undefined : (given?.agents ?? (await agentsFile(env)))
  const flagLayer = layer('flag', withoutFile(flags, 'command line'), configurationSchema)

  const resolved = resolveSettings({
    user: user?.layer,
    workspace,
    trust,
    agent: options.agent === undefined ? undefined : blockOf(options.agent, agents, env),
    flags: flagLayer,
  })
  const layers = [flagLayer, user?.layer, workspace].filter(found => found !== undefined)
  const registered = registerServers({
    layers,
    trust,
    env,
    known: options.known ?? { names: undefined, extensionsOf: knownExtensions },
  })
  if (options.known?.languages !== undefined) checkPolicyLanguages(layers, options.known.languages)
  const paths = [user?.path, files.used?.file.path, agents?.name].filter(path => path !== undefined)
  return {
    settings: resolved.settings,
    preset: resolved.preset,
    servers: registered.servers,
    sources: [...new Set(paths)],
    workspaceConfig: files.used && { path: files.used.file.path, hash: files.fingerprint[files.used.name] },
    trust,
    withheld: [...resolved.withheld, ...registered.withheld],
  }
}

/**
 * The servers that count: where nobody is there to be told, `governed` knows the operator's registrations
 * alone, not the workspace file's.
 */
export function serversFor(
  { preset, servers }: Pick<LoadedSettings, 'preset' | 'servers'>,
  { interactive }: { readonly interactive: boolean },
): readonly RegisteredServer[] {
  if (interactive || preset.workspaceServersUnattended) return servers
  return servers.filter(server => server.origin !== 'workspace')
}

interface UserFile {
  readonly path: string
  readonly layer: Layer
}

const userFileNames = ['config.jsonc', 'config.json', 'config.yaml']

async function userFile(env: Environment): Promise<UserFile | undefined> {
  const folder = configurationFolder(env)
  const paths = userFileNames.map(name => join(folder, name))
  const found = await Promise.all(paths.map(path => readBounded(path, { name: path })))
  const [file, other] = found.filter(entry => entry !== undefined)
  if (other !== undefined && file !== undefined) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `there are two configuration files, ${file.path} and ${other.path}`,
      hint: 'Keep one of them.',
    })
  }
  if (file === undefined) return undefined
  return operatorsFile(
    file,
    layer('user', parseConfiguration(file.bytes, file.path, await parserFor(file.path)), configurationSchema),
  )
}

/**
 * The file given as `--config`. With `agents:` and none of our own keys it is a host's agents file: it stands in for
 * `agents.yaml`, and the user's file is read as well.
 */
async function givenFile(
  path: string,
): Promise<{ configuration: UserFile | undefined; agents: AgentsSource | undefined }> {
  const absolute = isAbsolute(path) ? path : resolve(path)
  const file = await readBounded(absolute, { name: absolute })
  if (file === undefined) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `the configuration file ${absolute} does not exist`,
      hint: 'Check the path given with --config.',
    })
  }
  const source = parseConfiguration(file.bytes, absolute, await parserFor(absolute))
  const keys = typeof source.value === 'object' && source.value !== null ? Object.keys(source.value) : []
  const isAgentsFile = keys.includes('agents') && !keys.some(key => key in configurationSchema.shape)
  if (isAgentsFile) return { configuration: undefined, agents: agentsIn(file, source) }
  const { agents, ...configuration } = validate(combinedSchema, source)
  return {
    configuration: operatorsFile(file, { origin: 'user', configuration, source }),
    agents: agents && operatorsAgents(file, { agents, source, name: absolute }),
  }
}

async function agentsFile(env: Environment): Promise<AgentsSource | undefined> {
  const path = join(configurationFolder(env), 'agents.yaml')
  const file = await readBounded(path, { name: path })
  if (file === undefined) return undefined
  return agentsIn(file, parseConfiguration(file.bytes, path, await parserFor(path)))
}

function agentsIn(file: ReadFile, source: Source): AgentsSource {
  const { agents } = validate(agentsFileSchema, source)
  return operatorsAgents(file, { agents, source, name: file.path })
}

function blockOf(id: string, agents: AgentsSource | undefined, env: Environment) {
  if (agents !== undefined) return agentBlock(id, agents)
  const path = join(configurationFolder(env), 'agents.yaml')
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `--agent was given, but there is no agents file: ${path} does not exist`,
    hint: 'Create it, or give a file that has "agents:" with --config.',
  })
}

async function workspaceLayer({ used }: WorkspaceFiles): Promise<Layer | undefined> {
  if (used === undefined) return undefined
  return layer(
    'workspace',
    parseConfiguration(used.file.bytes, used.name, await parserFor(used.name)),
    configurationSchema,
  )
}

function layer(origin: Layer['origin'], source: Source, schema: typeof configurationSchema): Layer {
  return { origin, configuration: validate(schema, source), source }
}

function operatorsFile(file: ReadFile, fileLayer: Layer): UserFile {
  refuseForeign(file, privilegedKeysOf(fileLayer))
  return { path: file.path, layer: fileLayer }
}

/** An agent's block decides whether a model is offered anything. */
function operatorsAgents(file: ReadFile, agents: AgentsSource): AgentsSource {
  refuseForeign(file, [{ key: 'agents', place: agents.source.place(['agents'], 'key') }])
  return agents
}

/**
 * Whoever can write to the operator's file could have us start anything and let a model do anything, so it must be the
 * operator's alone (K06).
 */
function refuseForeign(file: ReadFile, keys: readonly { key: string; place: string }[]): void {
  const problem = foreignWriter(file.stats)
  if (problem === undefined || keys.length === 0) return
  const hint = `Make the file yours alone: chown "$USER" ${file.path} && chmod go-w ${file.path}`
  throw invalid(
    keys.map(({ key, place }) => ({ place, message: `${key} is refused in this file: ${problem}`, hint })),
  )
}
