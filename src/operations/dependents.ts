// Which files depend on what an edit changed: those that refer to a name declared on a changed line. Bounded in names,
// files and time; whatever was not asked is a gap that is told, for a change is clean only where nobody was left out.
import { DocumentSymbolRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import { asBridgeError, BridgeError } from '../errors.js'
import type { ServerPosition } from '../lsp/parse.js'
import { parseDocumentSymbols, parseLocations, type ServerSymbol } from '../lsp/results.js'
import { handsOn, handsOnUnnamed } from '../text/line-kinds.js'
import { identifiersOn, occurrences, type SourceText } from '../text/lines.js'
import { fromIndex, type PositionEncoding, toPublicPositionIn, toServerPosition } from '../text/position.js'
import { uriToPath } from '../text/uri.js'
import type { Doubt } from './answer.js'
import { modules } from './declarations.js'
import type { Diagnosed } from './diagnose.js'
import type { FileContext, ServerPort } from './operation.js'
import { usesOf } from './renamed-imports.js'
import { symbolKindName } from './symbol-kind.js'
import { declaredSegments, joinPath } from './symbol-path.js'

/** Lines from `start` up to, not including, `end`; of an empty one, both are the line it stands before. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Something other files can refer to, and where to ask for that. */
export interface DeclaredName {
  readonly name: string
  readonly uri: string
  readonly position: ServerPosition
}

/** What a text declares, so that any of its lines can be asked about later. */
export interface Outline {
  readonly file: string
  readonly uri: string
  readonly text: SourceText
  readonly symbols: readonly ServerSymbol[]
  readonly encoding: PositionEncoding
}

/** By the key of each name that was asked about: how often each file refers to it. Absolute paths. */
export type Referrers = ReadonlyMap<string, ReadonlyMap<string, number>>

const mostNames = 40
const longestList = 50

/** Words of the statements that hand names on; nobody refers to them. */
const keywords: ReadonlySet<string> = new Set(
  'export import from as pub use mod crate exports define'.split(' '),
)

export async function outlineOf({ document, text, file }: Diagnosed, server: ServerPort): Promise<Outline> {
  const { client } = server
  const { uri } = document
  if (!client.supports(DocumentSymbolRequest) || !client.supports(ReferencesRequest)) {
    throw new BridgeError({
      kind: 'CapabilityMissing',
      message: `${client.identity.name} cannot say who refers to the names declared there`,
    })
  }
  const symbols = parseDocumentSymbols(await server.request(DocumentSymbolRequest, { textDocument: { uri } }))
  return { file, uri, text, symbols, encoding: client.encoding }
}

/** What is declared on these lines. */
export function namesIn(
  { file, uri, text, symbols, encoding }: Outline,
  spans: readonly Span[],
): { readonly names: readonly DeclaredName[]; readonly gaps: readonly string[] } {
  const declared = changedSymbols(symbols, spans).map(({ name, symbol }) => {
    const start = toPublicPositionIn(text, symbol.selection.start, encoding)
    const line = text.line(start.line) ?? ''
    // Some servers point at the whole declaration; the name in it is what a question must point at.
    const last = name.at(-1) ?? symbol.name
    const column = occurrences(line, last).find(found => found >= start.column) ?? start.column
    const position = toServerPosition(line, { line: start.line, column }, encoding)
    return { name: joinPath(name), uri, position }
  })
  const outside = linesOutside({ symbols, text, file }, spans)
  const handedOn = outside.flatMap(line => {
    const written = text.line(line) ?? ''
    return identifiersOn(written)
      .filter(({ name }) => !keywords.has(name))
      .map(({ name, column }) => ({
        name,
        uri,
        position: toServerPosition(written, { line, column }, encoding),
      }))
  })
  const unnamed = outside.filter(line => handsOnUnnamed(text.line(line) ?? '', file))
  const gaps = unnamed.map(line => `who uses what ${file}:${line} hands on was not looked for`)
  return { names: [...declared, ...handedOn], gaps }
}

/** Two overloads of one name are asked about apart. */
export function keyOf({ name, uri, position }: DeclaredName): string {
  return `${uri} ${position.line}:${position.character} ${name}`
}

/** Asks who refers to each name, as long as there is time. */
export async function referrersOf(
  names: readonly DeclaredName[],
  { server, workspace }: Pick<FileContext, 'server' | 'workspace'>,
  remaining: () => number,
): Promise<{ readonly referrers: Referrers; readonly gaps: readonly string[] }> {
  const referrers = new Map<string, ReadonlyMap<string, number>>()
  const failed: string[] = []
  let asked = 0
  for (const declared of names.slice(0, mostNames)) {
    if (remaining() <= 0) break
    const { name, uri, position } = declared
    try {
      const params = { textDocument: { uri }, position, context: { includeDeclaration: false } }
      const files = new Map<string, number>()
      const known = parseLocations(await server.request(ReferencesRequest, params))
      const doubt = ({ reason }: Doubt) => failed.push(reason)
      const { references } = await usesOf(
        { textDocument: { uri }, position },
        { server, workspace, doubt },
        known,
      )
      for (const location of references) {
        const path = uriToPath(location.uri)
        if (path !== undefined) files.set(path, (files.get(path) ?? 0) + 1)
      }
      referrers.set(keyOf(declared), files)
    } catch (thrown) {
      failed.push(`who refers to ${name} is unknown: ${asBridgeError(thrown).message}`)
    }
    asked += 1
  }
  const unasked =
    asked < names.length ? [`of ${names.length} changed names, ${asked} were looked for in other files`] : []
  return { referrers, gaps: [...failed.slice(0, 1), ...unasked] }
}

/**
 * The symbols whose declaration reaches into the lines, with those around them: a changed member changes its class. What
 * is inside a function is its own affair, and a whole module is not what anybody refers to.
 */
function changedSymbols(
  symbols: readonly ServerSymbol[],
  spans: readonly Span[],
): { readonly name: readonly string[]; readonly symbol: ServerSymbol }[] {
  const found: { readonly name: readonly string[]; readonly symbol: ServerSymbol }[] = []
  const visit = (symbol: ServerSymbol, above: readonly string[]) => {
    if (!spans.some(span => reaches(symbol, span))) return
    const name = declaredSegments(symbol, above)
    const kind = symbolKindName(symbol.kind)
    if (!modules.has(kind)) found.push({ name, symbol })
    if (!functions.has(kind)) for (const child of symbol.children) visit(child, name)
  }
  for (const symbol of symbols) visit(symbol, [])
  return found
}

const functions: ReadonlySet<string> = new Set(['function', 'method', 'constructor'])

function reaches({ range }: ServerSymbol, { start, end }: Span): boolean {
  const first = fromIndex(range.start.line)
  const last = fromIndex(range.end.line)
  // What is inserted before the first line of a declaration is not in it.
  if (start === end) return first < start && start <= last
  return first < end && start <= last
}

type Handing = Pick<Outline, 'symbols' | 'text' | 'file'>

/** Lines in the spans that no declaration covers and that hand something on to other files. */
function linesOutside(outline: Handing, spans: readonly Span[]): readonly number[] {
  const lines: number[] = []
  for (const { start, end } of spans) {
    for (let line = start; line < end; line += 1) {
      if (isHandingOn(outline, line) && !isDeclared(outline.symbols, line)) lines.push(line)
    }
  }
  return lines
}

/** On this line, or in the statement it goes on with: lists of names are often written one a line. */
function isHandingOn({ text, file }: Handing, line: number): boolean {
  for (let above = line; above > line - longestList; above -= 1) {
    const written = text.line(above)?.trim() ?? ''
    if (handsOn(written, file)) return true
    const ends = above < line && /[;})]$/.test(written)
    if (written === '' || ends) return false
  }
  return false
}

/** A module is not what a line in it declares, nor is one that only says where its file is. */
function isDeclared(symbols: readonly ServerSymbol[], line: number): boolean {
  return symbols.some(
    ({ range, kind, children }) =>
      fromIndex(range.start.line) <= line &&
      line <= fromIndex(range.end.line) &&
      (!modules.has(symbolKindName(kind)) || isDeclared(children, line)),
  )
}
