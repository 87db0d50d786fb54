// Where a symbol stands in its own file, and whether it is read or written there.
import { DocumentHighlightRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseHighlights } from '../lsp/annotations.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf, pointer } from './render.js'
import { byPosition, sourcePlace } from './source-place.js'
import { symbolTarget } from './target.js'

export const getDocumentHighlights = defineOperation({
  name: 'get_document_highlights',
  summary:
    'Every use of a symbol in its own file, each marked read, write or text. Use to see where a variable changes; find_references covers all files.',
  effect: 'read',
  on: 'symbol',
  lsp: DocumentHighlightRequest,
  nearest: { name: 'find_references', lsp: ReferencesRequest },
  needsWholeWorkspace: true,
  input: z.object(symbolTarget),
  output: z.object({ highlights: z.array(placeSchema) }),
  example: 'src/clock.ts --symbol withDeadline',
  items: listedIn('highlights'),

  // The marks are the server's own: clangd calls a declaration `text`, and typescript-language-server an assignment `read`.
  async run(_input, { at, server, source }) {
    const highlights = parseHighlights(await server.request(DocumentHighlightRequest, at))
      .map(({ range, kind }) => ({ ...sourcePlace(source, range, server.client.encoding), label: kind }))
      .sort(byPosition)
    // Servers may name one place twice, for the parts of a merged declaration for instance.
    const isRepeat = (index: number) => {
      const [before, here] = [highlights[index - 1], highlights[index]]
      return before !== undefined && here !== undefined && byPosition(before, here) === 0
    }
    return { highlights: highlights.filter((_, index) => !isRepeat(index)) }
  },

  render: ({ highlights }, { target, total }) => [
    `${countedOf(highlights.length, total, 'highlight')} of ${pointer(target)}`,
    ...highlights.map(({ line, column, label, text }) => `  ${line}:${column} ${label}  ${text}`),
  ],
})
