// Servers that go wrong while they start, and servers whose bytes are wrong: no answer is believed that is not true,
// no caller waits beyond its time, nothing survives.
import { describe, expect, test } from 'vitest'
import { framingFaults } from '../fake-server/faults-framing.js'
import { handshakeFaults } from '../fake-server/faults-handshake.js'
import type { Script } from '../fake-server/index.js'
import { expectFailures, expectRecovery, expectTruth, faultsNamed, judge, otherFaults } from './judge.js'

type Name = keyof typeof handshakeFaults | keyof typeof framingFaults
const all: Readonly<Record<Name, Script>> = { ...handshakeFaults, ...framingFaults }

/** Odd, but nothing that would cost an answer. */
const harmless = [
  'refuses-initialize-once',
  'speaks-too-early',
  'demands-answers',
  'unknown-server-request',
  'no-server-info',
  'drips',
  'noise-lines',
  'bom',
  'floods-stderr',
] as const satisfies readonly Name[]

/** Of no use at any start. */
const hopeless = [
  'shim-without-tool',
  'dies-before-initialize',
  'dies-during-initialize',
  'refuses-initialize',
  'no-capabilities',
  'null-initialize',
  'foreign-encoding',
  'lf-only',
] as const satisfies readonly Name[]

/** One answer is lost, or one process. */
const passing = [
  'invalid-utf8',
  'invalid-json',
  'deep-nesting',
  'dies-mid-frame',
] as const satisfies readonly Name[]

/** So many bytes that they would hold up what runs beside them. */
const heavy = [
  'header-bomb',
  'noise-flood',
  'frame-over-cap',
  'huge-capabilities',
] as const satisfies readonly Name[]

const named = (names: readonly Name[]) => faultsNamed(all, names)

describe('what is harmless', () => {
  test.concurrent.each(named(harmless))('%s: every answer is the whole truth', async (_, script) => {
    expectTruth(await judge(script, { timeout: 20_000 }))
  })
})

describe('what never starts', () => {
  test.concurrent.each(named(hopeless))('%s: every call is told so', async (_, script) => {
    const began = performance.now()
    expectFailures(await judge(script, { timeout: 20_000 }), 'ServerUnavailable')
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})

describe('what passes', () => {
  test.concurrent.each(named(passing))('%s: the next answers are the truth again', async (_, script) => {
    expectRecovery(await judge(script, { timeout: 20_000 }))
  })
})

describe('all others', () => {
  const others = otherFaults(all, [...harmless, ...hopeless, ...passing, ...heavy])

  test.concurrent.each(others)('%s: nobody is deceived', async (_, script) => {
    await judge(script)
  })

  test.each(named(heavy))('%s: nobody is deceived', async (_, script) => {
    await judge(script)
  })
})
