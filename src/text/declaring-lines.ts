// Whether a text seems to declare a name at its top level. Only a reason to ask a server: a string over several lines can
// look the same.

const modifiers =
  'export|default|declare|abstract|async|const|public|private|protected|internal|static|final|sealed|partial|open|data|inline|unsafe|extern(?:\\s+"[^"\\n]*")?|pub(?:\\([^)\\n]*\\))?|typedef'
const keywords =
  'class|interface|type|enum|function\\*?|def|fn|func|struct|union|trait|mod|module|namespace|object|record|protocol|var|let|const|static|macro_rules!|#[ \\t]*define'

/** Of most languages, in which a declaration begins with a word for its kind; what begins with a type is not seen. */
export function seemsToDeclare(text: string, name: string): boolean {
  const line = new RegExp(
    `^(?:(?:${modifiers})[ \\t]+)*(?:${keywords})[ \\t]+(?:\\([^)\\n]*\\)[ \\t]*)?${escapedForPattern(name)}(?![\\p{L}\\p{N}_$])`,
    'mu',
  )
  return line.test(text)
}

export function escapedForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
