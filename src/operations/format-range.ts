// Some lines of a file as the language's own formatter would write them, as a proposal.
import { DocumentFormattingRequest, DocumentRangeFormattingRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import {
  formatted,
  formattingFields,
  formattingOptions,
  formattingOutput,
  renderFormatted,
} from './formatting.js'
import { lineSpan, spanRange, spanTarget, spanWords } from './line-span.js'
import { defineOperation } from './operation.js'
import { diffItems } from './propose.js'

export const formatRange = defineOperation({
  name: 'format_range',
  summary:
    "Lines of a file as the language server's formatter would write them. Returns a diff and a handle and writes nothing: apply_edit writes it.",
  effect: 'propose',
  on: 'file',
  lsp: DocumentRangeFormattingRequest,
  nearest: { name: 'format_document', lsp: DocumentFormattingRequest },
  needsWholeWorkspace: false,
  input: z.object({ ...spanTarget, ...formattingFields }),
  output: formattingOutput,
  example: 'src/clock.ts --line 10 --end-line 20',
  items: diffItems,

  async run(input, context) {
    const { document, server, source } = context
    const span = lineSpan(source, input)
    const range = spanRange(source, span, server.client.encoding)
    const textDocument = { uri: document.uri }
    const options = formattingOptions(context, input)
    const answer = await server.request(DocumentRangeFormattingRequest, { textDocument, range, options })
    return formatted(answer, DocumentRangeFormattingRequest, context, spanWords(span))
  },

  render: (result, { total }) => renderFormatted(result, total),
})
