// What the servers for Python have in common: the project files whose change they must hear of, and the environment
// that is not used in a workspace that is not trusted.
import { join } from 'node:path'
import type { KnownLimit, NewNames, RootFacts } from './definition.js'

export const pythonProjectFiles = ['pyproject.toml', 'pyrightconfig.json', 'setup.cfg', 'setup.py', 'tox.ini']

/** What the servers that stand on jedi cannot know. */
export const jediLimit: KnownLimit = {
  methods: ['textDocument/references', 'textDocument/rename'],
  reason: 'jedi stops searching after some thirty files that contain the name',
  hint: 'Use pyright for complete references.',
}

/** Its interpreter would be run, so without trust it is left alone; without one nothing is lost. */
export function workspaceEnvironment({ root, exists }: RootFacts): string | undefined {
  const found = ['.venv', 'venv', 'env'].find(folder => exists(join(root, folder, 'pyvenv.cfg')))
  if (found === undefined) return undefined
  return `the Python environment in ${found} is not used, so imports from it may be unresolved`
}

/** Measured: both rename a function to `1abc`, to `class` and to nothing at all. */
export const pythonNewNames: NewNames = {
  reserved: [
    ...[
      'False',
      'None',
      'True',
      'and',
      'as',
      'assert',
      'async',
      'await',
      'break',
      'class',
      'continue',
      'def',
    ],
    ...['del', 'elif', 'else', 'except', 'finally', 'for', 'from', 'global', 'if', 'import', 'in', 'is'],
    ...['lambda', 'nonlocal', 'not', 'or', 'pass', 'raise', 'return', 'try', 'while', 'with', 'yield'],
  ],
  doubtful: [],
  reason: 'The servers for Python put in whatever they are given.',
}
