// The parts of what is known about a symbol, asked at the same time. One that fails, or that this server cannot give, costs
// itself and is said by its name; only when nothing at all was answered does the failure become the answer.
import {
  CallHierarchyPrepareRequest,
  DefinitionRequest,
  HoverRequest,
  ImplementationRequest,
  ReferencesRequest,
} from 'vscode-languageserver-protocol'
import { asBridgeError, BridgeError } from '../errors.js'
import type { RequestConstant } from '../lsp/capabilities.js'
import { identifierAt } from '../text/lines.js'
import { isTestFile } from '../text/test-names.js'
import type { Place } from '../workspace/places.js'
import { type DeclaredSource, declaredSource } from './declared-source.js'
import { doubtLimits, openProjects } from './doubts.js'
import { findCallers } from './find-callers.js'
import { goToDefinition } from './go-to-definition.js'
import { goToImplementation } from './go-to-implementation.js'
import { inspectSymbol } from './inspect-symbol.js'
import type { ContextOf } from './operation.js'
import { DeclarationsByFile, gatherUses, referencesTo } from './uses.js'

type Context = ContextOf['symbol']

export interface Caller extends Place {
  readonly symbol: string
  readonly kind: string
  /** How often it calls, or uses. */
  readonly calls: number
}

export interface Explored {
  readonly description: {
    readonly signature?: string | undefined
    readonly documentation?: string | undefined
  }
  readonly definitions: readonly Place[]
  readonly declared: DeclaredSource | undefined
  /** Undefined when nobody knows. */
  readonly references: readonly Place[] | undefined
  readonly callers: readonly Caller[]
  /** What counts as a caller: who calls it, or, for what is not called, who uses it. */
  readonly callersBy: 'calls' | 'references'
  readonly implementations: readonly Place[]
  /** Values without a name that fit, such as object literals. */
  readonly unnamedImplementations: number
  /** The names of the parts that could not be had. */
  readonly missing: readonly string[]
}

const mostCallers = 1000
const mostFilesLookedInto = 12

export async function exploreParts(context: Context): Promise<Explored> {
  const parts = new Parts(context)
  const declarations = new DeclarationsByFile(context, () => context.remaining() > 0)
  // Who uses it, and what implements it, is told without the symbol itself, so both wait for where that is.
  const declared = declarationOf(parts, declarations, context)
  const [description = {}, { definitions, source }, implementations, uses] = await Promise.all([
    parts.ask('hover', HoverRequest, own => inspectSymbol.run({}, own)),
    declared,
    implementationsOf(declared, parts),
    whoUses(declared, parts, declarations, context),
  ])
  parts.throwIfNothingWasAnswered()
  for (const reason of declarations.gaps) context.doubt({ verdict: 'partial', reason })
  return {
    description,
    definitions,
    declared: source,
    ...uses,
    implementations: implementations.filter(place => isNamed(place, context)),
    unnamedImplementations: implementations.filter(place => !isNamed(place, context)).length,
    missing: parts.missing.toSorted(),
  }
}

interface Declared {
  readonly definitions: readonly Place[]
  readonly source: DeclaredSource | undefined
  /** Whether the symbol itself stands there. */
  isIt(place: Place): boolean
}

async function declarationOf(
  parts: Parts,
  declarations: DeclarationsByFile,
  context: Context,
): Promise<Declared> {
  const find = async (own: Context) => (await goToDefinition.run({}, own)).places
  const definitions = (await parts.ask('definition', DefinitionRequest, find)) ?? []
  const source = await declaredSource(definitions, declarations, context)
  const own = source === undefined ? [] : [{ ...source.declaration.at, file: source.file }]
  const places = [...definitions, ...own]
  return { definitions, source, isIt: place => places.some(other => isSame(other, place)) }
}

async function implementationsOf(declared: Promise<Declared>, parts: Parts): Promise<readonly Place[]> {
  const { source, isIt } = await declared
  if (source === undefined || !implementable.has(source.declaration.kind)) return []
  const find = async (own: Context) => (await goToImplementation.run({}, own)).places
  const found = await parts.ask('implementations', ImplementationRequest, find, 'may be missing')
  return (found ?? []).filter(place => !isIt(place))
}

async function whoUses(
  declared: Promise<Declared>,
  parts: Parts,
  declarations: DeclarationsByFile,
  context: Context,
): Promise<Pick<Explored, 'references' | 'callers' | 'callersBy'>> {
  const find = async (own: Context) => {
    const { connection } = own.server
    await openProjects(ReferencesRequest.method, connection, context)
    doubtLimits(ReferencesRequest.method, connection, own.source.absolute, context)
    return referencesTo(own)
  }
  const [used, called, { source, isIt }] = await Promise.all([
    parts.ask('references', ReferencesRequest, find),
    parts.ask('callers', CallHierarchyPrepareRequest, callersOf, 'may be missing'),
    declared,
  ])
  // gopls answers with an error where there is nothing to call; of a function it would be a failure.
  if (called?.refused !== undefined && callable.has(source?.declaration.kind ?? 'function'))
    parts.miss('callers', called.refused)
  const references = used?.filter(place => !isIt(place))
  const callers = called?.callers
  // A class that is only inherited from, or a function that is only handed on, has users and no callers.
  if (callers !== undefined && (callers.length > 0 || references === undefined || references.length === 0))
    return { references, callers: testsLast(callers), callersBy: 'calls' }
  const users = await usersOf(references ?? [], declarations)
  return { references, callers: testsLast(users), callersBy: 'references' }
}

class Parts {
  readonly missing: string[] = []
  readonly #context: Context
  readonly #failures: BridgeError[] = []
  #answered = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Undefined when it could not be had, which is then said unless others say the same. */
  async ask<T>(
    name: string,
    request: RequestConstant,
    question: (own: Context) => Promise<T>,
    importance: 'must be said' | 'may be missing' = 'must be said',
  ): Promise<T | undefined> {
    const { server, signal, doubt } = this.#context
    const { client } = server
    if (!(await client.offers(request, signal))) {
      if (importance === 'must be said') {
        const message = `${client.identity.name} does not offer ${request.method}`
        this.miss(name, new BridgeError({ kind: 'CapabilityMissing', message, hint: 'See server_status.' }))
      }
      return undefined
    }
    try {
      const own = {
        ...this.#context,
        doubt: (found: Parameters<typeof doubt>[0]) =>
          doubt({ ...found, reason: `${name}: ${found.reason}` }),
      }
      const answer = await question(own)
      this.#answered += 1
      return answer
    } catch (thrown) {
      const error = asBridgeError(thrown)
      if (signal.aborted || error.kind === 'Bug') throw error
      this.miss(name, error)
      return undefined
    }
  }

  throwIfNothingWasAnswered(): void {
    const [first] = this.#failures
    if (first !== undefined && this.#answered === 0) throw first
  }

  miss(name: string, error: BridgeError): void {
    this.missing.push(name)
    this.#failures.push(error)
    this.#context.doubt({ verdict: 'partial', reason: `${name} missing: ${error.message}`, hint: error.hint })
  }
}

interface Called {
  /** Undefined where there is nothing to call. */
  readonly callers?: readonly Caller[]
  readonly refused?: BridgeError
}

async function callersOf(own: Context): Promise<Called> {
  const doubts: Parameters<Context['doubt']>[0][] = []
  const quietly = { ...own, doubt: (doubt: Parameters<Context['doubt']>[0]) => void doubts.push(doubt) }
  try {
    const found = await findCallers.run({ direction: 'incoming', depth: 1, limit: mostCallers }, quietly)
    if (found.callable.length === 0) return {}
    for (const doubt of doubts) own.doubt(doubt)
    const callers = found.incoming.map(({ depth: _depth, via: _via, calls, ...caller }) => ({
      ...caller,
      calls: calls.length,
    }))
    return { callers }
  } catch (thrown) {
    const error = asBridgeError(thrown)
    if (error.kind === 'ServerError') return { refused: error }
    throw error
  }
}

const callable: ReadonlySet<string> = new Set(['function', 'method', 'constructor'])

/** The units that use it, in the files that use it most. */
async function usersOf(references: readonly Place[], declarations: DeclarationsByFile): Promise<Caller[]> {
  const files = mostUsed(references)
    .slice(0, mostFilesLookedInto)
    .map(({ file }) => file)
  const uses = await gatherUses(
    references.filter(({ file }) => files.includes(file)),
    declarations,
  )
  return uses.flatMap(({ unit, places }) => {
    const [first] = places
    if (first === undefined) return []
    const symbol = unit?.path ?? first.file
    return [
      {
        ...first,
        symbol,
        kind: unit?.kind ?? 'module',
        calls: places.length,
        ...(unit === undefined ? {} : unit.at),
      },
    ]
  })
}

export function mostUsed(references: readonly Place[]): { readonly file: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (const { file } of references) counts.set(file, (counts.get(file) ?? 0) + 1)
  return [...counts]
    .map(([file, count]) => ({ file, count }))
    .sort((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1))
}

function testsLast(callers: readonly Caller[]): Caller[] {
  return [
    ...callers.filter(({ file }) => !isTestFile(file)),
    ...callers.filter(({ file }) => isTestFile(file)),
  ]
}

const implementable: ReadonlySet<string> = new Set(['interface', 'class', 'struct', 'method'])

/** TypeScript lists every object literal of the type among its implementations. */
function isNamed({ file, line, column }: Place, { workspace }: Context): boolean {
  try {
    return identifierAt(workspace.read(file).text.line(line) ?? '', column)?.column === column
  } catch {
    // A library's, which is not read, or gone since.
    return true
  }
}

function isSame(a: Pick<Place, 'file' | 'line' | 'column'>, b: Place): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column
}
