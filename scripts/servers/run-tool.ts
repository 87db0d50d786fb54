// Runs the package managers the installer stands on, and turns a missing one into one sentence.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface ToolOptions {
  cwd?: string
  env?: Record<string, string>
}

/** Resolves with standard output; rejects with the last lines of standard error, which hold the reason. */
export async function runTool(tool: string, args: string[], options: ToolOptions = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(tool, args, {
      cwd: options.cwd,
      env: { ...process.env, ...rustupHome(), ...options.env },
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  } catch (error) {
    throw new Error(reasonOf(tool, args, error), { cause: error })
  }
}

/**
 * rustup's cargo finds its toolchains through HOME and fails in an empty one, although they lie beside it: then it is
 * told where. Empty when there is nothing to tell.
 */
export function rustupHome(): Record<string, string> {
  if (process.env.RUSTUP_HOME !== undefined || existsSync(join(homedir(), '.rustup'))) return {}
  const folders = (process.env.PATH ?? '').split(delimiter)
  const binaries = folders.find(folder => existsSync(join(folder, 'cargo')))
  if (binaries === undefined) return {}
  const toolchains = join(dirname(dirname(binaries)), '.rustup')
  return existsSync(toolchains) ? { RUSTUP_HOME: toolchains } : {}
}

function reasonOf(tool: string, args: string[], error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'ENOENT') return `this machine has no ${tool}`
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : error.message
  const lastLines = stderr.trim().split('\n').slice(-3).join(' | ')
  return `${[tool, ...args].slice(0, 3).join(' ')} failed: ${lastLines}`
}
