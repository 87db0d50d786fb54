// Who still refers to what a change took away: asked of the server while it sees the old text; in the file itself by the
// lines that are still there; and for a file that is gone as a whole, where some servers see nothing, by the text.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import { mapLines } from '../changes/line-map.js'
import { asBridgeError } from '../errors.js'
import { parseLocations } from '../lsp/results.js'
import { cleanLine } from '../text/clean.js'
import { importsFrom } from '../text/import-lines.js'
import { isComment } from '../text/line-kinds.js'
import { occurrences, type SourceText } from '../text/lines.js'
import { stemOf } from '../text/mentions.js'
import { type PublicPosition, toServerPosition } from '../text/position.js'
import { mergedPlaces, type Place } from '../workspace/places.js'
import type { TouchedFile } from './change-set.js'
import type { Declaration } from './declarations.js'
import type { ContextOf, ServerPort } from './operation.js'
import { listed } from './render.js'

type Context = ContextOf['workspace']

export interface RemovedSymbol {
  /** Where it was. */
  readonly file: string
  readonly declaration: Declaration
  /** The line it was declared on. */
  readonly text: string
  /** Who still refers to it; undefined where nobody knows. */
  readonly left: readonly Place[] | undefined
}

export interface OldText {
  readonly file: TouchedFile
  readonly text: SourceText
  readonly uri: string
  readonly server: ServerPort
}

const mostGone = 60
const searchMilliseconds = 1000
const longestLine = 200

export async function removedSymbols(
  gone: readonly Declaration[],
  old: OldText,
  context: Context,
): Promise<RemovedSymbol[]> {
  const name = oldName(old.file)
  // What was inside of something that is gone went with it; its users are those of the whole.
  const outermost = gone.filter(({ parent }) => parent === undefined || !gone.includes(parent))
  const removed: RemovedSymbol[] = []
  for (const declaration of outermost.slice(0, mostGone)) {
    const written = cleanLine(old.text.line(declaration.at.line) ?? '', longestLine).text
    removed.push({ file: name, declaration, text: written, left: await usesLeft(declaration, old, context) })
  }
  if (outermost.length > mostGone) {
    const reason = `${mostGone} of the ${outermost.length} symbols removed from ${name} were looked for`
    context.doubt({ verdict: 'partial', reason, hint: 'Ask about this file alone.' })
  }
  return removed
}

async function usesLeft(
  declaration: Declaration,
  { file, text, uri, server }: OldText,
  context: Context,
): Promise<readonly Place[] | undefined> {
  const { workspace, doubt } = context
  const { encoding } = server.client
  const name = oldName(file)
  const { at, isNamed, path } = declaration
  if (!isNamed) return []
  const position = toServerPosition(text.line(at.line) ?? '', at, encoding)
  const params = { textDocument: { uri }, position, context: { includeDeclaration: false } }
  let places: readonly Place[]
  try {
    places = workspace.places(parseLocations(await server.request(ReferencesRequest, params)), encoding)
  } catch (thrown) {
    const { kind, message, hint } = asBridgeError(thrown)
    if (kind !== 'ServerError') throw thrown
    doubt({ verdict: 'partial', reason: `who used ${path}, which is gone from ${name}: ${message}`, hint })
    return undefined
  }
  const elsewhere = places.filter(place => place.file !== name)
  const isWholeGone = file.status === 'deleted' || file.status === 'renamed'
  const others = isWholeGone
    ? await mentionsOf(declaration, name, elsewhere, context)
    : stillHere(
        declaration,
        places.filter(place => place.file === name),
        file,
        context,
      )
  return mergedPlaces(elsewhere, others)
}

/**
 * Uses in the file itself were found in its old text: those on lines that are still there are there, and on the lines
 * that were changed the name is looked for.
 */
function stillHere(
  { name }: Declaration,
  places: readonly Place[],
  { file, oldText, lines }: TouchedFile,
  { workspace }: Context,
): Place[] {
  const { text } = workspace.read(file)
  const { follow } = mapLines(oldText?.text ?? '', text.text)
  const kept = places.flatMap(({ line }) => follow(line) ?? [])
  const changed = lines === 'all' ? [] : lines.filter(line => !isComment(text.line(line) ?? ''))
  return [...new Set([...kept, ...changed])].flatMap(line =>
    occurrences(text.line(line) ?? '', name).map(column => placeOn(file, text, { line, column }, name)),
  )
}

function placeOn(file: string, text: SourceText, { line, column }: PublicPosition, name: string): Place {
  const shown = cleanLine(text.line(line) ?? '', longestLine).text
  return { file, line, column, end_line: line, end_column: column + name.length, text: shown }
}

/** For a server that does not see a file where there is none: who imports the name from there, by the text. */
async function mentionsOf(
  { name }: Declaration,
  file: string,
  found: readonly Place[],
  { workspace, signal, doubt, remaining }: Context,
): Promise<Place[]> {
  const language = workspace.routes.languageOf(file)
  if (language === undefined) return []
  const milliseconds = Math.min(searchMilliseconds, remaining() / 10)
  const matches = await workspace.witnesses.filesWith(name, language, { milliseconds, signal })
  const named = new Set([file, ...found.map(place => place.file)])
  const suspects = workspace.witnesses
    .suspects(matches, { language, word: name, gaps: new Set<string>(), declaredIn: file, named })
    .map(suspect => ({ ...suspect, text: workspace.read(suspect.file).text }))
    .filter(({ text }) => importsFrom(text, name, stemOf(file)))
  if (suspects.length === 0) return []
  const files = suspects.map(suspect => suspect.file)
  doubt({
    verdict: 'partial',
    reason: `by their text alone, not by the server's word, these use ${name} of ${file}, which is gone: ${listed(files)}`,
  })
  return suspects.flatMap(({ file: user, places, text }) =>
    places.slice(0, 1).map(place => placeOn(user, text, place, name)),
  )
}

export function oldName({ file, before }: TouchedFile): string {
  return before ?? file
}
