// What one server makes of some files and of those that depend on them: the common part of trying an edit and of applying
// one. Everything it could not look at is kept as a gap, because a verdict is only as wide as what was looked at.
import { DocumentDiagnosticRequest, ReferencesRequest } from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import type { OpenDocument } from '../lsp/documents.js'
import { SourceText } from '../text/lines.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import {
  type DeclaredName,
  namesIn,
  type Outline,
  outlineOf,
  type Referrers,
  referrersOf,
  type Span,
} from './dependents.js'
import { type Diagnosed, type Diagnosis, hiddenIn, tryToDiagnose } from './diagnose.js'
import { answeringServer, doubtCurrency, doubtLimits, doubtReadiness, openProjects } from './doubts.js'
import type { ContextOf, ServerPort } from './operation.js'
import { type Standing, standingOf } from './standing.js'
import { beginUserSearch } from './unnamed-users.js'
import { waits } from './waits.js'

type Context = ContextOf['workspace']

/** A text with what was found wrong with it. */
export interface Examined {
  readonly text: SourceText
  readonly diagnosis: Diagnosis
  /** What the server that was asked never checks. */
  readonly unchecked?: string | undefined
}

/** By the name of the file, as answers show it. */
export type Findings = ReadonlyMap<string, Examined>

const mostDependents = 100
// Nobody else is answered while an edit is tried, so this is not stretched to the last.
const dependentsMilliseconds = 8000
const requestMilliseconds = 30_000
// A server that is asked with less patience than it needs is taken for one that hangs, and is ended.
const leastMilliseconds = 5000
// Servers work on one file at a time; more at once would only close each other's documents again.
const atOnce = 8

/** Must be used within a turn of its connection. */
export class Examiner {
  readonly server: ServerPort
  readonly #connection: Connection
  readonly #context: Context
  /** Why the files that depend on the change are not all known. */
  readonly gaps: string[] = []
  #unchecked: string | undefined
  #standing: Standing = { isWhole: false, reason: 'the server was not made ready' }

  constructor(connection: Connection, context: Context) {
    this.#connection = connection
    this.#context = context
    this.server = this.#portWithin(() => context.remaining())
    context.credit(answeringServer(connection))
  }

  /**
   * Brings the server's view up to date, with some of the files open because many servers begin to work with the first,
   * and waits until it knows the workspace. What it will not know then is a gap.
   */
  async prepare(sources: readonly SourceFile[], patience = 0.5): Promise<void> {
    const { view, session } = this.#connection
    const { workspace } = this.#context
    const noting: Context = {
      ...this.#context,
      doubt: doubt => {
        this.#context.doubt(doubt)
        this.gaps.push(`${session.candidate.definition.title} may not know the whole workspace`)
      },
    }
    const { name } = session.client.identity
    this.#context.awaiting(waits.news(name))
    const currency = await view.bringUpToDate(this.wait(0.5))
    doubtCurrency(currency, noting)
    await this.open(sources.slice(0, atOnce))
    this.#context.awaiting(waits.index(name))
    const readiness = await session.client.readiness.settle(this.wait(patience))
    doubtReadiness(readiness, session.candidate.definition, noting)
    this.#context.awaiting(waits.answer(name))
    await openProjects(ReferencesRequest.method, this.#connection, noting)
    this.#standing = standingOf(this.#connection, currency)
    const file = sources[0]?.absolute
    doubtLimits(DocumentDiagnosticRequest.method, this.#connection, file, this.#context)
    for (const { methods, reason } of workspace.limitsOf(this.#connection, file)) {
      if (methods.includes(ReferencesRequest.method)) this.gaps.push(reason)
      if (methods.includes(DocumentDiagnosticRequest.method)) this.#unchecked = reason
    }
  }

  async open(sources: readonly SourceFile[]): Promise<readonly Diagnosed[]> {
    const opened: Diagnosed[] = []
    for (const source of sources) {
      const { languageId } = this.#context.workspace.routes.forFile(source.relative)
      const document = await this.#connection.view.open(source, languageId, this.wait(0.5))
      // Edited since it was read, the server has a newer text, and what it finds lies in that.
      const text = document.content === source.content ? source.text : new SourceText(document.text)
      opened.push({ file: source.relative, text, document })
    }
    return opened
  }

  /** Each for the text its document has; a failure is an unknown outcome with its reason. */
  async diagnose(files: readonly Diagnosed[]): Promise<Findings> {
    const found = new Map<string, Examined>()
    const { name } = this.#connection.session.client.identity
    for (let start = 0; start < files.length; start += atOnce) {
      this.#context.awaiting(waits.report(name))
      const some = files.slice(start, start + atOnce)
      const asked = some.map(async file => ({
        file,
        diagnosis: await tryToDiagnose(file, this.server, { ...this.wait(0.5), standing: this.#standing }),
      }))
      for (const { file, diagnosis } of await Promise.all(asked))
        found.set(file.file, {
          text: file.text,
          diagnosis,
          unchecked: hiddenIn(diagnosis) ?? this.#unchecked,
        })
    }
    this.#context.awaiting(waits.answer(name))
    return found
  }

  /** Opens and diagnoses files of the disk, in portions: all of them at once need not fit. */
  async diagnoseFiles(sources: readonly SourceFile[]): Promise<Findings> {
    const found = new Map<string, Examined>()
    for (let start = 0; start < sources.length; start += atOnce) {
      try {
        const some = await this.open(sources.slice(start, start + atOnce))
        for (const [file, examined] of await this.diagnose(some)) found.set(file, examined)
      } catch (thrown) {
        const reason = asBridgeError(thrown).message
        for (const { relative, text } of sources.slice(start, start + atOnce))
          found.set(relative, { text, diagnosis: { verdict: 'unknown', reason, diagnostics: [] } })
      }
    }
    return found
  }

  /** As `diagnoseFiles`, as far as there is time: those that were not looked at are a gap. */
  async diagnoseDependents(sources: readonly SourceFile[]): Promise<Findings> {
    const found = new Map<string, Examined>()
    const began = this.#context.remaining()
    // While an edit is tried they are asked about once more, at every step.
    const ends = began - Math.min(dependentsMilliseconds, began * 0.25)
    const due = [...sources]
    const work = async () => {
      // Before each there is a look at the time.
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        if (this.#context.remaining() <= ends) return
        for (const [file, examined] of await this.diagnoseFiles([next])) found.set(file, examined)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    if (found.size < sources.length)
      this.gaps.push(`there was time to check ${found.size} of the ${sources.length} files that depend on it`)
    return found
  }

  /** What lines of a file of the disk declare. */
  async namesOnDisk(source: SourceFile, spans: readonly Span[]): Promise<readonly DeclaredName[]> {
    const [file] = spans.length === 0 ? [] : await this.open([source])
    return file === undefined ? [] : this.names(file, spans)
  }

  /** What lines of an open document declare. */
  async names(file: Diagnosed, spans: readonly Span[]): Promise<readonly DeclaredName[]> {
    const outline = spans.length === 0 ? undefined : await this.outline(file)
    return outline === undefined ? [] : this.namesIn(outline, spans)
  }

  namesIn(outline: Outline, spans: readonly Span[]): readonly DeclaredName[] {
    const { names, gaps } = namesIn(outline, spans)
    this.gaps.push(...gaps)
    return names
  }

  /** Undefined, and a gap, where the server does not say. */
  async outline(file: Diagnosed): Promise<Outline | undefined> {
    try {
      return await outlineOf(file, this.server)
    } catch (thrown) {
      this.gaps.push(`what ${file.file} declares is unknown: ${asBridgeError(thrown).message}`)
      return undefined
    }
  }

  /** As far as there is time: no question is begun after it. */
  async referrers(
    names: readonly DeclaredName[],
    milliseconds = this.#context.remaining() * 0.3,
  ): Promise<Referrers> {
    const ends = this.#context.remaining() - milliseconds
    const left = () => Math.max(this.#context.remaining() - ends, 0)
    const server = this.#portWithin(left)
    const withUnnamed = beginUserSearch(names, {
      context: this.#context,
      server,
      open: sources => this.open(sources),
    })
    const asked = await referrersOf(names, { server, workspace: this.#context.workspace }, left)
    const { referrers, gaps } = await withUnnamed(asked.referrers)
    this.gaps.push(...asked.gaps, ...gaps)
    return referrers
  }

  /** The files that refer to one of the names, those that refer most often first; not those named as known. */
  async dependents(
    names: readonly DeclaredName[],
    known: ReadonlySet<string>,
  ): Promise<readonly SourceFile[]> {
    return this.dependentsIn((await this.referrers(names)).values(), known)
  }

  dependentsIn(
    referrers: Iterable<ReadonlyMap<string, number>>,
    known: ReadonlySet<string>,
  ): readonly SourceFile[] {
    const counts = new Map<string, number>()
    for (const files of referrers)
      for (const [path, count] of files) counts.set(path, (counts.get(path) ?? 0) + count)
    const sources: { readonly source: SourceFile; readonly count: number }[] = []
    for (const [path, count] of counts) {
      if (known.has(path)) continue
      const source = this.#readOwn(path)
      if (source !== undefined && !known.has(source.absolute)) sources.push({ source, count })
    }
    sources.sort((a, b) => b.count - a.count || (a.source.relative < b.source.relative ? -1 : 1))
    if (sources.length > mostDependents)
      this.gaps.push(
        `${mostDependents} of the ${sources.length} files that depend on the change were checked`,
      )
    return sources.slice(0, mostDependents).map(({ source }) => source)
  }

  /** A share of the time that is left, but enough of it to be worth the question. */
  wait(share: number): { readonly signal: AbortSignal; readonly milliseconds: number } {
    const left = this.#context.remaining()
    return {
      signal: this.#context.signal,
      milliseconds: Math.max(left * share, Math.min(left, leastMilliseconds)),
    }
  }

  /** The time that was given to a part of the call may be less than the call's. */
  #portWithin(remaining: () => number): ServerPort {
    const { client } = this.#connection.session
    const { signal } = this.#context
    return {
      client,
      connection: this.#connection,
      request: (request, params) =>
        client.request(request, params, {
          signal,
          milliseconds: Math.min(
            requestMilliseconds,
            Math.max(remaining(), Math.min(this.#context.remaining(), leastMilliseconds)),
          ),
        }),
    }
  }

  /** Undefined for a library, and for what no server is asked about. */
  #readOwn(path: string): SourceFile | undefined {
    try {
      const source = this.#context.workspace.read(path)
      this.#context.workspace.routes.forFile(source.relative)
      return source
    } catch (thrown) {
      const { kind, message } = asBridgeError(thrown)
      if (kind !== 'PathOutsideWorkspace') this.gaps.push(message)
      return undefined
    }
  }
}

/** A file that is not there has no findings, and that is certain. */
export function nothingFound(text = ''): Examined {
  return { text: new SourceText(text), diagnosis: { verdict: 'settled', diagnostics: [] } }
}

export function unknownFindings(text: string, reason: string): Examined {
  return { text: new SourceText(text), diagnosis: { verdict: 'unknown', reason, diagnostics: [] } }
}

export function diagnosed(file: string, text: string, document: OpenDocument): Diagnosed {
  return { file, text: new SourceText(text), document }
}
