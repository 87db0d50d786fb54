// How a file stands: what the compiler says is wrong with it now, what it declares where it is not seen in full, and the
// types that were inferred in it.
import {
  DocumentDiagnosticRequest,
  DocumentSymbolRequest,
  InlayHintRequest,
} from 'vscode-languageserver-protocol'
import { isWithin } from '../context/excerpt.js'
import type { Piece } from '../context/piece.js'
import { parseInlayHints } from '../lsp/annotations.js'
import { cleanLine } from '../text/clean.js'
import { toIndex, toPublicPositionIn } from '../text/position.js'
import { askedServer, type ContextBatch, stampOf } from './context-batch.js'
import type { Focus } from './context-focus.js'
import type { Declaration, Declarations } from './declarations.js'
import { describeFinding, diagnose, patienceMilliseconds } from './diagnose.js'
import { doubtLimits } from './doubts.js'
import { lineSpan, spanRange } from './line-span.js'
import type { FileContext } from './operation.js'
import { type OutlineSymbol, outlineLines, upToDepth } from './outline.js'
import { counted } from './render.js'

const mostFindings = 6
const longestFinding = 200
const longestLine = 160
const mostHints = 12
const longestHint = 80

/** The part of the time that a report may take: it is awaited where a server pushes it. */
const patience = 0.9

export async function askDiagnostics(file: FileContext, batch: ContextBatch): Promise<void> {
  const { source, document, server, standing, signal } = file
  const rule = server.connection.session.candidate.definition.diagnostics
  // A server with a question of its own answers it as a command, which not every preset lets through.
  if (rule.kind === 'request' && !file.maySend('workspace/executeCommand')) return
  const about = { kind: 'diagnostics', target: source.relative } as const
  const queriedAt = file.now()
  const began = file.remaining()
  const milliseconds = began * patience
  const diagnosed = { file: source.relative, text: source.text, document }
  const found = await batch.ask(about, () => diagnose(diagnosed, server, { signal, milliseconds, standing }))
  if (found === undefined) return
  if (found.verdict === 'unknown') {
    // A report that came and cannot be shown to be on this text did not come too late.
    const isLate = began - file.remaining() >= Math.min(milliseconds, patienceMilliseconds) * 0.9
    return batch.miss({ ...about, reason: isLate ? 'time' : 'error', detail: found.reason })
  }
  const { hidden } = found
  if (hidden !== undefined) file.doubt({ verdict: 'partial', reason: `${source.relative}: ${hidden}` })
  doubtLimits(DocumentDiagnosticRequest.method, server.connection, source.absolute, file)
  const worth = found.diagnostics.filter(({ severity }) => severity === 'error' || severity === 'warning')
  const [first] = worth
  const lines = worth
    .slice(0, mostFindings)
    .map(finding => cleanLine(describeFinding(finding), longestFinding).text)
  const more = worth.length > mostFindings ? [`${worth.length - mostFindings} more`] : []
  const isPulled = rule.kind === 'standard' && server.client.diagnostics.pulls(document)
  const state =
    first === undefined
      ? ['no errors or warnings']
      : [`${counted(worth.length, 'problem')} now:`, ...lines, ...more]
  batch.add(
    {
      ...common(file, queriedAt),
      kind: 'diagnostics',
      forms: [state, state.slice(0, 4)],
      query: isPulled ? DocumentDiagnosticRequest.method : 'textDocument/publishDiagnostics',
    },
    // That nothing is wrong is good to know, and no more.
    first === undefined ? 16 : 0,
  )
}

export function tellStructure(
  {
    source,
    declared,
    queriedAt,
  }: { source: FileContext['source']; declared: Declarations; queriedAt: string },
  file: FileContext,
  place: number,
  batch: ContextBatch,
): void {
  const symbols = outlineOf(source.relative, declared)
  if (symbols.length === 0) return
  const { text } = source
  // A text that ends as it should has an empty last line, which nobody counts.
  const last = text.line(text.lineCount) === '' ? toIndex(text.lineCount) : text.lineCount
  const head = counted(last, 'line')
  const whole = [head, ...outlineLines(symbols)]
  const shallow = [head, ...outlineLines(upToDepth(symbols, 1))]
  batch.add(
    {
      ...common({ source, server: file.server }, queriedAt),
      kind: 'structure',
      forms: [whole, shallow, shallow.slice(0, 12)],
      query: DocumentSymbolRequest.method,
    },
    place,
  )
}

export async function askHints({ spans }: Focus, file: FileContext, batch: ContextBatch): Promise<void> {
  const { source, document, server } = file
  if (!batch.knowsAlready(InlayHintRequest, server)) return
  const { encoding } = server.client
  const queriedAt = file.now()
  const about = { kind: 'inlay_hints', target: source.relative } as const
  const range = spanRange(source, lineSpan(source, {}), encoding)
  const found = await batch.ask(about, () =>
    server.request(InlayHintRequest, { textDocument: { uri: document.uri }, range }),
  )
  const hints = parseInlayHints(found)
    .filter(({ kind, label }) => kind === 'type' && isTelling(label))
    .map(({ position, label }) => ({ ...toPublicPositionIn(source.text, position, encoding), label }))
    .filter(({ line }) => isWithin(line, spans))
  const lines = [...new Set(hints.map(({ line }) => line))].toSorted((a, b) => a - b)
  const [first] = lines
  if (first === undefined) return
  const shown = lines.slice(0, mostHints).map(line => {
    const own = hints.filter(hint => hint.line === line).toSorted((a, b) => b.column - a.column)
    let text = source.text.line(line) ?? ''
    for (const { column, label } of own) {
      // gopls leaves the space to whoever draws it.
      const gap = /^[:\s]/.test(label) ? '' : ' '
      text = text.slice(0, toIndex(column)) + gap + label + text.slice(toIndex(column))
    }
    return `${line}  ${cleanLine(text, longestLine).text}`
  })
  const forms = [shown, shown.slice(0, mostHints / 2), shown.slice(0, mostHints / 4)]
  batch.add(
    {
      ...common(file, queriedAt),
      kind: 'inlay_hints',
      line: first,
      forms: forms.map(form => ['types that are not written:', ...form]),
      query: InlayHintRequest.method,
    },
    0,
  )
}

/** A plain type is guessed right by everybody, and one that fills the line by nobody who reads it. */
function isTelling(label: string): boolean {
  if (label.length > longestHint || label.includes('=>')) return false
  return !/^:?\s*(?:string|number|boolean|void|bool|int|str|float|error)(?:\[\])?$/.test(label)
}

function common(
  { source, server }: Pick<FileContext, 'source' | 'server'>,
  queriedAt: string,
): Pick<Piece, 'file' | 'server' | 'queriedAt' | 'sources'> {
  return { file: source.relative, server: askedServer(server), queriedAt, sources: [stampOf(source)] }
}

/** What others can use; the inside of a function is its own affair. */
function outlineOf(file: string, { all }: Declarations): OutlineSymbol[] {
  const below = (parent: Declaration | undefined): OutlineSymbol[] =>
    all
      .filter(declaration => declaration.isUnit && declaration.parent === parent)
      .map(declaration => {
        const { name, kind, path, at } = declaration
        const children = below(declaration)
        const place = { file, ...at, end_line: at.line, end_column: at.column, text: '' }
        return { name, kind, path, ...place, ...(children.length === 0 ? {} : { children }) }
      })
  return below(undefined)
}
