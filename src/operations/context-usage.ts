// Who depends on what is being edited: the callers of a function, the uses of anything else. Where the call hierarchy may
// not be asked for, references tell it for all.
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyPrepareRequest,
  ReferencesRequest,
} from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import { type HierarchyItem, parseHierarchyItems } from '../lsp/hierarchy.js'
import { parseLocations } from '../lsp/results.js'
import { importLines } from '../text/import-lines.js'
import type { Lines } from '../text/position.js'
import { isTestFile } from '../text/test-names.js'
import type { Place } from '../workspace/places.js'
import type { Workspace } from '../workspace/workspace.js'
import { callersOf } from './call-items.js'
import { askedServer, type ContextBatch, stampOf } from './context-batch.js'
import type { Focus } from './context-focus.js'
import type { Declaration, Declarations } from './declarations.js'
import { doubtLimits, openProjects } from './doubts.js'
import { entryOf } from './hierarchy-entry.js'
import { isExternal } from './hierarchy-walk.js'
import type { ContextOf, FileContext, ServerPort } from './operation.js'
import { pointedAt } from './uses.js'

interface User {
  readonly file: string
  readonly line: number
  /** The function it is in, where that is known. */
  readonly symbol?: string | undefined
}

interface Users {
  readonly query: string
  readonly word: 'called' | 'used'
  readonly users: readonly User[]
}

/** These questions go through the whole workspace, so they come after the others, few at once, and not all if that takes long. */
export async function askUsage(
  focus: Focus,
  file: FileContext,
  declared: Declarations,
  batch: ContextBatch,
): Promise<void> {
  const waiting = unitsIn(focus, declared).entries()
  await openProjects(ReferencesRequest.method, file.server.connection, file)
  const began = file.remaining()
  const mayAsk = () => began - file.remaining() < Math.max(leastPatience, began * patience)
  const work = async () => {
    for (const [place, unit] of waiting) {
      if (place === 0 || mayAsk()) await tellUsers(unit, place, file, batch)
      else batch.miss({ ...aboutUsersOf(unit, file), reason: 'time' })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const mostUnits = 6
const mostUsers = 6
const atOnce = 2
const leastPatience = 100
/** The part of the time that is left in which another one may be begun. */
const patience = 0.1

async function tellUsers(
  unit: Declaration,
  place: number,
  file: FileContext,
  batch: ContextBatch,
): Promise<void> {
  const { source, server } = file
  const queriedAt = file.now()
  const found = await usersOf(unit, file, batch)
  if (found === undefined) return
  const users = found.users.filter(user => user.file !== source.relative)
  if (users.length === 0) return
  batch.add(
    {
      kind: 'usage',
      file: source.relative,
      line: unit.at.line,
      column: unit.at.column,
      symbol: unit.path,
      forms: [mostUsers, 2].map(most => [told(unit, found.word, users, most)]),
      query: found.query,
      server: askedServer(server),
      queriedAt,
      sources: [stampOf(source)],
    },
    place,
  )
}

function aboutUsersOf(unit: Declaration, { source }: FileContext) {
  return { kind: 'usage', target: `${source.relative}:${unit.at.line} ${unit.path}` } as const
}

/** What others can see, the top level first; what is hidden only where nothing else is there. */
function unitsIn({ source, spans, isWhole }: Focus, { all }: Declarations): Declaration[] {
  const open = all.filter(({ isUnit, isNamed, isTest }) => isUnit && isNamed && !isTest)
  const touched = open.filter(({ start, end }) =>
    spans.some(({ first, last }) => start.line <= last && first <= end.line),
  )
  const isCovered = ({ start, end }: Declaration) =>
    spans.some(({ first, last }) => first <= start.line && end.line <= last)
  // Of lines within a method that is what is worked on, and not its class.
  const units = isWhole
    ? open.filter(({ parent, kind }) => parent === undefined || askedWithin.has(kind))
    : touched.filter(unit => isCovered(unit) || !touched.some(({ parent }) => parent === unit))
  const shown = units.map(unit => ({ unit, rank: hiddenness(unit, source.text) }))
  const least = Math.min(...shown.map(({ rank }) => rank))
  return shown
    .filter(({ rank }) => rank < 2 || rank === least)
    .toSorted(
      (a, b) => depthOf(a.unit) - depthOf(b.unit) || a.rank - b.rank || kindRank(a.unit) - kindRank(b.unit),
    )
    .map(({ unit }) => unit)
    .slice(0, mostUnits)
}

/** 0 for what is meant for others, 2 for what is not, by the customs of its language. */
function hiddenness({ name, at, start }: Declaration, text: Lines): 0 | 1 | 2 {
  if (/^[_#]/.test(name)) return 2
  const head = `${text.line(start.line) ?? ''} ${text.line(at.line) ?? ''}`
  if (/\b(?:private|protected|static inline)\b/.test(head)) return 2
  return /\b(?:export|pub|public)\b/.test(head) ? 0 : 1
}

/** A change of what runs is felt by its users first. */
function kindRank({ kind }: Declaration): number {
  return callable.has(kind) ? 0 : askedWithin.has(kind) ? 1 : 2
}

function depthOf({ parent }: Declaration): number {
  return parent === undefined ? 0 : 1 + depthOf(parent)
}

const askedWithin: ReadonlySet<string> = new Set(['method', 'function', 'class', 'struct', 'interface'])
const callable: ReadonlySet<string> = new Set(['method', 'function', 'constructor'])

async function usersOf(
  unit: Declaration,
  file: FileContext,
  batch: ContextBatch,
): Promise<Users | undefined> {
  const about = aboutUsersOf(unit, file)
  const callers = await batch.ask(about, () => askCallers(unit, file, batch))
  if (callers !== undefined && callers.length > 0)
    return { query: CallHierarchyIncomingCallsRequest.method, word: 'called', users: callers }
  if (!(await batch.knows(ReferencesRequest, file.server))) return undefined
  const users = await batch.ask(about, () => askReferences(unit, file))
  return users && { query: ReferencesRequest.method, word: 'used', users }
}

/** None where it is better asked for otherwise: what is not called, or is only handed on, has users and no callers. */
async function askCallers(unit: Declaration, file: FileContext, batch: ContextBatch): Promise<User[]> {
  const { server, workspace } = file
  const { quirks } = server.connection.session.candidate.definition
  if (!callable.has(unit.kind) || quirks.slowCallHierarchy !== undefined) return []
  if (!batch.knowsAlready(CallHierarchyPrepareRequest, server)) return []
  const { at } = pointedAt(file, unit)
  const items = await preparedAt(at, server)
  const links = (await Promise.all(items.map(item => callersOf(item, file)))).flat()
  const users = links.map(({ item }) => {
    const place = workspace.place(item.uri, item.selectionRange, server.client.encoding)
    const { symbol, kind, file: where, line } = entryOf(item, place, workspace)
    return { place, user: { file: where, line, ...(kind === 'module' ? {} : { symbol }) } }
  })
  return users.filter(({ place }) => !isExternal(place)).map(({ user }) => user)
}

async function preparedAt(at: ContextOf['symbol']['at'], server: ServerPort): Promise<HierarchyItem[]> {
  try {
    return parseHierarchyItems(await server.request(CallHierarchyPrepareRequest, at))
  } catch (thrown) {
    // gopls takes the name of a function's type for a function and then refuses it.
    if (asBridgeError(thrown).kind === 'ServerError') return []
    throw thrown
  }
}

async function askReferences(unit: Declaration, file: FileContext): Promise<User[]> {
  const { server, workspace, source } = file
  const { at } = pointedAt(file, unit)
  const found = parseLocations(
    await server.request(ReferencesRequest, { ...at, context: { includeDeclaration: false } }),
  )
  doubtLimits(ReferencesRequest.method, server.connection, source.absolute, file)
  const places = workspace.places(found, server.client.encoding).filter(place => !isExternal(place))
  return withoutImports(places, workspace)
}

/** A line that only brings the name in is worth telling where nothing else in its file is. */
function withoutImports(places: readonly Place[], workspace: Workspace): User[] {
  const imports = new Map<string, ReadonlySet<number>>()
  const importsOf = (file: string) => {
    const known = imports.get(file) ?? importLinesOf(file, workspace)
    imports.set(file, known)
    return known
  }
  const used = places.filter(({ file, line }) => !importsOf(file).has(line))
  const files = new Set(used.map(({ file }) => file))
  const kept = [...used, ...places.filter(({ file }) => !files.has(file))]
  return kept.map(({ file, line }) => ({ file, line }))
}

function importLinesOf(file: string, workspace: Workspace): ReadonlySet<number> {
  try {
    return importLines(workspace.read(file).text)
  } catch {
    // Gone since, or not to be read.
    return new Set()
  }
}

/** `withDeadline: called by answerWithin (src/operations/run.ts:105), 4 more; 3 in tests`. */
function told(unit: Declaration, word: Users['word'], users: readonly User[], most: number): string {
  const tests = users.filter(({ file }) => isTestFile(file))
  const others = users.filter(({ file }) => !isTestFile(file))
  if (others.length === 0)
    return `${unit.path}: ${word} in tests only, ${byFile(tests, 0).slice(0, 3).join(', ')}`
  const places = word === 'called' ? others.map(calledBy) : byFile(others)
  const shown = places.slice(0, most)
  const left = places.length - shown.length
  const more = left > 0 ? `, and ${left} more${word === 'called' ? '' : ' files'}` : ''
  const inTests = tests.length > 0 ? `; ${tests.length} in tests` : ''
  return `${unit.path}: ${word === 'called' ? 'called by' : 'used at'} ${shown.join(', ')}${more}${inTests}`
}

function calledBy({ file, line, symbol }: User): string {
  return symbol === undefined ? `${file}:${line}` : `${symbol} (${file}:${line})`
}

const mostLines = 4

/** `src/a.ts:3,17`, the file with most uses first. */
function byFile(users: readonly User[], most = mostLines): string[] {
  const files = new Map<string, number[]>()
  for (const { file, line } of users) files.set(file, [...(files.get(file) ?? []), line])
  return [...files]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([file, lines]) => {
      if (most === 0) return file
      const shown = [...new Set(lines)].slice(0, most)
      return `${file}:${shown.join(',')}${shown.length < new Set(lines).size ? ',...' : ''}`
    })
}
