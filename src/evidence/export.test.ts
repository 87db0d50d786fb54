import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decided,
  hookedDisk,
  type LogHome,
  logHome,
  openLog,
  otherOwner,
  root,
} from '../../test/evidence/harness.js'
import { virtualClock } from '../../test/virtual-clock.js'
import { systemEvidenceDisk } from './disk.js'
import { exportLog, verifyExport } from './export.js'
import { identityOf } from './layout.js'
import type { RecordFilter } from './read.js'
import { followLog, tailLog } from './tail.js'
import { verifyLog } from './verify.js'

/** Two chains, written by turns, a second apart. */
async function twoChains(home: LogHome) {
  const clock = virtualClock()
  const alive = () => true
  const logs = ['1', '2'].map(name =>
    openLog(home, { clock, owner: otherOwner(name, alive), segmentBytes: 1500 }),
  )
  for (let index = 0; index < 20; index += 1) {
    await logs[index % 2]?.append(decided(`op${index}`))
    await clock.advance(1000)
  }
  await logs[0]?.append({
    kind: 'server_state',
    server: { id: 'a' },
    root: '.',
    from: 'idle',
    to: 'starting',
  })
  return { clock, close: () => Promise.all(logs.map(log => log.close())), logs }
}

async function exported(home: LogHome, filter: RecordFilter = {}) {
  const written: string[] = []
  const proof = await exportLog({
    disk: systemEvidenceDisk,
    folders: home.folders,
    filter,
    workspace: identityOf(root).workspace,
    exportedAt: '2030-01-01T00:00:00.000Z',
    verdict: await home.verify(),
    write: async text => void written.push(text),
  })
  return { text: written.join(''), proof }
}

const operationsIn = (text: string) => [...text.matchAll(/"operation":"(\w+)"/g)].map(([, name]) => name)

test('an export holds every record, oldest first, with a proof that others can check', async () => {
  using home = logHome()
  await (await twoChains(home)).close()
  const { text, proof } = await exported(home)
  expect(operationsIn(text)).toEqual(Array.from({ length: 20 }, (_, index) => `op${index}`))
  expect(proof).toMatchObject({ records: home.records().length, log: 'sound' })
  const lines = text.split('\n').slice(0, -2)
  const digest = createHash('sha256')
    .update(lines.map(line => `${line}\n`).join(''))
    .digest('hex')
  expect(proof.digest).toBe(`sha256:${digest}`)
  const verdict = verifyExport(Buffer.from(text))
  expect(verdict).toMatchObject({ ok: true })
  if (!verdict.ok) return
  expect(
    await verifyLog({
      disk: systemEvidenceDisk,
      folders: home.folders,
      identity: identityOf(root),
      isAlive: () => false,
      known: verdict.known,
    }),
  ).toMatchObject({ verdict: 'sound' })
})

test('an export can be narrowed by time, kind and id', async () => {
  using home = logHome()
  await (await twoChains(home)).close()
  const since = '2030-01-01T00:00:05.000Z'
  const until = '2030-01-01T00:00:08.000Z'
  const kinds = ['policy_decision']
  expect(operationsIn((await exported(home, { since, until, kinds })).text)).toEqual([
    'op5',
    'op6',
    'op7',
    'op8',
  ])
  expect((await exported(home, { kinds: ['server_state'] })).proof.records).toBe(1)
  const id = home.records().at(-1)?.id
  expect((await exported(home, { id })).proof).toMatchObject({ records: 1, chains: [{ records: 1 }] })
})

test('E04 an export that was changed anywhere is found out', async () => {
  using home = logHome()
  await (await twoChains(home)).close()
  const { text } = await exported(home, { kinds: ['policy_decision'] })
  fc.assert(
    fc.property(fc.nat({ max: text.length - 2 }), offset => {
      const other = text[offset] === 'x' ? 'y' : 'x'
      const changed = text.slice(0, offset) + other + text.slice(offset + 1)
      const verdict = verifyExport(Buffer.from(changed))
      // What the proof says of itself, the time of the export for instance, is not sealed.
      const isInProof = offset >= text.lastIndexOf('{"kind":"export_proof"')
      expect(verdict.ok && !isInProof).toBe(false)
    }),
  )
  const lines = text.split('\n')
  expect(verifyExport(Buffer.from(lines.toSpliced(3, 1).join('\n')))).toMatchObject({ ok: false })
  expect(verifyExport(Buffer.from(lines.slice(0, -2).join('\n')))).toMatchObject({ ok: false })
})

test('the tail is the youngest records of all chains', async () => {
  using home = logHome()
  await (await twoChains(home)).close()
  const options = { disk: systemEvidenceDisk, folders: home.folders }
  const { lines } = await tailLog({ ...options, filter: { kinds: ['policy_decision'] }, count: 5 })
  expect(lines.map(line => operationsIn(line.text)[0])).toEqual(['op15', 'op16', 'op17', 'op18', 'op19'])
})

test('following shows what is written later, in every chain and across segments, once', async () => {
  using home = logHome()
  const { logs, clock, close } = await twoChains(home)
  const options = { disk: hookedDisk(), folders: home.folders, filter: { kinds: ['policy_decision'] } }
  const { readings } = await tailLog({ ...options, count: 1 })
  const seen: (string | undefined)[] = []
  const end = new AbortController()
  let arrived = () => {}
  const following = followLog(readings, {
    ...options,
    clock,
    signal: end.signal,
    everyMilliseconds: 100,
    async onLines(lines) {
      seen.push(...lines.map(line => operationsIn(line.text)[0]))
      arrived()
    },
  })
  for (let round = 0; round < 6; round += 1) {
    const next = new Promise<void>(resolve => {
      arrived = resolve
    })
    await logs[round % 2]?.append(decided(`new${round}`))
    while ((await Promise.race([next.then(() => true), clock.advance(100).then(() => false)])) === false);
  }
  end.abort()
  await following
  await close()
  expect(seen).toEqual(Array.from({ length: 6 }, (_, index) => `new${index}`))
})
