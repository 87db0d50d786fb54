// Names that Python code imports under another one. Pyright takes `from shapes import area as size` for a symbol of its
// own: neither the references nor the callers of `area` lead to the uses of `size` (measured with 1.1.414), so they
// are asked for as well.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import type { ServerPosition } from '../lsp/parse.js'
import { parseLocations, type ServerLocation } from '../lsp/results.js'
import { toServerPosition } from '../text/position.js'
import { pathToUri } from '../text/uri.js'
import type { FileContext, ServerPort } from './operation.js'

/** A place in a document, as a request names it. */
export interface DocumentPosition {
  readonly textDocument: { readonly uri: string }
  readonly position: ServerPosition
}

export interface Uses {
  /** The declaration included. */
  readonly references: readonly ServerLocation[]
  /** Where the name gets another one. */
  readonly renamed: readonly DocumentPosition[]
}

type AskContext = Pick<FileContext, 'server' | 'workspace' | 'doubt'>

const mostRenamings = 20
const longestGap = 200

/** Every use of what stands at the position, under whatever name it was imported; `known` are its references if asked for. */
export async function usesOf(
  at: DocumentPosition,
  context: AskContext,
  known?: readonly ServerLocation[],
): Promise<Uses> {
  const { server, doubt } = context
  const { language, title } = server.connection.session.candidate.definition
  const references: ServerLocation[] = []
  const renamed = new Map<string, DocumentPosition>()
  const due = [at]
  for (let next = due.shift(); next !== undefined; next = due.shift()) {
    const found = next === at && known !== undefined ? known : await referencesAt(next, server)
    references.push(...found)
    if (language !== 'python') break
    for (const alias of found.flatMap(location => aliasAt(location, context) ?? [])) {
      const key = keyOf(alias)
      if (renamed.has(key)) continue
      if (renamed.size === mostRenamings) {
        const reason = `${title} was asked about ${mostRenamings} renamed imports and no more`
        doubt({ verdict: 'partial', reason, hint: 'Ask about the new names in the other imports.' })
        return { references, renamed: [...renamed.values()] }
      }
      renamed.set(key, alias)
      due.push(alias)
    }
  }
  return { references, renamed: [...renamed.values()] }
}

async function referencesAt(
  { textDocument, position }: DocumentPosition,
  server: ServerPort,
): Promise<ServerLocation[]> {
  // Without the declaration Pyright leaves out the place it was asked at instead.
  const params = { textDocument, position, context: { includeDeclaration: true } }
  return parseLocations(await server.request(ReferencesRequest, params))
}

/** From `area` in `import area as size` to the place of `size`. */
function aliasAt(
  { uri, range }: ServerLocation,
  { workspace, server }: AskContext,
): DocumentPosition | undefined {
  const { encoding } = server.client
  const { file, end_line, end_column } = workspace.place(uri, range, encoding)
  try {
    const { absolute, text } = workspace.read(file)
    const end = text.offsetAt({ line: end_line, column: end_column })
    const [between] = /^\s+as\s+(?=[\p{ID_Start}_])/u.exec(text.text.slice(end, end + longestGap)) ?? []
    if (between === undefined) return undefined
    const at = text.positionAt(end + between.length)
    return {
      textDocument: { uri: pathToUri(absolute) },
      position: toServerPosition(text.line(at.line) ?? '', at, encoding),
    }
  } catch {
    // Outside the workspace, or gone since.
    return undefined
  }
}

function keyOf({ textDocument, position }: DocumentPosition): string {
  return `${textDocument.uri}#${position.line}:${position.character}`
}
