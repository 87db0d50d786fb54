// Ends writers of evidence at random points, by SIGKILL from outside at any moment or from inside at any call of the disk,
// on a disk that is full now and then, and looks at what they leave: it must verify, and hold all that was acknowledged.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { systemEvidenceDisk } from '../../src/evidence/disk.js'
import { evidenceFolders, identityOf } from '../../src/evidence/layout.js'
import { processOwner } from '../../src/evidence/owner.js'
import { readLog } from '../../src/evidence/read.js'
import { verifyLog } from '../../src/evidence/verify.js'
import { randomFrom } from './random.js'

export interface WriterTask {
  readonly state: string
  readonly root: string
  readonly seed: number
  /** How many each of its four writers appends. */
  readonly events: number
  readonly segmentBytes: number
  /** The call of the disk at which it ends; -1 for none. */
  readonly killAt: number
  /** How often a call of the disk fails. */
  readonly fullRate: number
}

export interface CrashReport {
  /** Writers that were killed, or whose disk was full at least once. */
  readonly points: number
  readonly killed: number
  readonly full: number
  readonly acknowledged: number
  /** Logs that broke off within a record when they were looked at right after the end of the writer. */
  readonly torn: number
  /** What must not be: empty in a good run. */
  readonly faults: readonly string[]
}

const root = '/home/ada/project'

/** Ten ends on each log, so that every one of them is also a recovery. */
export async function crashSuite(points: number, seed: number): Promise<CrashReport> {
  const report = { points: 0, killed: 0, full: 0, acknowledged: 0, torn: 0, faults: [] as string[] }
  const random = randomFrom(seed)
  while (report.points < points) {
    const state = mkdtempSync(join(tmpdir(), 'alidade-crash-'))
    try {
      const acknowledged = new Set<string>()
      for (let round = 0; round < 10 && report.points < points; round += 1) {
        const name = `seed ${seed}, after point ${report.points}`
        const task = { ...randomTask(random), state }
        const ended = await runWriter(task, task.killAt < 0 ? Math.floor(random() * 40) : undefined)
        const isKilled = ended.signal === 'SIGKILL'
        if (!isKilled && ended.code !== 0) report.faults.push(`${name}: the writer failed with ${ended.code}`)
        if (isKilled) report.killed += 1
        if (ended.isFull) report.full += 1
        if (isKilled || ended.isFull) report.points += 1
        for (const id of ended.acknowledged) acknowledged.add(id)
        const verdict = await examine(state, acknowledged)
        if (verdict.torn) report.torn += 1
        report.faults.push(...verdict.faults.map(fault => `${name}: ${fault}`))
      }
      // A writer that is let alone recovers whatever the last one left.
      await runWriter({ ...randomTask(random), state, killAt: -1, fullRate: 0, events: 1 }, undefined)
      const last = await examine(state, acknowledged)
      if (last.torn) last.faults.push('it is torn after a recovery')
      report.faults.push(...last.faults.map(fault => `seed ${seed}, after point ${report.points}: ${fault}`))
      report.acknowledged += acknowledged.size
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  }
  return report
}

/** Several writers of one workspace at the same time, some of them killed. Returns what must not be. */
export async function concurrentWriters(writers: number, seed: number): Promise<string[]> {
  const random = randomFrom(seed)
  const state = mkdtempSync(join(tmpdir(), 'alidade-crash-'))
  try {
    const acknowledged = new Set<string>()
    const faults: string[] = []
    for (let round = 0; round < 3; round += 1) {
      const ended = await Promise.all(
        Array.from({ length: writers }, (_, index) => {
          const task = { ...randomTask(random), state, fullRate: 0, killAt: -1, events: 20 }
          return runWriter(task, index === 0 ? Math.floor(random() * 100) : undefined)
        }),
      )
      for (const writer of ended) for (const id of writer.acknowledged) acknowledged.add(id)
      faults.push(...(await examine(state, acknowledged)).faults)
    }
    return faults
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

function randomTask(random: () => number): Omit<WriterTask, 'state'> {
  const endsItself = random() < 0.6
  return {
    root,
    seed: Math.floor(random() * 2 ** 31),
    events: 12,
    segmentBytes: 500 + Math.floor(random() * 6000),
    killAt: endsItself ? Math.floor(random() * 60) : -1,
    fullRate: random() < 0.5 ? random() * 0.2 : 0,
  }
}

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly acknowledged: readonly string[]
  /** Whether its disk took something not, at least once. */
  readonly isFull: boolean
}

/** Killed after so many acknowledged records, or left to its own end. */
async function runWriter(task: WriterTask, killAfter: number | undefined): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, [program(), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  let seen = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    seen += chunk.toString().split('\nev:').length
    if (killAfter !== undefined && seen >= killAfter) child.kill('SIGKILL')
  })
  const [code, signal] = await new Promise<[number | null, string | null]>(resolve => {
    child.once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal]))
  })
  const lines = text.split('\n').slice(0, -1)
  return { code, signal, acknowledged: lines.filter(line => line !== 'full'), isFull: lines.includes('full') }
}

async function examine(
  state: string,
  acknowledged: ReadonlySet<string>,
): Promise<{ torn: boolean; faults: string[] }> {
  const folders = evidenceFolders(state, root)
  const options = { disk: systemEvidenceDisk, folders }
  const { isAlive } = processOwner()
  const { chains } = await verifyLog({ ...options, identity: identityOf(root), isAlive })
  const bad = chains.flatMap(chain => chain.bad ?? [])
  const kept = new Set<string>()
  for await (const { id } of readLog({}, options)) kept.add(id)
  const lost = [...acknowledged].filter(id => !kept.has(id))
  return {
    torn: bad.some(({ fault }) => fault === 'torn'),
    faults: [
      ...bad.filter(({ fault }) => fault !== 'torn').map(found => `not verified: ${JSON.stringify(found)}`),
      ...(lost.length === 0 ? [] : [`acknowledged and lost: ${lost.join(' ')}`]),
    ],
  }
}

let built: string | undefined

/** Bundled, because Node 20 reads no types; named after its content, so that no build is ever stale. */
function program(): string {
  if (built !== undefined) return built
  const source = fileURLToPath(new URL('./writer.ts', import.meta.url))
  const result = buildSync({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  })
  const text = result.outputFiles[0]?.text ?? ''
  const folder = fileURLToPath(new URL('../../node_modules/.cache/alidade-evidence', import.meta.url))
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, text)
    renameSync(draft, file)
  }
  built = file
  return file
}
