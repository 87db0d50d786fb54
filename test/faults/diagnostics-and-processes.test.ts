// Servers whose diagnostics mislead, servers that answer too little before they are ready, and servers that die, hang
// or will not go.
import { describe, expect, test } from 'vitest'
import type { ServerDefinition } from '../../src/servers/definition.js'
import { answerFaults } from '../fake-server/faults-answers.js'
import { diagnosticsFaults } from '../fake-server/faults-diagnostics.js'
import { framingFaults } from '../fake-server/faults-framing.js'
import { handshakeFaults } from '../fake-server/faults-handshake.js'
import { processFaults } from '../fake-server/faults-process.js'
import { requestFaults } from '../fake-server/faults-requests.js'
import { faults, partialBeforeReady, type Script } from '../fake-server/index.js'
import { readinessFaults } from '../fake-server/readiness.js'
import {
  expectRecovery,
  expectTruth,
  faultsNamed,
  judge,
  otherFaults,
  patiently,
  patientlyInVain,
  unproven,
} from './judge.js'

type Name = keyof typeof diagnosticsFaults | keyof typeof processFaults
const all: Readonly<Record<Name, Script>> = { ...diagnosticsFaults, ...processFaults }

const harmless = [
  'flapping-diagnostics',
  'foreign-diagnostics',
  'dies-in-shutdown',
  'ignores-shutdown',
  'ignores-sigterm',
  'grandchild',
  'grandchild-holds-pipes',
] as const satisfies readonly Name[]

const indexes: Partial<ServerDefinition> = {
  readiness: { kind: 'progress', token: 'fake-index', beginsWithinMs: 20_000, reason: 'It indexes.' },
}

test('O9 every fault that has a name is put before a bridge', () => {
  const families = [handshakeFaults, framingFaults, answerFaults, requestFaults, all, readinessFaults]
  expect(families.flatMap(family => Object.keys(family)).sort()).toEqual(Object.keys(faults).sort())
})

test('O3 an honest server is believed, every time', async () => {
  const judged = await judge({}, { timeout: patiently })
  expectTruth(judged)
  expect(judged.starts).toBe(1)
})

describe('what is harmless', () => {
  test.concurrent.each(faultsNamed(all, harmless))(
    '%s: every answer is the whole truth',
    async (_, script) => {
      expectTruth(await judge(script, { timeout: patiently }))
    },
  )
})

test.concurrent('C18 after an exit that nobody asked for the next answers are the truth again', async () => {
  const judged = await judge(all['exits-unasked'], { timeout: patiently })
  expectRecovery(judged)
  expect(judged.starts).toBe(2)
})

describe('all others', () => {
  const others = otherFaults(all, [...harmless, 'exits-unasked'])

  test.concurrent.each(others)('%s: nobody is deceived', async (_, script, name) => {
    await judge(script, name === 'dies-on-poison' ? { file: 'poison.fake' } : {})
  })
})

test.concurrent('D02, O9 a clean report for the version before is not one for the present', async () => {
  const clean: Script = {
    rules: [{ on: 'textDocument/didChange', do: [{ act: 'publish', version: 'previous', diagnostics: [] }] }],
  }
  const { rounds } = await judge(clean, { timeout: patientlyInVain })
  expect(rounds.map(([, , diagnostics]) => diagnostics)).toMatchObject([
    { ok: true, completeness: { verdict: 'complete' } },
    { ok: true, completeness: { verdict: 'unknown', reason: expect.stringContaining('not reported') } },
  ])
})

describe('before it is ready', () => {
  test.concurrent('H12, R-89 a server that says when it has indexed is waited for, and then believed', async () => {
    const judged = await judge(readinessFaults['partial-before-ready'], {
      definition: indexes,
      timeout: patiently,
    })
    expectTruth(judged)
  })

  test.concurrent('H12, R-89 so is one that says it in a notification of its own', async () => {
    const script = partialBeforeReady({ ready: { milliseconds: 500 }, says: { notification: 'fake/ready' } })
    const definition: Partial<ServerDefinition> = {
      readiness: {
        kind: 'notification',
        method: 'fake/ready',
        reason: 'It says so.',
        read: () => ({ ready: true, complaint: undefined }),
      },
    }
    expectTruth(await judge(script, { definition, timeout: patiently }))
  })

  test.concurrent.each([
    ['never ends its progress', readinessFaults['progress-never-ends']],
    ['never becomes ready', partialBeforeReady({ ready: 'never', says: 'progress' })],
  ])('H12, O9 a server that %s gives partial answers, with the reason', async (_, script) => {
    const { rounds } = await judge(script, { definition: indexes, timeout: patientlyInVain })
    for (const [references, definition] of rounds) {
      for (const answer of [references, definition]) {
        expect(answer).toMatchObject({
          ok: true,
          completeness: { verdict: 'partial', reason: expect.stringContaining('index') },
        })
      }
    }
  })

  test.concurrent('O9 a server that does not say when it is ready is never believed', async () => {
    const script = readinessFaults['partial-before-ready-silently']
    const { rounds } = await judge(script, { definition: unproven, outline: false, timeout: patiently })
    for (const [references, definition] of rounds) {
      for (const answer of [references, definition]) {
        expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'unknown' } })
      }
    }
  })
})
