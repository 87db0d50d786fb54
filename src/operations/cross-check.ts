// Holds a server's list of uses against the text of the workspace. Servers search the projects they have loaded and say
// nothing of the rest; a file that imports the name and is not in the answer is asked about, and what it really uses is
// added. The text search only raises the question: a namesake never changes an answer.
import { setImmediate } from 'node:timers/promises'
import { DefinitionRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import { asBridgeError, type BridgeError } from '../errors.js'
import { parseLocations, type ServerLocation } from '../lsp/results.js'
import { toServerPosition } from '../text/position.js'
import { uriToPath } from '../text/uri.js'
import type { Place } from '../workspace/places.js'
import type { Suspect } from '../workspace/witnesses.js'
import type { ContextOf, FileContext } from './operation.js'
import { counted, listed } from './render.js'

export interface CrossCheck {
  /** What else uses the symbol, beyond the files the server named; doubts say so, and what became of these uses. */
  missedBy(found: readonly Pick<Place, 'file'>[], fate?: string): Promise<Place[]>
}

const searchMilliseconds = 2000
const mostAsked = 8

/** Begin before the server is asked: the text is then searched while it works. */
export function beginCrossCheck(context: ContextOf['symbol']): CrossCheck {
  const { session } = context.server.connection
  const losesShown = session.candidate.definition.quirks.shownFilesReadAlone !== undefined
  // What was cleared before may be lost since: not by a change, but by a question.
  const cleared = losesShown
    ? undefined
    : context.workspace.witnesses.clearedOf(session, context.target.handle)
  if (cleared === undefined) return beginSearch(context, losesShown)
  return {
    missedBy: async (found, fate) =>
      cleared.has(found.length) ? [] : beginSearch(context, losesShown).missedBy(found, fate),
  }
}

function beginSearch(context: ContextOf['symbol'], losesShown: boolean): CrossCheck {
  const { workspace, target, server, signal, remaining } = context
  const { witnesses } = workspace
  const { session } = server.connection
  const { language } = session.candidate.definition
  const milliseconds = Math.min(searchMilliseconds, remaining() / 4)
  const searched = witnesses.filesWith(target.symbol, language, { milliseconds, signal })
  // Asked right behind the question itself, so that it costs the answer no time of its own.
  const known = setImmediate().then(() => declarationsOf(context))
  // Nobody may come for them, when the server fails.
  for (const early of [searched, known]) early.catch(() => undefined)
  return {
    async missedBy(found, fate = 'asked one by one, their uses were added') {
      const prepared = await Promise.all([searched, known]).catch(thrown => unchecked(thrown, context))
      if (prepared === undefined) return []
      const [matches, declared] = prepared
      const named = new Set([target.file, ...found.map(({ file }) => file)])
      const gaps = losesShown ? shownFiles(context) : new Set<string>()
      const suspects = declared.flatMap(({ file }) =>
        witnesses.suspects(matches, { language, word: target.symbol, declaredIn: file, named, gaps }),
      )
      const unique = [...new Map(suspects.map(suspect => [suspect.file, suspect])).values()]
      if (unique.length > 0) return questioned(unique, declared, fate, context)
      // Without a declaration or with files unread nobody was suspected because nobody looked.
      if (declared.length > 0 && matches.unread === 0) {
        witnesses.clear(session, target.handle, found.length)
      }
      return []
    },
  }
}

/** What the server did answer is not lost with a question beside it. */
function unchecked(thrown: unknown, { doubt }: ContextOf['symbol']): undefined {
  const { message, hint } = passable(thrown)
  doubt({ verdict: 'partial', reason: `the answer was not held against the text: ${message}`, hint })
}

/** The failure of a side question, which is not that of the answer; a cancelled call and a fault of ours end here all the same. */
export function passable(thrown: unknown): BridgeError {
  const error = asBridgeError(thrown)
  if (error.kind === 'Cancelled' || error.kind === 'Bug') throw error
  return error
}

/** What the server has open, as answers show it. */
function shownFiles({ server, workspace }: ContextOf['symbol']): ReadonlySet<string> {
  const paths = server.client.documents.all().flatMap(({ uri }) => uriToPath(uri) ?? [])
  return new Set(paths.map(path => workspace.locate(path).relative))
}

/** Where the symbol of the question is declared, as its server sees it. */
export async function declarationsOf({ at, server, workspace }: ContextOf['symbol']): Promise<Place[]> {
  if (!server.client.supports(DefinitionRequest)) return []
  const locations = parseLocations(await server.request(DefinitionRequest, at))
  return workspace.places(locations, server.client.encoding)
}

type Testimony =
  | { readonly kind: 'namesake' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'uses'; readonly places: readonly Place[] }

async function questioned(
  suspects: readonly Suspect[],
  declared: readonly Place[],
  fate: string,
  context: ContextOf['symbol'],
): Promise<Place[]> {
  const asked = suspects.slice(0, mostAsked)
  const { title } = context.server.connection.session.candidate.definition
  const missed: string[] = []
  const unclear = suspects.slice(mostAsked).map(({ file }) => file)
  const places: Place[] = []
  for (const suspect of asked) {
    const testimony = await question(suspect, declared, context)
    if (testimony.kind === 'silent') unclear.push(suspect.file)
    if (testimony.kind !== 'uses') continue
    missed.push(suspect.file)
    places.push(...testimony.places)
  }
  if (missed.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `${title} did not search ${counted(missed.length, 'file')} that ${missed.length === 1 ? 'uses' : 'use'} ${context.target.symbol}; ${fate}: ${listed(missed)}`,
      hint: 'They belong to no project it has loaded; others like them may be missing. Search the text as well, or add them to a project.',
    })
  }
  if (unclear.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `${counted(unclear.length, 'file')} that ${unclear.length === 1 ? 'seems' : 'seem'} to use ${context.target.symbol} ${unclear.length === 1 ? 'is' : 'are'} not in the answer: ${listed(unclear)}`,
      hint: 'Look at them yourself: the server could not be asked what they refer to.',
    })
  }
  return places
}

/** What the name refers to in a file that the server did not search. */
async function question(
  suspect: Suspect,
  declared: readonly Place[],
  context: ContextOf['symbol'],
): Promise<Testimony> {
  const needs = { name: 'cross_check', lsp: DefinitionRequest, needsWholeWorkspace: false }
  try {
    return await context.inFile(suspect.file, needs, file => interview(suspect, declared, file))
  } catch (thrown) {
    passable(thrown)
    return { kind: 'silent' }
  }
}

async function interview(
  { places }: Suspect,
  declared: readonly Place[],
  { source, document, server, workspace }: FileContext,
): Promise<Testimony> {
  const { encoding } = server.client
  let isAnswered = false
  for (const place of places) {
    const position = toServerPosition(source.text.line(place.line) ?? '', place, encoding)
    const at = { textDocument: { uri: document.uri }, position }
    const leadsTo = workspace.places(parseLocations(await server.request(DefinitionRequest, at)), encoding)
    isAnswered ||= leadsTo.length > 0
    if (!leadsTo.some(found => declared.some(place => isSame(place, found)))) continue
    const context = { includeDeclaration: true }
    const uses: readonly ServerLocation[] = server.client.supports(ReferencesRequest)
      ? parseLocations(await server.request(ReferencesRequest, { ...at, context }))
      : []
    return { kind: 'uses', places: workspace.places(uses, encoding) }
  }
  return { kind: isAnswered ? 'namesake' : 'silent' }
}

function isSame(a: Place, b: Place): boolean {
  return a.file === b.file && a.line === b.line
}
