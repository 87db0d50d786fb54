// ty, the type checker of the makers of ruff.
import { defineServer } from './definition.js'
import { pythonNewNames, pythonProjectFiles } from './python-files.js'

export const ty = defineServer({
  id: 'ty',
  title: 'ty',
  language: 'python',
  extensions: { '.py': 'python', '.pyi': 'python' },
  command: 'ty',
  args: ['server'],
  install: 'pip install ty',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'blocks',
    reason: 'A question waits until the files of the project are listed, and is answered for all of them.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'A pull is for the text it was given last.',
  },
  // It takes UTF-8 wherever that is offered, in whatever order, and every column would have to be converted.
  positionEncodings: ['utf-16'],
  limited: {
    kind: 'same',
    reason: 'It reads environments without running their interpreter, and has no plugins.',
  },
  watches: [...pythonProjectFiles, 'ty.toml'],
  newNames: pythonNewNames,
  quirks: {
    registersTooLate:
      'It registers for pulls only after it was told its settings, when it may be asked already.',
  },
})
