// Which lines of a file only bring in, or hand on, names that are declared elsewhere. Servers list such names among what
// a file declares, and a question about one is a question about the original: no change of the file is a change of that.
import { occurrences } from './lines.js'
import type { Lines } from './position.js'

/** The first lines of such statements in the languages that are known; what follows up to the closing bracket belongs. */
const begins =
  /^(?:import\b(?!\()|from\s+\S+\s+import\b|export\s+(?:type\s+)?[*{]|(?:pub(?:\([^)]*\))?\s+)?use\s|extern\s+crate\s|using\s+(?!\()|#\s*(?:include|import)\b|require(?:_relative)?\b|package\s)/
const longestStatement = 500

/** 1-based. */
export function importLines(text: Lines): ReadonlySet<number> {
  const found = new Set<number>()
  for (let line = 1; line <= text.lineCount; line += 1) {
    if (!begins.test(text.line(line)?.trim() ?? '')) continue
    const last = Math.min(line + longestStatement, text.lineCount)
    let open = 0
    for (; line <= last; line += 1) {
      const written = text.line(line) ?? ''
      found.add(line)
      open += count(written, /[({]/g) - count(written, /[)}]/g)
      if (open <= 0 && !written.endsWith('\\')) break
    }
  }
  return found
}

/** Whether one of these statements names the module, and the name is in it too or is taken from the module elsewhere. */
export function importsFrom(text: Lines, name: string, module: string): boolean {
  const lines = importLines(text)
  const statements: string[] = []
  for (let line = 1; line <= text.lineCount; line += 1) {
    const written = text.line(line) ?? ''
    if (!lines.has(line)) continue
    const isGoingOn = !begins.test(written.trim()) && statements.length > 0
    if (isGoingOn) statements.push(`${statements.pop()} ${written}`)
    else statements.push(written)
  }
  const naming = statements.filter(statement => occurrences(statement, module).length > 0)
  if (naming.some(statement => occurrences(statement, name).length > 0)) return true
  if (naming.length === 0) return false
  for (let line = 1; line <= text.lineCount; line += 1) {
    const written = text.line(line) ?? ''
    if ([`${module}.${name}`, `${module}::${name}`].some(used => occurrences(written, used).length > 0))
      return true
  }
  return false
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
