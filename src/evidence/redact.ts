// What must never be kept although it stands in a text that is: secrets, literals quoted from the source, and paths of
// this machine. It takes out too much rather than too little; a record has the hash of what it leaves out elsewhere.
import { cleanLine } from '../text/clean.js'
import { contentHash } from '../text/hash.js'

export type Redact = (text: string, maxLength: number) => string

/** `root` and `home` are absolute; a path below the root becomes relative, any other loses its folders. */
export function createRedact({
  root,
  home,
}: {
  readonly root: string
  readonly home?: string | undefined
}): Redact {
  const roots = [root, ...(root.includes('\\') ? [root.replaceAll('\\', '/')] : [])]
  return (text, maxLength) => {
    // Nearly every text is a short name.
    if (text.length <= maxLength && harmless.test(text) && !mayBeSecret(text)) return text
    // Cut only afterwards: half a secret would not be recognised, and is still half a secret.
    const clean = cleanLine(text, 4 * maxLength + 1024).text
    const safe = withoutSecrets(withoutPaths(withoutLiterals(clean), roots, home))
    if (safe.length <= maxLength && text.length <= 4 * maxLength + 1024) return safe
    return `${cleanLine(safe, Math.max(maxLength - 72, 1)).text} ${contentHash(text)}`
  }
}

const mark = '[redacted]'

/** Names, relative paths, methods, verdicts: nothing in it could be a quotation, an assignment or an absolute path. */
const harmless = /^[\w.$#-][\w.$#/-]*$/

/** Types and names that compilers quote are kept; what is quoted within a quotation is a literal of the source. */
function withoutLiterals(text: string): string {
  if (!/["'`]/.test(text)) return text
  return (
    text
      .replace(/'"(?:[^"\\]|\\.)*"'/g, `'"..."'`)
      .replace(/'[^']*'|`[^`]*`/g, quoted => quoted.replace(/"(?:[^"\\]|\\.)*"/g, '"..."'))
      .replace(/"[^"]*"/g, quoted => quoted.replace(/'(?:[^'\\]|\\.)*'/g, "'...'"))
      .replace(/\bLiteral\[[^\]]*\]/g, 'Literal[...]')
      // Go quotes literals once, and says that they are.
      .replace(/"(?:[^"\\]|\\.)*"(?= \((?:untyped )?(?:string )?constant)/g, '"..."')
      .replace(/\bconstant "(?:[^"\\]|\\.)*"/g, 'constant "..."')
  )
}

function withoutPaths(text: string, roots: readonly string[], home: string | undefined): string {
  let result = text.replace(/\bfile:\/\/(?=\/)/g, '')
  for (const root of roots) {
    if (root.length > 1)
      result = result.replaceAll(`${root}/`, '').replaceAll(`${root}\\`, '').replaceAll(root, '.')
  }
  if (home !== undefined && home.length > 1) result = result.replaceAll(home, '/~')
  return result.replace(absolutePath, (_, before: string, path: string) => {
    const name = path.split(/[\\/]/).findLast(part => part !== '') ?? ''
    return `${before}external:${name}`
  })
}

/** At least two folders deep, so that a division, a comment or a closing tag is none. */
const absolutePath = /(^|[\s'"`(=:,[<])((?:[A-Za-z]:[\\/]|\/(?=[^\s/]+\/))[^\s'"`)\],;<>|]*)/g

function withoutSecrets(text: string): string {
  let result = text
  for (const [pattern, replacement] of secretPatterns) result = result.replace(pattern, replacement)
  return result.replace(longToken, token => (looksRandom(token) ? mark : token))
}

const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mark],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@'"]{1,200}@/gi, `$1${mark}@`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${mark}`],
  [/\b(?:AKIA|ASIA|AGPA|AROA|AIDA)[0-9A-Z]{12,}/g, mark],
  [/\b(?:gh[pousr]|github_pat|glpat|npm|hf|sk|pk|rk|xox[a-z]|dop_v1|shpat|sq0[a-z]{3})[_-][\w-]{10,}/g, mark],
  [/\bpypi-[\w-]{16,}/g, mark],
  [/\bAIza[\w-]{20,}/g, mark],
  [/\bSG\.[\w-]{10,}\.[\w-]{10,}/g, mark],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, mark],
  // Named like a secret and given a value: in quotes whatever it is, bare only if it is no plain name of a type.
  [new RegExp(`(${secretName()}["'\`]?\\s*[:=]\\s*)(["'\`])[^"'\`]{3,}\\2`, 'gi'), `$1${mark}`],
  [new RegExp(`(${secretName()}\\s*[:=]\\s*)(?=[^\\s"'\`,;]*\\d)[^\\s"'\`,;]{6,}`, 'gi'), `$1${mark}`],
]

function secretName(): string {
  const names =
    'passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?'
  return `(?:${names}|authorization)[\\w-]*`
}

const longToken = /[A-Za-z0-9+_=-]{20,}/g

/** A long run of letters and digits without the habits of a name: keys and tokens of makers nobody has listed. */
function looksRandom(token: string): boolean {
  // The name of a content, ours or git's.
  if (/^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(token)) return false
  const digits = token.replace(/\D/g, '').length
  if (digits < 3 || digits === token.length) return false
  // A dated or numbered name changes between letters and digits rarely, a key all the time.
  const changes = token.match(/[A-Za-z]\d|\d[A-Za-z]/g)?.length ?? 0
  return changes * 6 >= token.length || (changes >= 3 && entropyOf(token) >= 4.2)
}

/** Asked of single words only; most have no digit and no long tail, and then the patterns need not be tried. */
function mayBeSecret(word: string): boolean {
  return word.length >= 10 && /\d|[_-][A-Za-z]{10}/.test(word) && withoutSecrets(word) !== word
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
