// Which names are worth a question: those an excerpt uses, by how they are written there, and those a task mentions. What
// a name means only the server can say; this decides in which order it is asked, and where to stop.
import { looksLikeCall } from '../text/call-shape.js'
import { isComment } from '../text/line-kinds.js'
import { identifiersOn } from '../text/lines.js'
import { type Lines, toIndex } from '../text/position.js'
import { isWithin, type Span } from './excerpt.js'

export interface NameUse {
  readonly name: string
  /** Where to ask about it: its first use, a call if there is one. */
  readonly line: number
  readonly column: number
  readonly uses: number
  readonly isCall: boolean
  /** What stands at the beginning of `root.some.name`, where it is used as a member; empty for that of a call's result. */
  readonly root: string | undefined
}

export interface Excerpted {
  readonly text: Lines
  readonly spans: readonly Span[]
  /** Lines that bring in names. */
  readonly imports: ReadonlySet<number>
  /** Names that need no question. */
  readonly declared: ReadonlySet<string>
  /** In such a language a name that is neither brought in nor declared here comes with the language. */
  readonly mustImport: boolean
}

interface Seen {
  line: number
  column: number
  uses: number
  calls: number
  imported: boolean
  root: string | undefined
}

// Nobody reads the lines of a minified file, and looking at each of their names would take for ever.
const longestLine = 1000
const longestWord = 200

/** Most promising first: names that are brought in, called, or written like a type. A lower-case word is mostly local. */
export function namesUsed({ text, spans, imports, declared, mustImport }: Excerpted): NameUse[] {
  const names = new Map<string, Seen>()
  for (let line = 1; line <= text.lineCount; line += 1) {
    const isImport = imports.has(line)
    if (!isImport && !isWithin(line, spans)) continue
    const written = text.line(line) ?? ''
    if (written.length > longestLine || isComment(written)) continue
    const code = withoutTexts(written, isImport)
    for (const { name, column } of identifiersOn(code)) {
      if (name.length < 2 || declared.has(name)) continue
      const seen = names.get(name) ?? { line, column, uses: 0, calls: 0, imported: false, root: undefined }
      names.set(name, seen)
      if (isImport) {
        seen.imported = true
        continue
      }
      const start = toIndex(column)
      const isCall = looksLikeCall(code, start, start + name.length)
      if (seen.uses === 0 || (isCall && seen.calls === 0))
        Object.assign(seen, {
          line,
          column,
          root: rootBefore(code.slice(Math.max(start - longestWord, 0), start)),
        })
      seen.uses += 1
      if (isCall) seen.calls += 1
    }
  }
  return [...names]
    .map(([name, seen]) => ({ name, seen, weight: weightOf(name, seen, mustImport) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.seen.line - b.seen.line || a.seen.column - b.seen.column)
    .map(({ name, seen: { line, column, uses, calls, root } }) => {
      return { name, line, column, uses, isCall: calls > 0, root }
    })
}

function weightOf(name: string, { uses, calls, imported, root }: Seen, mustImport: boolean): number {
  // What an excerpt brings in for lines outside of it does not concern it.
  if (uses === 0) return 0
  if (imported && root === undefined) return 4 + Math.log2(uses)
  if (mustImport && root === undefined) return 0
  return calls > 0 || /^_*\p{Lu}/u.test(name) ? 3 + Math.log2(uses) : 0
}

function rootBefore(code: string): string | undefined {
  if (!/(?:\?\.|\.|::|->)\s*$/.test(code)) return undefined
  return (
    /([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:(?:\?\.|\.|::|->)[\p{ID_Continue}$]+)*(?:\?\.|\.|::|->)\s*$/u.exec(
      code,
    )?.[1] ?? ''
  )
}

/** Blanked, so that columns stay. Only where a quote can be nothing else: a Rust lifetime begins with one, too. */
function withoutTexts(line: string, isImport: boolean): string {
  const quotes = isImport ? /"[^"]*"|'[^']*'/g : /"(?:[^"\\]|\\.)*"/g
  return line.replace(quotes, quoted => ' '.repeat(quoted.length))
}

/** Whether a library's file comes with its language: what is in there every reader knows. */
export function isFamiliar(file: string): boolean {
  if (/\/lib\.[\w.]+\.d\.ts$|(?:^|[/:])@types\/node\/|\.pyi$/.test(file)) return true
  if (file.endsWith('.go')) return !file.includes('@v')
  return (
    /^external:(?:core|alloc|std)\//.test(file) || /^external:[\w/]+\.(?:h|hpp)$|^external:c\+\+\//.test(file)
  )
}

/** Names of symbols in a text for people: what is set as code, and what nobody writes in prose. */
export function namesIn(task: string, most: number): string[] {
  const found: string[] = []
  for (const [, code = ''] of task.matchAll(/`([^`\n]{2,120})`/g)) {
    const name = code.trim().replace(/\(.*\)$/s, '')
    if (symbolPath.test(name)) found.push(name)
  }
  for (const word of wordsOf(task.replace(/`[^`\n]*`/g, ' '))) {
    if (/[/\\]/.test(word)) continue
    const [, name = '', call] = nameInProse.exec(word) ?? []
    if (call !== undefined || isWrittenLikeCode(name)) found.push(name)
  }
  return [...new Set(found.filter(name => name !== ''))].slice(0, most)
}

/** Paths of files in the same kind of text. */
export function filesIn(task: string, most: number): string[] {
  const paths = wordsOf(task).map(word => word.replace(/^[`'"([{<]+/, '').replace(/[`'")\]}>.,;:!?]+$/, ''))
  return [...new Set(paths.filter(path => /^[\w@./\\-]*\.[A-Za-z]\w{0,9}$/.test(path)))].slice(0, most)
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(word => word !== '' && word.length <= longestWord)
}

const nameInProse =
  /^[('"[{<]*([\p{ID_Start}_$][\p{ID_Continue}$]*(?:(?:\.|::)[\p{ID_Start}_$][\p{ID_Continue}$]*)*)(\(\))?/u

const symbolPath = /^[\p{ID_Start}_$][\p{ID_Continue}$]*(?:(?:\.|::)[\p{ID_Start}_$#][\p{ID_Continue}$]*)*$/u

function isWrittenLikeCode(name: string): boolean {
  if (name.includes('::') || /\p{Ll}\p{Lu}/u.test(name) || /[^_]_[^_]/.test(name)) return true
  // `Shape.area`, but not the end of one sentence and the start of another.
  return /^[\p{Lu}_]\S*\p{Ll}\S*\.\p{Ll}/u.test(name)
}
