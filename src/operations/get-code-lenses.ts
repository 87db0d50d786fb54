// What a server offers to show or run above declarations: numbers of references, tests to run.
import { CodeLensRequest, CodeLensResolveRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseCodeLens, parseCodeLenses, type ServerCodeLens } from '../lsp/annotations.js'
import { cleanLine } from '../text/clean.js'
import { lineSpan, spanTarget, spanWords } from './line-span.js'
import { defineOperation, type FileContext, listedIn, placeSchema } from './operation.js'
import { counted } from './render.js'
import { resolveSome } from './resolve-some.js'
import { byPosition, sourcePlace } from './source-place.js'
import { doubtTurnedOff } from './turned-off.js'

const mostResolved = 100
const longestTitle = 200

const lensSchema = z.object({
  ...placeSchema.shape,
  command: z.string().optional(),
  resolved: z.boolean(),
})

export const getCodeLenses = defineOperation({
  name: 'get_code_lenses',
  summary:
    'What the server would show or offer to run above declarations, such as reference counts and tests. The label is its title.',
  effect: 'read',
  on: 'file',
  lsp: CodeLensRequest,
  nearest: { name: 'find_references', lsp: ReferencesRequest },
  needsWholeWorkspace: true,
  input: z.object(spanTarget),
  output: z.object({ lenses: z.array(lensSchema), file: z.string(), span: z.string() }),
  example: 'src/clock.ts',
  items: listedIn('lenses'),

  async run(input, context) {
    const { source, document, server } = context
    const span = lineSpan(source, input)
    const sent = parseCodeLenses(
      await server.request(CodeLensRequest, { textDocument: { uri: document.uri } }),
    )
    if (sent.length === 0) doubtTurnedOff('code lenses', context)
    const lenses = sent
      .map(lens => ({ lens, place: sourcePlace(source, lens.range, server.client.encoding) }))
      .filter(({ place }) => place.line >= span.first && place.line <= span.last)
      .sort((a, b) => byPosition(a.place, b.place))
    const told = await resolved(
      lenses.map(({ lens }) => lens),
      context,
    )
    return {
      lenses: lenses.map(({ place, lens }, index) => {
        const command = told[index]?.command ?? lens.command
        if (command === undefined) return { ...place, resolved: false }
        const { title, name } = command
        const label = cleanLine(title, longestTitle).text
        const named = name === undefined ? {} : { command: cleanLine(name, longestTitle).text }
        return { ...place, label, ...named, resolved: true }
      }),
      file: source.relative,
      span: spanWords(span),
    }
  },

  render: ({ lenses, file, span }, { total }) => [
    `${lenses.length < total ? `${lenses.length} of ` : ''}${counted(total, 'code lens', 'code lenses')} in ${file}${span}`,
    ...lenses.flatMap(({ line, column, text, label, command }, index) => [
      ...(lenses[index - 1]?.line === line ? [] : [`${line}  ${text}`]),
      `  ${column}  ${label ?? 'unresolved'}${command === undefined ? '' : ` (${command})`}`,
    ]),
  ],
})

/** Those without a command, as far as the server will tell it. */
async function resolved(
  lenses: readonly ServerCodeLens[],
  { server, doubt }: FileContext,
): Promise<readonly (ServerCodeLens | undefined)[]> {
  const items = lenses.filter(({ command }) => command === undefined)
  if (items.length === 0) return []
  if (!server.client.supports(CodeLensResolveRequest)) {
    doubt({
      verdict: 'partial',
      reason: `${server.client.identity.name} sent ${items.length} without a title and does not tell it`,
    })
    return []
  }
  const { results, gap } = await resolveSome({
    items,
    most: mostResolved,
    resolve: async ({ raw, range }) =>
      parseCodeLens(await server.request(CodeLensResolveRequest, { ...raw, range })),
  })
  if (gap !== undefined) {
    doubt({
      verdict: 'partial',
      reason: `titles of code lenses are missing: ${gap}`,
      hint: 'Ask about fewer lines, with line and end_line.',
    })
  }
  const byLens = new Map(items.map((lens, index) => [lens, results[index]]))
  return lenses.map(lens => byLens.get(lens))
}
