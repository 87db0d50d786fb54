// ruff's checks of Python. It formats and finds what is careless; it knows neither types nor uses.
import { defineServer } from './definition.js'
import { pythonProjectFiles } from './python-files.js'

export const ruff = defineServer({
  id: 'ruff',
  title: 'ruff',
  language: 'python',
  extensions: { '.py': 'python', '.pyi': 'python' },
  command: 'ruff',
  args: ['server'],
  install: 'pip install ruff',
  onlyWhenChosen: 'It checks and formats, but answers no question about what a name means.',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'Its checks need no more than the file they are about.' },
  diagnostics: { kind: 'standard', quietMs: 0, reason: 'A pull is for the text it was given last.' },
  // It takes UTF-8 wherever that is offered, in whatever order, and every column would have to be converted.
  positionEncodings: ['utf-16'],
  limited: { kind: 'same', reason: 'Its configuration is data, it has no plugins, and it runs no Python.' },
  watches: [...pythonProjectFiles, 'ruff.toml', '.ruff.toml'],
  limits: () => [
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'ruff reports what lint finds and no errors of type',
      hint: 'Use pyright for errors of type.',
    },
  ],
  quirks: {},
})
