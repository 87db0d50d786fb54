// Installs a language server out of packages of the Python index into an environment of its own.

import { join } from 'node:path'
import type { ServerEntry } from './manifest.js'
import { runTool } from './run-tool.js'

export interface PypiServer {
  /** As pip takes it, with an exact version. */
  readonly requirement: string
  /** The program it puts into the environment. */
  readonly program: string
  readonly version: string
  /** A compiled program in a package: it needs no Python around it. */
  readonly isCompiled?: true
}

export async function installFromPypi(folder: string, server: PypiServer): Promise<ServerEntry> {
  if (server.isCompiled) return installCompiled(folder, server)
  const environment = join(folder, 'venv')
  await runTool('python3', ['-m', 'venv', environment])
  await runTool(join(environment, 'bin/pip'), [...install, server.requirement])
  return { command: join(environment, 'bin', server.program), args: [], env: {}, version: server.version }
}

async function installCompiled(
  folder: string,
  { requirement, program, version }: PypiServer,
): Promise<ServerEntry> {
  const target = join(folder, 'packages')
  await runTool('python3', ['-m', 'pip', ...install, '--no-deps', '--target', target, requirement])
  return { command: join(target, 'bin', program), args: [], env: {}, version }
}

const install = ['install', '--quiet', '--disable-pip-version-check']
