// Every place a symbol is used.
import { DocumentHighlightRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { isSamePlace, type Place } from '../workspace/places.js'
import { declarationsOf, passable } from './cross-check.js'
import { type ContextOf, defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf, fileCount, groupedByFile, pointer } from './render.js'
import { symbolTarget } from './target.js'
import { referencesTo } from './uses.js'

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
    const references = await referencesTo(call)
    return { references: include_declaration ? references : await withoutDeclaration(references, call) }
  },

  render: ({ references }, { target, total }) => [
    `${countedOf(references.length, total, 'reference')} to ${pointer(target)} in ${fileCount(references)}`,
    ...groupedByFile(references),
  ],
})

/** What is declared is known from another question: asked for the uses alone, Pyright leaves out the one it was asked at. */
async function withoutDeclaration(references: Place[], call: ContextOf['symbol']): Promise<Place[]> {
  try {
    const declared = await declarationsOf(call)
    return references.filter(place => !declared.some(other => isSamePlace(place, other)))
  } catch (thrown) {
    const { message, hint } = passable(thrown)
    const reason = `the declaration may be among the references, because it is not known where it is: ${message}`
    call.doubt({ verdict: 'partial', reason, hint })
    return references
  }
}
