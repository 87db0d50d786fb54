// A type hierarchy for servers that have none, such as TypeScript 7 and Pyright: what a class names in its head is
// resolved by go-to-definition, and what names a class in its head is found among its references. So every step is the
// compiler's; only which uses are bases is read from the text. What has no plain name there is not seen, and said so.
import { DefinitionRequest, ReferencesRequest, SymbolKind } from 'vscode-languageserver-protocol'
import type { HierarchyItem } from '../lsp/hierarchy.js'
import type { ServerPosition } from '../lsp/parse.js'
import { parseLocations, type ServerLocation } from '../lsp/results.js'
import { type Head, type HeritageLanguage, headNamed, headWithBase } from '../text/heritage.js'
import { toPublicPositionIn, toServerPosition } from '../text/position.js'
import { pathToUri, uriToPath } from '../text/uri.js'
import type { Place } from '../workspace/places.js'
import type { SourceFile } from '../workspace/source-file.js'
import { distinct, isExternal, keyOf, type Link } from './hierarchy-walk.js'
import type { ContextOf, FileContext, FileNeeds, ServerPort } from './operation.js'
import { usesOf } from './renamed-imports.js'

export interface DerivedTypes {
  readonly roots: readonly HierarchyItem[]
  supertypes(item: HierarchyItem): Promise<Link[]>
  subtypes(item: HierarchyItem): Promise<Link[]>
  /** Whether a use of the type may be that of a subtype. */
  isSubtypeAt(use: Place): boolean
}

/** Undefined where this cannot be done either. */
export function heritageLanguage({ client, connection }: ServerPort): HeritageLanguage | undefined {
  const { language } = connection.session.candidate.definition
  if (!client.supports(DefinitionRequest) || !client.supports(ReferencesRequest)) return undefined
  return language === 'typescript' || language === 'python' ? language : undefined
}

export async function deriveTypes(
  language: HeritageLanguage,
  context: ContextOf['symbol'],
): Promise<DerivedTypes> {
  const { at, server, target } = context
  const { title } = server.connection.session.candidate.definition
  const found = (await definitions(at, server)).map(to => typeAt(to, target.symbol, language, context))
  const roots = typesAmong(found, context)
  const external = new Set(roots.filter(item => readFile(item.uri, context) === undefined).map(keyOf))
  if (roots.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `${title} has no type hierarchy; this one is read from the heads of classes, where a base without a plain name and a type that merely fits are not seen`,
    })
  }
  return {
    roots: distinct(roots),
    isSubtypeAt({ file, line, column }) {
      const source = readPath(file, context)
      if (source === undefined) return false
      return headWithBase(source.text.text, source.text.offsetAt({ line, column }), language) !== undefined
    },
    async supertypes(item) {
      const found = await declaredBases(item, language, context)
      return found.map(link)
    },
    async subtypes(item) {
      // A library's file is not ours to open, but the place that leads there is.
      const position = external.has(keyOf(item)) ? at : positionOf(item)
      const { references } = await usesOf(position, context)
      return distinct(references.flatMap(use => subtypeAt(use, language, context) ?? [])).map(link)
    },
  }
}

function link(item: HierarchyItem): Link {
  return { item, at: [] }
}

function positionOf({ uri, selectionRange }: HierarchyItem) {
  return { textDocument: { uri }, position: selectionRange.start }
}

type AskContext = Pick<FileContext, 'workspace' | 'server' | 'doubt' | 'inFile'>

const needs: FileNeeds = { name: 'type_hierarchy', lsp: DefinitionRequest, needsWholeWorkspace: false }

async function declaredBases(
  item: HierarchyItem,
  language: HeritageLanguage,
  context: AskContext,
): Promise<HierarchyItem[]> {
  const source = readFile(item.uri, context)
  const head = source === undefined ? undefined : headAt(source, item.selectionRange.start, language, context)
  if (source === undefined) {
    context.doubt({ verdict: 'partial', reason: `what ${item.name} inherits from is not in the workspace` })
    return []
  }
  if (head === undefined) {
    context.doubt({
      verdict: 'partial',
      reason: `${item.name} is not declared as a class, and what it stands for was not followed`,
    })
    return []
  }
  if (head.hasExpression) {
    context.doubt({
      verdict: 'partial',
      reason: `${item.name} inherits from an expression, which only the compiler can follow`,
    })
  }
  return context.inFile(source.absolute, needs, async inner => {
    const bases: HierarchyItem[] = []
    for (const { name, offset } of head.bases) {
      const position = serverPosition(inner.source, offset, inner.server)
      const at = { textDocument: { uri: inner.document.uri }, position }
      const found = (await definitions(at, inner.server)).map(to => typeAt(to, name, language, context))
      const types = typesAmong(found, context)
      bases.push(...(types.length > 0 ? types : found.slice(0, 1)))
      if (found.length === 0) {
        context.doubt({
          verdict: 'partial',
          reason: `the server does not know ${name}, a base of ${item.name}`,
        })
      }
    }
    return distinct(bases)
  })
}

/** The class or interface that names this use as a base. */
function subtypeAt(
  { uri, range }: ServerLocation,
  language: HeritageLanguage,
  context: AskContext,
): HierarchyItem | undefined {
  const source = readFile(uri, context)
  if (source === undefined) return undefined
  const head = headWithBase(source.text.text, offsetOf(source, range.start, context), language)
  return head === undefined ? undefined : itemOf(head, source, context)
}

/** For what is declared in the workspace and is neither class nor interface. */
const noType = SymbolKind.Variable

/** What a definition leads to; outside the workspace nothing can be read, and the name must do. */
function typeAt(
  { uri, range }: ServerLocation,
  name: string,
  language: HeritageLanguage,
  context: AskContext,
): HierarchyItem {
  const source = readFile(uri, context)
  const head = source === undefined ? undefined : headAt(source, range.start, language, context)
  if (source !== undefined && head !== undefined) return itemOf(head, source, context)
  const kind = source === undefined ? SymbolKind.Class : noType
  return { name: name.split('.').at(-1) ?? name, kind, uri, range, selectionRange: range }
}

/** One name may have several declarations, such as two interfaces and a variable; a library's count as one. */
function typesAmong(items: readonly HierarchyItem[], { workspace, server }: AskContext): HierarchyItem[] {
  const types = items.filter(({ kind }) => kind !== noType)
  const own = types.filter(
    ({ uri, range }) => !isExternal(workspace.place(uri, range, server.client.encoding)),
  )
  return own.length > 0 ? own : types.slice(0, 1)
}

function itemOf(head: Head, source: SourceFile, { server }: AskContext): HierarchyItem {
  const shown = head.name ?? head.keyword
  const start = serverPosition(source, head.offset, server)
  const end = serverPosition(source, head.offset + shown.length, server)
  return {
    name: head.name ?? '(anonymous class)',
    kind: head.keyword === 'class' ? SymbolKind.Class : SymbolKind.Interface,
    uri: pathToUri(source.absolute),
    range: { start, end },
    selectionRange: { start, end },
  }
}

function headAt(
  source: SourceFile,
  position: ServerPosition,
  language: HeritageLanguage,
  context: AskContext,
): Head | undefined {
  return headNamed(source.text.text, offsetOf(source, position, context), language)
}

async function definitions(
  at: { readonly textDocument: { readonly uri: string }; readonly position: ServerPosition },
  server: ServerPort,
): Promise<ServerLocation[]> {
  return parseLocations(await server.request(DefinitionRequest, at))
}

function offsetOf(source: SourceFile, position: ServerPosition, { server }: AskContext): number {
  return source.text.offsetAt(toPublicPositionIn(source.text, position, server.client.encoding))
}

function serverPosition(source: SourceFile, offset: number, { client }: ServerPort): ServerPosition {
  const position = source.text.positionAt(offset)
  return toServerPosition(source.text.line(position.line) ?? '', position, client.encoding)
}

/** Undefined for what lies outside the workspace or cannot be read. */
function readFile(uri: string, { workspace }: AskContext): SourceFile | undefined {
  const path = uriToPath(uri)
  return path === undefined ? undefined : readPath(path, { workspace })
}

function readPath(path: string, { workspace }: Pick<AskContext, 'workspace'>): SourceFile | undefined {
  try {
    return workspace.read(path)
  } catch {
    return undefined
  }
}
