// What a file declares.
import { DocumentSymbolRequest, WorkspaceSymbolRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseDocumentSymbols, type ServerSymbol } from '../lsp/results.js'
import { defineOperation, placeSchema } from './operation.js'
import { countSymbols, keepSymbols, type OutlineSymbol, outlineLines, upToDepth } from './outline.js'
import { counted, countedOf } from './render.js'
import { byPosition, sourcePlace } from './source-place.js'
import { symbolKindName } from './symbol-kind.js'
import { declaredSegments, joinPath } from './symbol-path.js'
import { fileField } from './target.js'

const outlineSymbol: z.ZodType<OutlineSymbol> = z.lazy(() =>
  z.object({
    name: z.string(),
    kind: z.string(),
    path: z.string(),
    ...placeSchema.shape,
    children: z.array(outlineSymbol).optional(),
  }),
)

export const listSymbols = defineOperation({
  name: 'list_symbols',
  summary:
    'The outline of a file: every class, function and member with its line. Use before reading a long file.',
  effect: 'read',
  on: 'file',
  lsp: DocumentSymbolRequest,
  nearest: { name: 'find_symbol', lsp: WorkspaceSymbolRequest },
  needsWholeWorkspace: false,
  input: z.object({
    file: fileField,
    depth: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Levels to list, e.g. 2 for classes and their members.'),
  }),
  output: z.object({ symbols: z.array(outlineSymbol) }),
  example: 'src/clock.ts',
  items: {
    count: ({ symbols }) => countSymbols(symbols),
    keep: ({ symbols }, count) => ({ symbols: keepSymbols(symbols, count) }),
  },

  async run({ depth }, { document, server, source, doubt }) {
    const symbols = parseDocumentSymbols(
      await server.request(DocumentSymbolRequest, { textDocument: { uri: document.uri } }),
    )
    const present = (symbol: ServerSymbol, above: readonly string[]): OutlineSymbol => {
      const segments = declaredSegments(symbol, above)
      const children = inOrder(symbol.children.map(child => present(child, segments)))
      const place = sourcePlace(source, symbol.selection, server.client.encoding)
      const { name } = symbol
      const whole = { name, kind: symbolKindName(symbol.kind), path: joinPath(segments), ...place }
      return children.length === 0 ? whole : { ...whole, children }
    }
    const all = inOrder(symbols.map(symbol => present(symbol, [])))
    const listed = depth === undefined ? all : upToDepth(all, depth)
    const deeper = countSymbols(all) - countSymbols(listed)
    if (deeper > 0) {
      doubt({
        verdict: 'partial',
        reason: `${counted(deeper, 'symbol')} deeper than depth ${depth} left out`,
        hint: 'Raise depth to see them.',
      })
    }
    return { symbols: listed }
  },

  render: ({ symbols }, { total }) => {
    const [first] = symbols
    const where = first === undefined ? 'the file' : first.file
    return [`${countedOf(countSymbols(symbols), total, 'symbol')} in ${where}`, ...outlineLines(symbols)]
  },
})

/** typescript-language-server sorts by name, pyright and pylsp put attributes after methods. */
function inOrder(symbols: OutlineSymbol[]): OutlineSymbol[] {
  return symbols.sort(byPosition)
}
