// Tombi, for TOML.
import { defineServer } from './definition.js'

export const tombi = defineServer({
  id: 'tombi',
  title: 'Tombi',
  language: 'toml',
  extensions: { '.toml': 'toml' },
  command: 'tombi',
  args: ['lsp'],
  install: 'npm install -g tombi, or: pip install tombi',
  declaresNoSymbols: 'A key of TOML is not looked for across files.',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'It answers from the file it is asked about, which is parsed first.' },
  diagnostics: { kind: 'standard', quietMs: 0, reason: 'A pull is for the text it was given last.' },
  environment: {
    // It would fetch a catalogue of schemas over the network before it answers; those it brings along suffice.
    TOMBI_OFFLINE: 'true',
  },
  limited: { kind: 'same', reason: 'It reads TOML and schemas and runs nothing.' },
  watches: ['tombi.toml', '*.schema.json'],
  quirks: {},
})
