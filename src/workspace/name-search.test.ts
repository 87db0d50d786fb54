// A name that fits is never said to be absent, whatever stands around it; where not everything was read, it may be there.
import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixture, temporaryWorkspace } from '../../test/fixture/index.js'
import { systemClock } from '../clock.js'
import { nameFit } from '../text/name-fit.js'
import { mayHoldName } from './name-search.js'

const { signal } = new AbortController()
const patient = { clock: systemClock, signal }

test('O9 a name that fits the query is found in whatever text, and one that fits in none is not', async () => {
  await using workspace = await temporaryWorkspace(fixture`
-- build.sh --
build_all() { echo "$1"; }
-- deploy.sh --
deploy-now() { build_all; }
`)
  const files = ['build.sh', 'deploy.sh'].map(name => workspace.path(name))
  const found = (query: string) => mayHoldName(files, query, patient)
  for (const query of ['build_all', 'BuildAll', 'ba', 'build', 'deploynow', 'dn', 'all', '', 'a b', '=='])
    expect(await found(query), query).toBe(true)
  for (const query of ['Shape', 'builder', 'lla', 'area']) expect(await found(query), query).toBe(false)
})

test('O9 whatever fits by the rule of ranking is not ruled out', async () => {
  const names = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,11}$/)
  await using workspace = await temporaryWorkspace(fixture`
-- a.sh --
echo
`)
  await fc.assert(
    fc.asyncProperty(names, names, fc.constantFrom(' ', '(', '\n', '.', ':'), async (name, query, sign) => {
      await writeFile(workspace.path('a.sh'), `${sign}${name}${sign}`)
      const fits = nameFit(query, name) !== 'rest'
      expect(await mayHoldName([workspace.path('a.sh')], query, patient)).toBe(fits)
    }),
  )
})

test('O9 a file that cannot be read, and files beyond the time, may hold it', async () => {
  await using workspace = await temporaryWorkspace(fixture`
-- a.sh --
echo
`)
  const file = workspace.path('a.sh')
  expect(await mayHoldName([file], 'area', patient)).toBe(false)
  expect(await mayHoldName([file, workspace.path('gone.sh')], 'area', patient)).toBe(true)
  await writeFile(workspace.path('wide.sh'), Buffer.from('\ufeffarea', 'utf16le'))
  expect(await mayHoldName([workspace.path('wide.sh')], 'area', patient)).toBe(true)
  const late = { ...systemClock, now: laterEachTime() }
  expect(await mayHoldName([file], 'area', { clock: late, signal })).toBe(true)
  expect(await mayHoldName([file], 'area', { clock: systemClock, signal: AbortSignal.abort() })).toBe(true)
})

function laterEachTime(): () => number {
  let time = 0
  return () => {
    time += 1000
    return time
  }
}
