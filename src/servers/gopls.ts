// gopls, the Go team's server. It needs the go command on PATH.
import { defineServer } from './definition.js'

export const gopls = defineServer({
  id: 'gopls',
  title: 'gopls',
  language: 'go',
  extensions: { '.go': 'go' },
  command: 'gopls',
  args: ['serve'],
  install: 'go install golang.org/x/tools/gopls@latest',
  root: { kind: 'outermost', markers: ['go.work', 'go.mod'] },
  readiness: { kind: 'blocks', reason: 'Questions wait for the initial load of the workspace.' },
  diagnostics: {
    kind: 'standard',
    quietMs: 0,
    reason:
      'Pulled (see the options): its pushes come twice for one version, the first without the analyses.',
  },
  hides: found =>
    found.some(({ source }) => source === 'syntax')
      ? 'tells only the errors of syntax of a file that has one'
      : undefined,
  initializationOptions: {
    pullDiagnostics: true,
    // Off unless asked for, and an agent that asks wants all of them.
    semanticTokens: true,
    hints: {
      assignVariableTypes: true,
      compositeLiteralFields: true,
      compositeLiteralTypes: true,
      constantValues: true,
      functionTypeParameters: true,
      ignoredError: true,
      parameterNames: true,
      rangeVariableTypes: true,
    },
  },
  environment: {
    // A toolchain line in go.mod would make the go command download and run another toolchain.
    GOTOOLCHAIN: 'local',
  },
  limited: {
    kind: 'reduced',
    environment: { GOFLAGS: '-mod=readonly', GOPROXY: 'off', CGO_ENABLED: '0' },
    costs: () => 'modules are not downloaded and cgo is off, so some imports may be unresolved',
  },
  watches: ['go.mod', 'go.sum', 'go.work'],
  beforeFixes: {
    command: 'gopls.diagnose_files',
    arguments: uri => [{ Files: [uri] }],
    reason:
      'Its fixes come with findings that it works out by itself, a second after a change; a pull brings none.',
  },
  quirks: {
    createdFilesMustBeOpened:
      'A package in a new folder is unknown until one of its files is open, and for some 50 ms after that.',
  },
})
