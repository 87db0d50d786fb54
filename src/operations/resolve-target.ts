// From a call's target to a file and a position in it, with the help of what the servers know: the workspace index where
// no file is given, and what the file declares where no line is.
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { asBridgeError, BridgeError } from '../errors.js'
import { parseDocumentSymbols } from '../lsp/results.js'
import { occurrences } from '../text/lines.js'
import { toPublicPositionIn } from '../text/position.js'
import { pathToUri } from '../text/uri.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { AnswerTarget } from './answer.js'
import type { CallState } from './call-state.js'
import { type Declared, type FoundSymbol, nameFrom } from './candidates.js'
import { formatHandle } from './handle.js'
import type { ContextOf, ServerPort } from './operation.js'
import {
  ambiguousInIndex,
  type IndexedSymbol,
  type SearchResult,
  searchFile,
  searchWorkspace,
} from './search.js'
import { declaredSymbols, parseSymbolQuery } from './symbol-path.js'
import { findTarget, type TargetInput, targetFile } from './target.js'

export interface LocatedFile {
  readonly source: SourceFile
  /** How the file was found, when none was given. */
  readonly search?: SearchResult
}

/** The file the call is about; without one, the workspace index is asked where the symbol is declared. */
export async function locateFile(input: TargetInput, call: CallState): Promise<LocatedFile> {
  const file = targetFile(input)
  if (file !== undefined) return { source: call.workspace.read(file) }
  if (input.symbol === undefined) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: 'neither file nor symbol was given',
      hint: 'Give file and symbol, or symbol alone to have it looked up in the workspace.',
    })
  }
  call.waitingFor = 'the workspace to be searched'
  const search = await searchWorkspace(input.symbol, call.context())
  call.forget()
  return { source: call.workspace.read(search.file), search }
}

export async function resolveTarget(
  { source, search }: LocatedFile,
  input: TargetInput,
  server: ServerPort,
  context: ContextOf['workspace'],
): Promise<AnswerTarget> {
  const found = await findInFile()
  const gaps = search?.gaps.map(gap => `the search that found it had gaps: ${gap}`) ?? []
  const notes = [...(found.note === undefined ? [] : [found.note]), ...gaps]
  const { line, column, symbol } = found
  const place = { file: source.relative, line, column, symbol }
  const handle = formatHandle(place, source)
  return notes.length === 0 ? { ...place, handle } : { ...place, handle, note: notes.join('; ') }

  async function findInFile(): Promise<FoundSymbol> {
    try {
      return await findTarget(source, input, () => declaredIn(source, server))
    } catch (thrown) {
      const error = asBridgeError(thrown)
      const path = error.kind === 'SymbolNotFound' ? pathAlone(input) : undefined
      if (path === undefined) throw error
      // The path an index prints may begin with a package or module, which the list of the file does not hold.
      const places = search?.places ?? (await searchFile(path, source.relative, server.connection, context))
      const place = placeInIndex(source, path, places, context)
      if (place === undefined) throw error
      return place
    }
  }
}

/** The path of a target that is nothing else; one that is a single name stands in the list of the file or nowhere. */
function pathAlone({ symbol, line, near, handle }: TargetInput): string | undefined {
  if (symbol === undefined || line !== undefined || near !== undefined || handle !== undefined)
    return undefined
  return parseSymbolQuery(symbol).segments.length > 1 ? symbol : undefined
}

function placeInIndex(
  source: SourceFile,
  written: string,
  places: readonly IndexedSymbol[],
  { workspace }: ContextOf['workspace'],
): FoundSymbol | undefined {
  const [only, ...others] = places
  if (only === undefined) return undefined
  if (others.length > 0) throw ambiguousInIndex(source.relative, written, places, workspace)
  const { name } = only
  const { line, column } = nameFrom(source, name, only)
  const isThere = occurrences(source.text.line(line) ?? '', name).includes(column)
  return isThere ? { line, column, symbol: name } : undefined
}

async function declaredIn(source: SourceFile, server: ServerPort): Promise<readonly Declared[]> {
  const { client } = server
  if (!client.supports(DocumentSymbolRequest)) return []
  const textDocument = { uri: pathToUri(source.absolute) }
  const answer = await server.request(DocumentSymbolRequest, { textDocument })
  return declaredSymbols(parseDocumentSymbols(answer)).map(({ path, segments, name, selection }) => {
    const start = toPublicPositionIn(source.text, selection.start, client.encoding)
    return { path, segments, ...nameFrom(source, segments.at(-1) ?? name, start) }
  })
}
