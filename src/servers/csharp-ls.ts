// csharp-ls, for C#, on Roslyn's libraries.
import { defineServer } from './definition.js'
import { csharpExtensions, dotnetLimited, dotnetProjectFiles } from './dotnet-files.js'

export const csharpLs = defineServer({
  id: 'csharp-ls',
  title: 'csharp-ls',
  language: 'csharp',
  extensions: csharpExtensions,
  command: 'csharp-ls',
  args: [],
  install: 'dotnet tool install --global csharp-ls',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'progress',
    // Releases before 0.23 load with the handshake, under the second title.
    title: /^(Loading workspace folder|Loading solution|Loading \d+ project)/,
    beginsWithinMs: 15_000,
    reason: 'It loads the solution when the first file is opened, under a progress of this title.',
  },
  diagnostics: { kind: 'standard', quietMs: 0, reason: 'A pull is for the text it was given last.' },
  limited: dotnetLimited,
  watches: dotnetProjectFiles,
  quirks: {},
})
