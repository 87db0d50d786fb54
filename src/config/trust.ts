// Which workspaces the operator trusts to name commands. A record holds the canonical path and the content of the
// workspace's configuration at that time: a file that changes later, by a pull for instance, needs trust again.
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { type Environment, stateFolder } from './folders.js'
import { errorCode, foreignWriter, readBounded } from './read.js'
import { type Fingerprint, readWorkspaceFiles, workspaceFileNames } from './workspace-files.js'

export type TrustVerdict =
  | { readonly trusted: true }
  | {
      readonly trusted: false
      readonly reason: 'never trusted' | 'configuration changed since' | 'the record of trust cannot be read'
    }

export class TrustStore {
  readonly path: string
  // Writes of one process wait for each other, or the second would undo the first.
  #writing: Promise<unknown> = Promise.resolve()

  constructor({ env }: { readonly env: Environment }) {
    this.path = join(stateFolder(env), 'trust.json')
  }

  /** `fingerprint`, if the files were read already: what is judged must be what is used. Never throws. */
  async isTrusted(root: string, fingerprint?: Fingerprint): Promise<TrustVerdict> {
    let records: Records
    try {
      records = await this.#read()
    } catch {
      return { trusted: false, reason: 'the record of trust cannot be read' }
    }
    const canonical = await realpath(root).catch(() => undefined)
    const record = canonical === undefined ? undefined : records.get(canonical)
    if (canonical === undefined || record === undefined) return { trusted: false, reason: 'never trusted' }
    const present = fingerprint ?? (await fingerprintOf(canonical).catch(() => undefined))
    if (present !== undefined && sameContent(present, record.configuration)) return { trusted: true }
    return { trusted: false, reason: 'configuration changed since' }
  }

  async trust(root: string): Promise<void> {
    const canonical = await existing(root)
    const configuration = await fingerprintOf(canonical)
    await this.#change(records => {
      records.set(canonical, { configuration, trusted_at: new Date().toISOString() })
      return true
    })
  }

  /** Whether there was anything to revoke. A folder that is gone can be revoked by the path it had. */
  async revoke(root: string): Promise<boolean> {
    const canonical = await realpath(root).catch(() => root)
    return this.#change(records => records.delete(canonical))
  }

  async #read(): Promise<Records> {
    const file = await readBounded(this.path, { name: this.path, limit: 16 * 1024 * 1024 })
    if (file === undefined) return new Map()
    const problem = foreignWriter(file.stats)
    if (problem !== undefined) throw unusable(this.path, problem)
    try {
      const { workspaces } = storeSchema.parse(JSON.parse(file.bytes.toString('utf8')))
      return new Map(Object.entries(workspaces))
    } catch (cause) {
      throw unusable(this.path, 'it is damaged', cause)
    }
  }

  /** The change says whether it changed anything. */
  #change(change: (records: Records) => boolean): Promise<boolean> {
    const next = this.#writing.then(async () => {
      const records = await this.#read()
      const changed = change(records)
      if (changed) await this.#write(records)
      return changed
    })
    this.#writing = next.catch(() => undefined)
    return next
  }

  /** Whole or not at all: written beside the file, then put in its place. */
  async #write(records: Records): Promise<void> {
    const folder = dirname(this.path)
    const temporary = `${this.path}.${randomUUID()}`
    const store: z.input<typeof storeSchema> = { version: 1, workspaces: Object.fromEntries(records) }
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await chmod(folder, 0o700)
      const handle = await open(temporary, 'wx', 0o600)
      try {
        await handle.writeFile(`${JSON.stringify(store, null, 2)}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, this.path)
    } catch (cause) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw new BridgeError({
        kind: 'InvalidArguments',
        message: `trust could not be recorded in ${this.path} (${errorCode(cause) ?? String(cause)})`,
        hint: 'Make the folder writable, or set XDG_STATE_HOME to one that is.',
        cause,
      })
    }
  }
}

const fingerprintSchema = z.record(z.enum(workspaceFileNames), z.string())
const recordSchema = z.object({ configuration: fingerprintSchema, trusted_at: z.string() })
const storeSchema = z.object({ version: z.literal(1), workspaces: z.record(z.string(), recordSchema) })

type Records = Map<string, z.infer<typeof recordSchema>>

async function fingerprintOf(root: string): Promise<Fingerprint> {
  return (await readWorkspaceFiles(root)).fingerprint
}

function sameContent(a: Fingerprint, b: Fingerprint): boolean {
  return workspaceFileNames.every(name => a[name] === b[name])
}

async function existing(root: string): Promise<string> {
  try {
    return await realpath(root)
  } catch (cause) {
    throw new BridgeError({
      kind: 'FileNotFound',
      message: `${root} does not exist, so it cannot be trusted`,
      hint: 'Give the folder of the workspace: alidade trust DIR.',
      cause,
    })
  }
}

function unusable(path: string, problem: string, cause?: unknown): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `the record of trusted workspaces, ${path}, is not used: ${problem}`,
    hint: `Look at it, then remove it (rm ${path}) and trust the workspaces again.`,
    cause,
  })
}
