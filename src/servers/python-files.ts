// What the servers for Python have in common: the project files whose change they must hear of, and the environment
// that is not used in a workspace that is not trusted.
import { join } from 'node:path'
import type { RootFacts } from './definition.js'

export const pythonProjectFiles = ['pyproject.toml', 'pyrightconfig.json', 'setup.cfg', 'setup.py', 'tox.ini']

/** Its interpreter would be run, so without trust it is left alone; without one nothing is lost. */
export function workspaceEnvironment({ root, exists }: RootFacts): string | undefined {
  const found = ['.venv', 'venv', 'env'].find(folder => exists(join(root, folder, 'pyvenv.cfg')))
  if (found === undefined) return undefined
  return `the Python environment in ${found} is not used, so imports from it may be unresolved`
}
