// OmniSharp, for C#, for setups that still name it: it answers before its projects are loaded and never says when.
import { defineServer } from './definition.js'
import { csharpExtensions, dotnetLimited, dotnetProjectFiles } from './dotnet-files.js'

export const omnisharp = defineServer({
  id: 'omnisharp',
  title: 'OmniSharp',
  language: 'csharp',
  extensions: csharpExtensions,
  command: 'omnisharp',
  args: ['--languageserver'],
  install: 'download it from github.com/OmniSharp/omnisharp-roslyn/releases, or use roslyn-language-server',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'unproven',
    reason:
      'It answers while its projects are still being loaded, and nothing in the protocol says when they are.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 500,
    reason: 'Pushed; a report without a version of the text settles nothing.',
  },
  limited: dotnetLimited,
  watches: dotnetProjectFiles,
  quirks: {},
})
