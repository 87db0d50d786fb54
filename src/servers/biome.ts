// Biome's checks of JavaScript and TypeScript. It formats and finds what is careless; it knows neither types nor uses.
import { defineServer } from './definition.js'
import { typescriptExtensions } from './typescript-files.js'

export const biome = defineServer({
  id: 'biome',
  title: 'Biome',
  language: 'typescript',
  extensions: typescriptExtensions,
  command: 'biome',
  args: ['lsp-proxy'],
  install: 'npm install --save-dev @biomejs/biome',
  onlyWhenChosen: 'It checks and formats, but answers no question about what a name means.',
  root: { kind: 'workspace' },
  readiness: { kind: 'blocks', reason: 'Its checks need no more than the file they are about.' },
  diagnostics: {
    kind: 'standard',
    quietMs: 300,
    reason: 'Pushed with the version of the text, twice for the first one, while it scans the project.',
  },
  // It takes UTF-8 wherever that is offered, in whatever order, and every column would have to be converted.
  positionEncodings: ['utf-16'],
  dataFolder: {
    // Of no effect on macOS and Windows, where the folder or the pipe cannot be chosen.
    variable: 'XDG_CACHE_HOME',
    reason:
      'Those that run for one user share a background process by a socket there: it ends for all with whoever began it.',
  },
  limited: {
    kind: 'same',
    reason: 'Its configuration is data, and the plugins it may name are patterns, not programs.',
  },
  watches: ['biome.json', 'biome.jsonc', '.editorconfig'],
  limits: () => [
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'biome reports what lint finds and no errors of type',
      hint: 'Use typescript for errors of type.',
    },
  ],
  quirks: {},
})
