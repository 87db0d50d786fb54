// Every place a symbol is used.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseLocations } from '../lsp/results.js'
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
  needsWholeWorkspace: true,
  input: z.object({
    ...symbolTarget,
    include_declaration: z.boolean().default(true).describe('List the declaration too.'),
  }),
  output: z.object({ references: z.array(placeSchema) }),
  example: 'src/errors.ts --symbol BridgeError',
  items: listedIn('references'),

  async run({ include_declaration }, { at, server, workspace }) {
    const context = { includeDeclaration: include_declaration }
    const locations = parseLocations(await server.request(ReferencesRequest, { ...at, context }))
    return { references: workspace.places(locations, server.client.encoding) }
  },

  render: ({ references }, { target, total }) => [
    `${countedOf(references.length, total, 'reference')} to ${pointer(target)} in ${fileCount(references)}`,
    ...groupedByFile(references),
  ],
})
