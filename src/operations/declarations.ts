// What a file declares, as far as others can use it: the units in which changes and uses are told. A local variable is
// the affair of the function around it; a member of a class is a unit of its own.
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { parseDocumentSymbols, type ServerSymbol } from '../lsp/results.js'
import { importLines } from '../text/import-lines.js'
import { identifierAt, occurrences, type SourceText } from '../text/lines.js'
import { type PositionEncoding, type PublicPosition, toPublicPositionIn } from '../text/position.js'
import { isTestFile, marksTest } from '../text/test-names.js'
import type { FileContext } from './operation.js'
import { symbolKindName } from './symbol-kind.js'
import { declaredSymbols } from './symbol-path.js'

export interface Declaration {
  /** Works as the next question's symbol. */
  readonly path: string
  readonly name: string
  readonly kind: string
  readonly start: PublicPosition
  readonly end: PublicPosition
  /** Where its name stands; where a question about it must point. */
  readonly at: PublicPosition
  /** Whether its name stands there at all: that of a callback does not, and nobody can refer to it. */
  readonly isNamed: boolean
  /** Whether others can use it: it is not inside a function, nor brought in from elsewhere. */
  readonly isUnit: boolean
  readonly isTest: boolean
  readonly parent: Declaration | undefined
}

export interface Declarations {
  /** In the order of the text. */
  readonly all: readonly Declaration[]
  readonly imports: ReadonlySet<number>
  /** The smallest unit around a position. */
  unitAround(position: PublicPosition): Declaration | undefined
  /** The smallest units that reach onto a line. */
  unitsOn(line: number): readonly Declaration[]
  /** The declaration whose name stands at the position, else the smallest that begins there. */
  declaredAt(position: PublicPosition): Declaration | undefined
}

const containers: ReadonlySet<string> = new Set([
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'interface',
  'struct',
  'enum',
  // How rust-analyzer calls an `impl`.
  'object',
])

/** Nobody refers to these by the lines they hold; their members are what is used. */
export const modules: ReadonlySet<string> = new Set(['file', 'module', 'namespace', 'package'])

/** The same of an `impl`, whose first line all the same says what its type can do. */
export const wholes: ReadonlySet<string> = new Set([...modules, 'object'])

/** Holds members that are units of their own. */
export function isContainer({ kind }: Pick<Declaration, 'kind'>): boolean {
  return containers.has(kind)
}

export async function declarationsIn({ source, document, server }: FileContext): Promise<Declarations> {
  const answer = await server.request(DocumentSymbolRequest, { textDocument: { uri: document.uri } })
  const { encoding } = server.client
  return readDeclarations(parseDocumentSymbols(answer), {
    file: source.relative,
    text: source.text,
    encoding,
  })
}

export interface DeclaringText {
  readonly file: string
  readonly text: SourceText
  readonly encoding: PositionEncoding
}

export function readDeclarations(symbols: readonly ServerSymbol[], declaring: DeclaringText): Declarations {
  const { text, encoding } = declaring
  const imports = importLines(text)
  const flat = declaredSymbols(symbols)
    .map(symbol => ({
      symbol,
      start: toPublicPositionIn(text, symbol.range.start, encoding),
      end: toPublicPositionIn(text, symbol.range.end, encoding),
    }))
    .sort((a, b) => compare(a.start, b.start) || compare(b.end, a.end))
  const all: Declaration[] = []
  const around: Declaration[] = []
  for (const { symbol, start, end } of flat) {
    while (!holds(around.at(-1), start, end)) around.pop()
    const parent = around.at(-1)
    const name = symbol.segments.at(-1) ?? symbol.name
    const { at, isNamed } = namePosition(
      text,
      name,
      toPublicPositionIn(text, symbol.selection.start, encoding),
    )
    const kind = symbolKindName(symbol.kind)
    const isOpen = parent === undefined || (parent.isUnit && isContainer(parent))
    const isUnit = isOpen && !(parent === undefined && imports.has(at.line))
    const isTest = isTestDeclaration({ name, kind, start, at, parent }, declaring)
    const declaration = { path: symbol.path, name, kind, start, end, at, isNamed, isUnit, isTest, parent }
    all.push(declaration)
    around.push(declaration)
  }
  const units = all.filter(({ isUnit }) => isUnit)
  const smallest = (found: readonly Declaration[]) =>
    found.filter(unit => !found.some(other => other !== unit && isInside(other, unit)))
  return {
    all,
    imports,
    unitAround: position =>
      smallest(units.filter(({ start, end }) => isBetween(position, start, end))).at(-1),
    unitsOn: line => smallest(units.filter(({ start, end }) => start.line <= line && line <= end.line)),
    declaredAt: position =>
      all.find(({ at }) => compare(at, position) === 0) ??
      all.findLast(({ start }) => compare(start, position) === 0),
  }
}

function holds(outer: Declaration | undefined, start: PublicPosition, end: PublicPosition): boolean {
  // Nothing is around what lies at the top.
  if (outer === undefined) return true
  return compare(outer.start, start) <= 0 && compare(end, outer.end) <= 0
}

function isInside(inner: Declaration, outer: Declaration): boolean {
  for (let above = inner.parent; above !== undefined; above = above.parent) if (above === outer) return true
  return false
}

function isBetween(position: PublicPosition, start: PublicPosition, end: PublicPosition): boolean {
  return compare(start, position) <= 0 && compare(position, end) <= 0
}

function compare(a: PublicPosition, b: PublicPosition): number {
  return a.line - b.line || a.column - b.column
}

/** Some servers point at the whole declaration; the name in it is what a question must point at. */
function namePosition(
  text: SourceText,
  name: string,
  { line, column }: PublicPosition,
): { at: PublicPosition; isNamed: boolean } {
  const written = text.line(line) ?? ''
  const found = occurrences(written, name).find(candidate => candidate >= column)
  if (found !== undefined) return { at: { line, column: found }, isNamed: true }
  // A server may write a name otherwise than the text does, with its parameters for instance.
  const word = identifierAt(written, column)
  return { at: { line, column }, isNamed: word?.column === column && name.startsWith(word.name) }
}

const testModules: ReadonlySet<string> = new Set(['test', 'tests'])
const mostAttributes = 6

function isTestDeclaration(
  declaration: Pick<Declaration, 'name' | 'kind' | 'start' | 'at' | 'parent'>,
  { file, text }: DeclaringText,
): boolean {
  const { parent, start, at, kind, name } = declaration
  if (parent?.isTest || isTestFile(file)) return true
  if (kind === 'module' || kind === 'namespace') return testModules.has(name)
  const first = Math.max(start.line - mostAttributes, 1)
  for (let line = at.line; line >= first; line -= 1) {
    const written = text.line(line) ?? ''
    if (marksTest(written)) return true
    // Above its first line, only what stands directly on top of it belongs to a declaration.
    if (line <= start.line && line < at.line && !/^\s*(?:#|@|\[|\/\/|\*|\/\*)/.test(written)) return false
  }
  return false
}
