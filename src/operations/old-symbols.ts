// What a change took away. Nothing in the present text tells of it, so the server is shown the old text for a moment,
// alone, and asked who still refers to what that declared: a function that is gone is the most dangerous change of all.
import { dirname } from 'node:path/posix'
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import { parseDocumentSymbols } from '../lsp/results.js'
import { handsOn, isComment, isFiller } from '../text/line-kinds.js'
import { occurrences, type SourceText } from '../text/lines.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Connection } from '../workspace/workspace.js'
import type { TouchedFile } from './change-set.js'
import { type Declaration, type Declarations, isContainer, readDeclarations, wholes } from './declarations.js'
import { Examiner } from './examine.js'
import type { ContextOf } from './operation.js'
import { oldName, type RemovedSymbol, removedSymbols } from './removed-uses.js'
import { listed } from './render.js'
import { groupByServer } from './server-groups.js'
import type { DeclarationsByFile } from './uses.js'

type Context = ContextOf['workspace']

export interface OldSymbols {
  readonly removed: readonly RemovedSymbol[]
  /** Paths of all that was declared. */
  readonly paths: ReadonlySet<string>
  /** Paths of the units that lines were taken from. */
  readonly touched: ReadonlySet<string>
  /** Lines that were in no symbol and handed names on. */
  readonly outside: readonly number[]
}

/** The part of the remaining time that old texts may take. */
const share = 0.4
const mostTexts = 60

/** By the present name of each file that could be looked at; what could not is said. */
export async function oldSymbols(
  touched: readonly TouchedFile[],
  declarations: DeclarationsByFile,
  context: Context,
): Promise<ReadonlyMap<string, OldSymbols>> {
  const due = touched.filter(losesSomething)
  const found = new Map<string, OldSymbols>()
  const ends = context.remaining() * (1 - share)
  const left = due.slice(mostTexts).map(({ file }) => file)
  const tryFile = async (file: TouchedFile, connection: Connection) => {
    if (context.remaining() < ends) {
      left.push(file.file)
      return
    }
    try {
      const present = file.status === 'deleted' ? undefined : await declarations.of(file.file)
      const beside = await declaredBeside(file, touched, declarations)
      // A turn for each file, so that others get theirs in between.
      const look = () => lookAt(file, { present, beside }, connection, context)
      found.set(file.file, await context.during(connection, look, 'alone'))
    } catch (thrown) {
      if (context.signal.aborted) throw thrown
      left.push(`${file.file} (${asBridgeError(thrown).message})`)
    }
  }
  const named = due.slice(0, mostTexts).map(touchedFile => {
    const { absolute, relative } = context.workspace.locate(oldName(touchedFile))
    return { absolute, file: relative, touched: touchedFile }
  })
  const { groups, unserved } = await groupByServer(named, context)
  for (const { file, error } of unserved) left.push(`${file.touched.file} (${error.message})`)
  for (const [connection, group] of groups) {
    const files = group.map(({ touched: own }) => own)
    const sources = await somethingToOpen(files, context)
    await context.during(connection, () => new Examiner(connection, context).prepare(sources))
    for (const file of files) await tryFile(file, connection)
  }
  if (left.length > 0) {
    context.doubt({
      verdict: 'partial',
      reason: `what was removed was not looked for in ${listed(left)}`,
      hint: 'Ask about fewer files at a time.',
    })
  }
  return found
}

/** Some servers begin to index when the first document is open. */
async function somethingToOpen(files: readonly TouchedFile[], { workspace }: Context): Promise<SourceFile[]> {
  const there = files.find(({ status }) => status !== 'deleted')
  if (there !== undefined) return [workspace.read(there.file)]
  const language = files.flatMap(({ file }) => workspace.routes.languageOf(file) ?? []).at(0)
  let tries = 0
  for (const path of language === undefined ? [] : await workspace.filesOf(language)) {
    tries += 1
    if (tries > mostTries) break
    try {
      return [workspace.read(path)]
    } catch {
      // Too large, or no text: the next one will do as well.
    }
  }
  return []
}

const mostTries = 20

function losesSomething({ oldText, removed, status }: TouchedFile): boolean {
  if (oldText === undefined) return false
  return status === 'renamed' || removed.some(line => isMeaningful(oldText.line(line) ?? ''))
}

function isMeaningful(line: string): boolean {
  return !isFiller(line) && !isComment(line)
}

/** What is declared now in the file, and what in others is as good as in it. */
interface Present {
  readonly present: Declarations | undefined
  readonly beside: ReadonlySet<string>
}

async function lookAt(
  file: TouchedFile,
  now: Present,
  connection: Connection,
  context: Context,
): Promise<OldSymbols> {
  const { oldText: text } = file
  if (text === undefined) return nothing
  const name = oldName(file)
  const { absolute } = context.workspace.locate(name)
  const { languageId } = context.workspace.routes.forFile(name)
  const server = context.port(connection)
  return connection.view.trying(async trial => {
    const wait = { signal: context.signal, milliseconds: context.remaining() * 0.5 }
    const [document] = await trial.show([{ path: absolute, languageId, text: text.text }], wait)
    if (document === undefined) return nothing
    const { uri } = document
    const answer = await server.request(DocumentSymbolRequest, { textDocument: { uri } })
    const { encoding } = server.client
    const declared = readDeclarations(parseDocumentSymbols(answer), { file: name, text, encoding })
    const gone = goneUnits(file, declared, now, context)
    const removed = await removedSymbols(gone, { file, text, uri, server }, context)
    return {
      // Whoever moved a file together with all that refer to it has taken nothing away.
      removed: removed.filter(({ left }) => left?.length !== 0 || file.status !== 'renamed'),
      paths: new Set(declared.all.map(({ path }) => path)),
      ...linesTaken(file, declared, text),
    }
  })
}

const nothing: OldSymbols = { removed: [], paths: new Set(), touched: new Set(), outside: [] }

/** Units that the present text neither declares nor brings in from elsewhere. */
function goneUnits(
  file: TouchedFile,
  before: Declarations,
  { present, beside }: Present,
  { workspace }: Context,
): Declaration[] {
  const isMove = file.status === 'renamed'
  const now = isMove ? undefined : present
  const counts = new Map<string, number>()
  for (const { path } of now?.all ?? []) counts.set(path, (counts.get(path) ?? 0) + 1)
  const text = now === undefined ? undefined : workspace.read(file.file).text
  // What is inside a type that now comes from elsewhere came with it.
  const isBroughtIn = ({ name, parent }: Declaration): boolean =>
    [...(now?.imports ?? [])].some(line => occurrences(text?.line(line) ?? '', name).length > 0) ||
    (parent !== undefined && isBroughtIn(parent))
  const removed = new Set(file.removed)
  const isTouched = ({ start, end }: Declaration) => {
    for (let line = start.line; line <= end.line; line += 1) if (removed.has(line)) return true
    return false
  }
  return before.all.filter(declaration => {
    const { isUnit, kind, path } = declaration
    if (!isUnit || wholes.has(kind)) return false
    const left = counts.get(path) ?? 0
    counts.set(path, left - 1)
    if (left > 0 || beside.has(path)) return false
    return isMove || (isTouched(declaration) && !isBroughtIn(declaration))
  })
}

/** Go's names belong to the folder: from one file of it to another nothing moves. */
async function declaredBeside(
  file: TouchedFile,
  touched: readonly TouchedFile[],
  declarations: DeclarationsByFile,
): Promise<ReadonlySet<string>> {
  const paths = new Set<string>()
  const name = oldName(file)
  if (!name.endsWith('.go')) return paths
  for (const { file: other, status } of touched) {
    if (status === 'deleted' || other === name || dirname(other) !== dirname(name)) continue
    for (const { path } of (await declarations.of(other))?.all ?? []) paths.add(path)
  }
  return paths
}

/** From which units lines were taken, and which were in none. */
function linesTaken(
  file: TouchedFile,
  { unitsOn, imports }: Declarations,
  text: SourceText,
): Pick<OldSymbols, 'touched' | 'outside'> {
  const touched = new Set<string>()
  const outside: number[] = []
  const name = oldName(file)
  for (const line of file.removed) {
    const written = text.line(line) ?? ''
    if (isFiller(written)) continue
    const units = unitsOn(line)
    for (const unit of units) if (!isContainer(unit) || !isComment(written)) touched.add(unit.path)
    const isImport = imports.has(line) && !handsOn(written, name)
    if (units.length === 0 && !isImport && !isComment(written)) outside.push(line)
  }
  return { touched, outside }
}
