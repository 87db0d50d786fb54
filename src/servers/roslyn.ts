// Roslyn's own language server, for C#. What it says before its projects are loaded is about loose files.
import { defineServer } from './definition.js'
import { csharpExtensions, dotnetLimited, dotnetProjectFiles } from './dotnet-files.js'

export const roslyn = defineServer({
  id: 'roslyn',
  title: 'Roslyn language server',
  language: 'csharp',
  extensions: csharpExtensions,
  command: 'roslyn-language-server',
  // Without the second nothing is loaded until a client opens the solution by a notification of Roslyn's own.
  args: ['--stdio', '--autoLoadProjects'],
  install: 'dotnet tool install --global roslyn-language-server --prerelease',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'notification',
    method: 'workspace/projectInitializationComplete',
    reason: 'It says when its projects are loaded; a folder without a solution is never loaded.',
    read: () => ({ ready: true }),
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'Pulled; before the projects are loaded there are no errors of the compiler among them.',
  },
  limited: dotnetLimited,
  watches: dotnetProjectFiles,
  quirks: {},
})
