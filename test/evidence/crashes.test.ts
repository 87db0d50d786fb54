// The crash suite, with few points in the usual run and as many as wanted by
// ALIDADE_CRASH_POINTS=1000 npx vitest run test/evidence/crashes.test.ts
import { expect, test } from 'vitest'
import { concurrentWriters, crashSuite } from './crash-suite.js'

const points = Number(process.env.ALIDADE_CRASH_POINTS ?? 50)
const seed = Number(process.env.ALIDADE_CRASH_SEED ?? 20_300_101)

test('L15 E03 E01 wherever a writer ends, the log verifies and nothing acknowledged is lost', async () => {
  const report = await crashSuite(points, seed)
  console.info(
    `${report.points} points (${report.killed} killed, ${report.full} with a full disk), ${report.torn} torn, ${report.acknowledged} acknowledged records, ${report.faults.length} faults (seed ${seed})`,
  )
  expect(report.faults).toEqual([])
  expect(report.killed).toBeGreaterThan(points / 2)
  expect(report.acknowledged).toBeGreaterThan(points)
}, 3_600_000)

test('M19 several processes write the evidence of one workspace at the same time', async () => {
  expect(await concurrentWriters(3, seed)).toEqual([])
}, 120_000)
