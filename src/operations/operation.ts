// `defineOperation` and its types. An operation is one declared value; the MCP tool, the command, the library method,
// the documentation and the capability check all follow from it.
import * as z from 'zod'
import type { RequestConstant } from '../lsp/capabilities.js'
import type { LspClient, TypedRequest } from '../lsp/client.js'
import type { OpenDocument } from '../lsp/documents.js'
import type { ServerPosition } from '../lsp/parse.js'
import type { About } from '../policy/call-authority.js'
import type { Place } from '../workspace/places.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection, Workspace } from '../workspace/workspace.js'
import type { AnsweringServer, AnswerTarget, Completeness, Currentness, Doubt, Envelope } from './answer.js'
import type { Standing } from './standing.js'

/** What an operation does to the world; policy and MCP annotations follow from it. */
export type Effect = 'read' | 'propose' | 'edit' | 'execute'

/** What an operation is asked about; decides how far the pipeline prepares it. */
export type Subject = 'symbol' | 'file' | 'workspace'

interface CallContext {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  /** Milliseconds until the call's deadline. */
  remaining(): number
  /** How long the caller wants a report of diagnostics to be waited for at most; undefined leaves it to the operation. */
  readonly patience: number | undefined
  doubt(doubt: Doubt): void
  /** Names a server that took part in the answer. */
  credit(server: AnsweringServer): void
  /** Asks the policy about what the call leads to, such as files; throws where that may not be. */
  authorize(...abouts: readonly About[]): Promise<void>
  /** From now on nobody is asked to approve anything: for the moment before the world is changed. */
  askNoMore(): void
  /** Says what content an answer about the workspace is true for, or that it may no longer be. */
  fresh(freshness: Currentness): void
  /** Says what is waited for from now on, which a timeout then names. */
  awaiting(what: string): void
  /** Says what is done for good, and what to do when the rest of the call times out. */
  accomplished(what: string, hint: string): void
  /** The wall clock, for what is put on record. */
  now(): string
  /** Whether the preset lets this method be sent at all; a server may still lack it. */
  maySend(method: string): boolean
  /** What will stand around the result, as far as it is known now. */
  envelope(): Envelope
  /** Waits for the work no longer than a share of the time that is left; the work itself goes on. */
  inShare<T>(share: number, work: Promise<T>): Promise<T>
  /** Asks a server in turn; every use of a connection goes through here. `alone` while it sees a trial text. */
  during<T>(connection: Connection, run: () => Promise<T>, how?: 'shared' | 'alone'): Promise<T>
  /** Puts a question about any file of the workspace, prepared like the main one: for operations made of several. */
  inFile<T>(path: string, needs: FileNeeds, run: (context: FileContext) => Promise<T>): Promise<T>
}

/** What a question about a file takes; an operation is one. */
export interface FileNeeds {
  readonly name: string
  readonly lsp: RequestConstant | null
  readonly needsWholeWorkspace: boolean
  readonly nearest?: NearestOperation
}

/** Another operation, by its name and the request that gates it. */
export interface NearestOperation {
  readonly name: string
  readonly lsp: RequestConstant | null
}

export interface ServerPort {
  readonly client: LspClient
  readonly connection: Connection
  request<P>(request: TypedRequest<P>, params: P): Promise<unknown>
}

export interface FileContext extends CallContext {
  readonly source: SourceFile
  readonly document: OpenDocument
  readonly server: ServerPort
  readonly standing: Standing
}

interface SymbolContext extends FileContext {
  readonly target: AnswerTarget
  /** What a request about the symbol needs. */
  readonly at: { readonly textDocument: { readonly uri: string }; readonly position: ServerPosition }
}

interface WorkspaceContext extends CallContext {
  /** A server port for one more connection, e.g. per language. */
  port(connection: Connection): ServerPort
}

export interface ContextOf {
  readonly symbol: SymbolContext
  readonly file: FileContext
  readonly workspace: WorkspaceContext
}

/** How a long result is cut at an item's edge. */
export interface Items<R> {
  count(result: R): number
  keep(result: R, count: number): R
}

export interface RenderContext {
  readonly target: AnswerTarget | undefined
  /** How many items there are, those included that were cut off: a summary must not count what is shown alone. */
  readonly total: number
  /** What is missing is told after the lines; an operation looks here where it makes the answer dangerous to act on. */
  readonly completeness: Completeness
}

export interface Operation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  On extends Subject = Subject,
> {
  readonly name: Name
  /** When to use it and what it beats; this is what a model chooses by. */
  readonly summary: string
  readonly effect: Effect
  readonly on: On
  /** The request whose capability gates the call; null when it needs none. */
  readonly lsp: RequestConstant | null
  /** A request it is sure to send though no capability of its own gates the call: approval is asked before it begins. */
  readonly sends?: RequestConstant
  /** What comes nearest where a server lacks this one; named to the caller if the server offers that. */
  readonly nearest?: NearestOperation
  /** Whether the answer depends on the server having seen the whole workspace. */
  readonly needsWholeWorkspace: boolean
  /** How long a call may take unless it says otherwise; only where that is shorter than for the others. */
  readonly milliseconds?: number
  /** Under a read gate the file pointed at must have been read before, in its present content (C21). */
  readonly needsRead?: true
  readonly input: Input
  readonly output: Output
  /** Arguments of one command line that works in this project, for help and documentation. */
  readonly example: string
  readonly items: Items<z.output<Output>>
  /** The files it will touch, where the input does not name them: approval is asked before it begins. */
  touches?(input: Readonly<Record<string, unknown>>, workspace: Workspace): readonly About[]
  // Method syntax on purpose: a list of operations of different inputs must be one list.
  run(input: z.output<Input>, context: ContextOf[On]): Promise<z.output<Output>>
  /** Lines of text; the first one summarises. */
  render(result: z.output<Output>, context: RenderContext): readonly string[]
}

export function defineOperation<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const On extends Subject,
>(operation: Operation<Name, Input, Output, On>): Operation<Name, Input, Output, On> {
  return operation
}

/** For results whose items are one top-level list. */
export function listedIn<Key extends string>(key: Key) {
  return {
    count: (result: Readonly<Record<Key, readonly unknown[]>>) => result[key].length,
    keep: <R extends Readonly<Record<Key, readonly unknown[]>>>(result: R, count: number): R => ({
      ...result,
      [key]: result[key].slice(0, count),
    }),
  }
}

export const placeSchema = z.object({
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  end_line: z.number().int(),
  end_column: z.number().int(),
  text: z.string(),
  label: z.string().optional(),
}) satisfies z.ZodType<Place>
