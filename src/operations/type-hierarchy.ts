// What a type inherits from and what inherits from it, over as many steps as are asked for.
import {
  ReferencesRequest,
  TypeHierarchyPrepareRequest,
  TypeHierarchySubtypesRequest,
  TypeHierarchySupertypesRequest,
} from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { parseHierarchyItems } from '../lsp/hierarchy.js'
import { type DerivedTypes, deriveTypes, heritageLanguage } from './derived-types.js'
import { doubtLimits, openProjects } from './doubts.js'
import { entryOf, entrySchema, pointerTo } from './hierarchy-entry.js'
import { isExternal, type WalkedItem, walkHierarchy } from './hierarchy-walk.js'
import { type ContextOf, defineOperation, type FileContext } from './operation.js'
import { counted, pointer } from './render.js'
import { symbolTarget } from './target.js'
import { beginUses, doubtMissing } from './unsearched-files.js'

const directions = ['supertypes', 'subtypes', 'both'] as const
type Direction = Exclude<(typeof directions)[number], 'both'>

const relatedSchema = z.object({
  ...entrySchema.shape,
  /** Steps away from what was asked about. */
  depth: z.number().int(),
  /** Of depth 2 and more: the type it is one step away from. */
  via: z.string().optional(),
})
type RelatedType = z.output<typeof relatedSchema>

export const typeHierarchy = defineOperation({
  name: 'type_hierarchy',
  summary:
    'What a class or interface inherits from and what inherits from it, resolved by the compiler. Use before changing a base class or an interface.',
  effect: 'read',
  on: 'symbol',
  // Where the server has none, it is worked out from definitions and references.
  lsp: null,
  needsWholeWorkspace: true,
  input: z.object({
    ...symbolTarget,
    direction: z.enum(directions).default('both').describe('Which way to go.'),
    depth: z.number().int().min(1).max(10).default(5).describe('Steps to follow. Libraries are not entered.'),
    limit: z.number().int().min(1).max(1000).default(200).describe('Most types per direction.'),
  }),
  output: z.object({
    direction: z.enum(directions),
    /** What was asked about, where it is declared; nothing where the server sees no type. */
    types: z.array(entrySchema),
    supertypes: z.array(relatedSchema),
    subtypes: z.array(relatedSchema),
  }),
  example: 'src/errors.ts --symbol BridgeError',
  items: {
    count: ({ supertypes, subtypes }) => supertypes.length + subtypes.length,
    keep: (result, count) => ({
      ...result,
      supertypes: result.supertypes.slice(0, count),
      subtypes: result.subtypes.slice(0, Math.max(count - result.supertypes.length, 0)),
    }),
  },

  async run({ direction, depth, limit }, context) {
    const { workspace, server, source, doubt } = context
    const { client, connection } = server
    const usesOfIt = direction === 'supertypes' ? undefined : beginUses(context)
    const types = await typesAt(context)
    const asked = types.roots.map(item =>
      entryOf(item, workspace.place(item.uri, item.selectionRange, client.encoding), workspace),
    )
    if (asked.length === 0) {
      doubt({
        verdict: 'unknown',
        reason: `${client.identity.name} sees no class or interface there`,
        hint: 'Point at the name of a class or interface; go_to_type_definition leads from a value to its type.',
      })
      return { direction, types: asked, supertypes: [], subtypes: [] }
    }
    // What bounds a search for references bounds the search for subtypes.
    await openProjects(ReferencesRequest.method, connection, context)
    doubtLimits(ReferencesRequest.method, connection, source.absolute, context)
    doubtLimits(TypeHierarchyPrepareRequest.method, connection, source.absolute, context)
    const walk = (way: Direction) =>
      walkHierarchy(
        {
          roots: types.roots,
          next: item => types[way](item),
          placeOf: item => workspace.place(item.uri, item.selectionRange, client.encoding),
          follows: (_item, place) => !isExternal(place),
          depth,
          limit,
          noun: way,
          endsOpen: true,
        },
        context,
      )
    const uses = await usesOfIt?.()
    const related = (walked: readonly WalkedItem[]) => walked.map(item => relatedType(item, context))
    const supertypes = direction === 'subtypes' ? [] : related(await walk('supertypes'))
    const subtypes = direction === 'supertypes' ? [] : related(await walk('subtypes'))
    const named = new Set(subtypes.map(({ file }) => file))
    const left = (uses?.missed ?? []).filter(place => !named.has(place.file) && types.isSubtypeAt(place))
    doubtMissing(left, 'subtypes', context)
    return { direction, types: asked, supertypes, subtypes }
  },

  render: ({ direction, types, supertypes, subtypes }, { target, total }) => {
    if (types.length === 0) return [`no class or interface at ${pointer(target)}`]
    const counts = [
      ...(direction === 'subtypes' ? [] : [counted(supertypes.length, 'supertype')]),
      ...(direction === 'supertypes' ? [] : [counted(subtypes.length, 'subtype')]),
    ]
    const shown = supertypes.length + subtypes.length
    const cut = shown < total ? `, ${shown} of ${total} shown` : ''
    return [
      `${counts.join(' and ')} of ${pointer(target)}${cut}`,
      ...types.map(type => `${type.kind} ${pointerTo(type)}${type.text === '' ? '' : `  ${type.text}`}`),
      ...(supertypes.length === 0 ? [] : ['supertypes:', ...supertypes.map(typeLine)]),
      ...(subtypes.length === 0 ? [] : ['subtypes:', ...subtypes.map(typeLine)]),
    ]
  },
})

async function typesAt(context: ContextOf['symbol']): Promise<DerivedTypes> {
  const { server, signal } = context
  const { client } = server
  const language = heritageLanguage(server)
  // None of those for which there is another way registers it later, so none is waited for.
  if (language !== undefined && !client.supports(TypeHierarchyPrepareRequest))
    return deriveTypes(language, context)
  if (await client.offers(TypeHierarchyPrepareRequest, signal)) return knownTypes(context)
  throw new BridgeError({
    kind: 'CapabilityMissing',
    message: `${client.identity.name} does not offer ${TypeHierarchyPrepareRequest.method}, which type_hierarchy needs`,
    hint: 'go_to_implementation finds what implements a type, find_references every use of it.',
  })
}

async function knownTypes({ at, server }: ContextOf['symbol']): Promise<DerivedTypes> {
  const roots = parseHierarchyItems(await server.request(TypeHierarchyPrepareRequest, at))
  return {
    roots,
    // Only the server can tell.
    isSubtypeAt: () => true,
    async supertypes(item) {
      const answer = await server.request(TypeHierarchySupertypesRequest, { item })
      return parseHierarchyItems(answer).map(other => ({ item: other, at: [] }))
    },
    async subtypes(item) {
      const answer = await server.request(TypeHierarchySubtypesRequest, { item })
      return parseHierarchyItems(answer).map(other => ({ item: other, at: [] }))
    },
  }
}

function relatedType(
  { item, place, depth, via }: WalkedItem,
  { workspace, server }: FileContext,
): RelatedType {
  const type = { ...entryOf(item, place, workspace), depth }
  if (via === undefined) return type
  const other = workspace.place(via.uri, via.selectionRange, server.client.encoding)
  return { ...type, via: pointerTo(entryOf(via, other, workspace)) }
}

function typeLine(type: RelatedType): string {
  const { file, line, column, kind, symbol, depth, via, text } = type
  const step = via === undefined ? '' : `, depth ${depth} via ${via}`
  return `  ${file}:${line}:${column} ${kind} ${symbol}${step}${text === '' ? '' : `  ${text}`}`
}
