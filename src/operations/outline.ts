// The text form of an outline, as small as it can be: the nesting stands for the path, a run of members of one kind shares
// a line, and a column is told only where line and name alone would be ambiguous. What it prints works as the next target.
import { occurrences } from '../text/lines.js'
import type { Place } from '../workspace/places.js'
import { parseSymbolQuery } from './symbol-path.js'

export interface OutlineSymbol extends Place {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly children?: OutlineSymbol[] | undefined
}

/** `class Shape:3`, and below it, indented, `method area:4 sides:9`. */
export function outlineLines(symbols: readonly OutlineSymbol[]): string[] {
  return linesBelow(symbols, { above: '', indent: '', twins: twinsIn(symbols) })
}

export function countSymbols(symbols: readonly OutlineSymbol[]): number {
  return symbols.reduce((sum, symbol) => sum + 1 + countSymbols(symbol.children ?? []), 0)
}

/** The first so many in document order, each with its containers. */
export function keepSymbols(symbols: readonly OutlineSymbol[], count: number): OutlineSymbol[] {
  return keepFirst(symbols, { left: count })
}

/** Without what lies deeper than the given number of levels. */
export function upToDepth(symbols: readonly OutlineSymbol[], depth: number): OutlineSymbol[] {
  return symbols.map(({ children, ...own }) =>
    children === undefined || depth <= 1 ? own : { ...own, children: upToDepth(children, depth - 1) },
  )
}

interface Surroundings {
  /** The path of the container, with the separator after it. */
  readonly above: string
  readonly indent: string
  /** Places that a line and a path do not tell apart. */
  readonly twins: ReadonlySet<string>
}

function linesBelow(symbols: readonly OutlineSymbol[], surroundings: Surroundings): string[] {
  const { above, indent, twins } = surroundings
  const lines: string[] = []
  let run: { readonly kind: string; text: string } | undefined
  for (const symbol of symbols) {
    const { kind, path, children = [] } = symbol
    const name = path.startsWith(above) ? path.slice(above.length) : path
    const shown = `${name}:${symbol.line}${needsColumn(symbol, twins) ? `:${symbol.column}` : ''}`
    // A name with a space in it would not be told apart from its neighbours.
    const isPlain = children.length === 0 && !/\s/.test(name)
    if (isPlain && run?.kind === kind) {
      run.text += ` ${shown}`
      lines[lines.length - 1] = run.text
      continue
    }
    const text = `${indent}${kind} ${shown}`
    lines.push(text)
    run = isPlain ? { kind, text } : undefined
    lines.push(...linesBelow(children, { above: `${path}.`, indent: `${indent} `, twins }))
  }
  return lines
}

/** A path of several names means the declaration; a single name could be any word of the line. */
function needsColumn(symbol: OutlineSymbol, twins: ReadonlySet<string>): boolean {
  if (twins.has(placeName(symbol))) return true
  const { segments } = parseSymbolQuery(symbol.path)
  const [name = symbol.name] = segments
  if (segments.length > 1) return false
  return isCut(symbol.text) || occurrences(symbol.text, name).length > 1
}

function isCut(text: string): boolean {
  return text.endsWith('\u2026')
}

function twinsIn(symbols: readonly OutlineSymbol[]): Set<string> {
  const seen = new Set<string>()
  const twins = new Set<string>()
  const visit = (symbol: OutlineSymbol) => {
    const name = placeName(symbol)
    if (seen.has(name)) twins.add(name)
    seen.add(name)
    symbol.children?.forEach(visit)
  }
  symbols.forEach(visit)
  return twins
}

function placeName({ line, path }: OutlineSymbol): string {
  return `${line}:${path}`
}

function keepFirst(symbols: readonly OutlineSymbol[], budget: { left: number }): OutlineSymbol[] {
  const kept: OutlineSymbol[] = []
  for (const symbol of symbols) {
    if (budget.left === 0) return kept
    budget.left -= 1
    const { children, ...own } = symbol
    const keptChildren = keepFirst(children ?? [], budget)
    kept.push(keptChildren.length === 0 ? own : { ...own, children: keptChildren })
  }
  return kept
}
