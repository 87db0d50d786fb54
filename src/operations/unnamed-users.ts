// Files that seem to use a changed name although the server, asked who does, did not name them: it searches the projects
// it has loaded and says nothing of the rest. The text raises the question, the server answers it: one that uses the name
// depends on the change like any other, and a namesake changes nothing.
import { DefinitionRequest } from 'vscode-languageserver-protocol'
import type { ServerPosition } from '../lsp/parse.js'
import { parseLocations } from '../lsp/results.js'
import { importsFrom } from '../text/import-lines.js'
import { stemOf } from '../text/mentions.js'
import { toServerPosition } from '../text/position.js'
import { pathToUri, uriToPath } from '../text/uri.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Suspect } from '../workspace/witnesses.js'
import type { WordMatches } from '../workspace/word-search.js'
import { passable } from './cross-check.js'
import { type DeclaredName, keyOf, type Referrers } from './dependents.js'
import type { ContextOf, ServerPort } from './operation.js'
import { listed } from './render.js'

type Context = ContextOf['workspace']

export interface UserSearch {
  readonly context: Context
  readonly server: ServerPort
  /** Shows the server the files as they are on the disk. */
  open(sources: readonly SourceFile[]): Promise<unknown>
}

const mostNames = 10
const mostAsked = 12
const searchMilliseconds = 1500

/** Begin before the server is asked who refers to the names: the text is then searched while it works. */
export function beginUserSearch(names: readonly DeclaredName[], search: UserSearch) {
  const { context } = search
  const began = context.remaining()
  const ends = began - Math.min(searchMilliseconds, began * 0.1)
  const left = () => Math.max(context.remaining() - ends, 0)
  const asked = search.server.client.supports(DefinitionRequest)
    ? names.filter(isOnTop).slice(0, mostNames)
    : []
  const searched = searchTexts(asked, search, left)
  // Nobody may come for them, when the server fails.
  searched.catch(() => undefined)
  return async (
    referrers: Referrers,
  ): Promise<{ readonly referrers: Referrers; readonly gaps: string[] }> => {
    const matches = await searched
    const whole = new Map(referrers)
    const gaps: string[] = []
    let due = mostAsked
    for (const declared of asked) {
      const found = matches.get(declared.name)
      const named = referrers.get(keyOf(declared))
      if (found === undefined || named === undefined) continue
      const suspects = suspectsIn(found, declared, named, search)
      const users = await usersAmong(suspects.slice(0, due), declared, search)
      // Whoever imports the name from a module of that name is more than a namesake.
      const unasked = suspects.slice(due).filter(({ isTaking }) => isTaking)
      due = Math.max(due - suspects.length, 0)
      if (users.length > 0)
        whole.set(keyOf(declared), new Map([...named, ...users.map(path => [path, 0] as const)]))
      if (unasked.length > 0) gaps.push(tellUnasked(declared.name, unasked))
    }
    return { referrers: whole, gaps }
  }
}

/** A member is found through its type, which is asked about as well. */
function isOnTop({ name }: DeclaredName): boolean {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)
}

async function searchTexts(
  names: readonly DeclaredName[],
  { context, server }: UserSearch,
  left: () => number,
): Promise<ReadonlyMap<string, WordMatches>> {
  const { witnesses } = context.workspace
  const { language } = server.connection.session.candidate.definition
  const found = new Map<string, WordMatches>()
  for (const word of new Set(names.map(({ name }) => name))) {
    const milliseconds = left()
    if (milliseconds <= 0) break
    found.set(word, await witnesses.filesWith(word, language, { milliseconds, signal: context.signal }))
  }
  return found
}

interface Suspected {
  readonly source: SourceFile
  readonly places: Suspect['places']
  /** Whether it imports the name from a module with the name of the declaring one. */
  readonly isTaking: boolean
}

/** The most suspicious first. */
function suspectsIn(
  matches: WordMatches,
  { name: word, uri }: DeclaredName,
  named: ReadonlyMap<string, number>,
  { context: { workspace }, server }: UserSearch,
): readonly Suspected[] {
  const { client, connection } = server
  const path = uriToPath(uri)
  const declaredIn = path === undefined ? undefined : nameOf(path, workspace)
  if (declaredIn === undefined) return []
  const { language } = connection.session.candidate.definition
  const known = new Set([declaredIn, ...[...named.keys()].flatMap(file => nameOf(file, workspace) ?? [])])
  const query = { language, word, declaredIn, named: known, gaps: new Set<string>() }
  const suspects = workspace.witnesses.suspects(matches, query).flatMap(({ file, places }): Suspected[] => {
    const source = readable(file, workspace)
    if (source === undefined) return []
    const shown = client.documents.get(pathToUri(source.absolute))
    // It is shown otherwise than it is on the disk, as part of the change: it is judged in any case.
    if (shown !== undefined && shown.content !== source.content) return []
    return [{ source, places, isTaking: importsFrom(source.text, word, stemOf(declaredIn)) }]
  })
  return suspects.toSorted((a, b) => Number(b.isTaking) - Number(a.isTaking))
}

/** As answers show it; undefined outside the workspace. */
function nameOf(path: string, workspace: Context['workspace']): string | undefined {
  try {
    return workspace.locate(path).relative
  } catch {
    return undefined
  }
}

function readable(file: string, workspace: Context['workspace']): SourceFile | undefined {
  try {
    return workspace.read(file)
  } catch {
    // Gone since, or not to be read: no witness.
    return undefined
  }
}

/** Absolute paths. */
async function usersAmong(
  suspects: readonly Suspected[],
  { uri, position }: DeclaredName,
  search: UserSearch,
): Promise<string[]> {
  if (suspects.length === 0) return []
  const declared = await leadsTo(uri, position, search).catch(thrown => void passable(thrown))
  const origins = new Set([placeKey(uri, position), ...(declared ?? [])])
  const users: string[] = []
  for (const suspect of suspects) {
    const testimony = await testimonyOf(suspect, origins, search)
    // Of one that says nothing the text alone decides: to look at too much costs no more than time.
    if (testimony === 'user' || (testimony === 'silent' && suspect.isTaking))
      users.push(suspect.source.absolute)
  }
  return users
}

async function testimonyOf(
  { source, places }: Suspected,
  origins: ReadonlySet<string>,
  search: UserSearch,
): Promise<'user' | 'namesake' | 'silent'> {
  const { encoding } = search.server.client
  const uri = pathToUri(source.absolute)
  let isAnswered = false
  try {
    await search.open([source])
    for (const place of places) {
      const position = toServerPosition(source.text.line(place.line) ?? '', place, encoding)
      const meanings = await leadsTo(uri, position, search)
      if (meanings.some(meaning => origins.has(meaning))) return 'user'
      isAnswered ||= meanings.length > 0
    }
  } catch (thrown) {
    passable(thrown)
  }
  return isAnswered ? 'namesake' : 'silent'
}

async function leadsTo(
  uri: string,
  position: ServerPosition,
  { server }: UserSearch,
): Promise<readonly string[]> {
  const answer = await server.request(DefinitionRequest, { textDocument: { uri }, position })
  return parseLocations(answer).map(location => placeKey(location.uri, location.range.start))
}

function placeKey(uri: string, { line }: ServerPosition): string {
  return `${uriToPath(uri) ?? uri}:${line}`
}

function tellUnasked(name: string, suspects: readonly Suspected[]): string {
  const files = suspects.map(({ source }) => source.relative)
  return `these seem to use ${name} and were not asked about: ${listed(files)}`
}
