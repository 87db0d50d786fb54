// python-lsp-server, for setups that name it. Its references come from jedi, which stops early by design.
import { defineServer } from './definition.js'
import { jediLimit, pythonNewNames, pythonProjectFiles, workspaceEnvironment } from './python-files.js'

export const pylsp = defineServer({
  id: 'pylsp',
  title: 'pylsp',
  language: 'python',
  extensions: { '.py': 'python' },
  command: 'pylsp',
  args: [],
  install: 'pip install python-lsp-server',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'It keeps no index: every question is worked out when it is asked.' },
  diagnostics: {
    kind: 'one-push-per-change',
    delayMs: 400,
    reason: 'One push follows each change, half a second after it; old releases send no version with it.',
  },
  // It names no encoding, which means UTF-16, but its columns are Python's, which count code points.
  positionEncodings: ['utf-32'],
  limited: {
    kind: 'reduced',
    settings: {
      pylsp: {
        plugins: { jedi: { environment: null, auto_import_modules: [] }, pylsp_mypy: { enabled: false } },
      },
    },
    costs: workspaceEnvironment,
  },
  watches: pythonProjectFiles,
  limits: () => [
    jediLimit,
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'the checkers that come with pylsp look at one file at a time and at no types',
      hint: 'Use pyright for errors of type.',
    },
    {
      methods: ['textDocument/formatting', 'textDocument/rangeFormatting', 'textDocument/codeAction'],
      reason: 'pylsp answers with nothing where no plugin for that is installed, and does not say so',
      hint: 'Install autopep8 or another formatter, or a plugin with fixes, next to pylsp.',
    },
  ],
  newNames: pythonNewNames,
  quirks: {},
})
