// What the servers for C# have in common: the files they are about, and why none runs in a workspace nobody trusts.
import type { LimitedForm } from './definition.js'

export const csharpExtensions = { '.cs': 'csharp', '.csx': 'csharp' }

export const dotnetProjectFiles = [
  ...['*.csproj', '*.sln', '*.slnx', '*.props', '*.targets', 'global.json', 'nuget.config', '.editorconfig'],
]

export const dotnetLimited: LimitedForm = {
  kind: 'refused',
  reason: 'loading a project runs what its MSBuild files and analyzers say',
}
