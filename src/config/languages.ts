// The extensions of well-known languages, for registrations that do not list their own. The bridge can hand in
// a fuller table from the server definitions.

const extensions: Readonly<Record<string, readonly string[]>> = {
  c: ['.c', '.h'],
  cpp: ['.cpp', '.cc', '.cxx', '.hpp', '.hh', '.hxx', '.h'],
  csharp: ['.cs'],
  go: ['.go'],
  java: ['.java'],
  javascript: ['.js', '.jsx', '.mjs', '.cjs'],
  javascriptreact: ['.jsx'],
  php: ['.php'],
  python: ['.py', '.pyi'],
  ruby: ['.rb'],
  rust: ['.rs'],
  typescript: ['.ts', '.tsx', '.mts', '.cts'],
  typescriptreact: ['.tsx'],
}

export function knownExtensions(language: string): readonly string[] | undefined {
  return Object.hasOwn(extensions, language) ? extensions[language] : undefined
}
