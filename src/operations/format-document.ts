// A whole file as the language's own formatter would write it, as a proposal.
import { DocumentFormattingRequest, DocumentRangeFormattingRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import {
  formatted,
  formattingFields,
  formattingOptions,
  formattingOutput,
  renderFormatted,
} from './formatting.js'
import { defineOperation } from './operation.js'
import { diffItems } from './propose.js'
import { fileField } from './target.js'

export const formatDocument = defineOperation({
  name: 'format_document',
  summary:
    "A file as the language server's formatter would write it. Returns a diff and a handle and writes nothing: apply_edit writes it.",
  effect: 'propose',
  on: 'file',
  lsp: DocumentFormattingRequest,
  nearest: { name: 'format_range', lsp: DocumentRangeFormattingRequest },
  needsWholeWorkspace: false,
  input: z.object({ file: fileField, ...formattingFields }),
  output: formattingOutput,
  example: 'src/clock.ts',
  items: diffItems,

  async run(input, context) {
    const textDocument = { uri: context.document.uri }
    const options = formattingOptions(context, input)
    const answer = await context.server.request(DocumentFormattingRequest, { textDocument, options })
    return formatted(answer, DocumentFormattingRequest, context, '')
  },

  render: (result, { total }) => renderFormatted(result, total),
})
