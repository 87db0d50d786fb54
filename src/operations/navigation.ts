// The four questions that lead from a symbol to places. They differ in the request and in their words alone.
import type { TextDocumentPositionParams } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import type { TypedRequest } from '../lsp/client.js'
import { parseLocations } from '../lsp/results.js'
import { defineOperation, listedIn, type NearestOperation, placeSchema } from './operation.js'
import { countedOf, groupedByFile, pointer } from './render.js'
import { symbolTarget } from './target.js'

export interface Navigation<Name extends string> {
  readonly name: Name
  readonly summary: string
  readonly lsp: TypedRequest<TextDocumentPositionParams>
  readonly nearest: NearestOperation
  /** What one of the places is. */
  readonly noun: string
  readonly example: string
}

export function defineNavigation<const Name extends string>({
  name,
  summary,
  lsp,
  nearest,
  noun,
  example,
}: Navigation<Name>) {
  return defineOperation({
    name,
    summary,
    effect: 'read',
    on: 'symbol',
    lsp,
    nearest,
    needsWholeWorkspace: true,
    input: z.object(symbolTarget),
    output: z.object({ places: z.array(placeSchema) }),
    example,
    items: listedIn('places'),

    async run(_input, { at, server, workspace }) {
      const locations = parseLocations(await server.request(lsp, at))
      return { places: workspace.places(locations, server.client.encoding) }
    },

    render: ({ places }, { target, total }) => [
      `${countedOf(places.length, total, noun)} of ${pointer(target)}`,
      ...groupedByFile(places),
    ],
  })
}
