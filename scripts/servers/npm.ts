// Installs a language server out of packages of the npm registry into a folder of its own. Nothing of the packages is
// run while they are installed.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerEntry } from './manifest.js'
import { runTool } from './run-tool.js'

export interface NpmServer {
  /** Exact versions; the first is the server's own. */
  readonly packages: Readonly<Record<string, string>>
  /** The file that node runs, inside node_modules. */
  readonly script: string
}

export async function installFromNpm(folder: string, server: NpmServer): Promise<ServerEntry> {
  await addPackages(folder, server.packages)
  const [version = ''] = Object.values(server.packages)
  return {
    // The node that runs the tests: the server's own file says `env node`, which may find another one.
    command: process.execPath,
    args: [join(folder, 'node_modules', server.script)],
    env: {},
    version,
  }
}

export async function addPackages(folder: string, packages: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  await runTool('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
}
