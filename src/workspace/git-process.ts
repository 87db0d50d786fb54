// Runs git so that a repository written by a stranger cannot make it run anything else. Its configuration may name
// programs for hooks, file watching, diffs, filters and transports; every one of them is switched off here, and git is
// only ever given an argument list, bounded output and a deadline.
import { realpathSync } from 'node:fs'
import { delimiter, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { type Clock, withDeadline } from '../clock.js'
import { BridgeError, messageOf } from '../errors.js'
import { serverEnvironment } from '../supervisor/environment.js'
import type { ServerProcess, Spawn } from '../supervisor/process.js'

export interface GitWait {
  readonly signal: AbortSignal
  readonly milliseconds: number
}

export interface GitOutput {
  readonly code: number | null
  readonly stdout: Buffer
  /** The end of it, without control characters. */
  readonly stderr: string
}

/** Runs `git` in the root with these arguments. Rejects when git cannot be run at all; a failing git is an output. */
export type RunGit = (args: readonly string[], wait: GitWait) => Promise<GitOutput>

export interface GitProcessOptions {
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  readonly spawn: Spawn
  readonly clock: Clock
}

/** A list of a hundred thousand files with long names fits; more is a fault or malice. */
const mostOutputBytes = 64 * 1024 * 1024

export function createRunGit(options: GitProcessOptions): RunGit {
  const { root, spawn, clock } = options
  const env = gitEnvironment(options)
  return async (args, wait) => {
    const started = spawn({ command: 'git', args: [...safeConfiguration, ...args], cwd: root, env })
    const child = await started.catch(cause => {
      throw notStarted(cause)
    })
    try {
      return await withDeadline(outputOf(child), { clock, ...wait, onTimeout: () => tooSlow(args, wait) })
    } finally {
      child.kill()
    }
  }
}

/** Given on the command line, where they win over every file. */
const safeConfiguration = [
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.quotePath=false',
    'submodule.recurse=false',
    'fetch.recurseSubmodules=false',
    // A folder of the workspace that merely looks like a bare repository is not one anybody works in.
    'safe.bareRepository=explicit',
  ].flatMap(setting => ['-c', setting]),
]

/**
 * An object that is missing would be fetched from wherever the repository says, with the programs it says
 * (`core.sshCommand`, `remote.*.uploadpack`): git before 2.45 knows only the second of these two ways to forbid it.
 */
const safeVariables = {
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  // The messages that are told apart below are those of no translation.
  LC_ALL: 'C',
  LANGUAGE: 'C',
}

function gitEnvironment({ root, env }: GitProcessOptions): Record<string, string> {
  const environment = serverEnvironment(env, safeVariables)
  for (const [name, value] of Object.entries(environment)) {
    if (!/^path$/i.test(name)) continue
    // `npx` and the like put the workspace's own programs first, and one of them may be called git.
    const outside = value.split(delimiter).filter(folder => !isInside(folder, root))
    environment[name] = outside.join(delimiter)
  }
  return environment
}

function isInside(folder: string, root: string): boolean {
  try {
    const real = realpathSync(folder)
    return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
  } catch {
    return false
  }
}

async function outputOf(child: ServerProcess): Promise<GitOutput> {
  child.stdin.end()
  const [stdout, exit] = await Promise.all([bounded(child.stdout), child.exited])
  return { code: exit.code, stdout, stderr: child.stderrTail() }
}

async function bounded(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > mostOutputBytes) throw tooMuch()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks, length)
}

function notStarted(cause: unknown): BridgeError {
  if (cause instanceof BridgeError && cause.kind === 'Overloaded') return cause
  return new BridgeError({
    kind: 'ServerUnavailable',
    message: `git cannot be run: ${messageOf(cause)}`,
    hint: 'Install git and see that it is on PATH; or name the files instead of asking for what changed.',
    cause,
  })
}

function tooSlow(args: readonly string[], { milliseconds }: GitWait): BridgeError {
  return new BridgeError({
    kind: 'RequestTimeout',
    message: `git ${args[0] ?? ''} did not answer within ${Math.round(milliseconds / 100) / 10} s`,
    hint: 'Ask again with a larger timeout_ms, or name the files instead of asking for what changed.',
  })
}

function tooMuch(): BridgeError {
  return new BridgeError({
    kind: 'Overloaded',
    message: 'git printed more than 64 MB',
    hint: 'Ask about a smaller change, or name the files.',
  })
}
