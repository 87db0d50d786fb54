// Names of symbols as people and models write them: `area`, `Shape.area`, `Shape::area`, `Shape/area`, `area#2`. The path
// printed in an answer works verbatim as the next call's `symbol`, also when a name holds a separator or a space.
import type { ServerRange, ServerSymbol } from '../lsp/results.js'

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
  const path = numbered?.[1] ?? written
  const ordinal = numbered?.[2] === undefined ? undefined : Number(numbered[2])
  return { segments: splitPath(path), ordinal }
}

/** All symbols of a file with their paths through the containers, in document order. */
export function declaredSymbols(symbols: readonly ServerSymbol[]): DeclaredSymbol[] {
  const found: DeclaredSymbol[] = []
  const visit = (symbol: ServerSymbol, above: readonly string[]) => {
    const container = above.length === 0 && symbol.container !== undefined ? [symbol.container] : above
    const segments = [...container, ...ownSegments(symbol.name)]
    const { name, kind, detail, range, selection } = symbol
    found.push({ name, path: joinPath(segments), segments, kind, detail, range, selection })
    for (const child of symbol.children) visit(child, segments)
  }
  for (const symbol of symbols) visit(symbol, [])
  return found
}

/** A path that equals the query as a whole wins over one that merely ends in it. */
export function matching<S extends { readonly segments: readonly string[] }>(
  symbols: readonly S[],
  segments: readonly string[],
): S[] {
  const ending = symbols.filter(symbol => endsWith(symbol.segments, segments))
  const whole = ending.filter(symbol => symbol.segments.length === segments.length)
  return whole.length > 0 ? whole : ending
}

export function joinPath(segments: readonly string[]): string {
  return segments.map(segment => segment.replace(/[\\./#]|::/g, separator => `\\${separator}`)).join('.')
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

/** gopls writes a method as `(*Route).Match`, which is `Route.Match` to everybody else. */
function ownSegments(name: string): string[] {
  const method = /^\(\*?([^()]+)\)\.(.+)$/.exec(name)
  return method?.[1] === undefined || method[2] === undefined ? [name] : [method[1], method[2]]
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
  const implemented = /^impl(?:<[^>]*>)?\s+(?:.+\s+for\s+)?([\w:]+)/.exec(declared)?.[1]
  const bare = /^([^<(]+)[<(]/.exec(declared)?.[1]
  return [implemented, bare].filter(alias => alias !== undefined)
}
