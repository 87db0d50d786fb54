// Names of symbols as people and models write them: `area`, `Shape.area`, `Shape::area`, `Shape/area`, `area#2`. The path
// printed in an answer works verbatim as the next call's `symbol`, also when a name holds a separator or a space.
import type { ServerRange } from '../lsp/parse.js'
import type { ServerSymbol } from '../lsp/results.js'

export interface SymbolQuery {
  readonly segments: readonly string[]
  /** From `#n`: the n-th occurrence on a line, or the n-th overload of a name path. */
  readonly ordinal: number | undefined
}

export interface DeclaredSymbol {
  readonly name: string
  readonly path: string
  readonly segments: readonly string[]
  readonly kind: number
  readonly detail: string | undefined
  readonly range: ServerRange
  readonly selection: ServerRange
}

export function parseSymbolQuery(written: string): SymbolQuery {
  const numbered = /^(.+)#(\d+)$/s.exec(written)
  const path = numbered?.[1]
  if (path === undefined || endsInEscape(path)) return { segments: splitPath(written), ordinal: undefined }
  return { segments: splitPath(path), ordinal: Number(numbered?.[2]) }
}

/** All symbols of a file with their paths through the containers, in document order. */
export function declaredSymbols(symbols: readonly ServerSymbol[]): DeclaredSymbol[] {
  const found: DeclaredSymbol[] = []
  const visit = (symbol: ServerSymbol, above: readonly string[]) => {
    const segments = declaredSegments(symbol, above)
    const { name, kind, detail, range, selection } = symbol
    found.push({ name, path: joinPath(segments), segments, kind, detail, range, selection })
    for (const child of symbol.children) visit(child, segments)
  }
  for (const symbol of symbols) visit(symbol, [])
  return found
}

/** The path of a symbol below the given containers; a flat list of symbols names the container in each. */
export function declaredSegments(symbol: ServerSymbol, above: readonly string[]): string[] {
  const isFlat = above.length === 0 && symbol.container !== undefined
  return [...(isFlat ? ownSegments(symbol.container) : above), ...ownSegments(symbol.name)]
}

/** The path of a symbol as a workspace index tells it; the import path of a package is no part of a name. */
export function indexedSegments({ name, container }: Pick<ServerSymbol, 'name' | 'container'>): string[] {
  const own = ownSegments(name)
  if (container === undefined) return own
  if (!container.includes('/')) return [...ownSegments(container), ...own]
  // gopls names the package too when the question fits it: `greeter.Person` in `example.com/greeter`.
  const [first, ...rest] = own
  return rest.length > 0 && container.endsWith(`/${first}`) ? rest : own
}

/** The path that equals the query wins over one that fits it by an alias, and both over those that merely end in it. */
export function matching<S extends { readonly segments: readonly string[] }>(
  symbols: readonly S[],
  segments: readonly string[],
): S[] {
  const ending = symbols.filter(symbol => endsWith(symbol.segments, segments))
  const whole = ending.filter(symbol => symbol.segments.length === segments.length)
  const equal = whole.filter(symbol => symbol.segments.every((segment, index) => segment === segments[index]))
  return [equal, whole, ending].find(found => found.length > 0) ?? []
}

export function joinPath(segments: readonly string[]): string {
  return segments.map(segment => segment.replace(/[\\./]|::|#(?=\d+$)/g, mark => `\\${mark}`)).join('.')
}

function splitPath(path: string): string[] {
  const segments: string[] = []
  let current = ''
  for (let index = 0; index < path.length; index += 1) {
    const character = path.charAt(index)
    const escaped = path.charAt(index + 1)
    if (character === '\\' && escaped !== '') {
      current += path.startsWith('::', index + 1) ? '::' : escaped
      index += path.startsWith('::', index + 1) ? 2 : 1
    } else if (character === '.' || character === '/' || path.startsWith('::', index)) {
      segments.push(current)
      current = ''
      if (character === ':') index += 1
    } else current += character
  }
  segments.push(current)
  const named = segments.filter(segment => segment !== '')
  return named.length === 0 ? [path] : named
}

/** Whether the last backslash belongs to what follows; two of them are one that belongs to the name. */
function endsInEscape(path: string): boolean {
  const [backslashes = ''] = /\\*$/.exec(path) ?? []
  return backslashes.length % 2 === 1
}

const plainPath = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:(?:\.|::)[\p{ID_Start}$_~][\p{ID_Continue}$]*)+$/u

/**
 * gopls writes a method as `(*Route).Match` in a file and as `Route.Match` in the workspace, clangd the definition of a
 * member outside its class as `Route::match`; all are `Route.Match` to everybody else.
 */
function ownSegments(name: string): string[] {
  const method = /^\(\*?([^()]+)\)\.(.+)$/.exec(name)
  if (method?.[1] !== undefined && method[2] !== undefined) return [method[1], method[2]]
  return plainPath.test(name) ? name.split(/\.|::/) : [name]
}

function endsWith(segments: readonly string[], wanted: readonly string[]): boolean {
  const offset = segments.length - wanted.length
  return offset >= 0 && wanted.every((segment, index) => sameSegment(segments[offset + index], segment))
}

function sameSegment(declared: string | undefined, wanted: string): boolean {
  return declared === wanted || (declared !== undefined && aliases(declared).includes(wanted))
}

/** rust-analyzer's containers read `impl Shape` or `impl Area for Shape`; generics and parameters are no part of a name. */
function aliases(declared: string): string[] {
  const bare = /^([^<(]+)[<(]/.exec(declared)?.[1]
  return [implementedType(declared), bare].filter(alias => alias !== undefined)
}

function implementedType(declared: string): string | undefined {
  if (!/^impl\b/.test(declared)) return undefined
  let plain = declared
  for (let before = ''; plain !== before; ) {
    before = plain
    plain = plain.replace(/<[^<>]*>/g, '')
  }
  const path = /^impl\s+(?:.+\s+for\s+)?(?:&\s*(?:mut\s+)?)?([\p{ID_Continue}:]+)/u.exec(plain)?.[1]
  return path?.split('::').at(-1)
}
