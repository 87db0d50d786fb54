// Parses what a server answered, at the border: every legal shape of a result becomes one shape of ours, anything
// else is a `ServerError` (faults P06 to P09). Inside, nobody looks at raw protocol JSON again.
import { isRecord, list, optionalText, parseRange, record, type ServerRange, text } from './parse.js'

export interface ServerLocation {
  readonly uri: string
  /** What to point at: the name, not the whole body. */
  readonly range: ServerRange
}

export interface ServerSymbol {
  readonly name: string
  readonly kind: number
  readonly detail: string | undefined
  readonly container: string | undefined
  readonly uri: string | undefined
  /** The whole declaration. */
  readonly range: ServerRange
  /** The name in it. */
  readonly selection: ServerRange
  readonly children: readonly ServerSymbol[]
}

export interface ServerDiagnostic {
  readonly range: ServerRange
  readonly severity: number
  readonly message: string
  readonly code: string | undefined
  readonly source: string | undefined
  /** As the server sent it: it recognises its own finding by fields nobody else reads. */
  readonly raw: unknown
}

/** Location, Location[], LocationLink[] and null. */
export function parseLocations(result: unknown): ServerLocation[] {
  if (result === null || result === undefined) return []
  const list = Array.isArray(result) ? result : [result]
  return list.map(parseLocation)
}

/** MarkupContent, MarkedString, MarkedString[], string; `kind` is checked first. */
export function parseHover(
  result: unknown,
): { text: string; markdown: boolean; range: ServerRange | undefined } | undefined {
  if (result === null || result === undefined) return undefined
  const hover = record(result, 'a hover')
  const range = hover.range === undefined || hover.range === null ? undefined : parseRange(hover.range)
  const { contents } = hover
  if (isRecord(contents) && typeof contents.kind === 'string') {
    const markdown = contents.kind === 'markdown'
    const value = text(contents.value, 'hover contents')
    return { text: markdown ? withOneLeadingBlock(value) : value, markdown, range }
  }
  const parts = Array.isArray(contents) ? contents : [contents]
  return {
    text: parts
      .map(markedString)
      .filter(part => part !== '')
      .join('\n'),
    markdown: true,
    range,
  }
}

/** DocumentSymbol[] (nested) and SymbolInformation[] (flat, with containers by name). */
export function parseDocumentSymbols(result: unknown): ServerSymbol[] {
  if (result === null || result === undefined) return []
  return list(result, 'document symbols').map(parseSymbol)
}

/** SymbolInformation[] and WorkspaceSymbol[] (whose location may lack a range until resolved). */
export function parseWorkspaceSymbols(result: unknown): ServerSymbol[] {
  if (result === null || result === undefined) return []
  return list(result, 'workspace symbols').map(parseSymbol)
}

export function parseDiagnostics(result: unknown): ServerDiagnostic[] {
  const parsed = list(result, 'diagnostics').map(parseDiagnostic)
  // Some servers send the same finding twice (fault D10).
  const unique = new Map(parsed.map(found => [JSON.stringify({ ...found, raw: undefined }), found]))
  return [...unique.values()]
}

/** The items of a full pull report; `undefined` for an unchanged one. */
export function parseDiagnosticReport(result: unknown): ServerDiagnostic[] | undefined {
  const report = record(result, 'a diagnostic report')
  if (report.kind === 'unchanged') return undefined
  return parseDiagnostics(report.items)
}

const noRange: ServerRange = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

function parseLocation(value: unknown): ServerLocation {
  const location = record(value, 'a location')
  if (typeof location.targetUri === 'string') {
    return {
      uri: location.targetUri,
      range: parseRange(location.targetSelectionRange ?? location.targetRange),
    }
  }
  return { uri: text(location.uri, 'a location'), range: parseRange(location.range) }
}

function parseSymbol(value: unknown): ServerSymbol {
  const symbol = record(value, 'a symbol')
  const location = isRecord(symbol.location) ? symbol.location : undefined
  const range =
    location === undefined
      ? parseRange(symbol.range)
      : location.range === undefined
        ? noRange
        : parseRange(location.range)
  return {
    name: text(symbol.name, 'a symbol'),
    kind: typeof symbol.kind === 'number' ? symbol.kind : 0,
    detail: optionalText(symbol.detail),
    container: optionalText(symbol.containerName),
    uri: location === undefined ? undefined : text(location.uri, 'a symbol'),
    range,
    selection: symbol.selectionRange === undefined ? range : parseRange(symbol.selectionRange),
    children: Array.isArray(symbol.children) ? symbol.children.map(parseSymbol) : [],
  }
}

function parseDiagnostic(value: unknown): ServerDiagnostic {
  const diagnostic = record(value, 'a diagnostic')
  const { severity, code, message } = diagnostic
  return {
    range: parseRange(diagnostic.range),
    // A missing or unknown severity counts as an error, so that nothing is played down (fault D10).
    severity: typeof severity === 'number' && severity >= 1 && severity <= 4 ? severity : 1,
    message: isRecord(message) ? text(message.value, 'a diagnostic') : text(message, 'a diagnostic'),
    code: typeof code === 'number' ? String(code) : optionalText(code),
    source: optionalText(diagnostic.source),
    raw: value,
  }
}

/** rust-analyzer puts the path of a symbol into a code block of its own, ahead of the one with the signature. */
function withOneLeadingBlock(markdown: string): string {
  return markdown.replace(/^(\s*```(?:(?!\n```)[\s\S])*)\n```\s*\n```[^\n]*\n/, '$1\n')
}

function markedString(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  const marked = record(value, 'hover contents')
  const body = text(marked.value, 'hover contents')
  return typeof marked.language === 'string' ? `\`\`\`${marked.language}\n${body}\n\`\`\`` : body
}
