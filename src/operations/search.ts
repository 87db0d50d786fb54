// Workspace-wide symbol search: asks the server of every language found in the workspace, ranks what they return (servers
// return thousands) and never takes a failed or missing server for "nothing found".
import { WorkspaceSymbolRequest } from 'vscode-languageserver-protocol'
import { asBridgeError, BridgeError, type Candidate } from '../errors.js'
import { parseWorkspaceSymbols, type ServerSymbol } from '../lsp/results.js'
import type { Place } from '../workspace/places.js'
import type { Connection } from '../workspace/workspace.js'
import type { Doubt } from './answer.js'
import { answeringServer, doubtLimits } from './call-state.js'
import type { ContextOf } from './operation.js'
import { symbolKindName } from './symbol-kind.js'
import { joinPath, matching, parseSymbolQuery } from './symbol-path.js'

type SearchContext = ContextOf['workspace']

export interface FoundSymbol extends Place {
  readonly name: string
  readonly kind: string
  readonly path: string
}

/** Symbols whose name fits, best first: exact, prefix, word parts, the rest; the project before libraries. */
export async function findSymbols(query: string, context: SearchContext): Promise<FoundSymbol[]> {
  const census = await context.workspace.census()
  const found = await Promise.all(census.map(({ language }) => searchLanguage(language, query, context)))
  return rank(found.flat(), query)
}

/** The one declaration this symbol has in the workspace, or an error that lists them. */
export async function searchWorkspace(written: string, context: SearchContext): Promise<Place> {
  const { segments } = parseSymbolQuery(written)
  const name = segments.at(-1) ?? written
  const doubts: Doubt[] = []
  const symbols = await findSymbols(name, { ...context, doubt: doubt => void doubts.push(doubt) })
  const own = symbols.filter(symbol => !symbol.file.startsWith('external:') && symbol.name === name)
  const fitting = matching(
    own.map(symbol => ({ ...symbol, segments: parseSymbolQuery(symbol.path).segments })),
    segments,
  )
  const [only] = fitting
  if (only !== undefined && new Set(fitting.map(symbol => symbol.file)).size === 1) return only
  if (fitting.length > 1) throw ambiguousInWorkspace(written, fitting)
  throw new BridgeError({
    kind: 'SymbolNotFound',
    // A search with gaps must not read like a search without a find.
    message: [
      `no symbol ${written} was found in the workspace`,
      ...doubts.map(({ reason }) => `but ${reason}`),
    ].join('; '),
    hint: doubts.find(({ hint }) => hint !== undefined)?.hint ?? nearMisses(symbols),
  })
}

async function searchLanguage(
  language: string,
  query: string,
  context: SearchContext,
): Promise<FoundSymbol[]> {
  try {
    const wait = { signal: context.signal, milliseconds: context.remaining() }
    const connection = await context.workspace.connectLanguage(language, wait)
    if (connection === undefined) return []
    return await connection.instance.during(
      () => searchServer(connection, language, query, context),
      () => true,
    )
  } catch (thrown) {
    const error = asBridgeError(thrown)
    // One language that cannot answer must not hide the others, nor look like an empty answer.
    context.doubt({
      verdict: 'partial',
      reason: `${language} was not searched: ${error.message}`,
      hint: error.hint,
    })
    return []
  }
}

async function searchServer(
  connection: Connection,
  language: string,
  query: string,
  context: SearchContext,
): Promise<FoundSymbol[]> {
  const { client, candidate } = connection.session
  const port = context.port(connection)
  context.credit(answeringServer(connection))
  const currency = await connection.view.bringUpToDate({
    signal: context.signal,
    milliseconds: context.remaining(),
  })
  if (!currency.current) context.doubt({ verdict: 'unknown', reason: currency.reason })
  if (
    candidate.definition.quirks.symbolSearchNeedsOpenDocument !== undefined &&
    client.documents.all().length === 0
  ) {
    await openSomething(connection, language, context)
  }
  const left = context.remaining()
  const readiness = await client.readiness.settle({ milliseconds: left * 0.75, signal: context.signal })
  if (!readiness.ready) {
    context.doubt({
      verdict: 'partial',
      reason: `${candidate.definition.title}: ${readiness.reason}`,
      hint: 'Ask again later for the rest.',
    })
  }
  doubtLimits(WorkspaceSymbolRequest.method, connection, undefined, context)
  const symbols = parseWorkspaceSymbols(await port.request(WorkspaceSymbolRequest, { query }))
  return symbols.map(symbol => present(symbol, connection, context))
}

async function openSomething(
  connection: Connection,
  language: string,
  context: SearchContext,
): Promise<void> {
  const file = await context.workspace.firstFileOf(language)
  if (file === undefined) return
  const source = context.workspace.read(file)
  const { languageId } = context.workspace.routes.forFile(source.relative)
  await connection.view.open(source, languageId, {
    signal: context.signal,
    milliseconds: context.remaining(),
  })
}

function present(symbol: ServerSymbol, connection: Connection, context: SearchContext): FoundSymbol {
  const { client } = connection.session
  const place = context.workspace.place(symbol.uri ?? '', symbol.selection, client.encoding)
  const container = symbol.container === undefined ? [] : parseSymbolQuery(symbol.container).segments
  return {
    name: symbol.name,
    kind: symbolKindName(symbol.kind),
    path: joinPath([...container, symbol.name]),
    ...place,
  }
}

function rank(symbols: readonly FoundSymbol[], query: string): FoundSymbol[] {
  const wanted = query.toLowerCase()
  const score = (symbol: FoundSymbol) => {
    const name = symbol.name.toLowerCase()
    const fit =
      symbol.name === query
        ? 0
        : name === wanted
          ? 1
          : name.startsWith(wanted)
            ? 2
            : name.includes(wanted)
              ? 3
              : 4
    return fit + (symbol.file.startsWith('external:') ? 10 : 0)
  }
  return symbols
    .map(symbol => ({ symbol, score: score(symbol) }))
    .sort(
      (a, b) => a.score - b.score || compare(a.symbol.file, b.symbol.file) || a.symbol.line - b.symbol.line,
    )
    .map(({ symbol }) => symbol)
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function ambiguousInWorkspace(written: string, fitting: readonly FoundSymbol[]): BridgeError {
  const candidates: Candidate[] = fitting.map(({ file, line, column, name, text }) => ({
    file,
    line,
    column,
    symbol: name,
    text,
  }))
  return new BridgeError({
    kind: 'SymbolAmbiguous',
    message: `${written} is declared in ${fitting.length} places`,
    hint: 'Use one of the candidates verbatim (file, line and symbol).',
    candidates: candidates.slice(0, 10),
  })
}

function nearMisses(symbols: readonly FoundSymbol[]): string {
  const names = [
    ...new Set(symbols.slice(0, 3).map(symbol => `${symbol.path} (${symbol.file}:${symbol.line})`)),
  ]
  return names.length === 0
    ? 'Check the spelling, or give the file it is in.'
    : `Nearest: ${names.join(', ')}.`
}
