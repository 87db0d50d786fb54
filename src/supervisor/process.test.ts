import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type BridgeFolder,
  bridgeFolder,
  carrying,
  familyScript,
  familySize,
  survivorsWithin,
} from '../../test/orphans/bridge.js'
import { type Clock, systemClock } from '../clock.js'
import { type ContainmentLevel, containmentLevels, strongestContainment } from './containment.js'
import { createSpawn, type ServerProcess } from './process.js'
import { ownerMark, sweepOrphans } from './sweep.js'

const folder = mkdtempSync(join(tmpdir(), 'alidade-process-'))
const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
const onLinux = process.platform === 'linux'

const levels: ContainmentLevel[] = []
for (const level of containmentLevels) {
  if ((await strongestContainment({ clock: systemClock, atMost: level })).level === level) levels.push(level)
}

/** Deadlines that never come: what ends under this clock has ended by itself. */
const timeless: Clock = { ...systemClock, after: () => ({ cancel: () => {} }) }

const started: ServerProcess[] = []

interface Start {
  readonly atMost: ContainmentLevel
  readonly clock?: Clock
  readonly command?: string
  readonly args: readonly string[]
}

async function start({ atMost, clock = systemClock, command = process.execPath, args }: Start) {
  const server = await createSpawn({ clock, owner: ownerMark(), atMost })({ command, args, cwd: folder, env })
  started.push(server)
  return server
}

function startScript(atMost: ContainmentLevel, script: string, clock = systemClock) {
  return start({ atMost, clock, args: ['-e', script] })
}

async function firstLine(server: ServerProcess): Promise<string> {
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  return String(line)
}

function marked(server: ServerProcess): number[] {
  const all = carrying('ALIDADE_OWNER', `${process.pid}/`)
  const mark = all.includes(server.pid) ? readMark(server.pid) : undefined
  return mark === undefined ? all : carrying('ALIDADE_SERVER', mark)
}

function readMark(pid: number): string | undefined {
  const entries = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  return entries.find(entry => entry.startsWith('ALIDADE_SERVER='))?.slice('ALIDADE_SERVER='.length)
}

afterEach(async () => {
  for (const server of started.splice(0)) {
    server.kill()
    await server.exited
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(levels)('contained by %s', level => {
  test('R-14 arguments arrive as they are, with no shell between', async () => {
    const args = ['$HOME', '; echo no', '*', "it's", '', 'a b']
    const server = await start({
      atMost: level,
      args: ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...args],
    })
    expect(server.contained).toBe(level)
    expect(JSON.parse(await firstLine(server))).toEqual(args)
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })

  test('S05 the exit comes with its code and the last words on stderr', async () => {
    const script = `process.stderr.write('\\x1b[31mno licence\\x1b[0m\\n', () => process.exit(3))`
    const server = await startScript(level, script)
    expect(await server.exited).toEqual({ code: 3, signal: null })
    expect(server.stderrTail()).toBe('no licence')
  })

  test('S13 writing to a server that is gone is no uncaught error', async () => {
    const server = await startScript(level, 'process.exit(0)')
    await server.exited
    const failure = await new Promise(resolve => server.stdin.write('x'.repeat(1 << 20), resolve))
    expect(failure).toBeInstanceOf(Error)
  })

  test('F14 a flood of 100 MB on stderr is drained and little of it kept', async () => {
    const before = process.memoryUsage().rss
    const script = `
      const { writeSync } = require('node:fs')
      const chunk = Buffer.alloc(1 << 20, 'x'.repeat(99) + '\\n')
      for (let n = 0; n < 400; n += 1) for (let at = 0; at < chunk.length; at += writeSync(2, chunk, at)) ;
      writeSync(2, 'the end')
    `
    const server = await startScript(level, script)
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 5)
    expect(await server.exited).toEqual({ code: 0, signal: null })
    clearInterval(watch)
    expect(server.stderrTail()).toMatch(/xthe end$/)
    expect(server.stderrTail().length).toBeLessThanOrEqual(4096)
    expect(peak - before).toBeLessThan(200 << 20)
  })

  test.each(['on', 'once'])('C10 SIGTERM is heard (%s), once, before anything stronger', async method => {
    const script = `
      let heard = 0
      process.${method}('SIGTERM', () => {
        heard += 1
        setTimeout(() => process.exit(40 + heard), 50)
      })
      console.log('ready')
    `
    const server = await startScript(level, `${script}; setInterval(() => {}, 1000)`, timeless)
    await firstLine(server)
    await server.terminate({ graceMilliseconds: 60_000 })
    expect(await server.exited).toEqual({ code: 41, signal: null })
  })

  test('C10 a server without a handler for SIGTERM does not use up its grace', async () => {
    const server = await start({ atMost: level, command: '/bin/sleep', args: ['600'], clock: timeless })
    await server.terminate({ graceMilliseconds: 60_000 })
    expect((await server.exited).code).toBeNull()
  })

  test('C11 a server that ignores SIGTERM is killed when its grace is over', async () => {
    const script = `process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000)`
    const server = await startScript(level, script)
    await firstLine(server)
    await server.terminate({ graceMilliseconds: 50 })
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
    // Both are safe to ask for again.
    server.kill()
    await server.terminate({ graceMilliseconds: 50 })
  })

  test('C17 a crash names its signal', async () => {
    const server = await startScript(level, 'process.abort()')
    const { code, signal } = await server.exited
    expect(code).toBeNull()
    // The first process of a PID namespace cannot send SIGABRT to itself; the C library then forces a SIGSEGV.
    expect(signal).toBe(level === 'namespace' ? 'SIGSEGV' : 'SIGABRT')
    expect(readdirSync(folder)).toEqual([])
  })

  test.runIf(onLinux)('C15 kill takes children in other sessions and daemons with it', async () => {
    const server = await startScript(level, familyScript)
    await firstLine(server)
    const family = marked(server)
    expect(family).toHaveLength(familySize + (level === 'namespace' ? 1 : 0))
    server.kill()
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await survivorsWithin(5000, () => marked(server))).toEqual([])
  })

  test.runIf(onLinux)('S10 when a launcher goes, what it left running goes too', async () => {
    const script = 'sleep 600 & setsid sleep 600 & exit 3'
    const server = await start({ atMost: level, command: '/bin/sh', args: ['-c', script], clock: timeless })
    // The clock never cuts the wait short: the pipes close because nobody is left to hold them.
    expect(await server.exited).toEqual({ code: 3, signal: null })
    expect(await survivorsWithin(5000, () => marked(server))).toEqual([])
  })

  test.runIf(onLinux)('C13 memory is that of the whole tree, and unknown once it is gone', async () => {
    const child = `const kept = Buffer.alloc(64 << 20, 1); console.log('ready'); setInterval(() => kept, 1000)`
    const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })`
    const server = await startScript(level, script)
    await firstLine(server)
    expect(server.memoryBytes()).toBeGreaterThan(64 << 20)
    expect(server.memoryBytes()).toBeLessThan(512 << 20)
    server.kill()
    await server.exited
    expect(server.memoryBytes()).toBeUndefined()
  })
})

test('S13 a server that lives on but closes its stdin is no uncaught error', async () => {
  const script = `require('node:fs').closeSync(0); console.log('ready'); setInterval(() => {}, 1000)`
  const server = await startScript('group', script)
  await firstLine(server)
  const failure = await new Promise(resolve => server.stdin.write('x'.repeat(1 << 20), resolve))
  expect(failure).toMatchObject({ code: 'EPIPE' })
})

test('R-61 no listener is left on our process once the servers are gone', async () => {
  const before = process.listenerCount('exit')
  const servers = await Promise.all(
    [1, 2, 3].map(() => startScript('namespace', 'setInterval(() => {}, 1000)')),
  )
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const server of servers) server.kill()
  await Promise.all(servers.map(server => server.exited))
  expect(process.listenerCount('exit')).toBe(before)
})

describe.runIf(onLinux)('the end of the bridge', () => {
  let bridges: BridgeFolder
  let owner = ''
  // Every Alidade that starts meanwhile, in other tests as well, would sweep these orphans as its own: they are marked
  // for a namespace that no other sweeper lives in.
  const namespace = 'pid:[1]'
  const sweepOwn = () => {
    const mark = ownerMark()
    return sweepOrphans({ owner: mark && { ...mark, namespace } })
  }

  beforeAll(async () => {
    bridges = await bridgeFolder()
  })

  afterAll(async () => {
    await sweepOwn()
    await bridges.remove()
  })

  const survivors = () => carrying('ALIDADE_OWNER', owner)

  function program(level: ContainmentLevel, afterwards: string): string {
    return `
      const { createSpawn, ownerMark, systemClock } = bridge
      const owner = { ...ownerMark(), namespace: ${JSON.stringify(namespace)} }
      const start = createSpawn({ clock: systemClock, owner, atMost: ${JSON.stringify(level)} })
      const request = { command: ${JSON.stringify(process.execPath)}, args: ['-e', ${JSON.stringify(familyScript)}] }
      const server = await start({ ...request, cwd: '/', env: { PATH: process.env.PATH } })
      server.stdout.once('data', () => {
        console.log(server.contained)
        ${afterwards}
      })
    `
  }

  async function runFamily(level: ContainmentLevel, identity: { uid?: number; gid?: number } = {}) {
    const running = await bridges.run({ source: program(level, ''), options: identity })
    owner = `${running.pid}/`
    const contained = await running.line()
    expect(survivors()).toHaveLength(familySize + (contained === 'namespace' ? 1 : 0))
    running.child.kill('SIGKILL')
    await running.exited
    return contained
  }

  test.runIf(levels.includes('namespace'))('M01 after SIGKILL a namespace leaves nobody', async () => {
    expect(await runFamily('namespace')).toBe('namespace')
    expect(await survivorsWithin(5000, survivors)).toEqual([])
  })

  const nobody = { uid: 65534, gid: 65534 }
  const canBecomeNobody =
    process.getuid?.() === 0 && spawnSync(process.execPath, ['-e', '0'], { ...nobody, cwd: '/' }).status === 0

  test.runIf(canBecomeNobody)('M01 after SIGKILL nobody is left, also without root', async () => {
    const contained = await runFamily('namespace', nobody)
    if (contained !== 'namespace') await sweepOwn()
    expect(await survivorsWithin(5000, survivors)).toEqual([])
  })

  test.runIf(levels.includes('death-signal'))(
    'M01 a death signal takes the server, the sweep the rest',
    async () => {
      expect(await runFamily('death-signal')).toBe('death-signal')
      const remaining = await survivorsWithin(5000, () =>
        survivors().length < familySize ? [] : survivors(),
      )
      expect(remaining).toEqual([])
      await sweepOwn()
      expect(await survivorsWithin(5000, survivors)).toEqual([])
    },
  )

  test('M01 what a mere group leaves behind, the next start sweeps', async () => {
    expect(await runFamily('group')).toBe('group')
    expect(survivors().length).toBeGreaterThanOrEqual(familySize - 1)
    expect(await sweepOwn()).toBeGreaterThanOrEqual(familySize - 1)
    expect(await survivorsWithin(5000, survivors)).toEqual([])
  })

  test.each([
    ['process.exit', 'process.exit(0)', 0],
    ['an uncaught error', 'throw new Error("on purpose")', 1],
  ])('R-61 %s leaves nobody even in a mere group', async (_name, ending, code) => {
    const running = await bridges.run({ source: program('group', ending) })
    owner = `${running.pid}/`
    expect(await running.line()).toBe('group')
    expect((await running.exited).code).toBe(code)
    expect(await survivorsWithin(5000, survivors)).toEqual([])
  })

  test('S06 without descriptors a start is Overloaded, loses none, and works again later', async () => {
    const source = `
      import { closeSync, openSync, readdirSync } from 'node:fs'
      const { createSpawn, ownerMark, systemClock } = bridge
      const start = createSpawn({ clock: systemClock, owner: ownerMark() })
      const request = { command: '/bin/cat', args: [], cwd: '/', env: {} }
      const attempt = () => start(request).then(
        async server => {
          server.stdin.end()
          await server.exited
          return 'started'
        },
        error => error.kind,
      )
      await attempt()
      const open = () => readdirSync('/proc/self/fd').length
      const before = open()
      const held = []
      try {
        for (;;) held.push(openSync('/dev/null'))
      } catch {}
      const outcomes = []
      for (;;) {
        const outcome = await attempt()
        outcomes.push(outcome)
        if (outcome === 'started' || held.length === 0) break
        closeSync(held.pop())
      }
      for (const descriptor of held) closeSync(descriptor)
      await new Promise(setImmediate)
      console.log(JSON.stringify({ outcomes, lost: open() - before }))
    `
    const prefix = ['/bin/sh', '-c', 'ulimit -n 64; exec "$@"', 'sh']
    const running = await bridges.run({ source, prefix })
    const { outcomes, lost } = JSON.parse(await running.line())
    expect(outcomes.length).toBeGreaterThan(3)
    expect([...new Set(outcomes)]).toEqual(['Overloaded', 'started'])
    expect(lost).toBe(0)
  })

  const mayDumpCores = execFileSync(
    '/bin/sh',
    ['-c', 'ulimit -c unlimited 2>/dev/null && ulimit -c || echo 0'],
    {
      encoding: 'utf8',
    },
  ).startsWith('unlimited')

  test.runIf(mayDumpCores && levels.length > 1)('C17 servers leave no core files', async () => {
    const source = `
      const { createSpawn, ownerMark, systemClock } = bridge
      const start = createSpawn({ clock: systemClock, owner: ownerMark() })
      const server = await start({ command: '/bin/cat', args: ['/proc/self/limits'], cwd: '/', env: {} })
      server.stdout.pipe(process.stdout)
    `
    const running = await bridges.run({
      source,
      prefix: ['/bin/sh', '-c', 'ulimit -c unlimited; exec "$@"', 'sh'],
    })
    let limit: string
    do limit = await running.line()
    while (!limit.startsWith('Max core file size'))
    expect(limit).toMatch(/^Max core file size\s+0\s+0\s/)
  })
})
