// Where the user's files live, by the XDG rules, and which folder is the workspace (contract section 2).
import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { BridgeError } from '../errors.js'
import { quote } from './recorder.js'

export type Environment = Readonly<Record<string, string | undefined>>

export function configurationFolder(env: Environment): string {
  return join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'alidade')
}

export function stateFolder(env: Environment): string {
  return join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'alidade')
}

export interface FoundRoot {
  /** Absolute, with every link resolved. */
  readonly root: string
  readonly how: '--root' | 'CLAUDE_PROJECT_DIR' | '.git' | 'current folder'
}

export interface FindRootOptions {
  readonly cwd: string
  readonly env: Environment
  /** The value of `--root`. */
  readonly flag?: string | undefined
}

export async function findRoot({ cwd, env, flag }: FindRootOptions): Promise<FoundRoot> {
  if (flag !== undefined) return { root: await folder(resolve(cwd, flag), '--root'), how: '--root' }
  const project = env.CLAUDE_PROJECT_DIR
  if (project !== undefined && project !== '') {
    return { root: await folder(resolve(cwd, project), 'CLAUDE_PROJECT_DIR'), how: 'CLAUDE_PROJECT_DIR' }
  }
  const start = await folder(resolve(cwd), 'the current folder')
  for (let candidate = start; ; candidate = dirname(candidate)) {
    // A worktree or submodule has a file of that name.
    if (await exists(join(candidate, '.git'))) return { root: candidate, how: '.git' }
    if (dirname(candidate) === candidate) return { root: start, how: 'current folder' }
  }
}

/** The specification says that a relative path is to be ignored. */
function xdgFolder(env: Environment, variable: string, fallback: string): string {
  const value = env[variable]
  if (value !== undefined && isAbsolute(value)) return value
  const home = env.HOME
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), fallback)
}

async function folder(path: string, source: string): Promise<string> {
  try {
    const real = await realpath(path)
    if ((await stat(real)).isDirectory()) return real
  } catch (cause) {
    throw noFolder(path, source, cause)
  }
  throw noFolder(path, source)
}

function noFolder(path: string, source: string, cause?: unknown): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `${source} names ${quote(path)}, which is not a folder that can be entered`,
    hint: 'Give the folder of the project: --root DIR.',
    cause,
  })
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
