// What both servers for TypeScript and JavaScript have in common: the files they are about.

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
