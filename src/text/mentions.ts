// Whether a file that a server did not name looks as if it used a symbol all the same: it imports the name, or takes it
// from the module that declares it. A namesake, a comment or a string does not count, so that suspicion stays rare.
import { escapedForPattern } from './declaring-lines.js'
import { occurrences, SourceText } from './lines.js'
import type { PublicPosition } from './position.js'

export interface MentionQuery {
  readonly language: string
  readonly text: string
  /** Path of the file with this text, and of the file that declares the symbol; with `/`, from one root. */
  readonly file: string
  readonly declaredIn: string
  readonly word: string
  /** Suspicious in any case, whatever it takes from where. */
  readonly isKnownGap?: boolean
}

const mostPlaces = 6

/** The places worth asking a server about; none when nothing is suspicious. */
export function suspiciousMentions(query: MentionQuery): PublicPosition[] {
  const family = families[query.language]
  if (family === undefined) return []
  const code = query.text.replace(family.comments, ' ')
  if (!query.isKnownGap && !family.takesFrom({ ...query, text: code, stem: stemOf(query.declaredIn) }))
    return []
  const lines = new SourceText(withBlankComments(query.text, family.comments))
  const places: PublicPosition[] = []
  for (let line = 1; line <= lines.lineCount && places.length < mostPlaces; line += 1) {
    const columns = occurrences(lines.line(line) ?? '', query.word)
    places.push(...columns.map(column => ({ line, column })))
  }
  return places.slice(0, mostPlaces)
}

interface TakenFrom extends MentionQuery {
  /** The name under which the declaring module is imported: its file, or its folder for an index file. */
  readonly stem: string
}

interface Family {
  readonly comments: RegExp
  takesFrom(query: TakenFrom): boolean
}

const slashComments = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const hashComments = /#[^\n]*/g

const ecmascript: Family = {
  comments: slashComments,
  takesFrom: ({ text, word, stem }) => {
    const imports = text.match(
      /\b(?:import|export)\b[^;'"`]*?\bfrom\s*['"][^'"]*['"]|\brequire\(['"][^'"]*['"]\)/g,
    )
    return (imports ?? []).some(
      statement =>
        isWordIn(statement.replace(/['"][^'"]*['"]/, ''), word) ||
        (new RegExp(`[/'"]${escapedForPattern(stem)}(?:\\.[cm]?[jt]sx?)?['"]`).test(statement) &&
          isMemberIn(text, word)),
    )
  },
}

const c: Family = {
  comments: slashComments,
  takesFrom: ({ text, stem }) =>
    new RegExp(`#\\s*include\\s*["<](?:[^">]*/)?${escapedForPattern(stem)}\\.\\w+[">]`).test(text),
}

const families: Readonly<Record<string, Family>> = {
  typescript: ecmascript,
  python: {
    comments: hashComments,
    takesFrom: ({ text, word, stem }) => {
      const imports =
        text.match(/^[ \t]*(?:from\s+\S+\s+import\s+(?:\([^)]*\)|[^\n]*)|import\s+[^\n]*)/gm) ?? []
      return imports.some(
        statement =>
          isWordIn(statement.replace(/^\s*from\s+\S+/, ''), word) ||
          (isWordIn(statement, stem) && isMemberIn(text, word)),
      )
    },
  },
  go: {
    comments: slashComments,
    takesFrom: ({ file, declaredIn, text, word }) => {
      if (folderOf(file) === folderOf(declaredIn)) return true
      const folder = folderOf(declaredIn).split('/').at(-1) ?? ''
      return (
        folder !== '' &&
        new RegExp(`"[^"\\n]*/${escapedForPattern(folder)}"`).test(text) &&
        new RegExp(`\\b${escapedForPattern(folder)}\\.${escapedForPattern(word)}\\b`).test(text)
      )
    },
  },
  rust: {
    comments: slashComments,
    takesFrom: ({ text, word, stem }) => {
      const uses = text.match(/\buse\s[^;]*;/g) ?? []
      const path = new RegExp(`\\b${escapedForPattern(stem)}::(?:\\w+::)*${escapedForPattern(word)}\\b`)
      return uses.some(statement => isWordIn(statement, word)) || path.test(text)
    },
  },
  c,
  cpp: c,
}

/** Blanked, not cut, so that every place keeps its line and column. */
function withBlankComments(text: string, comments: RegExp): string {
  return text.replace(comments, comment => comment.replace(/[^\n]/g, ' '))
}

function isWordIn(text: string, word: string): boolean {
  return text.split('\n').some(line => occurrences(line, word).length > 0)
}

function isMemberIn(text: string, word: string): boolean {
  return new RegExp(`\\.${escapedForPattern(word)}(?![\\w$])`).test(text)
}

/** The name under which a module is imported: that of its file, or of its folder for a file that stands for it. */
export function stemOf(path: string): string {
  const parts = path.split('/')
  const stem = (parts.at(-1) ?? '').replace(/(?:\.d)?\.[^.]+$/, '')
  const standsForFolder = stem === 'index' || stem === '__init__' || stem === 'mod' || stem === 'lib'
  return standsForFolder ? (parts.at(-2) ?? stem) : stem
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/')
}
