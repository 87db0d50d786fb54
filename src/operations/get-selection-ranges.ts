// What encloses a symbol: expression, statement, block, function, class, file.
import { DocumentSymbolRequest, SelectionRangeRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseSelectionRanges } from '../lsp/structure.js'
import type { Place } from '../workspace/places.js'
import type { SourceFile } from '../workspace/source-file.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf, pointer } from './render.js'
import { sourcePlace, textAt } from './source-place.js'
import { symbolTarget } from './target.js'

const longestText = 120

const rangeSchema = z.object({
  ...placeSchema.shape,
  starts: z.string(),
  ends: z.string().optional(),
})

export const getSelectionRanges = defineOperation({
  name: 'get_selection_ranges',
  summary:
    'The exact extent of everything around a symbol, from the name outwards: expression, statement, function, class. Use to cut or replace whole constructs.',
  effect: 'read',
  on: 'symbol',
  lsp: SelectionRangeRequest,
  nearest: { name: 'list_symbols', lsp: DocumentSymbolRequest },
  // It follows from the text of the file alone.
  needsWholeWorkspace: false,
  input: z.object(symbolTarget),
  output: z.object({ ranges: z.array(rangeSchema) }),
  example: 'src/clock.ts --symbol withDeadline',
  items: listedIn('ranges'),

  async run(_input, { at, server, source }) {
    const { textDocument, position } = at
    const ranges = parseSelectionRanges(
      await server.request(SelectionRangeRequest, { textDocument, positions: [position] }),
    )
    return {
      ranges: ranges.map(range => {
        const place = sourcePlace(source, range, server.client.encoding)
        const [starts = '', ...more] = edgesOf(source, place)
        const ends = more.at(-1)
        return ends === undefined ? { ...place, starts } : { ...place, starts, ends }
      }),
    }
  },

  render: ({ ranges }, { target, total }) => [
    `${countedOf(ranges.length, total, 'range')} around ${pointer(target)}, inner to outer`,
    ...ranges.map(({ line, column, end_line, end_column, starts, ends }) => {
      const extent = `  ${line}:${column}-${end_line}:${end_column}`
      return ends === undefined ? `${extent}  ${starts}` : `${extent}  ${starts} ... ${ends}`
    }),
  ],
})

/** The first and the last line of what is selected; those on which nothing is to be seen do not count. */
function edgesOf(source: SourceFile, place: Place): string[] {
  const { line, end_line } = place
  const first = firstShown(source, place, line, 1)
  if (first === undefined) return []
  const last = firstShown(source, place, end_line, -1)
  return last === undefined || last.number === first.number ? [first.text] : [first.text, last.text]
}

function firstShown(source: SourceFile, place: Place, from: number, step: 1 | -1) {
  for (let number = from; number >= place.line && number <= place.end_line; number += step) {
    const text = textAt(source, place, number, longestText)
    if (text !== '') return { number, text }
  }
  return undefined
}
