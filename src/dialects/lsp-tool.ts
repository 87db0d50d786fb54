// The one tool `Lsp {kind}`: five questions, dispatched by their kind, each answered by the operation that answers it
// everywhere else. Its description hides the kinds that no running server can answer (R-140, R-148).
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import type { Answer, Failure, Success } from '../operations/answer.js'
import { findReferences } from '../operations/find-references.js'
import { findSymbol } from '../operations/find-symbol.js'
import { getDiagnostics } from '../operations/get-diagnostics.js'
import { goToDefinition } from '../operations/go-to-definition.js'
import { inspectSymbol } from '../operations/inspect-symbol.js'
import { listSymbols } from '../operations/list-symbols.js'
import type { Operation } from '../operations/operation.js'
import {
  type Asking,
  caveats,
  failureText,
  fitted,
  type Listing,
  type ModelTool,
  parseArguments,
  type ToolAnswer,
} from './tool.js'

const kinds = ['go_to_def', 'hover', 'references', 'workspace_symbol', 'diagnostics'] as const
type Kind = (typeof kinds)[number]

/** What the tool answers with; `formatted` is what a model reads. */
export type LspToolResult =
  | { readonly ok: true; readonly formatted: string; readonly structured: object }
  | { readonly ok: false; readonly kind: string; readonly error: string; readonly hint: string }

/** Whether some server that runs can answer an operation; everything can be asked while none runs. */
export type Offered = (operation: Operation) => boolean

export interface LspToolOptions {
  readonly isOffered: Offered
  /** Whether references list the declaration, as the preset says. */
  readonly includesDeclaration: boolean
}

export function lspTool({ isOffered, includesDeclaration }: LspToolOptions): ModelTool {
  const offered = kinds.filter(kind => isOffered(questions[kind].operation))
  const input = fieldsFor(offered)
  return {
    name: 'Lsp',
    description: [
      'What the language server of a file knows, instead of grep: exact, by meaning. Choose by kind:',
      ...offered.map(kind => `${kind}: ${meaningOf(kind, includesDeclaration)}`),
      'line and character are 1-based.',
    ].join('\n'),
    effect: 'read',
    input,
    operation: undefined,
    async answer(raw, asking) {
      // Every kind may be asked for, also one that is not advertised: then it is said what the server lacks.
      const args = parseArguments({ name: 'Lsp', input: everyField }, raw, asking)
      const question = questions[args.kind]
      return told(await question.ask(args, asking), asking.limitBytes)
    },
  }
}

const everyField = z.object({
  kind: z.enum(kinds).describe('The question.'),
  file: z.string().optional().describe('Path, relative to the workspace or absolute inside it.'),
  line: z.number().int().optional().describe('1-based.'),
  character: z.number().int().optional().describe('1-based.'),
  query: z.string().optional().describe('For workspace_symbol: a name or part of it; empty means all.'),
})

function fieldsFor(offered: readonly Kind[]): z.ZodObject {
  const kind = z.enum(offered).describe('The question.')
  const { query, ...others } = everyField.shape
  return z.object({ ...others, kind, ...(offered.includes('workspace_symbol') ? { query } : {}) })
}

interface Arguments {
  readonly kind: Kind
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly character?: number | undefined
  readonly query?: string | undefined
  readonly timeout_ms?: number | undefined
}

/** The answer of an operation, and its lines in this dialect. */
type Outcome = Failure | { readonly answer: Success<unknown>; readonly listing: Listing }

interface KindOfQuestion {
  readonly operation: Operation
  readonly meaning: string
  ask(args: Arguments, asking: Asking): Promise<Outcome>
}

const noHead = { head: [], tail: [] }
/** How long a first report of diagnostics is waited for (R-143). */
const patience = 2000
const mostSymbols = 1000

const questions: Readonly<Record<Kind, KindOfQuestion>> = {
  go_to_def: {
    operation: goToDefinition,
    meaning: 'where the symbol at file, line, character is defined.',
    async ask(args, asking) {
      const answer = await asking.ask(goToDefinition, position(args, asking))
      if (!answer.ok) return answer
      const { places } = goToDefinition.output.parse(answer.result)
      const labels = await labelsOf(places, asking)
      const items = places.map((place, index) => `Definition: ${labelled(place, labels[index])}`)
      return listed(answer, items, '(no definition)')
    },
  },
  hover: {
    operation: inspectSymbol,
    meaning: 'its type and documentation.',
    async ask(args, asking) {
      const answer = await asking.ask(inspectSymbol, position(args, asking))
      if (!answer.ok) return answer
      const { signature, documentation } = inspectSymbol.output.parse(answer.result)
      const items = [signature, documentation].filter(part => part !== undefined)
      return listed(answer, items, '(no hover information)')
    },
  },
  references: {
    operation: findReferences,
    meaning: 'every use of it',
    async ask(args, asking) {
      const answer = await asking.ask(findReferences, position(args, asking))
      if (!answer.ok) return answer
      const { references } = findReferences.output.parse(answer.result)
      const items = references.map(place => `${at(place)}${place.text === '' ? '' : `  ${place.text}`}`)
      return listed(answer, items, '(no references)')
    },
  },
  workspace_symbol: {
    operation: findSymbol,
    meaning: 'declarations in the workspace whose name matches query.',
    async ask({ query = '', timeout_ms }, asking) {
      const answer = await asking.ask(findSymbol, { query, limit: mostSymbols, timeout_ms })
      if (!answer.ok) return answer
      const { symbols, total } = findSymbol.output.parse(answer.result)
      const items = symbols.map(symbol => `${at(symbol)} (${symbol.kind} ${symbol.name})`)
      const { answer: given, listing } = listed(answer, items, '(no symbols)')
      return { answer: given, listing: { ...listing, total: Math.max(total, listing.total) } }
    },
  },
  diagnostics: {
    operation: getDiagnostics,
    meaning: 'the errors and warnings of file.',
    async ask({ kind, file, timeout_ms }, asking) {
      if (file === undefined) throw missing(kind, ['file'], asking)
      const answer = await asking.ask(getDiagnostics, { file, timeout_ms }, { patience })
      if (!answer.ok) return answer
      const [report] = getDiagnostics.output.parse(answer.result).files
      const items = (report?.diagnostics ?? []).map(found => {
        const origin = [found.source, found.code].filter(part => part !== undefined).join(' ')
        return `${at(found)} ${found.severity}${origin === '' ? '' : ` (${origin})`}: ${found.message}`
      })
      if (report?.verdict === 'settled' || items.length > 0) return listed(answer, items, '(no diagnostics)')
      const server = answer.servers[0]?.name ?? 'the server'
      return listed(answer, [], `(no diagnostics yet: ${server} has not reported on this content)`)
    },
  },
}

function meaningOf(kind: Kind, includesDeclaration: boolean): string {
  const { meaning } = questions[kind]
  return kind === 'references'
    ? `${meaning}, ${includesDeclaration ? 'its declaration included' : 'without its declaration'}.`
    : meaning
}

/** The operations that the kinds stand for. */
export const lspOperations: ReadonlySet<string> = new Set(kinds.map(kind => questions[kind].operation.name))

function told(outcome: Outcome, limitBytes: number): ToolAnswer {
  if ('kind' in outcome) {
    const { kind, error, hint } = outcome
    const result: LspToolResult = { ok: false, kind, error, hint }
    return { ok: false, text: failureText(outcome), result }
  }
  const { answer, listing } = outcome
  const formatted = fitted(listing, limitBytes)
  const { ok, ...structured } = answer
  const result: LspToolResult = { ok, formatted, structured }
  return { ok, text: formatted, result }
}

function listed(answer: Success<unknown>, items: readonly string[], none: string) {
  const total = answer.truncated?.total ?? items.length
  const shown = items.length === 0 && total === 0 ? [none] : items
  const listing = { ...noHead, items: shown, total: Math.max(total, shown.length), tail: caveats(answer) }
  return { answer, listing }
}

function position({ kind, file, line, character, timeout_ms }: Arguments, asking: Asking) {
  const given = { file, line, character }
  const absent = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (absent.length > 0) throw missing(kind, absent, asking)
  return { file, line, column: character, timeout_ms }
}

function missing(kind: Kind, names: readonly string[], { argumentErrorKind }: Asking): BridgeError {
  return new BridgeError({
    kind: argumentErrorKind,
    message: `Lsp: kind ${kind} needs ${names.join(', ')}`,
    hint:
      kind === 'diagnostics'
        ? 'Give the file.'
        : 'Give file, line and character; line and character are 1-based.',
  })
}

interface At {
  readonly file: string
  readonly line: number
  readonly column: number
}

function at({ file, line, column }: At): string {
  return `${file}:${line}:${column}`
}

function labelled(place: At, label: string | undefined): string {
  return label === undefined ? at(place) : `${at(place)} (${label})`
}

const mostLabelled = 3

/** A definition itself comes without a name; the outline of the file it is in knows what stands there (R-159). */
async function labelsOf(places: readonly At[], asking: Asking): Promise<(string | undefined)[]> {
  return Promise.all(
    places.map(async (place, index) => {
      if (index >= mostLabelled) return undefined
      return labelIn(await asking.ask(listSymbols, { file: place.file }), place)
    }),
  )
}

type Listed = z.output<typeof listSymbols.output>['symbols'][number]

/** Best effort: a file outside, or a server without outlines, leaves the place without a label. */
function labelIn(answer: Answer<unknown>, place: At): string | undefined {
  if (!answer.ok) return undefined
  const found = listSymbols.output.safeParse(answer.result)
  const symbols: readonly Listed[] = found.success ? found.data.symbols : []
  const symbol = symbolAt(symbols, place)
  return symbol === undefined ? undefined : `${symbol.kind} ${symbol.name}`
}

function symbolAt(symbols: readonly Listed[], place: At): Listed | undefined {
  for (const symbol of symbols) {
    if (symbol.line === place.line && symbol.column === place.column) return symbol
    const inner = symbolAt(symbol.children ?? [], place)
    if (inner !== undefined) return inner
  }
  return undefined
}
