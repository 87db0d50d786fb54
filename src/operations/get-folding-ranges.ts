// The blocks of a file: bodies, comments, imports, regions.
import { DocumentSymbolRequest, FoldingRangeRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import type { ServerPosition } from '../lsp/parse.js'
import { parseFoldingRanges, type ServerFold } from '../lsp/structure.js'
import { cleanLine } from '../text/clean.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { sourcePlace } from './source-place.js'
import { fileField } from './target.js'

export const getFoldingRanges = defineOperation({
  name: 'get_folding_ranges',
  summary:
    'Where the blocks of a file begin and end: bodies, comments, imports, regions. Use to read a long file in parts.',
  effect: 'read',
  on: 'file',
  lsp: FoldingRangeRequest,
  nearest: { name: 'list_symbols', lsp: DocumentSymbolRequest },
  // It follows from the text of the file alone.
  needsWholeWorkspace: false,
  input: z.object({ file: fileField }),
  output: z.object({ ranges: z.array(placeSchema), file: z.string() }),
  example: 'src/clock.ts',
  items: listedIn('ranges'),

  // Whole lines were asked for, so TypeScript 7, gopls and clangd leave the line of a closing bracket out; rust-analyzer does
  // not. TypeScript also lists what fits one line.
  async run(_input, { document, server, source }) {
    const { encoding } = server.client
    const folds = parseFoldingRanges(
      await server.request(FoldingRangeRequest, { textDocument: { uri: document.uri } }),
    )
    const ranges = folds
      .map(fold => {
        const range = { start: startOf(fold), end: endOf(fold) }
        const place = sourcePlace(source, range, encoding)
        // clangd calls every body a region.
        return fold.kind === undefined ? place : { ...place, label: cleanLine(fold.kind, 40).text }
      })
      // What encloses comes before what is enclosed.
      .sort((a, b) => a.line - b.line || b.end_line - a.end_line || a.column - b.column)
    return { ranges, file: source.relative }
  },

  render: ({ ranges, file }, { total }) => [
    `${countedOf(ranges.length, total, 'folding range')} in ${file}`,
    ...ranges.map(
      ({ line, end_line, label, text }) =>
        `  ${line}-${end_line}  ${text}${label === undefined ? '' : ` (${label})`}`,
    ),
  ],
})

// A character that is left out is the end of its line; a number past it is taken for that.
const endOfLine = 2 ** 31 - 1

function startOf({ startLine, startCharacter = endOfLine }: ServerFold): ServerPosition {
  return { line: startLine, character: startCharacter }
}

function endOf({ endLine, endCharacter = endOfLine }: ServerFold): ServerPosition {
  return { line: endLine, character: endCharacter }
}
