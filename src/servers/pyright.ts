// Pyright, the embedded server for Python.
import { join } from 'node:path'
import { defineServer } from './definition.js'
import { ownDependency } from './embedded.js'
import { pythonNewNames, pythonProjectFiles, workspaceEnvironment } from './python-files.js'

export const pyright = defineServer({
  id: 'pyright',
  title: 'Pyright',
  language: 'python',
  extensions: { '.py': 'python', '.pyi': 'python' },
  command: 'pyright-langserver',
  args: ['--stdio'],
  embedded() {
    const found = ownDependency('pyright')
    if (found === undefined) return undefined
    return {
      command: process.execPath,
      args: [join(found.folder, 'langserver.index.js'), '--stdio'],
      version: found.version,
    }
  },
  install: 'npm install --save-dev pyright',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'log-line',
    pattern: /^(Found \d+ source files?|No source files found)/,
    reason:
      'Before it has listed its files it answers from the open ones alone; nothing in the protocol says so.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'Pulled once it has registered for that; a pull is for the text it was given last.',
  },
  settings: {
    python: {
      analysis: { diagnosticMode: 'openFilesOnly', autoSearchPaths: true, useLibraryCodeForTypes: true },
    },
  },
  limited: {
    kind: 'reduced',
    settings: { python: { pythonPath: 'python3' } },
    costs: workspaceEnvironment,
  },
  watches: pythonProjectFiles,
  reloads: {
    after: path => /[\\/](pyrightconfig\.json|pyproject\.toml)$/.test(path),
    withinMilliseconds: 3000,
    reason: 'it is reading its configuration again',
  },
  newNames: pythonNewNames,
  quirks: {
    announcesNewFileList:
      'It lists its files again after files were created or deleted, and answers without them until then.',
    slowCallHierarchy:
      'In Django it names the callers of a function in 350 to 500 ms, and its references in 20 to 120.',
    newFilesFoundOnDiskOnly: 'It looks for imported modules on the disk alone.',
  },
})
