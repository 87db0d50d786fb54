// bash-language-server, for shell scripts. What it finds wrong is what shellcheck finds.
import { delimiter, join } from 'node:path'
import { defineServer, type KnownLimit, type RootFacts } from './definition.js'

export const bashLanguageServer = defineServer({
  id: 'bash-language-server',
  title: 'bash-language-server',
  language: 'shell',
  extensions: { '.sh': 'shellscript', '.bash': 'shellscript' },
  command: 'bash-language-server',
  args: ['start'],
  install: 'npm install -g bash-language-server',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'log-line',
    pattern: /BackgroundAnalysis: Completed after/,
    complaint: /(?<=BackgroundAnalysis: )(stopped|failed) .*$/s,
    reason: 'Before it has read the scripts of the workspace it answers from the open ones alone.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'Pushed with the version of the text, for a clean file too.',
    restsOnFileAlone: 'it parses the script, and ShellCheck reads it; other scripts are for references.',
  },
  // It stops after 500 files otherwise, and says so in its log alone.
  settings: { bashIde: { backgroundAnalysisMaxFiles: 20_000 } },
  limited: { kind: 'same', reason: 'The programs shellcheck and shfmt read scripts; nothing runs one.' },
  watches: ['.shellcheckrc'],
  limits: withoutShellcheck,
  quirks: {
    announceOnlyWhenLoaded:
      'Of several files opened before it has its settings, it ever looks at the last alone.',
    answersBeforeParsing:
      'Until it has its settings it parses nothing, and lists no symbols of an open file.',
    changedFilesMustBeOpened:
      'It watches no files: what changed on disk is read again only when it is opened.',
  },
})

function withoutShellcheck({ exists }: RootFacts): readonly KnownLimit[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  if (folders.some(folder => exists(join(folder, 'shellcheck')))) return []
  return [
    {
      methods: ['textDocument/diagnostic', 'textDocument/publishDiagnostics'],
      reason: 'bash-language-server reports what shellcheck finds, and that is not installed',
      hint: 'Install shellcheck.',
    },
  ]
}
