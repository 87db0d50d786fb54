// What a file declares.
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseDocumentSymbols, type ServerSymbol } from '../lsp/results.js'
import type { Place } from '../workspace/places.js'
import { defineOperation, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { symbolKindName } from './symbol-kind.js'
import { declaredSegments, joinPath } from './symbol-path.js'
import { fileField } from './target.js'

export interface OutlineSymbol extends Place {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly children?: OutlineSymbol[] | undefined
}

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
  needsWholeWorkspace: false,
  input: z.object({ file: fileField }),
  output: z.object({ symbols: z.array(outlineSymbol) }),
  example: 'src/clock.ts',
  items: {
    count: ({ symbols }) => countAll(symbols),
    keep: ({ symbols }, count) => ({ symbols: keepFirst(symbols, { left: count }) }),
  },

  async run(_input, { document, server, workspace }) {
    const symbols = parseDocumentSymbols(
      await server.request(DocumentSymbolRequest, { textDocument: { uri: document.uri } }),
    )
    const present = (symbol: ServerSymbol, above: readonly string[]): OutlineSymbol => {
      const segments = declaredSegments(symbol, above)
      const children = symbol.children.map(child => present(child, segments))
      const place = workspace.place(document.uri, symbol.selection, server.client.encoding)
      const { name } = symbol
      const whole = { name, kind: symbolKindName(symbol.kind), path: joinPath(segments), ...place }
      return children.length === 0 ? whole : { ...whole, children }
    }
    return { symbols: symbols.map(symbol => present(symbol, [])) }
  },

  render: ({ symbols }, { total }) => {
    const [first] = symbols
    const where = first === undefined ? 'the file' : first.file
    return [`${countedOf(countAll(symbols), total, 'symbol')} in ${where}`, ...outline(symbols, 1)]
  },
})

function outline(symbols: readonly OutlineSymbol[], depth: number): string[] {
  return symbols.flatMap(symbol => [
    `${'  '.repeat(depth)}${symbol.line}:${symbol.column}  ${symbol.kind} ${symbol.name}`,
    ...outline(symbol.children ?? [], depth + 1),
  ])
}

function countAll(symbols: readonly OutlineSymbol[]): number {
  return symbols.reduce((sum, symbol) => sum + 1 + countAll(symbol.children ?? []), 0)
}

function keepFirst(symbols: readonly OutlineSymbol[], budget: { left: number }): OutlineSymbol[] {
  const kept: OutlineSymbol[] = []
  for (const symbol of symbols) {
    if (budget.left === 0) return kept
    budget.left -= 1
    const { children, ...own } = symbol
    const keptChildren = keepFirst(children ?? [], budget)
    kept.push(keptChildren.length === 0 ? own : { ...own, children: keptChildren })
  }
  return kept
}
