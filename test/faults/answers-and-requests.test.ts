// Servers that answer wrongly, and servers that ask and tell what a client must survive or refuse.
import { describe, expect, test } from 'vitest'
import { answerFaults } from '../fake-server/faults-answers.js'
import { requestFaults } from '../fake-server/faults-requests.js'
import type { Script } from '../fake-server/index.js'
import {
  believed,
  expectFailures,
  expectTruth,
  faultsNamed,
  judge,
  otherFaults,
  patiently,
  patientlyInVain,
  unproven,
} from './judge.js'

type Name = keyof typeof answerFaults | keyof typeof requestFaults
const all: Readonly<Record<Name, Script>> = { ...answerFaults, ...requestFaults }

const harmless = [
  'unknown-id',
  'id-zero',
  'answers-twice',
  'out-of-order',
  'content-modified-3',
  'server-cancelled',
  'request-cancelled',
  'applies-edits',
  'shows-documents',
  'asks-the-user',
  'client-only-methods',
  'wild-progress',
  'asks-for-secrets',
  'tells-telemetry',
] as const satisfies readonly Name[]

/** Well-formed and false: no client can tell, so only what is known of a server can make its answers believed. */
const lies = ['null-results', 'wild-positions', 'wild-uris'] as const satisfies readonly Name[]

const heavy = ['million-references', 'floods-log', 'huge-error'] as const satisfies readonly Name[]

describe('what is harmless', () => {
  test.concurrent.each(faultsNamed(all, harmless))(
    '%s: every answer is the whole truth',
    async (_, script) => {
      expectTruth(await judge(script, { timeout: patiently }))
    },
  )
})

describe('what lies', () => {
  test.concurrent.each(faultsNamed(all, lies))(
    '%s: it is not believed of a server nothing is known of',
    async (_, script, name) => {
      const { rounds } = await judge(script, {
        definition: unproven,
        outline: false,
        timeout: patientlyInVain,
      })
      for (const [references, definition] of rounds) {
        expect([references, definition].filter(answer => answer !== undefined && believed(answer))).toEqual(
          [],
        )
      }
      // What lies outside the workspace is named, and nothing of it is read.
      const text = JSON.stringify(rounds)
      if (name === 'wild-uris') expect(text).toContain('external:')
      expect(text).not.toContain('root:')
    },
  )
})

describe('all others', () => {
  const others = otherFaults(all, [...harmless, ...lies, ...heavy])

  test.concurrent.each(others)('%s: nobody is deceived', async (_, script) => {
    await judge(script)
  })

  test.each(faultsNamed(all, heavy))('%s: nobody is deceived', async (_, script) => {
    await judge(script)
  })
})

describe('diagnostics that are pulled', () => {
  const { 'wrong-shape': wrongShape, 'null-results': nullResults, 'answers-late': late } = answerFaults

  test.concurrent('R-104 honestly are the whole truth', async () => {
    expectTruth(await judge({}, { diagnostics: 'pull', timeout: patiently }))
  })

  test.concurrent.each([
    ['P07', wrongShape, 'ServerError', patiently],
    ['P06', nullResults, 'ServerError', patiently],
    ['P04', late, 'RequestTimeout', undefined],
  ] as const)('%s in vain are a failure, and no clean report', async (_, fault, kind, timeout) => {
    const options = { diagnostics: 'pull', definition: unproven, outline: false } as const
    const { rounds } = await judge(fault, timeout === undefined ? options : { ...options, timeout })
    for (const [, , diagnostics] of rounds) expect(diagnostics).toMatchObject({ ok: false, kind })
  })

  test.concurrent('P14 and refused are unknown, if they are not pushed either', async () => {
    const { rounds } = await judge(answerFaults['method-not-found'], {
      diagnostics: 'pull',
      timeout: patientlyInVain,
    })
    for (const [, , diagnostics] of rounds) {
      expect(diagnostics).toMatchObject({ ok: true, completeness: { verdict: 'unknown' } })
    }
    expectFailures({ rounds: rounds.map(([references]) => [references]) }, 'CapabilityMissing')
  })
})
