// Semantic tokens: which requests a server answers and what its numbers mean, and the decoding of its list of numbers,
// five to a token, each place relative to the token before.
import type { CapabilityTable, RequestConstant } from './capabilities.js'
import { isRecord, list, malformed, record, type ServerRange } from './parse.js'

export interface TokenLegend {
  readonly types: readonly string[]
  readonly modifiers: readonly string[]
}

export interface TokenProvider {
  readonly legend: TokenLegend
  readonly full: boolean
  readonly range: boolean
}

export interface ServerToken {
  readonly range: ServerRange
  readonly type: string
  readonly modifiers: string[]
}

/**
 * What the server said about its tokens, in the handshake or by a registration later. Of several registrations the newest
 * that is for this language counts; one for all languages is for this one too.
 */
export function tokenProvider(capabilities: CapabilityTable, languageId: string): TokenProvider | undefined {
  const registered = capabilities
    .registrations(registrationMethod)
    .map(({ registerOptions }): unknown => registerOptions)
    .filter(options => isFor(options, languageId))
    .at(-1)
  const options = registered ?? capabilities.declared.semanticTokensProvider
  if (!isRecord(options)) return undefined
  const legend = record(options.legend, 'a legend of semantic tokens')
  return {
    legend: { types: names(legend.tokenTypes), modifiers: names(legend.tokenModifiers) },
    full: isOffered(options.full),
    range: isOffered(options.range),
  }
}

/** SemanticTokens and null; the numbers of a token that stands on no line of the text are the reader's to bound. */
export function parseSemanticTokens(result: unknown, legend: TokenLegend): ServerToken[] {
  if (result === null || result === undefined) return []
  const data = list(record(result, 'semantic tokens').data, 'semantic tokens')
  if (data.length % numbersPerToken !== 0) throw malformed('semantic tokens of five numbers each', data)
  const tokens: ServerToken[] = []
  let line = 0
  let character = 0
  for (let at = 0; at < data.length; at += numbersPerToken) {
    const deltaLine = count(data[at])
    const deltaStart = count(data[at + 1])
    line += deltaLine
    character = deltaLine === 0 ? character + deltaStart : deltaStart
    const end = { line, character: character + count(data[at + 2]) }
    tokens.push({
      range: { start: { line, character }, end },
      type: legend.types[count(data[at + 3])] ?? 'unknown',
      modifiers: modifiersOf(count(data[at + 4]), legend),
    })
  }
  return tokens
}

const numbersPerToken = 5

/** Both requests are registered under a name that is no request. */
const registrationMethod = 'textDocument/semanticTokens' satisfies RequestConstant['method']

/** Division, because a legend may have more modifiers than a bitwise operator has bits. */
function modifiersOf(set: number, { modifiers }: TokenLegend): string[] {
  return modifiers.filter((_, bit) => Math.floor(set / 2 ** bit) % 2 === 1)
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw malformed('semantic tokens as whole numbers', value)
  return value
}

function names(value: unknown): string[] {
  return list(value, 'a legend of semantic tokens').map(name => (typeof name === 'string' ? name : 'unknown'))
}

function isOffered(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

function isFor(options: unknown, languageId: string): boolean {
  if (!isRecord(options)) return false
  const { documentSelector } = options
  if (!Array.isArray(documentSelector)) return true
  return documentSelector.some(filter => {
    if (!isRecord(filter)) return filter === languageId
    return filter.language === undefined || filter.language === languageId
  })
}
