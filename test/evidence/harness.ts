// An evidence log in a folder of its own, on a disk whose every call can fail, stop half way, or end the process.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../src/clock.js'
import { type EvidenceDisk, type EvidenceFile, systemEvidenceDisk } from '../../src/evidence/disk.js'
import { type EvidenceFolders, evidenceFolders, identityOf } from '../../src/evidence/layout.js'
import { EvidenceLog, type EvidenceLogOptions, logDefaults } from '../../src/evidence/log.js'
import { type Owner, processOwner } from '../../src/evidence/owner.js'
import { createRedact } from '../../src/evidence/redact.js'
import { type EvidenceEvent, type EvidenceRecord, readRecord } from '../../src/evidence/shapes.js'
import { storable } from '../../src/evidence/storable.js'
import { type LogVerdict, verifyLog } from '../../src/evidence/verify.js'

export const root = '/home/ada/project'

export type DiskCall =
  | 'makeFolder'
  | 'list'
  | 'create'
  | 'open'
  | 'read'
  | 'rename'
  | 'remove'
  | 'write'
  | 'empty'
  | 'sync'

/** Called before every call; what it throws the call fails with. `half` lets a write take some of its bytes first. */
export type DiskHook = (
  call: DiskCall,
  path: string,
) => undefined | { readonly half: () => void; readonly share?: number }

export interface LogHome extends Disposable {
  readonly folders: EvidenceFolders
  /** Names of the segments, in order; none before the first is begun. */
  segments(): string[]
  read(segment: string): string
  write(segment: string, text: string): void
  records(): EvidenceRecord[]
  verify(): Promise<LogVerdict>
}

export function logHome(): LogHome {
  const state = mkdtempSync(join(tmpdir(), 'alidade-evidence-'))
  const folders = evidenceFolders(state, root)
  const segments = () => {
    if (!existsSync(folders.log)) return []
    return readdirSync(folders.log)
      .filter(name => name.endsWith('.jsonl'))
      .sort()
  }
  const read = (segment: string) => readFileSync(join(folders.log, segment), 'utf8')
  return {
    folders,
    segments,
    read,
    write: (segment, text) => writeFileSync(join(folders.log, segment), text),
    records: () =>
      segments().flatMap(segment =>
        read(segment)
          .split('\n')
          .flatMap(line => readRecord(line) ?? []),
      ),
    verify: () =>
      verifyLog({
        disk: systemEvidenceDisk,
        folders,
        identity: identityOf(root),
        isAlive: processOwner().isAlive,
      }),
    [Symbol.dispose]: () => rmSync(state, { recursive: true, force: true }),
  }
}

export interface LogSetting extends Partial<EvidenceLogOptions> {
  readonly hook?: DiskHook
  readonly clock?: Clock
}

const redact = createRedact({ root, home: '/home/ada' })

export function openLog({ folders }: LogHome, { hook, ...options }: LogSetting = {}): EvidenceLog {
  return new EvidenceLog({
    ...logDefaults,
    disk: hookedDisk(hook),
    folders,
    identity: identityOf(root),
    owner: processOwner(),
    clock: systemClock,
    clean: event => storable(event, redact),
    ...options,
  })
}

/** A process that is not this one, and dead or alive as the test says. */
export function otherOwner(name: string, isAlive: (name: string) => boolean): Owner {
  return { name, isAlive }
}

export function decided(operation: string): EvidenceEvent {
  return { kind: 'policy_decision', operation, decision: 'allow' }
}

/** Without waiting for the disk, which takes milliseconds and cannot be told from no wait while there is power. */
export function hookedDisk(hook: DiskHook = () => undefined): EvidenceDisk {
  const call = async <T>(name: DiskCall, path: string, run: () => Promise<T>): Promise<T> => {
    hook(name, path)
    return run()
  }
  const file = (opened: EvidenceFile, path: string): EvidenceFile => ({
    look: () => opened.look(),
    async write(bytes, position) {
      const fault = hook('write', path)
      if (fault === undefined) return opened.write(bytes, position)
      const taken = Math.ceil(bytes.length * (fault.share ?? 0.5))
      await opened.write(bytes.subarray(0, taken), position)
      fault.half()
      return taken
    },
    empty: () => call('empty', path, () => opened.empty()),
    sync: () => call('sync', path, async () => {}),
    close: () => opened.close(),
  })
  return {
    makeFolder: path => call('makeFolder', path, () => systemEvidenceDisk.makeFolder(path)),
    list: path => call('list', path, () => systemEvidenceDisk.list(path)),
    open: (path, how) =>
      call(how === 'new' ? 'create' : 'open', path, async () =>
        file(await systemEvidenceDisk.open(path, how), path),
      ),
    openToRead: path => call('read', path, () => systemEvidenceDisk.openToRead(path)),
    rename: (from, to) => call('rename', from, () => systemEvidenceDisk.rename(from, to)),
    remove: path => call('remove', path, () => systemEvidenceDisk.remove(path)),
    syncFolder: path => call('sync', path, async () => {}),
  }
}

/** A log as a heap of texts by path: quick to copy, to spoil and to verify, and never written to. */
export function memoryDisk(files: ReadonlyMap<string, Buffer>): EvidenceDisk {
  const refused = async (): Promise<never> => {
    throw diskError('EROFS')
  }
  return {
    makeFolder: refused,
    async list(folder) {
      return [...files.keys()].flatMap(path => (dirname(path) === folder ? [basename(path)] : []))
    },
    open: refused,
    async openToRead(path) {
      const bytes = files.get(path)
      if (bytes === undefined) throw diskError('ENOENT')
      return { read: async (into, position) => bytes.copy(into, 0, position), close: async () => {} }
    },
    rename: refused,
    remove: refused,
    syncFolder: refused,
  }
}

export function diskError(code: string): Error {
  return Object.assign(new Error(`the disk says ${code}`), { code })
}
