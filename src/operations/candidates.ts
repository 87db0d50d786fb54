// What to choose from when a name fits several places. Each candidate works verbatim as the next call's target, be it
// given as file, line and symbol or with its column too.
import { BridgeError, type Candidate } from '../errors.js'
import { cleanLine } from '../text/clean.js'
import { identifierAt, occurrences } from '../text/lines.js'
import type { PublicPosition } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import { joinPath } from './symbol-path.js'

/** A symbol declared in the file, with its public position. */
export interface Declared {
  readonly path: string
  readonly segments: readonly string[]
  readonly line: number
  readonly column: number
}

/** The one place a target turned out to mean. */
export interface FoundSymbol {
  readonly line: number
  readonly column: number
  readonly symbol: string
  /** Said when it was found elsewhere than it was pointed at. */
  readonly note?: string
}

const mostCandidates = 10
const longestText = 200

export function ambiguous(where: string, name: string, candidates: readonly Candidate[]): BridgeError {
  const count = candidates.length > mostCandidates ? `more than ${mostCandidates}` : candidates.length
  return new BridgeError({
    kind: 'SymbolAmbiguous',
    message: `${name} is ambiguous in ${where}: ${count} places fit`,
    hint: 'Use one of the candidates verbatim (file, line and symbol).',
    candidates: candidates.slice(0, mostCandidates),
  })
}

/** Every occurrence of the name on the line. */
export function candidatesOn(source: SourceFile, line: number, name: string): Candidate[] {
  const columns = occurrences(source.text.line(line) ?? '', name)
  return columns.map((column, index) => {
    const symbol = joinPath([name])
    return candidate(source, { line, column }, columns.length === 1 ? symbol : `${symbol}#${index + 1}`)
  })
}

/** Every occurrence of the name in the file; stops when there are more than can be shown. */
export function candidatesEverywhere(source: SourceFile, name: string): Candidate[] {
  const found: Candidate[] = []
  for (let line = 1; line <= source.text.lineCount && found.length <= mostCandidates; line += 1) {
    found.push(...candidatesOn(source, line, name))
  }
  return found
}

/** Declarations that one name fits; `all` are the declarations among which `#n` counts. */
export function declaredCandidates(
  source: SourceFile,
  matches: readonly Declared[],
  all: readonly Declared[],
): Candidate[] {
  return matches.map(match => {
    const { line, column, path, segments } = match
    const written = candidatesOn(source, line, nameOf(source, match)).find(found => found.column === column)
    // A plain name with its line is enough; a path tells more, where the line holds its last name.
    if (written !== undefined && (segments.length === 1 || nameOf(source, match) !== segments.at(-1)))
      return written
    const same = all.filter(other => other.path === path)
    return candidate(source, match, same.length > 1 ? `${path}#${same.indexOf(match) + 1}` : path)
  })
}

/** The word that stands where the symbol is declared; its own name where the line shows none, as of a lambda. */
export function nameOf(source: SourceFile, { line, column, path, segments }: Declared): string {
  const written = identifierAt(source.text.line(line) ?? '', column)
  return written?.column === column ? written.name : (segments.at(-1) ?? path)
}

/**
 * Some servers point at the whole declaration, or behind its name; the name itself is what a question must point at, and
 * what a candidate must name to be found again.
 */
export function nameFrom(source: SourceFile, name: string, { line, column }: PublicPosition): PublicPosition {
  const columns = occurrences(source.text.line(line) ?? '', name)
  return { line, column: columns.find(found => found >= column) ?? columns.at(-1) ?? column }
}

function candidate(source: SourceFile, { line, column }: PublicPosition, symbol: string): Candidate {
  const { text } = cleanLine(source.text.line(line) ?? '', longestText)
  return { file: source.relative, line, column, symbol, text }
}
