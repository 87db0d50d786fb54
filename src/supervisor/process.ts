// One child process of Alidade: started contained and without a shell, spoken to over its pipes, measured, and ended
// with everything it has started. No path out of here leaves a process behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../clock.js'
import { type ContainmentLevel, strongestContainment } from './containment.js'
import { systemProcesses } from './process-table.js'
import { killTree, type ProcessTree, terminateTree, treeMemory } from './process-tree.js'
import { findExecutable, startFailure } from './spawn-errors.js'
import { collectTail } from './stderr-tail.js'
import { markVariables, type OwnerMark } from './sweep.js'

export interface ProcessExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface ServerProcess {
  /** Of the outermost process we started; the server's own may be another. */
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly contained: ContainmentLevel
  /** Settles once, when the process is gone. Never rejects. */
  readonly exited: Promise<ProcessExit>
  /** The last 4 KiB of stderr, without control characters. */
  stderrTail(): string
  /** Resident memory of the whole tree; undefined where it cannot be known. */
  memoryBytes(): number | undefined
  /** Ends the whole tree at once. Safe to call again, and after the exit. */
  kill(): void
  /** Asks the whole tree to end, and ends it when the grace is over. Resolves with the exit. */
  terminate(options: { graceMilliseconds: number }): Promise<void>
}

export interface SpawnRequest {
  /** An absolute path, or a bare name to be found on the PATH of `env`. */
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment: see `serverEnvironment`. */
  readonly env: Readonly<Record<string, string>>
}

/** Rejects with a BridgeError: ServerUnavailable or Overloaded. */
export type Spawn = (request: SpawnRequest) => Promise<ServerProcess>

export interface SpawnOptions {
  readonly clock: Clock
  readonly owner: OwnerMark | undefined
  /** Do not use a stronger containment, for servers or machines that cannot live with it. */
  readonly atMost?: ContainmentLevel | undefined
}

export function createSpawn(options: SpawnOptions): Spawn {
  return async request => {
    const executable = await findExecutable(request)
    const { level, prefix } = await strongestContainment(options)
    const server = randomUUID()
    const child = await startChild({
      commandLine: [...prefix, executable, ...request.args],
      cwd: request.cwd,
      env: { ...request.env, ...markVariables(options.owner, server) },
    }).catch(error => {
      throw startFailure(error, executable)
    })
    const startTime = systemProcesses.read(child.pid)?.startTime
    return superviseChild(child, { pid: child.pid, startTime, server, level }, options.clock)
  }
}

interface Child {
  readonly process: ChildProcess
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

interface StartRequest {
  readonly commandLine: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

function startChild({ commandLine, cwd, env }: StartRequest): Promise<Child> {
  return new Promise((resolve, reject) => {
    const [file = '', ...args] = commandLine
    ensureDescriptors()
    // Its own group and session: an interrupt typed at our terminal is for us to pass on, in an orderly way.
    const child = spawn(file, args, { cwd, env, detached: process.platform !== 'win32', windowsHide: true })
    // Some failures come as an event and others, thrown, become the rejection of this promise.
    child.on('error', reject)
    const { pid, stdin, stdout, stderr } = child
    // Without descriptors to spare there are no pipes either, although the types say there always are.
    if (pid === undefined || !stdin || !stdout || !stderr) return
    // A server that closes its end, or dies while we write, must not become an uncaught error (fault S13).
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
    resolve({ process: child, pid, stdin, stdout, stderr })
  })
}

/**
 * Node takes eight descriptors to start a process with three pipes. When it finds six or seven it fails and never
 * closes them, so each failed start would make the shortage worse (fault S06). The rest is for our own first look.
 */
function ensureDescriptors(): void {
  const opened: number[] = []
  try {
    while (opened.length < 10) opened.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** How long the last words may take to arrive after the exit; a process that escaped us may hold the pipe for ever. */
const lastWordsMilliseconds = 100

function superviseChild(child: Child, tree: ProcessTree, clock: Clock): ServerProcess {
  let gone = false
  const kill = () => killTree(tree, { pidIsOurs: !gone })
  const untrack = killAtOurExit(kill)
  const stderrTail = collectTail(child.stderr)

  const exited = new Promise<ProcessExit>(resolve => {
    child.process.once('exit', (code, signal) => {
      untrack()
      // A launcher may have gone and left the real server running, and with it our pipes open.
      kill()
      gone = true
      const timer = clock.after(lastWordsMilliseconds, () => resolve({ code, signal }))
      child.process.once('close', () => {
        timer.cancel()
        resolve({ code, signal })
      })
    })
  })

  return {
    pid: tree.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    contained: tree.level,
    exited,
    stderrTail,
    memoryBytes: () => (gone ? undefined : treeMemory(tree)),
    kill,
    async terminate({ graceMilliseconds }) {
      if (!gone && terminateTree(tree) === 'deaf') kill()
      const timer = clock.after(graceMilliseconds, kill)
      await exited
      timer.cancel()
    },
  }
}

const killers = new Set<() => void>()

/** For every end of ours that still lets us act: process.exit, an uncaught error, nothing left to do. */
function killAtOurExit(kill: () => void): () => void {
  if (killers.size === 0) process.on('exit', killAll)
  killers.add(kill)
  return () => {
    killers.delete(kill)
    if (killers.size === 0) process.off('exit', killAll)
  }
}

function killAll(): void {
  for (const kill of killers) kill()
}
