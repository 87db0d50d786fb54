import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type DiskHook,
  decided,
  diskError,
  hookedDisk,
  type LogHome,
  logHome,
  openLog,
  otherOwner,
  root,
} from '../../test/evidence/harness.js'
import { virtualClock } from '../../test/virtual-clock.js'
import { systemEvidenceDisk } from './disk.js'
import { identityOf } from './layout.js'
import { verifyLog } from './verify.js'

const kinds = (home: LogHome) => home.records().map(({ kind }) => kind)

test('R-190 what is appended is on the disk, in order, under the id that was returned', async () => {
  using home = logHome()
  const log = openLog(home)
  const ids = await Promise.all(['a', 'b', 'c'].map(name => log.append(decided(name))))
  expect(
    home
      .records()
      .slice(1)
      .map(({ id }) => id),
  ).toEqual(ids)
  expect(kinds(home)).toEqual(['log_opened', 'policy_decision', 'policy_decision', 'policy_decision'])
  expect(home.records().map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  await log.close()
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 4 })
})

test('S0 those who append at the same time share one write and one sync', async () => {
  using home = logHome()
  const calls: string[] = []
  const log = openLog(home, {
    hook: (call, path) => {
      if (path.endsWith('.jsonl')) calls.push(call)
      return undefined
    },
  })
  await log.append(decided('first'))
  calls.length = 0
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(decided(`op${index}`))))
  // The first may go alone; all that come while it is written share the second batch.
  expect(calls.filter(call => call === 'write').length).toBeLessThanOrEqual(2)
  expect(calls.filter(call => call === 'sync').length).toBeLessThanOrEqual(2)
})

test('a noted event costs no wait and is written after a while, or at the end', async () => {
  using home = logHome()
  const clock = virtualClock()
  const log = openLog(home, { clock })
  expect(log.note(decided('a'))).toMatch(/^ev:[0-9a-z]{8}-1$/)
  expect(log.status.state).toBe('unopened')
  await clock.advance(60)
  await log.secure()
  expect(kinds(home)).toEqual(['log_opened', 'policy_decision'])
  log.note(decided('b'))
  await log.close()
  expect(kinds(home)).toEqual(['log_opened', 'policy_decision', 'policy_decision'])
  expect(log.note(decided('c'))).toBeUndefined()
})

test('files are for their owner alone', async () => {
  using home = logHome()
  const log = openLog(home)
  await log.append(decided('a'))
  const [segment = ''] = home.segments()
  expect(statSync(join(home.folders.log, segment)).mode & 0o777).toBe(0o600)
  expect(statSync(home.folders.log).mode & 0o777).toBe(0o700)
  expect(statSync(home.folders.checkpoints).mode & 0o777).toBe(0o700)
  await log.close()
})

test('a segment that is full is followed by another one, and the chain goes on', async () => {
  using home = logHome()
  const log = openLog(home, { segmentBytes: 2000 })
  for (let index = 0; index < 12; index += 1) await log.append(decided(`op${index}`))
  await log.close()
  const { length } = home.segments()
  expect(length).toBeGreaterThan(1)
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 12 + length })
})

test('a segment that is old is followed by another one', async () => {
  using home = logHome()
  const clock = virtualClock()
  const log = openLog(home, { segmentMilliseconds: 1000, clock })
  await log.append(decided('a'))
  await clock.advance(1001)
  await log.append(decided('b'))
  expect(home.records().at(-2)?.event).toMatchObject({ kind: 'segment_opened', previous: { ended: 'old' } })
})

test('a process that comes later goes on with the chain of one that is gone', async () => {
  using home = logHome()
  for (const name of ['a', 'b', 'c']) {
    const log = openLog(home)
    await log.append(decided(name))
    await log.close()
  }
  expect(home.segments()).toHaveLength(1)
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 4 })
})

test('M19 processes that run at the same time write to chains of their own', async () => {
  using home = logHome()
  const alive = new Set(['1', '2', '3'])
  const logs = [...alive].map(name => openLog(home, { owner: otherOwner(name, other => alive.has(other)) }))
  await Promise.all(logs.map(log => log.append(decided('a'))))
  await Promise.all(logs.map(log => log.append(decided('b'))))
  expect(home.segments()).toHaveLength(3)
  await Promise.all(logs.map(log => log.close()))
  const next = openLog(home)
  await next.append(decided('c'))
  await next.close()
  expect(home.segments()).toHaveLength(3)
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 10 })
})

test('E03 a torn record is left behind, what was complete is kept, and the recovery is recorded', async () => {
  using home = logHome()
  const dead = openLog(home, { owner: otherOwner('dead', () => true) })
  await dead.append(decided('a'))
  await dead.append(decided('b'))
  const [segment = ''] = home.segments()
  const whole = home.read(segment)
  const next = openLog(home, { owner: otherOwner('next', other => other !== 'dead') })
  home.write(segment, `${whole}{"prev":"0123`)
  expect(await home.verify()).toMatchObject({ verdict: 'sound' })
  await next.append(decided('c'))
  expect(home.read(segment)).toBe(`${whole}{"prev":"0123`)
  const [head] = home.records().filter(({ kind }) => kind === 'log_recovered')
  expect(head?.event).toMatchObject({ previous: { ended: 'torn', discarded_bytes: 13, seq: 3 } })
  await next.close()
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 5 })
})

test('E03 blocks of zeros, as a power cut leaves them, are left behind like a torn record', async () => {
  using home = logHome()
  const dead = openLog(home, { owner: otherOwner('dead', () => true) })
  await dead.append(decided('a'))
  const [segment = ''] = home.segments()
  const left = `${'\0'.repeat(300)}end of a record"}\n{"prev":"`
  home.write(segment, home.read(segment) + left)
  const next = openLog(home, { owner: otherOwner('next', other => other !== 'dead') })
  await next.append(decided('b'))
  await next.close()
  expect(home.records().map(({ event }) => event)).toContainEqual(
    expect.objectContaining({
      previous: expect.objectContaining({ ended: 'torn', discarded_bytes: left.length }),
    }),
  )
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 4 })
})

test('a writer that ended without closing is recorded even where nothing was torn', async () => {
  using home = logHome()
  await openLog(home, { owner: otherOwner('dead', () => true) }).append(decided('a'))
  const next = openLog(home, { owner: otherOwner('next', other => other !== 'dead') })
  await next.append(decided('b'))
  expect(kinds(home)).toEqual(['log_opened', 'policy_decision', 'log_recovered', 'policy_decision'])
})

test('E03 all chains that writers left are recovered at the next start, not only the one that is continued', async () => {
  using home = logHome()
  const dead = ['dead1', 'dead2', 'dead3']
  for (const name of dead) await openLog(home, { owner: otherOwner(name, () => true) }).append(decided(name))
  for (const segment of home.segments()) home.write(segment, `${home.read(segment)}{"prev":"01`)
  const next = openLog(home, { owner: otherOwner('next', other => !dead.includes(other)) })
  await next.append(decided('next'))
  await next.close()
  expect(kinds(home).filter(kind => kind === 'log_recovered')).toHaveLength(3)
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 10 })
  expect(readdirSync(home.folders.log).filter(name => name.endsWith('.free'))).toHaveLength(3)
})

test('E03 a writer that ends while it begins its chain leaves nothing that looks like a loss', async () => {
  using home = logHome()
  const log = openLog(home, {
    hook: (call, path) => {
      if (call === 'remove') throw diskError('EIO')
      const fail = () => {
        throw diskError('EIO')
      }
      return call === 'write' && path.includes('.checkpoint') ? { half: fail } : undefined
    },
  })
  await expect(log.append(decided('a'))).rejects.toThrow('EIO')
  expect(readdirSync(home.folders.checkpoints)).toHaveLength(1)
  expect(await home.verify()).toMatchObject({ verdict: 'absent' })
})

test('a chain that was tampered with is left as it is; a new one says so', async () => {
  using home = logHome()
  const first = openLog(home)
  for (const name of ['a', 'b', 'c']) await first.append(decided(name))
  await first.close()
  const [segment = ''] = home.segments()
  const cut = home.read(segment).split('\n').slice(0, 2).join('\n')
  home.write(segment, `${cut}\n`)
  const second = openLog(home)
  await second.append(decided('d'))
  await second.close()
  expect(home.read(segment)).toBe(`${cut}\n`)
  expect(home.segments()).toHaveLength(2)
  const damaged = segment.slice(0, 8)
  expect(home.records().map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ kind: 'log_recovered', damaged_chain: damaged }),
  )
  expect(await home.verify()).toMatchObject({
    verdict: 'bad',
    bad: { chain: damaged, fault: 'rolled_back', seq: 3 },
  })
})

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'])(
  'E01 %s: whoever needs the record is refused, and the gap is recorded when the disk is back',
  async code => {
    using home = logHome()
    const states: string[] = []
    let isFull = false
    const log = openLog(home, {
      hook: call => {
        if (isFull && (call === 'write' || call === 'create')) throw diskError(code)
        return undefined
      },
      onChange: ({ state }) => states.push(state),
    })
    await log.append(decided('before'))
    isFull = true
    await expect(log.append(decided('refused'))).rejects.toMatchObject({ kind: 'EvidenceUnavailable' })
    await expect(log.secure()).rejects.toThrow(code)
    expect(log.status).toMatchObject({ state: 'failing', cause: code, refused: 2 })
    expect(log.note(decided('held'))).toBeUndefined()
    isFull = false
    await log.append(decided('after'))
    expect(states).toEqual(['failing', 'working'])
    const told = home.records().map(({ event }) => event)
    expect(told).toContainEqual(expect.objectContaining({ kind: 'policy_decision', operation: 'held' }))
    expect(told).not.toContainEqual(expect.objectContaining({ operation: 'refused' }))
    expect(told).toContainEqual(
      expect.objectContaining({ kind: 'evidence_gap', cause: code, lost: 0, refused: 2, delayed: 1 }),
    )
    await log.close()
    expect(await home.verify()).toMatchObject({ verdict: 'sound' })
  },
)

test('E01 what does not fit into memory while the disk is full is counted', async () => {
  using home = logHome()
  const clock = virtualClock()
  let isFull = true
  const log = openLog(home, {
    clock,
    mostHeld: 5,
    hook: () => {
      if (isFull) throw diskError('ENOSPC')
      return undefined
    },
  })
  log.note(decided('op0'))
  await clock.advance(60)
  for (let index = 1; index < 12; index += 1) log.note(decided(`op${index}`))
  expect(log.status).toMatchObject({ state: 'failing', lost: 7 })
  isFull = false
  // The next attempt comes by itself.
  await clock.advance(1000)
  await log.secure()
  expect(home.records().at(-1)?.event).toMatchObject({
    kind: 'evidence_gap',
    lost: 7,
    refused: 0,
    delayed: 5,
  })
  expect(log.status).toMatchObject({ state: 'working', lost: 0 })
})

test('W25 a disk that hangs is noticed by what piles up, and memory stays bounded', async () => {
  using home = logHome()
  let wake = () => {}
  const asleep = new Promise<void>(resolve => {
    wake = resolve
  })
  const disk = hookedDisk()
  const log = openLog(home, {
    mostHeld: 5,
    flushMilliseconds: 0,
    disk: {
      ...disk,
      async makeFolder(path) {
        await asleep
        await disk.makeFolder(path)
      },
    },
  })
  const first = log.append(decided('first'))
  const ids = Array.from({ length: 100 }, (_, index) => log.note(decided(`op${index}`)))
  expect(ids.filter(id => id !== undefined)).toHaveLength(50)
  expect(log.status).toMatchObject({ state: 'failing', lost: 50 })
  wake()
  await first
  await log.close()
  expect(home.records().flatMap(({ event }) => (event?.kind === 'evidence_gap' ? [event.lost] : []))).toEqual(
    [50],
  )
  expect(await home.verify()).toMatchObject({ verdict: 'sound' })
})

test('E02 a folder that cannot be made is told at once', async () => {
  using home = logHome()
  const log = openLog(home, {
    hook: call => {
      if (call === 'makeFolder') throw diskError('EROFS')
      return undefined
    },
  })
  await expect(log.secure()).rejects.toMatchObject({ kind: 'EvidenceUnavailable' })
})

test('E05 a segment that is moved away is missed, and the chain goes on in a new one', async () => {
  using home = logHome()
  const log = openLog(home)
  await log.append(decided('a'))
  const [segment = ''] = home.segments()
  renameSync(join(home.folders.log, segment), join(home.folders.log, `${segment}.1`))
  await log.append(decided('b'))
  expect(home.records()[0]?.event).toMatchObject({
    kind: 'log_recovered',
    previous: { ended: 'moved', seq: 2 },
  })
  await log.close()
  expect(await home.verify()).toMatchObject({ bad: { fault: 'removed', seq: 1 } })
  renameSync(join(home.folders.log, `${segment}.1`), join(home.folders.log, segment))
  expect(await home.verify()).toMatchObject({ verdict: 'sound', records: 4 })
})

test('E02 a folder that vanishes is followed by a new chain that says so, and the loss is seen', async () => {
  using home = logHome()
  const log = openLog(home)
  await log.append(decided('a'))
  const [segment = ''] = home.segments()
  rmSync(home.folders.log, { recursive: true })
  await log.append(decided('b'))
  await log.close()
  expect(kinds(home)).toEqual(['log_opened', 'log_recovered', 'policy_decision'])
  const chain = segment.slice(0, 8)
  expect(home.records()[1]?.event).toMatchObject({ damaged_chain: chain })
  expect(await home.verify()).toMatchObject({ verdict: 'bad', bad: { chain, fault: 'removed', seq: 1 } })
})

test('E09 a clock that is set back is recorded, and the order holds', async () => {
  using home = logHome()
  const base = virtualClock()
  let now = '2030-01-01T12:00:00.000Z'
  const log = openLog(home, { clock: { ...base, date: () => new Date(now) } })
  await log.append(decided('a'))
  now = '2030-01-01T11:00:00.000Z'
  await log.append(decided('b'))
  expect(kinds(home)).toEqual(['log_opened', 'policy_decision', 'clock_step', 'policy_decision'])
  expect(home.records()[2]?.event).toMatchObject({ from: '2030-01-01T12:00:00.000Z', to: now })
})

test('E10 a sync that fails is a loss: what was written is written again, in a new segment', async () => {
  using home = logHome()
  let fails = false
  const log = openLog(home, {
    hook: (call, path) => {
      if (fails && call === 'sync' && path.endsWith('.jsonl')) throw diskError('EIO')
      return undefined
    },
  })
  await log.append(decided('a'))
  fails = true
  log.note(decided('b'))
  await expect(log.secure()).rejects.toThrow('EIO')
  fails = false
  await log.secure()
  expect(home.segments()).toHaveLength(2)
  await log.close()
  const verdict = await home.verify()
  expect(verdict).toMatchObject({ verdict: 'sound', records: 5 })
  expect(home.read(home.segments()[1] ?? '')).toContain('"operation":"b"')
})

test('E01 whichever call of the disk fails, what was acknowledged is there and the log verifies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ at: fc.integer({ min: 0, max: 60 }), half: fc.boolean() }), { maxLength: 6 }),
      fc.integer({ min: 300, max: 4000 }),
      async (faults, segmentBytes) => {
        using home = logHome()
        const due = new Map(faults.map(({ at, half }) => [at, half]))
        let calls = 0
        const fail = () => {
          throw diskError('ENOSPC')
        }
        const hook = (call: string) => {
          const half = due.get(calls)
          calls += 1
          if (half === undefined) return undefined
          return half && call === 'write' ? { half: fail } : fail()
        }
        const acknowledged: string[] = []
        for (let session = 0; session < 3; session += 1) {
          const log = openLog(home, { hook, segmentBytes })
          for (let index = 0; index < 5; index += 1) {
            const id = await log.append(decided(`op${index}`)).catch(() => undefined)
            if (id !== undefined) acknowledged.push(id)
          }
          await log.close()
        }
        // Where the very last call failed half a record may be left; the next writer that can write goes on after it.
        const { bad } = await home.verify()
        expect(bad === undefined || bad.fault === 'torn', JSON.stringify(bad)).toBe(true)
        const last = openLog(home, { segmentBytes })
        await last.append(decided('last'))
        await last.close()
        expect(await home.verify()).toMatchObject({ verdict: 'sound' })
        const kept = new Set(home.records().map(({ id }) => id))
        expect(acknowledged.filter(id => !kept.has(id))).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})

test('E03 whichever calls of the disk a series of writers ends at, the log verifies and holds what was acknowledged', async () => {
  // At any call, or at one of the few that write a checkpoint or a segment: two such ends in a row are rare otherwise.
  const end = fc.record({
    on: fc.constantFrom('', '.checkpoint', '.jsonl'),
    nth: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 30 })),
    share: fc.constantFrom(0, 0.1, 0.5, 0.99, 1),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(end, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 300, max: 3000 }),
      async (ends, segmentBytes) => {
        using home = logHome()
        const acknowledged: string[] = []
        for (const [writer, last] of [...ends, undefined].entries()) {
          const name = String(writer)
          const log = openLog(home, {
            hook: endingAt(last),
            segmentBytes,
            owner: otherOwner(name, other => other === name),
          })
          for (let index = 0; index < 4; index += 1) {
            const id = await log.append(decided(`op${index}`)).catch(() => undefined)
            if (id !== undefined) acknowledged.push(id)
          }
          await log.close()
          const { chains } = await verifyLog({
            disk: systemEvidenceDisk,
            folders: home.folders,
            identity: identityOf(root),
            isAlive: () => false,
          })
          const faults = chains.flatMap(({ bad }) => bad?.fault ?? [])
          expect(faults.filter(fault => last === undefined || fault !== 'torn')).toEqual([])
        }
        const kept = new Set(home.records().map(({ id }) => id))
        expect(acknowledged.filter(id => !kept.has(id))).toEqual([])
      },
    ),
    {
      numRuns: Number(process.env.ALIDADE_CRASH_RUNS ?? 60),
      // Found by the crash suite: each of two writers spoils one slot of the checkpoint.
      examples: [[[halfAt(2), halfAt(0)], 3000]],
    },
  )
}, 3_600_000)

/** In the middle of writing a checkpoint; its first writing makes it. */
function halfAt(nth: number): End {
  return { on: '.checkpoint', nth, share: 0.5 }
}

interface End {
  /** Only calls for such a file count, and of these only writes; empty for all calls. */
  readonly on: string
  readonly nth: number
  /** How much of a write still happens. */
  readonly share: number
}

/** As with SIGKILL: from that call on nothing happens any more, no polite end either. */
function endingAt(end: End | undefined): DiskHook {
  let calls = 0
  let isDead = false
  const die = (): never => {
    isDead = true
    throw diskError('EIO')
  }
  return (call, path) => {
    if (isDead) die()
    if (end === undefined || (end.on !== '' && (call !== 'write' || !path.includes(end.on)))) return undefined
    calls += 1
    if (calls <= end.nth) return undefined
    return call === 'write' ? { half: die, share: end.share } : die()
  }
}
