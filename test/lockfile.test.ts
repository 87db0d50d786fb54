// The lock file must install everywhere: complete for every platform, and free of the addresses of whoever wrote it.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'

const lockfile = z
  .object({
    packages: z.record(
      z.string(),
      z.looseObject({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
    ),
  })
  .parse(JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8')))

test('every optional package with an exact version is in the lock file (node scripts/complete-lockfile.mjs)', () => {
  const missing = Object.values(lockfile.packages).flatMap(({ optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(
        ([name, version]) => /^\d/.test(version) && lockfile.packages[`node_modules/${name}`] === undefined,
      )
      .map(([name]) => name),
  )
  expect(missing).toEqual([])
})

test('no entry names where it was downloaded from', () => {
  const located = Object.entries(lockfile.packages).filter(([, entry]) => 'resolved' in entry)
  expect(located.map(([name]) => name)).toEqual([])
})
