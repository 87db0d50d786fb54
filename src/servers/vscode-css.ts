// VS Code's server for style sheets.
import { defineServer } from './definition.js'
import { webServer } from './web-files.js'

const settings = { validate: true, lint: {} }

export const vscodeCss = defineServer({
  ...webServer,
  id: 'vscode-css',
  title: 'VS Code CSS',
  language: 'css',
  extensions: { '.css': 'css', '.scss': 'scss', '.less': 'less' },
  command: 'vscode-css-language-server',
  declaresNoSymbols: 'It knows one file at a time and offers no search.',
  // Without them the check fails inside, and a broken file is reported clean (4.10).
  settings: { css: settings, scss: settings, less: settings },
  limited: { kind: 'same', reason: 'It reads style sheets and runs nothing.' },
  watches: [],
  limits: () => [
    {
      methods: ['textDocument/references', 'textDocument/rename'],
      reason: 'vscode-css looks for names in one file alone',
      hint: 'Use text search for other style sheets and for markup.',
    },
  ],
  quirks: {},
})
