// basedpyright, the stricter relative of Pyright. It differs in its defaults and in what it can do, not in when its
// answers are complete.

import { defineServer } from './definition.js'
import { pyright } from './pyright.js'
import { workspaceEnvironment } from './python-files.js'

const analysis = { diagnosticMode: 'openFilesOnly', autoSearchPaths: true, useLibraryCodeForTypes: true }

const { embedded: _, ...common } = pyright

export const basedpyright = defineServer({
  ...common,
  id: 'basedpyright',
  title: 'basedpyright',
  command: 'basedpyright-langserver',
  install: 'pip install basedpyright',
  // It asks for both sections, and takes what is under its own name first.
  settings: { python: { analysis }, basedpyright: { analysis } },
  limited: {
    kind: 'reduced',
    // Unlike Pyright it looks for .venv by itself and runs its interpreter, unless a folder of environments is named.
    settings: { python: { pythonPath: 'python3', venvPath: '/nonexistent' } },
    costs: workspaceEnvironment,
  },
})
