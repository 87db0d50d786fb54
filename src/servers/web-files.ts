// What the servers that VS Code brings for data, style and markup have in common. Each is asked about one file at a time.
import type { ServerDefinition } from './definition.js'

export const webServer = {
  args: ['--stdio'],
  install: 'npm install -g vscode-langservers-extracted',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'It answers from the file it is asked about, which is parsed first.' },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'A pull is for the text it was given last.',
  },
} as const satisfies Partial<ServerDefinition>
