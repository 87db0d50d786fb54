// Intelephense, for PHP. Without a licence it offers no rename, no implementations and no type hierarchy.
import { defineServer } from './definition.js'

export const intelephense = defineServer({
  id: 'intelephense',
  title: 'Intelephense',
  language: 'php',
  extensions: { '.php': 'php', '.phtml': 'php' },
  command: 'intelephense',
  args: ['--stdio'],
  install: 'npm install -g intelephense',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'log-line',
    pattern: /^Indexer: Indexing finished\./,
    reason: 'References grow in steps until the index is done.',
  },
  diagnostics: {
    kind: 'debounced-push',
    delayMs: 900,
    quietMs: 100,
    barrier: 'textDocument/documentSymbol',
    reason: 'Without a version: one report, a second after the last of several changes.',
  },
  settings: { intelephense: { telemetry: { enabled: false } } },
  initializationOptions: {
    // What it kept of an earlier run may be about files that have changed since.
    clearCache: true,
  },
  limited: { kind: 'same', reason: 'It reads PHP and runs none, and its configuration is data.' },
  watches: ['composer.json'],
  reloads: {
    after: () => true,
    withinMilliseconds: 1500,
    reason: 'it is indexing the changed file',
  },
  quirks: {},
})
