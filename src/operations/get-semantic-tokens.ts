// What each name in a file is: the compiler's own colouring.
import {
  DocumentSymbolRequest,
  SemanticTokensRangeRequest,
  SemanticTokensRequest,
} from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { capabilityFailure } from '../lsp/failures.js'
import {
  parseSemanticTokens,
  type ServerToken,
  type TokenProvider,
  tokenProvider,
} from '../lsp/semantic-tokens.js'
import { type LineSpan, lineSpan, spanRange, spanTarget, spanWords } from './line-span.js'
import { defineOperation, type FileContext, listedIn, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { byPosition, sourcePlace, textAt } from './source-place.js'
import { doubtTurnedOff } from './turned-off.js'

const defaultLimit = 500
const longestToken = 100

const tokenSchema = z.object({
  name: z.string(),
  kind: z.string(),
  modifiers: z.array(z.string()),
  ...placeSchema.shape,
})

export const getSemanticTokens = defineOperation({
  name: 'get_semantic_tokens',
  summary:
    'What each name in a file or some of its lines is (parameter, property, type, constant, deprecated) as the compiler resolved it.',
  effect: 'read',
  on: 'file',
  lsp: SemanticTokensRequest,
  nearest: { name: 'list_symbols', lsp: DocumentSymbolRequest },
  needsWholeWorkspace: true,
  input: z.object({
    ...spanTarget,
    limit: z.number().int().min(1).max(10_000).default(defaultLimit).describe('Most tokens to return.'),
  }),
  output: z.object({
    tokens: z.array(tokenSchema),
    file: z.string(),
    span: z.string(),
    total: z.number().int(),
  }),
  example: 'src/clock.ts:17',
  items: listedIn('tokens'),

  async run({ limit, ...input }, context) {
    const { source, server, document, doubt } = context
    const { client } = server
    const span = lineSpan(source, input)
    const provider = tokenProvider(client.capabilities, document.languageId)
    if (provider === undefined) throw capabilityFailure(client.identity.name, SemanticTokensRequest.method)
    const sent = await tokensOf(provider, span, context)
    if (sent.length === 0) doubtTurnedOff('semantic tokens', context)
    const tokens = sent
      .map(({ range, type, modifiers }) => {
        const place = sourcePlace(source, range, client.encoding)
        return { name: textAt(source, place, 'first', longestToken), kind: type, modifiers, ...place }
      })
      // A server may answer for more than it was asked about, and rust-analyzer also marks the empty lines of a comment.
      .filter(({ line, name }) => line >= span.first && line <= span.last && name !== '')
      .sort(byPosition)
    const shown = tokens.slice(0, limit)
    const last = shown.at(-1)
    if (shown.length < tokens.length && last !== undefined) {
      doubt({
        verdict: 'partial',
        reason: `only the first ${shown.length} of ${tokens.length} tokens are listed`,
        hint: `Ask from line ${last.line} on, or raise limit.`,
      })
    }
    return {
      tokens: shown,
      file: source.relative,
      span: spanWords(span),
      total: tokens.length,
    }
  },

  render: ({ tokens, file, span, total: found }) => {
    const lines = new Map<number, string[]>()
    for (const token of tokens) lines.set(token.line, [...(lines.get(token.line) ?? []), words(token)])
    return [
      `${countedOf(tokens.length, found, 'token')} in ${file}${span}, by line: column kind name`,
      ...[...lines].map(([line, told]) => `${line}  ${told.join(', ')}`),
    ]
  },
})

/** By the request the server has, whichever was wanted: the lines are part of a whole file, or are the whole file. */
async function tokensOf(
  { legend, full, range }: TokenProvider,
  span: LineSpan,
  { source, document, server }: FileContext,
): Promise<readonly ServerToken[]> {
  const { client } = server
  const textDocument = { uri: document.uri }
  const hasFull = full && client.supports(SemanticTokensRequest)
  if (range && client.supports(SemanticTokensRangeRequest) && !(span.isWhole && hasFull)) {
    const lines = spanRange(source, span, client.encoding)
    const answer = await server.request(SemanticTokensRangeRequest, { textDocument, range: lines })
    const tokens = parseSemanticTokens(answer, legend)
    // Lines may well have no token. Whether the server sends any at all, only the whole file can show.
    if (tokens.length > 0 || !hasFull) return tokens
  }
  if (!hasFull) throw capabilityFailure(client.identity.name, SemanticTokensRequest.method)
  return parseSemanticTokens(await server.request(SemanticTokensRequest, { textDocument }), legend)
}

function words({ column, kind, name, modifiers }: z.output<typeof tokenSchema>): string {
  const shown = /[\s,]/.test(name) ? JSON.stringify(name) : name
  return `${column} ${kind} ${shown}${modifiers.length === 0 ? '' : ` [${modifiers.join(' ')}]`}`
}
