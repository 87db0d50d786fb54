// Who depends on what is being edited: the callers of a function, the uses of anything else. Where the call hierarchy may
// not be asked for, references tell it for all.
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyPrepareRequest,
  ReferencesRequest,
} from 'vscode-languageserver-protocol'
import { isWithin } from '../context/excerpt.js'
import { parseHierarchyItems } from '../lsp/hierarchy.js'
import { parseLocations } from '../lsp/results.js'
import { isTestFile } from '../text/test-names.js'
import { callersOf } from './call-items.js'
import { askedServer, type ContextBatch, stampOf } from './context-batch.js'
import type { Focus } from './context-focus.js'
import type { Declaration, Declarations } from './declarations.js'
import { entryOf } from './hierarchy-entry.js'
import { isExternal } from './hierarchy-walk.js'
import type { FileContext } from './operation.js'
import { pointedAt } from './uses.js'

const mostUnits = 8
const mostUsers = 6

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

export async function askUsage(
  focus: Focus,
  file: FileContext,
  declared: Declarations,
  batch: ContextBatch,
): Promise<void> {
  const { source, server } = file
  const units = unitsIn(focus, declared)
  await Promise.all(
    units.map(async (unit, place) => {
      const queriedAt = file.now()
      const found = await usersOf(unit, file, batch)
      if (found === undefined) return
      const elsewhere = found.users.filter(user => user.file !== source.relative)
      if (elsewhere.length === 0) return
      batch.add(
        {
          kind: 'usage',
          file: source.relative,
          line: unit.at.line,
          column: unit.at.column,
          symbol: unit.path,
          forms: [[told(unit, found.word, elsewhere, mostUsers)], [told(unit, found.word, elsewhere, 2)]],
          query: found.query,
          server: askedServer(server),
          queriedAt,
          sources: [stampOf(source)],
        },
        place,
      )
    }),
  )
}

/** What others can see first; of a file that says so, only that. */
function unitsIn({ spans }: Focus, { all }: Declarations): Declaration[] {
  const units = all.filter(
    ({ isUnit, isNamed, isTest, at, parent, kind }) =>
      isUnit &&
      isNamed &&
      !isTest &&
      isWithin(at.line, spans) &&
      (parent === undefined || askedWithin.has(kind)),
  )
  const top = units.filter(({ parent }) => parent === undefined)
  return [...top, ...units.filter(({ parent }) => parent !== undefined)].slice(0, mostUnits)
}

const askedWithin: ReadonlySet<string> = new Set(['method', 'function', 'class', 'struct', 'interface'])
const callable: ReadonlySet<string> = new Set(['method', 'function', 'constructor'])

async function usersOf(
  unit: Declaration,
  file: FileContext,
  batch: ContextBatch,
): Promise<Users | undefined> {
  const about = { kind: 'usage', target: `${file.source.relative}:${unit.at.line} ${unit.path}` } as const
  if (callable.has(unit.kind) && (await batch.knows(CallHierarchyPrepareRequest, file.server))) {
    const callers = await batch.ask(about, () => askCallers(unit, file))
    // A function that is only handed on has users and no callers.
    if (callers === undefined || callers.length > 0)
      return callers && { query: CallHierarchyIncomingCallsRequest.method, word: 'called', users: callers }
  }
  if (!(await batch.knows(ReferencesRequest, file.server))) return undefined
  const users = await batch.ask(about, () => askReferences(unit, file))
  return users && { query: ReferencesRequest.method, word: 'used', users }
}

async function askCallers(unit: Declaration, file: FileContext): Promise<User[]> {
  const { server, workspace } = file
  const { at } = pointedAt(file, unit)
  const items = parseHierarchyItems(await server.request(CallHierarchyPrepareRequest, at))
  const links = (await Promise.all(items.map(item => callersOf(item, file)))).flat()
  const users = links.map(({ item }) => {
    const place = workspace.place(item.uri, item.selectionRange, server.client.encoding)
    const { symbol, kind, file: where, line } = entryOf(item, place, workspace)
    return { place, user: { file: where, line, ...(kind === 'module' ? {} : { symbol }) } }
  })
  return users.filter(({ place }) => !isExternal(place)).map(({ user }) => user)
}

async function askReferences(unit: Declaration, file: FileContext): Promise<User[]> {
  const { server, workspace } = file
  const { at } = pointedAt(file, unit)
  const found = parseLocations(
    await server.request(ReferencesRequest, { ...at, context: { includeDeclaration: false } }),
  )
  return workspace
    .places(found, server.client.encoding)
    .filter(place => !isExternal(place))
    .map(({ file: where, line }) => ({ file: where, line }))
}

/** `withDeadline: called by answerWithin (src/operations/run.ts:105), 4 more; 3 in tests`. */
function told(unit: Declaration, word: Users['word'], users: readonly User[], most: number): string {
  const tests = users.filter(({ file }) => isTestFile(file))
  const others = users.filter(({ file }) => !isTestFile(file))
  const told = others.length === 0 ? tests : others
  const places = word === 'called' ? told.map(calledBy) : byFile(told)
  const shown = places.slice(0, most)
  const left = places.length - shown.length
  const more = left > 0 ? `, and ${left} more${word === 'called' ? '' : ' files'}` : ''
  const inTests = tests.length > 0 && others.length > 0 ? `; ${tests.length} in tests` : ''
  return `${unit.path}: ${word === 'called' ? 'called by' : 'used at'} ${shown.join(', ')}${more}${inTests}`
}

function calledBy({ file, line, symbol }: User): string {
  return symbol === undefined ? `${file}:${line}` : `${symbol} (${file}:${line})`
}

const mostLines = 4

/** `src/a.ts:3,17`, the file with most uses first. */
function byFile(users: readonly User[]): string[] {
  const files = new Map<string, number[]>()
  for (const { file, line } of users) files.set(file, [...(files.get(file) ?? []), line])
  return [...files]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([file, lines]) => {
      const shown = [...new Set(lines)].slice(0, mostLines)
      return `${file}:${shown.join(',')}${shown.length < new Set(lines).size ? ',...' : ''}`
    })
}
