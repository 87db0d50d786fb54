// Names that Python code imports under another one. Pyright takes `from shapes import area as size` for a symbol of its
// own: neither the references nor the callers of `area` lead to the uses of `size` (measured with 1.1.414), so they
// are asked for as well.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import type { ServerPosition } from '../lsp/parse.js'
import { parseLocations, type ServerLocation } from '../lsp/results.js'
import { toServerPosition } from '../text/position.js'
import { pathToUri } from '../text/uri.js'
import type { Place } from '../workspace/places.js'
import type { FileContext, ServerPort } from './operation.js'

/** A place in a document, as a request names it. */
export interface DocumentPosition {
  readonly textDocument: { readonly uri: string }
  readonly position: ServerPosition
}

export interface Uses {
  /** The declaration included. */
  readonly references: readonly ServerLocation[]
  /** The same as places, where they had to be looked at in any case. */
  readonly places: readonly Place[] | undefined
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
  const { server, workspace, doubt } = context
  const { language, title } = server.connection.session.candidate.definition
  const first = known ?? (await referencesAt(at, server))
  if (language !== 'python') return { references: first, places: undefined, renamed: [] }
  const { encoding } = server.client
  const places = workspace.places(first, encoding)
  const references = [...first]
  const renamed = new Map<string, DocumentPosition>()
  const due = [places]
  for (let found = due.shift(); found !== undefined; found = due.shift()) {
    for (const alias of found.flatMap(place => aliasAt(place, context) ?? [])) {
      const key = keyOf(alias)
      if (renamed.has(key)) continue
      if (renamed.size === mostRenamings) {
        const reason = `${title} was asked about ${mostRenamings} renamed imports and no more`
        doubt({ verdict: 'partial', reason, hint: 'Ask about the new names in the other imports.' })
        return { references, places: undefined, renamed: [...renamed.values()] }
      }
      renamed.set(key, alias)
      const uses = await referencesAt(alias, server)
      references.push(...uses)
      due.push(workspace.places(uses, encoding))
    }
  }
  return { references, places: renamed.size === 0 ? places : undefined, renamed: [...renamed.values()] }
}

async function referencesAt(
  { textDocument, position }: DocumentPosition,
  server: ServerPort,
): Promise<ServerLocation[]> {
  // Without the declaration Pyright leaves out the place it was asked at instead.
  const params = { textDocument, position, context: { includeDeclaration: true } }
  return parseLocations(await server.request(ReferencesRequest, params))
}

/**
 * A name is looked for in hundreds of lines: what the shown line rules out is not read again. The new name may stand on
 * the next line only where an import goes on there, in brackets or behind a backslash.
 */
function mayBeRenamed(shown: string): boolean {
  if (/\bas\b|[\\\u2026]$/.test(shown)) return true
  return /^(?:from|import)\b/.test(shown) ? /\([^)]*$/.test(shown) : /^[\p{ID_Continue}\s,]+$/u.test(shown)
}

/** From `area` in `import area as size` to the place of `size`. */
function aliasAt(
  { file, end_line, end_column, text: shown }: Place,
  { workspace, server }: AskContext,
): DocumentPosition | undefined {
  const { encoding } = server.client
  if (!mayBeRenamed(shown)) return undefined
  try {
    const { absolute, text } = workspace.read(file)
    const end = text.offsetAt({ line: end_line, column: end_column })
    const [between] =
      /^(?:\s|\\\r?\n)+as\s+(?=[\p{ID_Start}_])/u.exec(text.text.slice(end, end + longestGap)) ?? []
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
