// From a place in a file to what a server takes for callable there, and from that to its callers and callees: the requests
// of the call hierarchy, with what some servers need besides.
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  DefinitionRequest,
  ReferencesRequest,
} from 'vscode-languageserver-protocol'
import { asBridgeError, type BridgeError, type ErrorKind } from '../errors.js'
import {
  type HierarchyItem,
  parseHierarchyItems,
  parseIncomingCalls,
  parseOutgoingCalls,
} from '../lsp/hierarchy.js'
import { parseLocations, type ServerLocation } from '../lsp/results.js'
import { uriToPath } from '../text/uri.js'
import { distinct, keyOf, type Link, placeKey } from './hierarchy-walk.js'
import type { ContextOf, FileContext, FileNeeds, ServerPort } from './operation.js'
import { type DocumentPosition, usesOf } from './renamed-imports.js'

const mostDefinitions = 5

/** References that were asked for already. */
export interface KnownReferences {
  readonly at: DocumentPosition
  readonly references: readonly ServerLocation[]
}

export async function callersOf(
  item: HierarchyItem,
  context: FileContext,
  known?: KnownReferences,
): Promise<Link[]> {
  const { server } = context
  const links = await askCallers(item, server)
  if (!needsRenamedImports(server)) return links
  const at = { textDocument: { uri: item.uri }, position: item.selectionRange.start }
  const isKnown = known !== undefined && keyOfPosition(known.at) === keyOf(item)
  const { renamed } = await usesOf(at, context, isKnown ? known.references : undefined)
  for (const alias of renamed) {
    for (const other of await preparedIn(alias, context)) links.push(...(await askCallers(other, server)))
  }
  return links
}

function needsRenamedImports({ client, connection }: ServerPort): boolean {
  const { language } = connection.session.candidate.definition
  return language === 'python' && client.supports(ReferencesRequest)
}

async function askCallers(item: HierarchyItem, server: ServerPort): Promise<Link[]> {
  const calls = parseIncomingCalls(await server.request(CallHierarchyIncomingCallsRequest, { item }))
  return calls.map(({ item: caller, ranges }) => ({
    item: caller,
    at: ranges.map(range => ({ uri: caller.uri, range })),
  }))
}

export async function calleesOf(item: HierarchyItem, { server }: FileContext): Promise<Link[]> {
  const calls = parseOutgoingCalls(await server.request(CallHierarchyOutgoingCallsRequest, { item }))
  return calls.map(({ item: callee, ranges }) => ({
    item: callee,
    at: ranges.map(range => ({ uri: item.uri, range })),
  }))
}

/**
 * What the server takes for callable at the target, and where that is defined. Asked at a use, clangd gives the
 * declaration in the header, whose calls it does not place, and Pyright the import; some servers give nothing.
 */
export async function callablesAt(context: ContextOf['symbol']): Promise<HierarchyItem[]> {
  const { at, server } = context
  let refusal: BridgeError | undefined
  let here: readonly HierarchyItem[] = []
  try {
    here = await prepared(at, server)
  } catch (thrown) {
    refusal = asBridgeError(thrown)
    // gopls answers with an error where there is nothing callable.
    if (refusal.kind !== 'ServerError') throw refusal
  }
  const known = new Set([keyOfPosition(at), ...here.map(keyOf)])
  const there: HierarchyItem[] = []
  for (const definition of await definitionsOf(at, server)) {
    if (!known.has(keyOfPosition(definition))) there.push(...(await preparedIn(definition, context)))
  }
  const items = distinct([...there, ...here])
  if (items.length === 0 && refusal !== undefined) throw refusal
  return items
}

async function definitionsOf(at: DocumentPosition, server: ServerPort): Promise<DocumentPosition[]> {
  if (!server.client.supports(DefinitionRequest)) return []
  try {
    const locations = parseLocations(await server.request(DefinitionRequest, at))
    return locations
      .slice(0, mostDefinitions)
      .map(({ uri, range }) => ({ textDocument: { uri }, position: range.start }))
  } catch (thrown) {
    // What stands there is then all there is to ask about.
    if (asBridgeError(thrown).kind === 'ServerError') return []
    throw thrown
  }
}

const needs: FileNeeds = {
  name: 'find_callers',
  lsp: CallHierarchyPrepareRequest,
  // The server has been waited for already.
  needsWholeWorkspace: false,
}

/** In another file, which is opened for it; nothing for a file that is not the workspace's. */
async function preparedIn(at: DocumentPosition, context: FileContext): Promise<readonly HierarchyItem[]> {
  const path = uriToPath(at.textDocument.uri)
  if (path === undefined) return []
  try {
    return await context.inFile(path, needs, ({ server }) => prepared(at, server))
  } catch (thrown) {
    if (nothingThere.has(asBridgeError(thrown).kind)) return []
    throw thrown
  }
}

const nothingThere: ReadonlySet<ErrorKind> = new Set([
  'ServerError',
  'PathOutsideWorkspace',
  'FileNotFound',
  'NotAFile',
  'FileTooLarge',
  'NoServerForExtension',
])

async function prepared(
  { textDocument, position }: DocumentPosition,
  server: ServerPort,
): Promise<readonly HierarchyItem[]> {
  return parseHierarchyItems(await server.request(CallHierarchyPrepareRequest, { textDocument, position }))
}

function keyOfPosition({ textDocument: { uri }, position }: DocumentPosition): string {
  return placeKey(uri, position)
}
