// What an excerpt uses and does not show: the definitions of its names that lie elsewhere in the workspace. The server says
// where each name is defined and what is declared there.
import { DefinitionRequest } from 'vscode-languageserver-protocol'
import type { Seen } from '../context/excerpt.js'
import { isFamiliar, type NameUse, namesUsed } from '../context/names.js'
import type { ContextKind, Piece, SourceStamp } from '../context/piece.js'
import { parseLocations } from '../lsp/results.js'
import { toServerPosition } from '../text/position.js'
import { isTestFile } from '../text/test-names.js'
import type { Place } from '../workspace/places.js'
import { askedServer, type ContextBatch, stampOf } from './context-batch.js'
import { askCallSignatures } from './context-calls.js'
import { type Described, describe, isCallable, isSmall, type Subject } from './context-describe.js'
import type { Focus } from './context-focus.js'
import { type Declaration, type Declarations, declarationsIn, isContainer } from './declarations.js'
import { isExternal } from './hierarchy-walk.js'
import type { FileContext } from './operation.js'

const mostNames = 40
const mostMembers = 24
const mostFiles = 14
const mostDescribed = 24

export async function askDefinitions(
  focus: Focus,
  file: FileContext,
  declared: Declarations | undefined,
  seen: Seen,
  batch: ContextBatch,
): Promise<void> {
  if (!(await batch.knows(DefinitionRequest, file.server))) return
  const { source } = focus
  // What the whole file declares stands in its outline, or is seen.
  const units = focus.isWhole ? (declared?.all ?? []).filter(({ isUnit }) => isUnit) : []
  const imports = declared?.imports ?? new Set<number>()
  const own = new Set(units.map(({ name }) => name))
  const { language } = file.server.connection.session.candidate.definition
  const mustImport = importing.has(language)
  const names = namesUsed({ text: source.text, spans: focus.spans, imports, declared: own, mustImport })
  const queriedAt = file.now()
  const { targets, foreign } = await definedElsewhere(names, focus, file, seen, batch)
  const calls = askCallSignatures(foreign, file, batch)
  const found = await Promise.all(
    byFile(targets)
      .slice(0, mostFiles)
      .map(([path, there]) => subjectsOf(path, there, file, seen, batch)),
  )
  const best = found
    .flat()
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostDescribed)
  const asking = { queriedAt, sources: [stampOf(source)] }
  await Promise.all(
    best.map(async ({ subject, outline, there }, place) => {
      const described = await describe(subject, outline, there, batch)
      batch.add(pieceOf('definition', subject.declaration, described, there, asking), place)
    }),
  )
  await calls
}

const importing: ReadonlySet<string> = new Set(['typescript', 'python', 'rust'])

/** Another file on the same server, in the same turn: its view of the disk is up to date already. */
export async function openBeside(path: string, file: FileContext): Promise<FileContext> {
  const { workspace, server, signal } = file
  const source = workspace.read(path)
  const { languageId } = workspace.routes.forFile(source.relative)
  const wait = { signal, milliseconds: file.remaining() }
  const document = await server.connection.view.open(source, languageId, wait)
  return { ...file, source, document }
}

export function pieceOf(
  kind: ContextKind,
  declaration: Declaration,
  { line, endLine, forms, query }: Described,
  { source, server }: FileContext,
  { queriedAt, sources }: { readonly queriedAt: string; readonly sources: readonly SourceStamp[] },
): Omit<Piece, 'value'> {
  const own = stampOf(source)
  return {
    kind,
    file: source.relative,
    line,
    endLine,
    symbol: declaration.path,
    forms,
    query,
    server: askedServer(server),
    queriedAt,
    sources: [own, ...sources.filter(({ file }) => file !== own.file)],
  }
}

interface Target {
  readonly place: Place
  uses: number
}

async function definedElsewhere(
  names: readonly NameUse[],
  focus: Focus,
  file: FileContext,
  seen: Seen,
  batch: ContextBatch,
): Promise<{ readonly targets: readonly Target[]; readonly foreign: readonly NameUse[] }> {
  const { source, document, server, workspace } = file
  const { encoding } = server.client
  const targets = new Map<string, Target>()
  const libraries = new Set<string>()
  const foreign: NameUse[] = []
  const ask = async (use: NameUse) => {
    const { name, line, column, uses, isCall } = use
    const position = toServerPosition(source.text.line(line) ?? '', { line, column }, encoding)
    const found = await batch.ask({ kind: 'definition', target: source.relative }, () =>
      server.request(DefinitionRequest, { textDocument: { uri: document.uri }, position }),
    )
    const [place] = workspace.places(parseLocations(found), encoding)
    if (place === undefined) return
    if (isExternal(place)) {
      libraries.add(name)
      if (isCall && !isFamiliar(place.file)) foreign.push(use)
      return
    }
    if (seen.has(place.file, { first: place.line, last: place.line })) return
    if (focus.isWhole && place.file === source.relative) return
    const key = `${place.file}:${place.line}:${place.column}`
    const target = targets.get(key) ?? { place, uses: 0 }
    target.uses += uses + (isCall ? 1 : 0)
    targets.set(key, target)
  }
  await Promise.all(
    names
      .filter(({ root }) => root === undefined)
      .slice(0, mostNames)
      .map(ask),
  )
  // A member of what comes from a library comes from there, too. Pyright takes 10 ms to find its source.
  const members = names.filter(({ root }) => root !== undefined && !libraries.has(root))
  await Promise.all(members.slice(0, mostMembers).map(ask))
  return { targets: [...targets.values()], foreign }
}

/** Those that are used most first. */
function byFile(targets: readonly Target[]): [string, Target[]][] {
  const files = new Map<string, Target[]>()
  for (const target of targets) {
    files.set(target.place.file, [...(files.get(target.place.file) ?? []), target])
  }
  const total = (own: readonly Target[]) => own.reduce((sum, { uses }) => sum + uses, 0)
  return [...files].sort(([, a], [, b]) => total(b) - total(a))
}

interface ScoredSubject {
  readonly subject: Subject
  readonly score: number
  readonly outline: Declarations
  readonly there: FileContext
}

async function subjectsOf(
  path: string,
  targets: readonly Target[],
  file: FileContext,
  seen: Seen,
  batch: ContextBatch,
): Promise<ScoredSubject[]> {
  const found = await batch.ask({ kind: 'definition', target: path }, async () => {
    const there = await openBeside(path, file)
    return { there, outline: await declarationsIn(there) }
  })
  if (found === undefined) return []
  const { there, outline } = found
  return subjectsAmong(targets, outline)
    .filter(({ subject: { declaration } }) => {
      const { start, end } = declaration
      return !seen.has(path, { first: start.line, last: end.line })
    })
    .map(({ subject, uses }) => ({
      subject,
      outline,
      there,
      score: Math.log2(1 + uses) - (isTestFile(path) ? 2 : 0),
    }))
}

/** Members are told with the type they belong to, unless only one of a large type is used. */
function subjectsAmong(
  targets: readonly Target[],
  declared: Declarations,
): { readonly subject: Subject; readonly uses: number }[] {
  const uses = new Map<Declaration, number>()
  const members = new Map<Declaration, Declaration[]>()
  for (const target of targets) {
    const found = declared.declaredAt(target.place)
    // A module as a whole, or a name that is only brought in: nothing of its own to tell.
    if (found === undefined || !found.isUnit || declared.imports.has(target.place.line)) continue
    const { parent } = found
    const isMember = parent?.isNamed === true && isContainer(parent)
    if (isMember) members.set(parent, [...(members.get(parent) ?? []), found])
    uses.set(found, (uses.get(found) ?? 0) + target.uses)
  }
  for (const [parent, used] of members) {
    const [only] = used
    if (
      only !== undefined &&
      used.length === 1 &&
      !uses.has(parent) &&
      !isSmall(parent, declared) &&
      isCallable(only)
    ) {
      members.delete(parent)
      continue
    }
    // A name path of the members is what counts, each of their uses a little less than one of the type.
    const total = used.reduce((sum, member) => sum + (uses.get(member) ?? 0), 0)
    for (const member of used) uses.delete(member)
    uses.set(parent, (uses.get(parent) ?? 0) + total / 2)
  }
  return [...uses].map(([declaration, count]) => ({
    subject: { declaration, used: inOrder(members.get(declaration) ?? []) },
    uses: count,
  }))
}

function inOrder(declarations: readonly Declaration[]): Declaration[] {
  return declarations.toSorted((a, b) => a.at.line - b.at.line)
}
