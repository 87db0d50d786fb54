// Opens a bridge on a folder for one real server and nothing else of this machine: its own state and configuration
// folders, the server named explicitly, trusted or not as the story wants it.
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { WorkspaceEntry } from '../../scripts/servers/manifest.js'
import type { PresetName } from '../../src/config/presets.js'
import type { Configuration, ServerConfiguration } from '../../src/config/schema.js'
import { TrustStore } from '../../src/config/trust.js'
import { type Bridge, createBridge } from '../../src/index.js'
import { descendants, type ProcessEntry, readProcessTable } from '../../src/supervisor/process-table.js'
import { writeFixture } from '../fixture/index.js'
import { type RequestsMade, recordRequests } from './requests.js'
import type { RealServer } from './servers.js'
import type { Edit, Story } from './story.js'
import { listenIn, type Traffic } from './traffic.js'

export interface OpenOptions {
  readonly server: RealServer
  readonly trusted: boolean
  readonly preset?: PresetName
}

type OpenedStory = Pick<Story, 'fixture' | 'extraFiles' | 'initializationOptions'>

export interface OpenWorkspace extends AsyncDisposable {
  readonly bridge: Bridge
  readonly root: string
  readonly traffic: Traffic
  readonly requests: RequestsMade
  path(file: string): string
  /** Writes to the disk as another program would, the bridge is not told; returns what writes the old text back. */
  edit(edit: Edit): Promise<() => Promise<void>>
  /** Everything this bridge's servers run as. */
  processes(): readonly ProcessEntry[]
}

export async function openStory(story: OpenedStory, options: OpenOptions): Promise<OpenWorkspace> {
  const folder = await temporaryFolder()
  const root = join(folder, 'workspace')
  await mkdir(root)
  await writeFixture(story.fixture, root)
  await writeFixture({ files: story.extraFiles?.(root) ?? new Map() }, root)
  return open(folder, root, options, story.initializationOptions)
}

/** A copy, because the original is shared by everybody and stories write. */
export async function openCopy(entry: WorkspaceEntry, options: OpenOptions): Promise<OpenWorkspace> {
  const { folder, root } = await copyWorkspace(entry)
  return open(folder, root, options)
}

/** The root of the copy lies in a folder that is nobody else's. */
export async function copyWorkspace(entry: WorkspaceEntry): Promise<{ folder: string; root: string }> {
  const folder = await temporaryFolder()
  const root = join(folder, basename(entry.root))
  // Without what a server or compiler left there: every start is to be a cold one.
  await cp(entry.root, root, { recursive: true, filter: path => !leftovers.includes(basename(path)) })
  await relocate(join(root, 'compile_commands.json'), entry.root, root)
  return { folder, root }
}

const leftovers = ['.cache', 'target', '__pycache__']

async function open(
  folder: string,
  root: string,
  { server, trusted, preset }: OpenOptions,
  initializationOptions?: ServerConfiguration['initialization_options'],
): Promise<OpenWorkspace> {
  const before = new Set(ownProcesses().map(nameOf))
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  if (trusted) await new TrustStore({ env }).trust(root)
  const traffic = listenIn()
  const servers = await registration(server, folder, initializationOptions)
  // Nothing but the server under test is started, and no answer is cut: the stories count.
  const settings = { servers, languages: [server.definition.language], limit_kb: 10_240 }
  const bridge = await createBridge({ root, env, settings, preset, spawn: traffic.spawn })
  const path = (file: string) => join(root, file)
  return {
    bridge,
    root,
    traffic,
    requests: recordRequests(bridge.events),
    path,
    async edit({ file, find, replace }) {
      const text = await readFile(path(file), 'utf8')
      if (!text.includes(find)) throw new Error(`${file} does not contain ${JSON.stringify(find)}`)
      const edited = text.replace(find, () => replace)
      await writeFile(path(file), edited)
      return () => writeFile(path(file), text)
    },
    processes: () => ownProcesses().filter(entry => !before.has(nameOf(entry))),
    async [Symbol.asyncDispose]() {
      await bridge.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function temporaryFolder(): Promise<string> {
  // The real path, because on some systems the temporary folder is itself a link and servers answer without it.
  return realpath(await mkdtemp(join(tmpdir(), 'alidade-real-')))
}

/** What a user would write under `servers`; an embedded server needs no entry. */
async function registration(
  { definition, entry }: RealServer,
  folder: string,
  initializationOptions: ServerConfiguration['initialization_options'],
): Promise<NonNullable<Configuration['servers']>> {
  if (entry === undefined) return {}
  const { id, language, command: known } = definition
  const common = {
    language,
    env: entry.env,
    ...(initializationOptions === undefined ? {} : { initialization_options: initializationOptions }),
  }
  // Its arguments are those of the definition; the manifest's only say where the program is.
  if (basename(entry.command) === known) return { [id]: { ...common, command: entry.command } }
  // A server is recognised by the name of its program; this one is started by an interpreter.
  const launcher = join(folder, 'bin', known)
  const words = [entry.command, ...entry.args.slice(0, 1)].map(word => `'${word.replaceAll("'", "'\\''")}'`)
  await mkdir(dirname(launcher), { recursive: true })
  await writeFile(launcher, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
  await chmod(launcher, 0o755)
  return { [id]: { ...common, command: launcher } }
}

async function relocate(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== undefined) await writeFile(file, text.replaceAll(from, to))
}

function ownProcesses(): readonly ProcessEntry[] {
  return descendants(readProcessTable(), process.pid).filter(entry => !entry.zombie)
}

function nameOf({ pid, startTime }: ProcessEntry): string {
  return `${pid}@${startTime}`
}
