// jedi-language-server, for setups that name it. Its references come from jedi, which stops early by design.
import { defineServer } from './definition.js'
import { jediLimit, pythonNewNames, pythonProjectFiles } from './python-files.js'

export const jediLanguageServer = defineServer({
  id: 'jedi-language-server',
  title: 'jedi-language-server',
  language: 'python',
  extensions: { '.py': 'python', '.pyi': 'python' },
  command: 'jedi-language-server',
  args: [],
  install: 'pip install jedi-language-server',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'It keeps no index: every question is worked out when it is asked.' },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'Pushed with the version of the text, once for each, a second after the change.',
  },
  // Zero is no limit; twenty symbols are what it lists otherwise.
  initializationOptions: { workspace: { symbols: { maxSymbols: 0 } } },
  // It says UTF-16 where that is offered, but its columns are Python's, which count code points (0.47).
  positionEncodings: ['utf-32'],
  limited: {
    kind: 'same',
    reason: 'It uses the Python it runs in, not one of the workspace, and imports no compiled modules of it.',
  },
  watches: pythonProjectFiles,
  limits: () => [
    jediLimit,
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'jedi reports errors of syntax alone',
      hint: 'Use pyright for errors of type.',
    },
  ],
  newNames: pythonNewNames,
  quirks: {},
})
