// `alidade evidence tail|verify|export`: reads the log of a workspace. It writes nothing and starts nothing, so it works
// beside any number of processes that write.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { systemClock } from '../../clock.js'
import { findRoot, stateFolder } from '../../config/folders.js'
import { BridgeError } from '../../errors.js'
import { codeOf, systemEvidenceDisk } from '../../evidence/disk.js'
import { exportLog, verifyExport } from '../../evidence/export.js'
import { type EvidenceFolders, evidenceFolders, identityOf } from '../../evidence/layout.js'
import { processOwner } from '../../evidence/owner.js'
import { isItem, type RecordFilter, type StoredLine } from '../../evidence/read.js'
import { evidenceKinds, readRecord } from '../../evidence/shapes.js'
import { followLog, tailLog } from '../../evidence/tail.js'
import { type KnownRecord, type LogVerdict, verifyLog } from '../../evidence/verify.js'
import { nearest } from '../../text/nearest.js'
import type { CommonFlags } from './common-flags.js'
import type { EvidenceAction } from './evidence-command.js'
import { describeItem, describeRecord, describeVerdict } from './evidence-text.js'
import { exitCodes } from './exit-code.js'
import { usageError } from './failure.js'
import type { CommandContext } from './with-bridge.js'

export interface EvidenceFlags extends CommonFlags {
  readonly action: EvidenceAction
  readonly follow: boolean
  readonly lines: number
  readonly since: string | undefined
  readonly until: string | undefined
  readonly kinds: string | undefined
  readonly id: string | undefined
  readonly against: string | undefined
}

const roundMilliseconds = 500
const patienceMilliseconds = 1000

interface Place {
  readonly root: string
  readonly folders: EvidenceFolders
}

export async function runEvidenceCommand(flags: EvidenceFlags, context: CommandContext): Promise<number> {
  const { cwd, env } = context.console
  const { root } = await findRoot({ cwd, env, flag: flags.root })
  const place: Place = { root, folders: evidenceFolders(stateFolder(env), root) }
  const filter = filterOf(flags)
  try {
    switch (flags.action) {
      case 'tail':
        return await tail(place, filter, flags, context)
      case 'verify':
        return await verify(place, flags, context)
      case 'export':
        return await exportRecords(place, filter, context)
    }
  } catch (error) {
    if (error instanceof BridgeError || codeOf(error) === '') throw error
    throw new BridgeError({
      kind: 'EvidenceUnavailable',
      message: `the evidence in ${place.folders.log} cannot be read (${codeOf(error)})`,
      hint: 'Look at the folder and at who may read it.',
      cause: error,
    })
  }
}

async function tail(
  { root, folders }: Place,
  filter: RecordFilter,
  { follow, lines: count, json }: EvidenceFlags,
  { console, signal }: CommandContext,
): Promise<number> {
  const options = { disk: systemEvidenceDisk, folders, filter }
  const print = (lines: readonly StoredLine[]) =>
    console.text(lines.map(({ text }) => (json === true ? text : describe(text, filter))).join('\n'))
  const { lines, readings } = await tailLog({ ...options, count })
  if (lines.length > 0) await print(lines)
  else if (!follow) console.note(`no evidence ${readings.size === 0 ? 'is kept' : 'fits'} for ${root}`)
  if (follow)
    await followLog(readings, {
      ...options,
      clock: systemClock,
      signal,
      everyMilliseconds: roundMilliseconds,
      onLines: print,
    })
  return exitCodes.answer
}

async function verify(
  { root, folders }: Place,
  { against, json }: EvidenceFlags,
  { console }: CommandContext,
): Promise<number> {
  const known = against === undefined ? [] : await knownFrom(resolve(console.cwd, against), root)
  // A timer that nobody waits for: a log of a million records takes seconds.
  const patience = systemClock.after(patienceMilliseconds, () => {
    if (console.attended) console.note(`verifying ${folders.log} ...`)
  })
  const verdict = await verdictOf({ root, folders }, known).finally(() => patience.cancel())
  if (verdict.verdict === 'absent') throw nothingKept(root, folders)
  if (json === true) await console.json({ ok: true, result: { root, folder: folders.log, ...verdict } })
  else await console.text(describeVerdict(verdict, folders).join('\n'))
  return verdict.verdict === 'sound' ? exitCodes.answer : exitCodes.findings
}

async function exportRecords(
  { root, folders }: Place,
  filter: RecordFilter,
  { console }: CommandContext,
): Promise<number> {
  const verdict = await verdictOf({ root, folders }, [])
  if (verdict.verdict === 'absent') throw nothingKept(root, folders)
  if (verdict.bad !== undefined)
    console.warn(`the log is not sound, and the proof says so; see: alidade evidence verify --root ${root}`)
  await exportLog({
    disk: systemEvidenceDisk,
    folders,
    filter,
    workspace: identityOf(root).workspace,
    exportedAt: new Date().toISOString(),
    verdict,
    write: text => console.text(text.trimEnd()),
  })
  return verdict.bad === undefined ? exitCodes.answer : exitCodes.findings
}

function verdictOf({ root, folders }: Place, known: readonly KnownRecord[]): Promise<LogVerdict> {
  const { isAlive } = processOwner()
  return verifyLog({ disk: systemEvidenceDisk, folders, identity: identityOf(root), isAlive, known })
}

/** The records that an export vouches for, once it has vouched for itself. */
async function knownFrom(file: string, root: string): Promise<readonly KnownRecord[]> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw usageError(
      `--against ${file} cannot be read (${codeOf(error)})`,
      'Give the file of an earlier export.',
    )
  }
  const checked = verifyExport(bytes)
  if (!checked.ok)
    throw usageError(
      `${file} is no sound export: line ${checked.line}: ${checked.detail}`,
      'Give the file as `alidade evidence export` wrote it.',
    )
  if (checked.proof.workspace !== identityOf(root).workspace)
    throw usageError(
      `${file} is the export of another workspace`,
      'Give the right --root, or the right file.',
    )
  return checked.known
}

function nothingKept(root: string, { log }: EvidenceFolders): BridgeError {
  return new BridgeError({
    kind: 'EvidenceUnavailable',
    message: `no evidence is kept for ${root}`,
    hint: `It is kept from the first question on, in ${log}. Another folder is meant with --root DIR.`,
  })
}

function describe(text: string, { id }: RecordFilter): string {
  const record = readRecord(text)
  if (record === undefined) return text
  return id !== undefined && isItem(id) ? describeItem(record, id) : describeRecord(record)
}

function filterOf({ since, until, kinds, id }: EvidenceFlags): RecordFilter {
  return {
    since: since === undefined ? undefined : timeOf('--since', since),
    until: until === undefined ? undefined : timeOf('--until', until),
    kinds: kinds === undefined ? undefined : kinds.split(',').map(kindOf),
    id,
  }
}

function kindOf(typed: string): string {
  const kind = typed.trim()
  if (evidenceKinds.some(known => known === kind)) return kind
  const close = nearest(kind, evidenceKinds, 3)
  const hint =
    close.length === 0 ? `The kinds are: ${evidenceKinds.join(', ')}.` : `Did you mean ${close.join(' or ')}?`
  throw usageError(`there is no evidence of the kind ${JSON.stringify(kind)}`, hint)
}

const unitMilliseconds: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A point in time, or how long ago it was. */
function timeOf(flag: string, typed: string): string {
  const [, amount, unit = ''] = /^(\d+)([smhd])$/.exec(typed) ?? []
  const ago = amount === undefined ? undefined : Number(amount) * (unitMilliseconds[unit] ?? 0)
  const at = ago === undefined ? Date.parse(typed) : Date.now() - ago
  if (Number.isFinite(at) && Math.abs(at) < 8.64e15) return new Date(at).toISOString()
  throw usageError(
    `${flag} ${typed} is no time`,
    'Give one like 2030-01-31T12:00Z, or how long ago: 30m, 2h, 7d.',
  )
}
