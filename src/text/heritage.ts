// What a class or interface says in its own head that it inherits from, read from the text: for servers that know types
// but not their hierarchy. Only the head is read, and only from a place a server has vouched for; a base that is not
// plainly a name is not guessed at.

export interface Head {
  readonly keyword: 'class' | 'interface'
  /** Undefined for a class that has none. */
  readonly name: string | undefined
  /** Of the name; of the keyword where there is none. */
  readonly offset: number
  readonly bases: readonly Base[]
  /** Whether something is inherited from an expression, of which only the compiler knows what it is. */
  readonly hasExpression: boolean
}

export interface Base {
  readonly name: string
  /** Of the last identifier: of `Base` in `shapes.Base`. */
  readonly offset: number
}

export type HeritageLanguage = 'typescript' | 'python'

/** The declaration whose name stands at the offset. */
export function headNamed(text: string, offset: number, language: HeritageLanguage): Head | undefined {
  const [, before] =
    language === 'typescript' ? (assigned.exec(text.slice(offset, offset + reach)) ?? []) : []
  if (before !== undefined) return parseHead(text, offset + before.length, language)
  return headBefore(text, offset, language, head => head.offset === offset)
}

/** The declaration that names the identifier at the offset as one of its bases. */
export function headWithBase(text: string, offset: number, language: HeritageLanguage): Head | undefined {
  return headBefore(text, offset, language, ({ bases }) => bases.some(base => base.offset === offset))
}

// How far away the keyword may be, and how many of them (in comments, say) are tried.
const reach = 10_000
const mostKeywords = 10
const keywords = { typescript: /\b(?:class|interface)\b/g, python: /\bclass\b/g }
/** `Shape = class` */
const assigned = /^([\p{ID_Start}$_][\p{ID_Continue}$]*\s*=\s*)class\b/u

function headBefore(
  text: string,
  offset: number,
  language: HeritageLanguage,
  fits: (head: Head) => boolean,
): Head | undefined {
  const start = Math.max(offset - reach, 0)
  const found = [...text.slice(start, offset).matchAll(keywords[language])].slice(-mostKeywords).reverse()
  const fitting = found.flatMap(({ index }) => {
    const head = parseHead(text, start + index, language)
    return head !== undefined && fits(head)
      ? [{ head, isRemark: isInRemark(text, start + index, language) }]
      : []
  })
  // A remark inside a head may hold another head; a keyword after `//` in a string is still one.
  return (fitting.find(({ isRemark }) => !isRemark) ?? fitting[0])?.head
}

/** As far as the line and the last comment before it show. */
function isInRemark(text: string, offset: number, language: HeritageLanguage): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset) + 1, offset)
  if (language === 'python') return line.includes('#')
  return line.includes('//') || text.lastIndexOf('/*', offset) > text.lastIndexOf('*/', offset)
}

function parseHead(text: string, offset: number, language: HeritageLanguage): Head | undefined {
  const tokens = new Tokens(text, offset, language)
  const keyword = tokens.take()?.text
  if (keyword !== 'class' && keyword !== 'interface') return undefined
  const named = nameAfter(tokens) ?? nameBefore(text, offset)
  const head = { keyword, name: named?.name, offset: named?.offset ?? offset } as const
  const { bases, hasExpression } = language === 'python' ? pythonBases(tokens) : typescriptBases(tokens)
  return { ...head, bases, hasExpression }
}

function nameAfter(tokens: Tokens): Base | undefined {
  const token = tokens.peek()
  if (token?.isWord !== true || clauses.has(token.text)) return undefined
  tokens.take()
  return { name: token.text, offset: token.offset }
}

/** A class without a name of its own goes by the variable it is assigned to. */
function nameBefore(text: string, offset: number): Base | undefined {
  const before = text.slice(Math.max(offset - 200, 0), offset)
  const [whole, name] = /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=\s*$/u.exec(before) ?? []
  return whole === undefined || name === undefined ? undefined : { name, offset: offset - whole.length }
}

const clauses: ReadonlySet<string> = new Set(['extends', 'implements'])

/** What may begin an expression and looks like a name. */
const noNames: ReadonlySet<string> = new Set(['class', 'function', 'new', 'null', 'lambda', 'not', 'await'])

interface Bases {
  readonly bases: readonly Base[]
  readonly hasExpression: boolean
}

/** `class X<T> extends A<T> implements B, ns.C {` */
function typescriptBases(tokens: Tokens): Bases {
  const bases: Base[] = []
  let hasExpression = false
  tokens.skipGroup('<')
  for (let token = tokens.peek(); token !== undefined && clauses.has(token.text); token = tokens.peek()) {
    do {
      tokens.take()
      const base = dottedName(tokens)
      tokens.skipGroup('<')
      if (base !== undefined && endsBase(tokens.peek())) bases.push(base)
      // A class within the head has a head of its own.
      else if (tokens.peek()?.text === 'class') return { bases, hasExpression: true }
      else {
        hasExpression = true
        tokens.skipUntil(endsBase)
      }
    } while (tokens.peek()?.text === ',')
  }
  return { bases, hasExpression }
}

function endsBase(token: Token | undefined): boolean {
  return token === undefined || token.text === ',' || token.text === '{' || clauses.has(token.text)
}

/** `class X[T](A[T], pkg.B, metaclass=M):` */
function pythonBases(tokens: Tokens): Bases {
  const bases: Base[] = []
  let hasExpression = false
  tokens.skipGroup('[')
  if (tokens.peek()?.text !== '(') return { bases, hasExpression }
  do {
    tokens.take()
    if (tokens.peek()?.text === ')') break
    const base = dottedName(tokens)
    tokens.skipGroup('[')
    const next = tokens.peek()
    if (base !== undefined && endsArgument(next)) bases.push(base)
    // A keyword argument is no base, but `a == b` is an expression.
    else if (base === undefined || next?.text !== '=' || tokens.isDoubled()) hasExpression = true
    tokens.skipUntil(endsArgument)
  } while (tokens.peek()?.text === ',')
  return { bases, hasExpression }
}

function endsArgument(token: Token | undefined): boolean {
  return token === undefined || token.text === ',' || token.text === ')'
}

/** With the place of its last part. */
function dottedName(tokens: Tokens): Base | undefined {
  let name = ''
  for (;;) {
    const token = tokens.peek()
    if (token?.isWord !== true || noNames.has(token.text)) return undefined
    tokens.take()
    name += token.text
    if (tokens.peek()?.text !== '.') return { name, offset: token.offset }
    tokens.take()
    name += '.'
  }
}

interface Token {
  /** A word, a whole string, or one other character. */
  readonly text: string
  readonly offset: number
  readonly isWord: boolean
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }
const blanks = {
  typescript: /(?:\s|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)*/y,
  python: /(?:\s|\\\r?\n|#[^\n\r]*)*/y,
}
const strings = {
  typescript: /'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|`(?:\\[\s\S]|[^`\\])*`/y,
  python:
    /'''(?:\\[\s\S]|[^\\])*?'''|"""(?:\\[\s\S]|[^\\])*?"""|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y,
}
const word = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy

/** The text of a head in pieces, without blanks and comments; ends where a head could not be any longer. */
class Tokens {
  readonly #text: string
  readonly #language: HeritageLanguage
  #at: number
  #next: Token | undefined

  constructor(text: string, offset: number, language: HeritageLanguage) {
    this.#text = text.slice(0, offset + reach)
    this.#language = language
    this.#at = offset
    this.#next = this.#read()
  }

  peek(): Token | undefined {
    return this.#next
  }

  take(): Token | undefined {
    const token = this.#next
    this.#next = this.#read()
    return token
  }

  /** Whether the character that comes next stands there twice. */
  isDoubled(): boolean {
    return this.#next !== undefined && this.#text.charAt(this.#next.offset + 1) === this.#next.text
  }

  /** Over everything up to the bracket that closes this one, if it comes next. */
  skipGroup(open: string): void {
    if (this.#next?.text !== open) return
    const expected: string[] = []
    do {
      const token = this.take()
      if (token === undefined) return
      const close = closing[token.text]
      // `<` opens only type arguments, which hold no comparison; the end of an arrow closes nothing.
      if (close !== undefined && (token.text !== '<' || open === '<')) expected.push(close)
      else if (token.text === expected.at(-1) && !this.#isArrow(token)) expected.pop()
    } while (expected.length > 0)
  }

  skipUntil(ends: (token: Token | undefined) => boolean): void {
    while (!ends(this.#next)) {
      if (this.#next !== undefined && closing[this.#next.text] !== undefined && this.#next.text !== '<')
        this.skipGroup(this.#next.text)
      else this.take()
    }
  }

  #isArrow({ text, offset }: Token): boolean {
    return text === '>' && this.#text.charAt(offset - 1) === '='
  }

  #read(): Token | undefined {
    this.#at += this.#match(blanks[this.#language])?.length ?? 0
    const offset = this.#at
    const found = this.#match(word)
    const text = found ?? this.#match(strings[this.#language]) ?? this.#text.charAt(offset)
    this.#at += text.length
    return text === '' ? undefined : { text, offset, isWord: found !== undefined }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0]
  }
}
