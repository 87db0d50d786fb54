// VS Code's server for HTML, with the styles and scripts inside it.
import { defineServer } from './definition.js'
import { webServer } from './web-files.js'

export const vscodeHtml = defineServer({
  ...webServer,
  id: 'vscode-html',
  title: 'VS Code HTML',
  language: 'html',
  extensions: { '.html': 'html', '.htm': 'html' },
  command: 'vscode-html-language-server',
  declaresNoSymbols: 'It knows one file at a time and offers no search.',
  initializationOptions: {
    provideFormatter: true,
    embeddedLanguages: { css: true, javascript: true },
  },
  // Without any of them the check fails inside, and a broken file is reported clean (4.10).
  settings: {
    html: { validate: { scripts: true, styles: true } },
    css: { validate: true, lint: {} },
    javascript: {},
    'js/ts': { implicitProjectConfig: { checkJs: false, strictNullChecks: true, target: 'ES2022' } },
  },
  limited: { kind: 'same', reason: 'It parses the scripts of a page and runs none.' },
  watches: [],
  limits: () => [
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'vscode-html checks the styles and scripts in a page, not the markup',
      hint: 'Use a validator for the markup.',
    },
    {
      methods: ['textDocument/references', 'textDocument/rename'],
      reason: 'vscode-html looks for names in one file alone',
      hint: 'Use text search for style sheets and scripts.',
    },
  ],
  quirks: {},
})
