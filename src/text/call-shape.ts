// Whether a name is written like a call, in any of the languages with parentheses. Only good for raising a doubt: it takes
// no account of what the name means.

/** `start` and `end` of the name are offsets in the line. */
export function looksLikeCall(line: string, start: number, end: number): boolean {
  const after = line.slice(end)
  if (!/^\s*(?:<[^()]*>|!)?\s*(?:\?\.)?\(/.test(after)) return false
  if (methodHead.test(after)) return false
  const [, before] = /([\p{ID_Continue}$]+)\s+[*&]*$/u.exec(line.slice(0, start)) ?? []
  // A word in front is the type or the keyword of a declaration, unless it takes a value.
  return before === undefined || valueTaking.has(before)
}

/** `area(): number {`, `area() {`, `area():` in Python and `Area() int` in Go. */
const methodHead =
  /^[^()]*\([^()]*\)(?:\s*(?:(?::|->)[^={]*)?(?:\{|:\s*$)|\s+(?!(?:for|if|else|and|or|in|is|as|not|of|instanceof)\b)[\p{ID_Start}*([])/u

const valueTaking: ReadonlySet<string> = new Set([
  ...[
    'return',
    'new',
    'await',
    'throw',
    'yield',
    'case',
    'else',
    'do',
    'in',
    'of',
    'typeof',
    'void',
    'delete',
  ],
  ...[
    'not',
    'and',
    'or',
    'is',
    'if',
    'elif',
    'while',
    'assert',
    'raise',
    'from',
    'go',
    'defer',
    'match',
    'extends',
  ],
])
