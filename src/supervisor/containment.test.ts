import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../clock.js'
import { containmentLevels, strongestContainment } from './containment.js'

const strongest = await strongestContainment({ clock: systemClock })

describe('C15 containment', () => {
  test('C15 is found out once per process', () => {
    const first = strongestContainment({ clock: systemClock })
    expect(strongestContainment({ clock: systemClock })).toBe(first)
  })

  test.each(containmentLevels)('C15 is never stronger than %s when that is asked for', async atMost => {
    const { level } = await strongestContainment({ clock: systemClock, atMost })
    expect(containmentLevels.indexOf(level)).toBeGreaterThanOrEqual(containmentLevels.indexOf(atMost))
  })

  test('C15 a mere group needs no program in front', async () => {
    const weakest = await strongestContainment({ clock: systemClock, atMost: 'group' })
    expect(weakest).toEqual({ level: 'group', prefix: [] })
  })
})

function inside(script: string): unknown {
  const [command = '', ...args] = [...strongest.prefix, process.execPath, '-e', script]
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8' }))
}

describe.runIf(strongest.level === 'namespace')('C15 life inside a namespace', () => {
  test('C15 a server starts and ends children and threads as anywhere else', () => {
    const seen = inside(`
      const { spawn } = require('node:child_process')
      const { Worker } = require('node:worker_threads')
      const child = spawn('sleep', ['600'])
      child.on('spawn', () => child.kill())
      child.on('exit', (_code, signal) => {
        const worker = new Worker('require("node:worker_threads").parentPort.postMessage(21 * 2)', { eval: true })
        worker.on('message', answer => console.log(JSON.stringify({ pid: process.pid, signal, answer })))
      })
    `)
    expect(seen).toEqual({ pid: 1, signal: 'SIGTERM', answer: 42 })
  })

  test('C15 a server remains the user it was', () => {
    expect(inside('console.log(JSON.stringify([process.getuid(), process.getgid()]))')).toEqual([
      process.getuid?.(),
      process.getgid?.(),
    ])
  })

  test.runIf(strongest.prefix.includes('--mount-proc'))(
    'O11 a server does not find us, nor our environment',
    () => {
      const seen = inside(`
      const processes = require('node:fs').readdirSync('/proc').filter(name => /^[0-9]+$/.test(name))
      console.log(JSON.stringify({ processes, self: require('node:fs').readlinkSync('/proc/self') }))
    `)
      expect(seen).toEqual({ processes: ['1'], self: '1' })
    },
  )
})
