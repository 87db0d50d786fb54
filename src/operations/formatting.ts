// What formatting a file and formatting a part of it have in common: the options, read off the file unless they are given,
// and the proposal made of the edits.
import * as z from 'zod'
import type { RequestConstant } from '../lsp/capabilities.js'
import { parseTextEdits } from '../lsp/edit-results.js'
import { indentationOf } from '../text/indentation.js'
import type { FileContext } from './operation.js'
import { extent, type Proposal, planned, proposalFields, proposalLines, proposed } from './propose.js'

export const formattingFields = {
  tab_size: z
    .number()
    .int()
    .min(1)
    .max(16)
    .optional()
    .describe('Columns of a level; as in the file unless given.'),
  insert_spaces: z.boolean().optional().describe('Spaces, not tabs; as in the file unless given.'),
}

export const formattingOutput = z.object({ ...proposalFields, file: z.string(), span: z.string() })

type Formatted = z.output<typeof formattingOutput>

/** Where neither the file nor the caller says how wide a level is. */
const usualWidth = 4

interface FormattingInput {
  readonly tab_size?: number | undefined
  readonly insert_spaces?: boolean | undefined
}

export function formattingOptions({ source }: Pick<FileContext, 'source'>, input: FormattingInput) {
  const { insertSpaces, width = usualWidth } = indentationOf(source.text.text)
  return { tabSize: input.tab_size ?? width, insertSpaces: input.insert_spaces ?? insertSpaces }
}

export function formatted(
  answer: unknown,
  { method }: RequestConstant,
  context: FileContext,
  span: string,
): Formatted {
  const { document, server, source, workspace, doubt } = context
  const edits = parseTextEdits(answer)
  const { uri, version } = document
  const plan = planned({ changes: [{ kind: 'edit', uri, version, edits }] }, context)
  if (plan.files.length === 0) {
    // No edit is the answer of a server for a file in order, and of one that has nothing to format with.
    for (const limit of workspace.limitsOf(server.connection, source.absolute)) {
      const { methods, reason, hint } = limit
      if (methods.includes(method)) doubt({ verdict: 'unknown', reason, hint })
    }
  }
  return { ...proposed(plan, context), file: source.relative, span }
}

export function renderFormatted(result: Formatted & Proposal, total: number): string[] {
  const what = `formatting ${result.file}${result.span}`
  if (result.handle === undefined) return [`nothing would change by ${what}: the server proposes no edit`]
  return [`${what}: ${extent(result.files)}`, ...proposalLines(result, total)]
}
