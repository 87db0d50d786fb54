// What both servers for TypeScript and JavaScript have in common: the files they are about, and the names they take.
import type { NewNames } from './definition.js'

/** Hints and lenses are off unless asked for, and an agent that asks wants all of them. */
export const typescriptHints = {
  inlayHints: {
    parameterNames: { enabled: 'all' },
    parameterTypes: { enabled: true },
    variableTypes: { enabled: true },
    propertyDeclarationTypes: { enabled: true },
    functionLikeReturnTypes: { enabled: true },
    enumMemberValues: { enabled: true },
  },
  referencesCodeLens: { enabled: true, showOnAllFunctions: true },
  implementationsCodeLens: { enabled: true, showOnInterfaceMethods: true },
}

export const typescriptExtensions = {
  '.ts': 'typescript',
  '.tsx': 'typescriptreact',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.js': 'javascript',
  '.jsx': 'javascriptreact',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
}

/** Both servers load a project when the first of its files is opened, and search no other. */
export const typescriptProjects = {
  marker: ['tsconfig.json', 'jsconfig.json'],
  methods: [
    'textDocument/references',
    'textDocument/implementation',
    'textDocument/prepareCallHierarchy',
    'textDocument/rename',
    'workspace/symbol',
  ],
  reason: 'A project is loaded when one of its files is opened, and no other project is searched.',
}

/** JSON files of any name may be imported. */
export const typescriptProjectFiles = ['*.json']

/** Measured: both rename a function to `1abc`, to `class` and to nothing at all. A member may well be called `delete`. */
export const typescriptNewNames: NewNames = {
  reserved: [],
  doubtful: [
    ...[
      'await',
      'break',
      'case',
      'catch',
      'class',
      'const',
      'continue',
      'debugger',
      'default',
      'delete',
      'do',
    ],
    ...[
      'else',
      'enum',
      'export',
      'extends',
      'false',
      'finally',
      'for',
      'function',
      'if',
      'implements',
      'import',
    ],
    ...['in', 'instanceof', 'interface', 'let', 'new', 'null', 'package', 'private', 'protected', 'public'],
    ...[
      'return',
      'static',
      'super',
      'switch',
      'this',
      'throw',
      'true',
      'try',
      'typeof',
      'var',
      'void',
      'while',
    ],
    ...['with', 'yield'],
  ],
  reason: 'The servers for TypeScript put in whatever they are given.',
}
