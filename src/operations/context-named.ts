// The symbols that a task or its author names: found in the workspace by their exact name, and described where they are
// declared. A word that names nothing is just a word.
import { DocumentSymbolRequest, WorkspaceSymbolRequest } from 'vscode-languageserver-protocol'
import type { Seen } from '../context/excerpt.js'
import { isTestFile } from '../text/test-names.js'
import type { ContextBatch } from './context-batch.js'
import { openBeside, pieceOf } from './context-definitions.js'
import { describe } from './context-describe.js'
import { declarationsIn } from './declarations.js'
import { isExternal } from './hierarchy-walk.js'
import type { ContextOf, FileContext } from './operation.js'
import { findSymbols, type IndexedSymbol, searchServer } from './search.js'
import { matching, parseSymbolQuery } from './symbol-path.js'

const mostPerName = 3
const outlineNeeds = { name: 'get_context', lsp: DocumentSymbolRequest, needsWholeWorkspace: false }

/** A name that was looked for, and a file that declares it. */
export interface Named {
  readonly name: string
  readonly file: string
}

/** `file`: one of the language to search; without one every language of the workspace is searched. */
export async function askNamed(
  names: readonly string[],
  file: FileContext | undefined,
  context: ContextOf['workspace'],
  seen: Seen,
  batch: ContextBatch,
): Promise<readonly Named[]> {
  if (file !== undefined && !(await batch.knows(WorkspaceSymbolRequest, file.server))) return []
  // What a search may have missed is no doubt about a note that promises no search.
  const quietly = { ...context, doubt: () => undefined }
  const found = await Promise.all(
    names.map(async (name, place) => {
      const query = parseSymbolQuery(name).segments.at(-1) ?? name
      const queriedAt = context.now()
      const symbols = await batch.ask({ kind: 'workspace_symbol', target: name }, async () => {
        if (file === undefined) return findSymbols(query, quietly)
        const { connection } = file.server
        return searchServer(connection, connection.session.candidate.definition.language, query, quietly)
      })
      return fitting(name, symbols ?? []).map(symbol => ({ symbol, name, place, queriedAt }))
    }),
  )
  const declaring: Named[] = []
  await Promise.all(
    found.flat().map(async ({ symbol, name, place, queriedAt }) => {
      const tell = async (there: FileContext) => {
        const declared = await declarationsIn(there)
        const declaration =
          declared.declaredAt(symbol) ??
          declared.all.find(other => other.name === symbol.name && other.at.line === symbol.line)
        if (declaration === undefined || !fits(name, declaration.path)) return
        declaring.push({ name, file: symbol.file })
        if (seen.has(symbol.file, span(declaration))) return
        const described = await describe({ declaration, used: [] }, declared, there, batch)
        batch.add(
          pieceOf('workspace_symbol', declaration, described, there, { queriedAt, sources: [] }),
          place,
        )
      }
      await batch.ask({ kind: 'workspace_symbol', target: symbol.path }, async () =>
        file === undefined
          ? context.inFile(symbol.file, outlineNeeds, tell)
          : tell(await openBeside(symbol.file, file)),
      )
    }),
  )
  return declaring
}

/** By the last name alone: not every index knows the containers. */
function fitting(name: string, symbols: readonly IndexedSymbol[]): IndexedSymbol[] {
  const last = parseSymbolQuery(name).segments.at(-1)
  return symbols
    .filter(symbol => symbol.name === last && !isExternal(symbol))
    .toSorted((a, b) => Number(isTestFile(a.file)) - Number(isTestFile(b.file)))
    .filter(({ path }) => !path.includes('.') || fits(name, path))
    .slice(0, mostPerName)
}

function fits(name: string, path: string): boolean {
  const declared = { segments: parseSymbolQuery(path).segments }
  return matching([declared], parseSymbolQuery(name).segments).length > 0
}

function span({ start, end }: { readonly start: { line: number }; readonly end: { line: number } }) {
  return { first: start.line, last: end.line }
}
