// Workspace-wide symbol search: asks the server of every language found in the workspace, ranks what they return (servers
// return thousands) and never takes a failed or missing server for "nothing found".
import { WorkspaceSymbolRequest } from 'vscode-languageserver-protocol'
import { asBridgeError, BridgeError } from '../errors.js'
import { parseWorkspaceSymbols, type ServerSymbol } from '../lsp/results.js'
import { fitRank, nameFit } from '../text/name-fit.js'
import { isExternalName } from '../workspace/external.js'
import type { Place } from '../workspace/places.js'
import type { Connection, LanguageRoot, Workspace } from '../workspace/workspace.js'
import type { Doubt } from './answer.js'
import { ambiguous, candidatesOn, nameFrom } from './candidates.js'
import { answeringServer, doubtCurrency, doubtLimits, doubtReadiness, openProjects } from './doubts.js'
import { beginDeclarationCheck } from './missed-declarations.js'
import type { ContextOf } from './operation.js'
import { listed } from './render.js'
import { symbolKindName } from './symbol-kind.js'
import { indexedSegments, joinPath, matching, parseSymbolQuery } from './symbol-path.js'
import { waits } from './waits.js'

type SearchContext = ContextOf['workspace']

export interface IndexedSymbol extends Place {
  readonly name: string
  readonly kind: string
  readonly path: string
}

export interface SearchResult {
  readonly file: string
  /** Where in the file the symbol is declared, as far as the index knows. */
  readonly places: readonly IndexedSymbol[]
  /** What may have been missed, so that one find is not taken for the only one. */
  readonly gaps: readonly string[]
}

const mostTries = 20
// Servers stop at a number of their own (100, 128 and 256 have been seen) and do not say so.
const fullLists = new Set([100, 128, 200, 250, 256, 300, 400, 500, 512, 1000, 1024, 2000, 2048, 5000, 10_000])

/** Symbols whose name fits, best first: exact, prefix, word parts, the rest; the project before libraries. */
export async function findSymbols(query: string, context: SearchContext): Promise<IndexedSymbol[]> {
  const { workspace } = context
  // A file of data declares nothing that could be missed, whether or not there is a server for it.
  const census = (await workspace.census()).filter(({ language }) =>
    workspace.routes.declaresSymbols(language),
  )
  if (census.length === 0) {
    context.doubt({
      verdict: 'unknown',
      reason: 'no file of a language that is known and enabled was found in the workspace',
      hint: 'Use server_status to see the languages; a server for another one can be registered.',
    })
  }
  const [most, ...others] = census.map(({ language }) => language)
  const asked = await Promise.all(others.map(language => isWorthAsking(language, query, context)))
  const languages = [...(most === undefined ? [] : [most]), ...others.filter((_, index) => asked[index])]
  const found = await Promise.all(
    languages.map(async language => {
      const check = beginDeclarationCheck(query, language, context)
      const { symbols, wasSearched } = await searchLanguage(language, query, context)
      return [...symbols, ...(await check.missedBy(symbols, wasSearched))]
    }),
  )
  return rank(found.flat(), query)
}

/** A script among thousands of modules is not worth the start of its server, nor a doubt, where it holds no such name. */
async function isWorthAsking(language: string, query: string, context: SearchContext): Promise<boolean> {
  const { workspace, signal } = context
  if ((await workspace.rootsOf(language)).some(({ isKnown }) => isKnown)) return true
  return workspace.mayDeclare(language, query, signal)
}

/** Where the workspace declares this symbol, or an error that lists the files that do. */
export async function searchWorkspace(written: string, context: SearchContext): Promise<SearchResult> {
  const doubts: Doubt[] = []
  const symbols = await findSymbols(lastName(written), {
    ...context,
    doubt: doubt => void doubts.push(doubt),
  })
  const fitting = fittingOf(written, symbols)
  const gaps = [...new Set(doubts.map(({ reason }) => reason))]
  const [only] = fitting
  if (only !== undefined && fitting.every(symbol => symbol.file === only.file)) {
    return { file: only.file, places: fitting, gaps }
  }
  if (only !== undefined) throw ambiguousInIndex('the workspace', written, fitting, context.workspace)
  throw new BridgeError({
    kind: 'SymbolNotFound',
    // A search with gaps must not read like a search without a find.
    message: [`no symbol ${written} was found in the workspace`, ...gaps.map(gap => `but ${gap}`)].join('; '),
    hint: doubts.find(({ hint }) => hint !== undefined)?.hint ?? nearMisses(symbols),
  })
}

/** What one server's index knows of this symbol in one file; nothing when it cannot say. */
export async function searchFile(
  written: string,
  file: string,
  connection: Connection,
  context: SearchContext,
): Promise<readonly IndexedSymbol[]> {
  const quietly = { ...context, doubt: () => undefined }
  const { language } = connection.session.candidate.definition
  try {
    const symbols = await searchServer(connection, language, lastName(written), quietly)
    return fittingOf(written, symbols).filter(symbol => symbol.file === file)
  } catch {
    return []
  }
}

/** What the project itself declares under this name or path. */
function fittingOf(written: string, symbols: readonly IndexedSymbol[]): IndexedSymbol[] {
  const own = symbols
    .filter(symbol => !isExternalName(symbol.file))
    .map(symbol => ({ symbol, segments: parseSymbolQuery(symbol.path).segments }))
  return matching(own, parseSymbolQuery(written).segments).map(({ symbol }) => symbol)
}

function lastName(written: string): string {
  return parseSymbolQuery(written).segments.at(-1) ?? written
}

interface LanguageSearch {
  readonly symbols: readonly IndexedSymbol[]
  /** Whether a file lies where a server was asked. Of the rest a doubt was told already, and no server is started. */
  wasSearched(file: string): boolean
}

/** Asks the servers that run for this language, or starts the first; roots without a server are told, not started. */
async function searchLanguage(
  language: string,
  query: string,
  context: SearchContext,
): Promise<LanguageSearch> {
  const roots = await context.workspace.rootsOf(language)
  const known = roots.filter(({ isKnown }) => isKnown)
  const searched = known.length > 0 ? known : roots.slice(0, 1)
  const others = roots.filter(root => !searched.includes(root)).map(({ name }) => name)
  if (others.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `${language} was searched in ${searched.map(({ name }) => name).join(', ')} only, not in ${listed(others)}`,
      hint: 'Ask about a file there first: each of these folders has a server of its own.',
    })
  }
  const answers = await Promise.all(searched.map(root => searchRoot(root, language, query, context)))
  const asked = searched.filter((_, index) => answers[index] !== undefined)
  // Servers of neighbouring roots may know each other's files.
  const places = answers
    .flatMap(answer => answer ?? [])
    .map(symbol => {
      const { file, line, column, path } = symbol
      return [`${file}:${line}:${column}:${path}`, symbol] as const
    })
  const rootOf = (file: string) =>
    roots
      .filter(({ name }) => name === '.' || file.startsWith(`${name}/`))
      .reduce<LanguageRoot | undefined>(
        (deepest, root) =>
          deepest !== undefined && deepest.root.length >= root.root.length ? deepest : root,
        undefined,
      )
  return {
    symbols: [...new Map(places).values()],
    wasSearched: file => asked.some(root => root === rootOf(file)),
  }
}

async function searchRoot(
  root: LanguageRoot,
  language: string,
  query: string,
  context: SearchContext,
): Promise<IndexedSymbol[] | undefined> {
  try {
    // Before a server is started for it.
    await context.authorize({ method: WorkspaceSymbolRequest.method, language })
    const wait = { signal: context.signal, milliseconds: context.remaining() }
    context.awaiting(waits.start)
    const connection = await root.connect(wait)
    return await context.during(connection, () => searchServer(connection, language, query, context))
  } catch (thrown) {
    const error = asBridgeError(thrown)
    // One language that cannot answer must not hide the others, nor look like an empty answer.
    context.doubt({
      verdict: 'partial',
      reason: `${language} was not searched: ${error.message}`,
      hint: error.hint,
    })
    return undefined
  }
}

/** What one server's index fits to the name, in its own order. */
export async function searchServer(
  connection: Connection,
  language: string,
  query: string,
  context: SearchContext,
): Promise<IndexedSymbol[]> {
  const { client, candidate } = connection.session
  const port = context.port(connection)
  context.credit(answeringServer(connection))
  context.awaiting(waits.news(client.identity.name))
  const currency = await connection.view.bringUpToDate({
    signal: context.signal,
    milliseconds: context.remaining(),
  })
  doubtCurrency(currency, context)
  if (
    candidate.definition.quirks.symbolSearchNeedsOpenDocument !== undefined &&
    client.documents.all().length === 0
  ) {
    await openSomething(connection, language, context)
  }
  const left = context.remaining()
  context.awaiting(waits.index(client.identity.name))
  const readiness = await client.readiness.settle({ milliseconds: left * 0.75, signal: context.signal })
  context.awaiting(waits.answer(client.identity.name))
  doubtReadiness(readiness, candidate.definition, context)
  await openProjects(WorkspaceSymbolRequest.method, connection, context)
  doubtLimits(WorkspaceSymbolRequest.method, connection, undefined, context)
  await client.offers(WorkspaceSymbolRequest, context.signal)
  const symbols = parseWorkspaceSymbols(await port.request(WorkspaceSymbolRequest, { query }))
  doubtCount(symbols.length, query, candidate.definition.title, context)
  return symbols.map(symbol => present(symbol, connection, context))
}

function doubtCount(count: number, query: string, title: string, context: SearchContext): void {
  if (fullLists.has(count)) {
    context.doubt({
      verdict: 'partial',
      reason: `${title} returned exactly ${count} symbols, which looks like the most it returns`,
      hint: 'Ask for more of the name.',
    })
  }
  if (count === 0 && query === '') {
    context.doubt({
      verdict: 'unknown',
      reason: `${title} lists nothing when no name is given`,
      hint: 'Give a part of the name.',
    })
  }
}

async function openSomething(
  connection: Connection,
  language: string,
  context: SearchContext,
): Promise<void> {
  const { workspace, signal } = context
  let tries = 0
  for (const file of await workspace.filesOf(language)) {
    if (++tries > mostTries) return
    try {
      const source = workspace.read(file)
      const { languageId } = workspace.routes.forFile(source.relative)
      await connection.view.open(source, languageId, { signal, milliseconds: context.remaining() })
      return
    } catch {
      // Too large, or no text: the next one will do as well.
    }
  }
}

function present(symbol: ServerSymbol, connection: Connection, context: SearchContext): IndexedSymbol {
  const { client } = connection.session
  const place = context.workspace.place(symbol.uri ?? '', symbol.selection, client.encoding)
  const segments = indexedSegments(symbol)
  return {
    name: segments.at(-1) ?? symbol.name,
    kind: symbolKindName(symbol.kind),
    path: joinPath(segments),
    ...place,
  }
}

function rank(symbols: readonly IndexedSymbol[], query: string): IndexedSymbol[] {
  const isLibrary = (symbol: IndexedSymbol) => isExternalName(symbol.file)
  return symbols
    .map(symbol => ({ symbol, fit: fitRank(nameFit(query, symbol.name)) }))
    .sort(
      (a, b) =>
        Number(isLibrary(a.symbol)) - Number(isLibrary(b.symbol)) ||
        a.fit - b.fit ||
        compare(a.symbol.file, b.symbol.file) ||
        a.symbol.line - b.symbol.line ||
        a.symbol.column - b.symbol.column,
    )
    .map(({ symbol }) => symbol)
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

export function ambiguousInIndex(
  where: string,
  written: string,
  fitting: readonly IndexedSymbol[],
  workspace: Pick<Workspace, 'read'>,
): BridgeError {
  const candidates = fitting.map(({ name, path, file, line, column, text }) => {
    const unread = { file, line, column, symbol: path, text }
    try {
      const source = workspace.read(file)
      const at = nameFrom(source, name, { line, column })
      return candidatesOn(source, at.line, name).find(found => found.column === at.column) ?? unread
    } catch {
      // Gone since the index was made, or too large: its place is still worth knowing.
      return unread
    }
  })
  return ambiguous(where, written, candidates)
}

function nearMisses(symbols: readonly IndexedSymbol[]): string {
  const names = [
    ...new Set(symbols.slice(0, 3).map(symbol => `${symbol.path} (${symbol.file}:${symbol.line})`)),
  ]
  return names.length === 0
    ? 'Check the spelling, or give the file it is in.'
    : `Nearest: ${names.join(', ')}.`
}
