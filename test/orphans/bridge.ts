// Runs a small program that uses the real spawn in a process of its own, so that a test can end it in ways a process
// cannot end itself: by SIGKILL, by an uncaught error, without descriptors. Also finds who it left behind.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { systemProcesses } from '../../src/supervisor/process-table.js'

/**
 * A server with every kind of child that gets away: one in a session of its own, one daemonized by a double fork,
 * and one that keeps holding the pipes. It prints a line when all of them run.
 */
export const familyScript = `
  const { spawn } = require('node:child_process')
  spawn('sleep', ['600'], { stdio: 'inherit' })
  spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
  const launcher = spawn('sh', ['-c', '(setsid sleep 600 >/dev/null 2>&1 &)'], { stdio: 'ignore', detached: true })
  launcher.on('exit', () => console.log('ready'))
  setInterval(() => {}, 1000)
`
/** The server and its three children; the wrapper of a namespace comes on top. */
export const familySize = 4

interface BridgeProgram {
  /** Source of an ES module that may use everything the supervisor's process files export, and `systemClock`. */
  readonly source: string
  /** Put in front of the command line, to change limits. */
  readonly prefix?: readonly string[]
  readonly options?: Pick<SpawnOptions, 'uid' | 'gid'>
}

interface RunningBridge {
  readonly child: ChildProcess
  readonly pid: number
  /** The next line of its stdout. */
  line(): Promise<string>
  readonly exited: Promise<{ code: number | null; signal: string | null; stderr: string }>
}

export interface BridgeFolder {
  run(program: BridgeProgram): Promise<RunningBridge>
  remove(): Promise<void>
}

export async function bridgeFolder(): Promise<BridgeFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'alidade-orphans-'))
  await chmod(folder, 0o755)
  await build({
    stdin: {
      contents: `
        export * from './process.js'
        export * from './sweep.js'
        export * from './containment.js'
        export { systemClock } from '../clock.js'
      `,
      loader: 'ts',
      resolveDir: fileURLToPath(new URL('../../src/supervisor', import.meta.url)),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'bridge.mjs'),
    logLevel: 'silent',
  })
  let count = 0
  return {
    async run({ source, prefix = [], options = {} }) {
      count += 1
      const path = join(folder, `program-${count}.mjs`)
      await writeFile(path, `import * as bridge from './bridge.mjs'\n${source}`)
      const [command = process.execPath, ...args] = [...prefix, process.execPath, path]
      return runningBridge(spawn(command, args, { stdio: 'pipe', cwd: folder, ...options }))
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function runningBridge(child: ChildProcess): Promise<RunningBridge> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the program has no pipes')
  let complaints = ''
  stderr.on('data', chunk => {
    complaints += String(chunk)
  })
  const exited = new Promise<{ code: number | null; signal: string | null; stderr: string }>(resolve => {
    child.once('exit', (code, signal) => resolve({ code, signal, stderr: complaints }))
  })
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  await once(child, 'spawn')
  return {
    child,
    pid: child.pid ?? 0,
    exited,
    async line() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`the program ended without a line: ${complaints}`)
      return value
    },
  }
}

/** The pids of the living processes whose variable has a value that begins so. */
export function carrying(name: 'ALIDADE_OWNER' | 'ALIDADE_SERVER', beginning: string): number[] {
  return systemProcesses.list().filter(pid => {
    if (systemProcesses.read(pid)?.zombie !== false) return false
    return systemProcesses.variable(pid, name)?.startsWith(beginning) === true
  })
}

/** Nobody tells us when a process that is not our child dies, so this looks every few milliseconds. */
export async function survivorsWithin(milliseconds: number, look: () => number[]): Promise<number[]> {
  const end = performance.now() + milliseconds
  for (;;) {
    const survivors = look()
    if (survivors.length === 0 || performance.now() > end) return survivors
    await pause(10)
  }
}
