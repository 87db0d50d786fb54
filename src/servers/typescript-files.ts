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

export const typescriptProjectFiles = ['tsconfig*.json', 'jsconfig*.json', 'package.json']
