// A process that writes evidence until it is killed, or kills itself at a given call of the disk, on a disk that is now
// and then full. Every record that was acknowledged is named on stdout, at once, so that whoever reads along knows it.
import { writeSync } from 'node:fs'
import { systemClock } from '../../src/clock.js'
import { type EvidenceDisk, type EvidenceFile, systemEvidenceDisk } from '../../src/evidence/disk.js'
import { evidenceFolders, identityOf } from '../../src/evidence/layout.js'
import { EvidenceLog, logDefaults } from '../../src/evidence/log.js'
import { processOwner } from '../../src/evidence/owner.js'
import type { WriterTask } from './crash-suite.js'
import { randomFrom } from './random.js'

const task: WriterTask = JSON.parse(process.argv[2] ?? '{}')
const random = randomFrom(task.seed)
let calls = 0

const log = new EvidenceLog({
  ...logDefaults,
  disk: chaosDisk(),
  folders: evidenceFolders(task.state, task.root),
  identity: identityOf(task.root),
  owner: processOwner(),
  clock: systemClock,
  clean: event => event,
  flushMilliseconds: 1,
  segmentBytes: task.segmentBytes,
})

await Promise.all(Array.from({ length: 4 }, (_, writer) => write(writer)))
await log.close()

async function write(writer: number): Promise<void> {
  for (let index = 0; index < task.events; index += 1) {
    const operation = `op_${writer}_${index}_${'x'.repeat(Math.floor(random() * 300))}`
    if (random() < 0.2) log.note({ kind: 'policy_decision', operation, decision: 'deny' })
    try {
      const id = await log.append({ kind: 'policy_decision', operation, decision: 'allow' })
      writeSync(1, `${id}\n`)
    } catch {
      // The disk was full; nobody was told that the record is kept.
    }
  }
}

function chaosDisk(): EvidenceDisk {
  const file = (opened: EvidenceFile): EvidenceFile => ({
    look: () => opened.look(),
    async write(bytes, position) {
      const half = bytes.subarray(0, Math.floor(random() * bytes.length))
      await happen(async () => void (await opened.write(half, position)))
      return opened.write(bytes, position)
    },
    async empty() {
      await happen()
      await opened.empty()
    },
    async sync() {
      await happen()
      await opened.sync()
    },
    close: () => opened.close(),
  })
  return {
    ...systemEvidenceDisk,
    async open(path, how) {
      await happen()
      return file(await systemEvidenceDisk.open(path, how))
    },
    async rename(from, to) {
      await happen()
      await systemEvidenceDisk.rename(from, to)
    },
    async syncFolder(path) {
      await happen()
      await systemEvidenceDisk.syncFolder(path)
    },
  }
}

/** The end of the process, or of the room on the disk; perhaps after a part of the work was done. */
async function happen(half?: () => Promise<void>): Promise<void> {
  const call = calls
  calls += 1
  const isEnd = call === task.killAt
  if (!isEnd && random() >= task.fullRate) return
  if (random() < 0.7) await half?.()
  if (isEnd) process.kill(process.pid, 'SIGKILL')
  writeSync(1, 'full\n')
  throw Object.assign(new Error('no space left'), { code: random() < 0.9 ? 'ENOSPC' : 'EIO' })
}
