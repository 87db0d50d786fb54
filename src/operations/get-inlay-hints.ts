// What a compiler knows and the source does not say: inferred types, names of parameters.
import { HoverRequest, InlayHintRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseInlayHints } from '../lsp/annotations.js'
import { cleanLine } from '../text/clean.js'
import { lineSpan, spanRange, spanTarget, spanWords } from './line-span.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { byPosition, sourcePlace } from './source-place.js'
import { doubtTurnedOff } from './turned-off.js'

const longestLabel = 300
const onTypes = 'inspect_symbol tells the type of one name.'

export const getInlayHints = defineOperation({
  name: 'get_inlay_hints',
  summary:
    'Inferred types and parameter names that the source leaves out, line by line. Use to read code with few annotations.',
  effect: 'read',
  on: 'file',
  lsp: InlayHintRequest,
  nearest: { name: 'inspect_symbol', lsp: HoverRequest },
  needsWholeWorkspace: true,
  input: z.object(spanTarget),
  output: z.object({
    hints: z.array(
      z.object({ ...placeSchema.shape, label: z.string(), kind: z.enum(['type', 'parameter']).optional() }),
    ),
    file: z.string(),
    span: z.string(),
  }),
  example: 'src/clock.ts',
  items: listedIn('hints'),

  async run(input, context) {
    const { source, document, server } = context
    const { encoding } = server.client
    const span = lineSpan(source, input)
    const range = spanRange(source, span, encoding)
    const hints = parseInlayHints(
      await server.request(InlayHintRequest, { textDocument: { uri: document.uri }, range }),
    )
    if (hints.length === 0 && span.isWhole) doubtTurnedOff('inlay hints', context, onTypes)
    const presented = hints
      .map(({ position, label, kind }) => ({
        ...sourcePlace(source, { start: position, end: position }, encoding),
        label: cleanLine(label, longestLabel).text,
        ...(kind === undefined ? {} : { kind }),
      }))
      // gopls also sends those of the lines around.
      .filter(({ line }) => line >= span.first && line <= span.last)
      .sort(byPosition)
    return { hints: presented, file: source.relative, span: spanWords(span) }
  },

  render: ({ hints, file, span }, { total }) => [
    `${countedOf(hints.length, total, 'inlay hint')} in ${file}${span}`,
    ...hints.flatMap(({ line, column, text, label, kind }, index) => [
      ...(hints[index - 1]?.line === line ? [] : [`${line}  ${text}`]),
      `  ${column}  ${label}${kind === undefined ? '' : ` (${kind})`}`,
    ]),
  ],
})
