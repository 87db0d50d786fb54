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

/** JSON files of any name may be imported. */
export const typescriptProjectFiles = ['*.json']
