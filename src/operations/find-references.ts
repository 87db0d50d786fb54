// Every place a symbol is used.
import { DocumentHighlightRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseLocations } from '../lsp/results.js'
import { isSamePlace, mergedPlaces } from '../workspace/places.js'
import { beginCrossCheck, declarationsOf } from './cross-check.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf, fileCount, groupedByFile, pointer } from './render.js'
import { symbolTarget } from './target.js'

export const findReferences = defineOperation({
  name: 'find_references',
  summary:
    'Every place a symbol is used in the whole workspace, by meaning, not by text: no false hits in comments, strings or namesakes. Use before changing or deleting anything.',
  effect: 'read',
  on: 'symbol',
  lsp: ReferencesRequest,
  nearest: { name: 'get_document_highlights', lsp: DocumentHighlightRequest },
  needsWholeWorkspace: true,
  input: z.object({
    ...symbolTarget,
    include_declaration: z.boolean().default(true).describe('List the declaration too.'),
  }),
  output: z.object({ references: z.array(placeSchema) }),
  example: 'src/errors.ts --symbol BridgeError',
  items: listedIn('references'),

  async run({ include_declaration }, call) {
    const { at, server, workspace } = call
    const crossCheck = beginCrossCheck(call)
    // Asked at a use not to include the declaration, Pyright leaves out that use and keeps the declaration.
    const context = { includeDeclaration: true }
    const locations = parseLocations(await server.request(ReferencesRequest, { ...at, context }))
    const found = workspace.places(locations, server.client.encoding)
    const references = mergedPlaces(found, await crossCheck.missedBy(found))
    if (include_declaration) return { references }
    const declared = await declarationsOf(call)
    return { references: references.filter(place => !declared.some(other => isSamePlace(place, other))) }
  },

  render: ({ references }, { target, total }) => [
    `${countedOf(references.length, total, 'reference')} to ${pointer(target)} in ${fileCount(references)}`,
    ...groupedByFile(references),
  ],
})
