// vtsls: VS Code's own TypeScript support without VS Code, for setups that name it. Below it runs tsserver.
import { defineServer } from './definition.js'
import { askTsserver } from './tsserver-diagnostics.js'
import {
  typescriptExtensions,
  typescriptHints,
  typescriptNewNames,
  typescriptProjectFiles,
  typescriptProjects,
} from './typescript-files.js'

export const vtsls = defineServer({
  id: 'vtsls',
  title: 'vtsls',
  language: 'typescript',
  extensions: typescriptExtensions,
  command: 'vtsls',
  args: ['--stdio'],
  install: 'npm install -g @vtsls/language-server',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'blocks',
    reason:
      'Without the syntax server (see the settings) the first question waits for the project and is complete.',
  },
  diagnostics: {
    kind: 'request',
    reason:
      'Its pushes carry no version, and a clean file gets none; tsserver answers a synchronous question.',
    ask: askTsserver,
  },
  settings: {
    typescript: {
      // The syntax server answers early with a fraction of the references and no error.
      tsserver: { useSyntaxServer: 'never' },
      // Automatic type acquisition runs a package install in the user's cache.
      disableAutomaticTypeAcquisition: true,
      ...typescriptHints,
    },
    javascript: typescriptHints,
  },
  limited: {
    kind: 'same',
    reason: 'It runs the TypeScript it comes with, and never loads the plugins that a tsconfig.json names.',
  },
  watches: typescriptProjectFiles,
  // tsserver's own watchers are the only ones it has: asked to rely on the client's, it crashes (0.3.0).
  projectFilesSeenAfter: {
    milliseconds: 2000,
    reason: 'it is loading the project with its changed settings',
  },
  projects: typescriptProjects,
  newNames: typescriptNewNames,
  quirks: {
    wholeTextMisread:
      'It measures what a whole text replaces by the new text: the last lines of a longer old one stay (0.3.0).',
    changedFilesMustBeOpened:
      'It ignores announced changes, and the watchers of tsserver see a new file about a second late.',
    symbolSearchNeedsOpenDocument: 'With nothing open it answers with the error "No Project".',
  },
})
