// TypeScript 7's own language server, the embedded one for TypeScript and JavaScript.
import { defineServer, type Launch } from './definition.js'
import { ownDependency, type PackageFolder, projectDependency, typescriptProgram } from './embedded.js'
import {
  typescriptExtensions,
  typescriptHints,
  typescriptNewNames,
  typescriptProjectFiles,
  typescriptProjects,
} from './typescript-files.js'

const args = ['--lsp', '--stdio']

export const typescript = defineServer({
  id: 'typescript',
  title: 'TypeScript 7',
  language: 'typescript',
  extensions: typescriptExtensions,
  command: 'tsc',
  args,
  embedded: () => launch(ownDependency('typescript')),
  project: root => launch(projectDependency(root, 'typescript')),
  install: 'npm install --save-dev typescript@7',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'blocks',
    reason: 'With a document open it holds every answer back until the project is loaded.',
  },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason: 'It only answers pulls, for the text it was given last.',
  },
  settings: {
    // Automatic type acquisition runs a package install in the user's cache; all three sections are asked for.
    typescript: { disableAutomaticTypeAcquisition: true, ...typescriptHints },
    javascript: { disableAutomaticTypeAcquisition: true, ...typescriptHints },
    'js/ts': { disableAutomaticTypeAcquisition: true, ...typescriptHints },
  },
  // It takes UTF-8 wherever that is offered, in whatever order, and every column would have to be converted.
  positionEncodings: ['utf-16'],
  limited: { kind: 'same', reason: 'The native compiler has no plugins and runs nothing of the workspace.' },
  watches: typescriptProjectFiles,
  projects: typescriptProjects,
  newNames: typescriptNewNames,
  quirks: {
    newFoldersFoundOnDiskOnly: 'It looks for the folder of an imported module on the disk first.',
    symbolSearchNeedsOpenDocument: 'With nothing open it knows no project and finds nothing.',
  },
})

function launch(found: PackageFolder | undefined): Launch | undefined {
  const command = found === undefined ? undefined : typescriptProgram(found)
  if (found === undefined || command === undefined) return undefined
  return { command, args, version: found.version }
}
