// Where a symbol is defined.
import { DefinitionRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseLocations } from '../lsp/results.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf, groupedByFile, pointer } from './render.js'
import { symbolTarget } from './target.js'

export const goToDefinition = defineOperation({
  name: 'go_to_definition',
  summary:
    'Where a symbol is really defined, resolved by the compiler through imports, re-exports and overloads. Use instead of grepping for the name.',
  effect: 'read',
  on: 'symbol',
  lsp: DefinitionRequest,
  needsWholeWorkspace: true,
  input: z.object(symbolTarget),
  output: z.object({ places: z.array(placeSchema) }),
  example: 'src/bridge.ts --symbol Workspace',
  items: listedIn('places'),

  async run(_input, { at, server, workspace }) {
    const locations = parseLocations(await server.request(DefinitionRequest, at))
    return { places: workspace.places(locations, server.client.encoding) }
  },

  render: ({ places }, { target, total }) => [
    `${countedOf(places.length, total, 'definition')} of ${pointer(target)}`,
    ...groupedByFile(places),
  ],
})
