// A rename that goes on where modules meet. The servers for TypeScript rename up to the next import or export list and
// put an alias there (`import { Box as Crate }`, `export { Crate as Box }`): right as code, but asked at a use they
// change one file, and asked at a declaration they stop at the first barrel. Their setting against that
// (`useAliasesForRenames`) writes wrong code, such as new names into imports of libraries (measured with 7.0.2).
// rust-analyzer does the same when asked at a `use`. So both sides of such an alias are renamed as well, and where both
// are, the alias is not needed.
import { DefinitionRequest, RenameRequest } from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import {
  parseWorkspaceEdit,
  type ServerChange,
  type ServerTextEdit,
  type ServerWorkspaceEdit,
} from '../lsp/edit-results.js'
import type { ServerPosition, ServerRange } from '../lsp/parse.js'
import { parseLocations } from '../lsp/results.js'
import { identifierAt } from '../text/lines.js'
import { toPublicPositionIn } from '../text/position.js'
import { uriToPath } from '../text/uri.js'
import type { ContextOf, FileContext } from './operation.js'

export interface Renaming {
  readonly symbol: string
  readonly newName: string
}

export interface WholeRename {
  readonly edit: ServerWorkspaceEdit
  /** Names on the other side of an alias that could not be renamed with it, as places. */
  readonly kept: readonly ServerLink[]
}

/** A place in a document of the server. */
export interface ServerLink {
  readonly uri: string
  readonly position: ServerPosition
}

type SymbolContext = ContextOf['symbol']

/** Each costs a question or two; a name that is passed on more often than this is not renamed to the end. */
const mostLinks = 50

export async function renameEverywhere(
  first: ServerWorkspaceEdit,
  renaming: Renaming,
  context: SymbolContext,
): Promise<WholeRename> {
  if (aliasesIn(first, renaming).length === 0) return { edit: first, kept: [] }
  const edits = new MergedEdits(renaming)
  const seen = new Set([keyOf({ uri: context.at.textDocument.uri, position: context.at.position })])
  const due: ServerWorkspaceEdit[] = [first]
  for (let edit = due.shift(); edit !== undefined; edit = due.shift()) {
    edits.add(edit)
    for (const alias of aliasesIn(edit, renaming)) {
      for (const link of await linksOf(alias, context)) {
        if (seen.has(keyOf(link))) continue
        if (seen.size > mostLinks) {
          const reason = `the name is passed on by more than ${mostLinks} imports and exports`
          context.doubt({ verdict: 'partial', reason, hint: 'Rename the rest with another call.' })
          return edits.result(first)
        }
        seen.add(keyOf(link))
        const further = await renameAt(link, renaming, context)
        if (further !== undefined) due.push(further)
      }
    }
  }
  return edits.result(first)
}

interface Alias extends ServerLink {
  /** `old as new` leaves the name it comes from, `new as old` the one it is passed on under. */
  readonly leaves: 'source' | 'outside'
}

function aliasesIn({ changes }: ServerWorkspaceEdit, renaming: Renaming): Alias[] {
  return changes.flatMap(change => {
    if (change.kind !== 'edit') return []
    return change.edits.flatMap(({ range, newText }) => {
      const leaves = leftBy(newText, renaming)
      return leaves === undefined ? [] : [{ uri: change.uri, position: range.start, leaves }]
    })
  })
}

function leftBy(newText: string, { symbol, newName }: Renaming): Alias['leaves'] | undefined {
  // rust-analyzer leaves the name alone and puts the rest behind it.
  if (newText === `${symbol} as ${newName}` || newText === ` as ${newName}`) return 'source'
  return newText === `${newName} as ${symbol}` ? 'outside' : undefined
}

/** Where to rename what the alias leaves: in the list itself it is the name passed on, its source is declared elsewhere. */
async function linksOf({ uri, position, leaves }: Alias, context: SymbolContext): Promise<ServerLink[]> {
  if (leaves === 'outside') return [{ uri, position }]
  const answer = await inDocument(uri, context, DefinitionRequest, ({ server, document }) =>
    server.request(DefinitionRequest, { textDocument: { uri: document.uri }, position }),
  )
  const [declared] = parseLocations(answer)
  return declared === undefined ? [] : [{ uri: declared.uri, position: declared.range.start }]
}

async function renameAt(
  { uri, position }: ServerLink,
  { symbol, newName }: Renaming,
  context: SymbolContext,
): Promise<ServerWorkspaceEdit | undefined> {
  const answer = await inDocument(uri, context, RenameRequest, async ({ server, document, source }) => {
    // A definition may be found behind a further alias, under a name that nobody wants to change.
    const { line, column } = toPublicPositionIn(source.text, position, server.client.encoding)
    if (identifierAt(source.text.line(line) ?? '', column)?.name !== symbol) return undefined
    return server.request(RenameRequest, { textDocument: { uri: document.uri }, position, newName })
  })
  return parseWorkspaceEdit(answer)
}

/** Undefined where the file is not ours to change or the server refuses: the alias then stays, and is right. */
async function inDocument(
  uri: string,
  context: SymbolContext,
  lsp: typeof DefinitionRequest | typeof RenameRequest,
  ask: (context: FileContext) => Promise<unknown>,
): Promise<unknown> {
  const path = uriToPath(uri)
  if (path === undefined) return undefined
  try {
    return await context.inFile(path, { name: 'rename_symbol', lsp, needsWholeWorkspace: false }, ask)
  } catch (thrown) {
    const error = asBridgeError(thrown)
    if (!refusals.includes(error.kind)) throw error
    return undefined
  }
}

const refusals = ['ServerError', 'PathOutsideWorkspace', 'FileNotFound', 'NotAFile', 'FileTooLarge']

interface MergedPlace {
  readonly range: ServerRange
  readonly texts: Set<string>
}

interface MergedDocument {
  readonly version: number | undefined
  readonly places: Map<string, MergedPlace>
}

/** What several renames want of the same places, made into one. */
class MergedEdits {
  readonly #renaming: Renaming
  readonly #documents = new Map<string, MergedDocument>()

  constructor(renaming: Renaming) {
    this.#renaming = renaming
  }

  add({ changes }: ServerWorkspaceEdit): void {
    for (const change of changes) {
      if (change.kind !== 'edit') continue
      const { uri, version } = change
      const { places } = this.#documents.get(uri) ?? { places: new Map<string, MergedPlace>() }
      this.#documents.set(uri, { version, places })
      for (const { range, newText } of change.edits) {
        const key = keyOf({ uri, position: range.start })
        const place = places.get(key) ?? { range, texts: new Set<string>() }
        place.texts.add(newText)
        places.set(key, place)
      }
    }
  }

  /** With whatever else the first one does, such as moving a file. */
  result(first: ServerWorkspaceEdit): WholeRename {
    const kept: ServerLink[] = []
    const others = first.changes.filter(change => change.kind !== 'edit')
    const edited = [...this.#documents].map(([uri, { version, places }]): ServerChange => {
      const edits = this.#merged([...places.values()])
      for (const { range, newText } of edits) {
        if (leftBy(newText, this.#renaming) !== undefined) kept.push({ uri, position: range.start })
      }
      return { kind: 'edit', uri, version, edits }
    })
    return { edit: { changes: [...edited, ...others] }, kept }
  }

  #merged(places: readonly MergedPlace[]): ServerTextEdit[] {
    const { newName } = this.#renaming
    const edits = places.map(({ range, texts }) => {
      const [only = newName, ...more] = texts
      // A plain new name, or aliases in both directions, mean that both sides have it.
      return { range, newText: more.length === 0 ? only : newName }
    })
    const renamed = edits.filter(({ newText }) => newText === newName).map(({ range }) => range.end)
    const isRenamed = (end: ServerPosition) =>
      renamed.some(({ line, character }) => line === end.line && character === end.character)
    return edits.filter(({ range, newText }) => newText !== ` as ${newName}` || !isRenamed(range.start))
  }
}

function keyOf({ uri, position }: ServerLink): string {
  return `${uri}#${position.line}:${position.character}`
}
