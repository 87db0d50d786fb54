// The type and documentation of a symbol.
import { DefinitionRequest, HoverRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseHover } from '../lsp/results.js'
import { cleanText } from '../text/clean.js'
import { defineOperation, placeSchema } from './operation.js'
import { pointer } from './render.js'
import { symbolTarget } from './target.js'

const longestSignature = 2000
const longestDocumentation = 4000

export const inspectSymbol = defineOperation({
  name: 'inspect_symbol',
  summary:
    'The type or signature of a symbol and its documentation, as the compiler sees it (inferred types included).',
  effect: 'read',
  on: 'symbol',
  lsp: HoverRequest,
  nearest: { name: 'go_to_definition', lsp: DefinitionRequest },
  needsWholeWorkspace: true,
  input: z.object(symbolTarget),
  output: z.object({
    signature: z.string().optional(),
    documentation: z.string().optional(),
    place: placeSchema.optional(),
  }),
  example: 'src/clock.ts --symbol withDeadline',
  items: { count: () => 0, keep: result => result },

  async run(_input, { at, server, workspace, document }) {
    const hover = parseHover(await server.request(HoverRequest, at))
    if (hover === undefined) return {}
    const { signature, documentation } = splitHover(hover.text)
    const range = hover.range
    return {
      ...(signature === '' ? {} : { signature: cleanText(signature, longestSignature).text }),
      ...(documentation === '' ? {} : { documentation: cleanText(documentation, longestDocumentation).text }),
      ...(range === undefined ? {} : { place: workspace.place(document.uri, range, server.client.encoding) }),
    }
  },

  render: ({ signature, documentation }, { target }) => [
    signature === undefined && documentation === undefined
      ? `the server has nothing to say about ${pointer(target)}`
      : pointer(target),
    ...(signature === undefined ? [] : [signature]),
    ...(documentation === undefined ? [] : [documentation]),
  ],
})

/** Servers put the signature into the first fenced block and the prose after it; some send plain text only. */
function splitHover(text: string): { signature: string; documentation: string } {
  const fenced = /```[^\n]*\n([\s\S]*?)\n?```/.exec(text)
  if (fenced?.[1] === undefined) {
    const [first = '', ...rest] = text.trim().split(/\n\s*\n/)
    return { signature: first.trim(), documentation: rest.join('\n\n').trim() }
  }
  const before = text.slice(0, fenced.index)
  const after = text.slice(fenced.index + fenced[0].length)
  const documentation = `${before}\n${after}`
    .replace(/^\s*(?:---|\*\*\*)\s*$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
  return { signature: fenced[1].trim(), documentation: documentation.trim() }
}
