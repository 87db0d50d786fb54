import { describe, expect, test } from 'vitest'
import type { ProcessEntry, ProcessSource } from './process-table.js'
import { markVariables, type OwnerMark, ownerMark, ownerVariable, sweepOrphans } from './sweep.js'

const sweeper: OwnerMark = { pid: 100, startTime: 5000, namespace: 'pid:[1]' }
const dead: OwnerMark = { pid: 200, startTime: 1000, namespace: 'pid:[1]' }

interface Fake {
  readonly pid: number
  readonly parent?: number
  readonly startTime?: number
  readonly zombie?: boolean
  readonly mark?: OwnerMark | string
}

function machine(fakes: readonly Fake[]): ProcessSource {
  const entries = new Map<number, ProcessEntry>()
  const marks = new Map<number, string | undefined>()
  for (const { pid, parent = 1, startTime = 10, zombie = false, mark } of fakes) {
    entries.set(pid, { pid, parent, group: pid, session: pid, startTime, zombie, residentBytes: 0 })
    marks.set(pid, typeof mark === 'object' ? markVariables(mark, 'server')[ownerVariable] : mark)
  }
  return {
    list: () => [...entries.keys()],
    read: pid => entries.get(pid),
    variable: (pid, name) => (name === ownerVariable ? marks.get(pid) : undefined),
  }
}

async function swept(processes: ProcessSource, owner: OwnerMark | undefined = sweeper): Promise<number[]> {
  const killed: number[] = []
  const count = await sweepOrphans({ owner, processes, kill: pid => killed.push(pid) })
  expect(count).toBe(killed.length)
  return killed
}

const self: Fake = { pid: 100, startTime: 5000 }

describe('O4 the sweep', () => {
  test('O4 ends servers of a dead owner, and of one whose number a stranger now has', async () => {
    const stranger: Fake = { pid: 201, startTime: 4000 }
    const replaced: OwnerMark = { ...dead, pid: 201 }
    const processes = machine([self, stranger, { pid: 300, mark: dead }, { pid: 301, mark: replaced }])
    expect(await swept(processes)).toEqual([300, 301])
  })

  test('O4 an owner that is dead but not yet collected is dead', async () => {
    const processes = machine([self, { pid: 200, startTime: 1000, zombie: true }, { pid: 300, mark: dead }])
    expect(await swept(processes)).toEqual([300])
  })

  test('O4 spares what is not an orphan', async () => {
    const alive: Fake = { pid: 200, startTime: 1000 }
    const processes = machine([
      self,
      alive,
      { pid: 300, mark: dead },
      { pid: 301, mark: { ...dead, pid: 202, namespace: 'pid:[2]' } },
      { pid: 302, mark: sweeper },
      { pid: 303 },
      { pid: 304, mark: '200//pid:[1]' },
      { pid: 305, mark: '-1/1/pid:[1]' },
      { pid: 306, mark: { ...dead, pid: 203 }, zombie: true },
    ])
    expect(await swept(processes)).toEqual([])
  })

  test('O4 never ends itself or those that started it, although they may carry an old mark', async () => {
    const processes = machine([
      { ...self, parent: 90, mark: dead },
      { pid: 90, parent: 80, mark: dead },
      { pid: 80, mark: dead },
      { pid: 81, parent: 80, mark: dead },
    ])
    expect(await swept(processes)).toEqual([81])
  })

  test('M04 a number that changed hands during the look is not signalled', async () => {
    const processes = machine([self, { pid: 300, mark: dead }])
    let looks = 0
    const reused: ProcessSource = {
      ...processes,
      read(pid) {
        const found = processes.read(pid)
        if (pid !== 300 || !found) return found
        looks += 1
        return looks === 1 ? found : { ...found, startTime: 9999 }
      },
    }
    expect(await swept(reused)).toEqual([])
    expect(looks).toBe(2)
  })

  test('O4 neither a refusal nor a vanished process disturbs it', async () => {
    const processes = machine([self, { pid: 300, mark: dead }, { pid: 301, mark: dead }])
    const kill = (pid: number) => {
      if (pid === 300) throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    }
    expect(await sweepOrphans({ owner: sweeper, processes, kill })).toBe(1)
  })

  test('O4 gives way to other work on a crowded machine', async () => {
    const crowd = Array.from({ length: 1000 }, (_, index) => ({ pid: 1000 + index, mark: dead }))
    let turns = 0
    let done = false
    const count = () => {
      turns += 1
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    const killed = await swept(machine([self, ...crowd]))
    done = true
    expect(killed).toHaveLength(1000)
    expect(turns).toBeGreaterThan(20)
  })

  test('O4 does nothing where no mark can be made', async () => {
    expect(await sweepOrphans({ owner: undefined, processes: machine([{ pid: 300, mark: dead }]) })).toBe(0)
  })
})

test.runIf(process.platform === 'linux')('O4 our own mark names us', () => {
  const mark = ownerMark()
  expect(mark).toMatchObject({ pid: process.pid, namespace: expect.stringMatching(/^pid:\[\d+\]$/) })
  expect(mark).toEqual(ownerMark())
})
