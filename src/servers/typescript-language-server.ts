// The established server on tsserver, for TypeScript 6 and older and for setups that name it.
import { defineServer } from './definition.js'
import { askTsserver } from './tsserver-diagnostics.js'
import {
  typescriptExtensions,
  typescriptHints,
  typescriptNewNames,
  typescriptProjectFiles,
  typescriptProjects,
} from './typescript-files.js'

export const typescriptLanguageServer = defineServer({
  id: 'typescript-language-server',
  title: 'typescript-language-server',
  language: 'typescript',
  extensions: typescriptExtensions,
  command: 'typescript-language-server',
  args: ['--stdio'],
  install: 'npm i -g typescript-language-server',
  root: { kind: 'workspace' },
  readiness: {
    kind: 'blocks',
    reason:
      'Without the syntax server (see the options) the first question waits for the project and is complete.',
  },
  diagnostics: {
    kind: 'request',
    reason:
      'Its pushes carry no version and come in parts; tsserver answers a synchronous question for the present text.',
    ask: askTsserver,
  },
  initializationOptions: {
    tsserver: {
      // The syntax server answers early with a fraction of the references and no error.
      useSyntaxServer: 'never',
      // tsserver's own watchers see a new file about a second late; what we announce it knows before the next question.
      useClientFileWatcher: true,
    },
    preferences: {
      // Hints are off unless asked for, and an agent that asks wants all of them.
      includeInlayParameterNameHints: 'all',
      includeInlayFunctionParameterTypeHints: true,
      includeInlayVariableTypeHints: true,
      includeInlayPropertyDeclarationTypeHints: true,
      includeInlayFunctionLikeReturnTypeHints: true,
      includeInlayEnumMemberValueHints: true,
    },
    // Automatic type acquisition runs a package install in the user's cache.
    disableAutomaticTypingAcquisition: true,
  },
  settings: { typescript: typescriptHints, javascript: typescriptHints },
  limited: {
    kind: 'refused',
    // Only the path of another TypeScript would keep it from that, and none is known to be there.
    reason: 'it runs the TypeScript that lies in the node_modules of the workspace',
  },
  watches: typescriptProjectFiles,
  projects: typescriptProjects,
  newNames: typescriptNewNames,
  quirks: {
    symbolSearchNeedsOpenDocument: 'With nothing open it answers with the error "No Project".',
  },
})
