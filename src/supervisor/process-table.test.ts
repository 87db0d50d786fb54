import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  descendants,
  type ProcessEntry,
  parseStat,
  readProcessTable,
  systemProcesses,
} from './process-table.js'

function entry(pid: number, parent: number): ProcessEntry {
  return { pid, parent, group: pid, session: pid, startTime: pid, zombie: false, residentBytes: 1 }
}

describe('C15 descendants', () => {
  test('C15 are exactly those whose chain of parents leads to the root', () => {
    const forest = fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }).map(picks => {
      // Each process hangs below an earlier one, process 1 below nobody: a tree by construction.
      return picks.map((pick, index) => entry(index + 1, index === 0 ? 0 : (pick % index) + 1))
    })
    fc.assert(
      fc.property(forest, fc.nat(1000), (entries, pick) => {
        const table = new Map(entries.map(one => [one.pid, one]))
        const root = (pick % entries.length) + 1
        const isBelow = (pid: number): boolean => {
          const parent = table.get(pid)?.parent ?? 0
          return parent === root || (parent !== 0 && isBelow(parent))
        }
        const found = descendants(table, root).map(one => one.pid)
        const expected = entries.map(one => one.pid).filter(isBelow)
        expect(found.toSorted((a, b) => a - b)).toEqual(expected)
      }),
    )
  })

  test('C15 a table torn by pid reuse into a circle still ends', () => {
    const table = new Map([entry(1, 3), entry(2, 1), entry(3, 2)].map(one => [one.pid, one]))
    expect(descendants(table, 1).map(one => one.pid)).toEqual([2, 3])
  })
})

describe('M04 one line of the process table', () => {
  test('M04 a process cannot forge its parent or start time by its name', () => {
    const name = fc.oneof(fc.string({ maxLength: 15 }), fc.constantFrom(') R 1 1 1', 'a) (b', '((', '\n'))
    fc.assert(
      fc.property(name, fc.nat(), fc.nat(), (comm, parent, startTime) => {
        const between = Array.from({ length: 15 }, () => '7').join(' ')
        const line = `42 (${comm}) S ${parent} 5 6 ${between} ${startTime} 99999 12 18446744073709551615`
        expect(parseStat(line, 4096)).toEqual({
          pid: 42,
          parent,
          group: 5,
          session: 6,
          startTime,
          zombie: false,
          residentBytes: 12 * 4096,
        })
      }),
    )
  })

  test('M04 a line cut short is no entry', () => {
    expect(parseStat('42 (node) S 1 2 3', 4096)).toBeUndefined()
    expect(parseStat('', 4096)).toBeUndefined()
  })
})

describe.runIf(process.platform === 'linux')('C13 the table of this machine', () => {
  test('C13 knows us, our memory and our children', async () => {
    const child = spawn('sleep', ['600'], { env: { ...process.env, ALIDADE_TEST: 'x=y' } })
    await once(child, 'spawn')
    try {
      const table = readProcessTable()
      const self = table.get(process.pid)
      expect(self?.parent).toBe(process.ppid)
      const measured = process.memoryUsage().rss
      expect(self?.residentBytes).toBeGreaterThan(measured / 2)
      expect(self?.residentBytes).toBeLessThan(measured * 2)
      const pid = child.pid ?? 0
      expect(descendants(table, process.pid).map(one => one.pid)).toContain(pid)
      expect(systemProcesses.variable(pid, 'ALIDADE_TEST')).toBe('x=y')
      expect(systemProcesses.variable(pid, 'ALIDADE_TES')).toBeUndefined()
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(systemProcesses.read(child.pid ?? 0)).toBeUndefined()
  })
})
