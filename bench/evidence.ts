// What evidence costs: verifying a million records against hashing the same bytes once, in the same run, how fast records
// are taken and made durable, and warm answers with and without it, by turns.
// Usage: node scripts/run.mjs bench/evidence.ts [--events N] [--calls N]
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/clock.js'
import { systemEvidenceDisk } from '../src/evidence/disk.js'
import { evidenceFolders, identityOf } from '../src/evidence/layout.js'
import { EvidenceLog, logDefaults } from '../src/evidence/log.js'
import { processOwner } from '../src/evidence/owner.js'
import { createRedact } from '../src/evidence/redact.js'
import type { EvidenceEvent } from '../src/evidence/shapes.js'
import { storable } from '../src/evidence/storable.js'
import { verifyLog } from '../src/evidence/verify.js'
import { createBridge } from '../src/index.js'

const most = 8
const events = Number(argument('--events') ?? 1_000_000)
const calls = Number(argument('--calls') ?? 1000)
const root = '/home/somebody/project'
const state = mkdtempSync(join(tmpdir(), 'alidade-evidence-bench-'))
const folders = evidenceFolders(state, root)
const identity = identityOf(root)
const redact = createRedact({ root })

try {
  await write()
  await group()
  await verify()
  await answers()
} finally {
  rmSync(state, { recursive: true, force: true })
}

async function write(): Promise<void> {
  const log = open()
  const began = performance.now()
  let noting = 0
  for (let done = 0; done < events; done += 1000) {
    const start = performance.now()
    for (let index = 0; index < 1000; index += 2) {
      log.note(decision())
      log.note(batch(done + index))
    }
    noting += performance.now() - start
    await log.secure()
  }
  await log.close()
  const milliseconds = performance.now() - began
  say(`note: ${((noting * 1000) / events).toFixed(2)} microseconds an event for the caller`)
  say(`write: ${events} events in ${seconds(milliseconds)}, ${rate(events, milliseconds)}`)
}

/** Callers that wait for the disk, one alone and a hundred together. */
async function group(): Promise<void> {
  const log = open()
  const began = performance.now()
  for (let index = 0; index < 100; index += 1) await log.append(batch(index))
  const alone = performance.now() - began
  const together = performance.now()
  for (let round = 0; round < 20; round += 1)
    await Promise.all(Array.from({ length: 100 }, (_, index) => log.append(batch(index))))
  const shared = performance.now() - together
  await log.close()
  say(`durable: ${rate(100, alone)} one after the other, ${rate(2000, shared)} a hundred at a time`)
}

async function verify(): Promise<void> {
  const paths = readdirSync(folders.log)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(folders.log, name))
  const ratios: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const began = performance.now()
    let bytes = 0
    for (const path of paths) {
      const content = readFileSync(path)
      bytes += content.length
      createHash('sha256').update(content).digest()
    }
    const hashing = performance.now() - began
    const start = performance.now()
    const { verdict, records, bad } = await verifyLog({
      disk: systemEvidenceDisk,
      folders,
      identity,
      isAlive: () => false,
    })
    const verifying = performance.now() - start
    if (verdict !== 'sound') throw new Error(`the log is ${verdict}: ${JSON.stringify(bad)}`)
    ratios.push(verifying / hashing)
    say(
      `verify: ${records} records, ${(bytes / 2 ** 20).toFixed(0)} MiB: hashing ${seconds(hashing)}, verifying ${seconds(verifying)}, ${(verifying / hashing).toFixed(2)}x (at most ${most}x)`,
    )
  }
  if (Math.min(...ratios) > most) process.exitCode = 1
}

/** One call each by turns, so that a slow spell of the machine hits all sides. */
async function answers(): Promise<void> {
  const env = { ...process.env, XDG_STATE_HOME: join(state, 'xdg') }
  const modes = ['none', 'best-effort', 'required'] as const
  const sides = await Promise.all(
    modes.map(async evidence => {
      const bridge = await createBridge({ root: '.', env, evidence })
      const side = { evidence, bridge, atServer: 0, whole: [] as number[], own: [] as number[] }
      // Each side has a server of its own; what a call spends there says nothing of evidence.
      bridge.events.subscribe(event => {
        if (event.type === 'request.finished') side.atServer += event.milliseconds
      })
      return side
    }),
  )
  const target = { file: 'src/errors.ts', symbol: 'BridgeError' }
  for (const name of ['inspectSymbol', 'goToDefinition'] as const) {
    for (const side of sides) Object.assign(side, { whole: [], own: [] })
    for (let call = -50; call < calls; call += 1) {
      for (const side of sides) {
        side.atServer = 0
        const began = performance.now()
        const answer = await side.bridge[name](target)
        const taken = performance.now() - began
        if (!answer.ok) throw new Error(answer.error)
        if (call < 0) continue
        side.whole.push(taken)
        side.own.push(taken - side.atServer)
      }
    }
    for (const { evidence, whole, own } of sides) {
      const told = [whole, own].map(times => `${percentile(times, 50)} / ${percentile(times, 95)} ms`)
      say(`${name}, evidence ${evidence}: median / 95th ${told[0]}, outside the server ${told[1]}`)
    }
  }
  for (const { bridge } of sides) await bridge.close()
}

function percentile(values: readonly number[], percent: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length * percent) / 100)] ?? 0).toFixed(3)
}

function open(): EvidenceLog {
  return new EvidenceLog({
    ...logDefaults,
    disk: systemEvidenceDisk,
    folders,
    identity,
    owner: processOwner(),
    clock: systemClock,
    clean: event => storable(event, redact),
  })
}

function decision(): EvidenceEvent {
  return {
    kind: 'policy_decision',
    operation: 'go_to_definition',
    effect: 'read',
    caller: 'model',
    decision: 'allow',
  }
}

function batch(index: number): EvidenceEvent {
  const content = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  return {
    kind: 'lsp_query_batch',
    operation: 'go_to_definition',
    caller: 'model',
    ok: true,
    outcome: 'responded',
    milliseconds: 1.2,
    servers: [{ id: 'typescript', name: 'typescript-go', version: '7.0.2' }],
    queries: [
      {
        server: 'typescript',
        method: 'textDocument/definition',
        outcome: 'responded',
        count: 1,
        bytes: 300 + (index % 100),
        milliseconds: 0.8,
      },
    ],
    response_bytes: 300 + (index % 100),
    targets: [
      { file: 'src/operations/run.ts', line: index % 500, column: 17, symbol: 'runOperation', content },
    ],
    freshness: { verdict: 'current', content, queried_at: '2030-01-01T00:00:00.000Z' },
    completeness: { verdict: 'complete' },
  }
}

function say(line: string): void {
  console.log(line)
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}

function rate(count: number, milliseconds: number): string {
  return `${Math.round((count * 1000) / milliseconds)} a second`
}

function argument(name: string): string | undefined {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}
