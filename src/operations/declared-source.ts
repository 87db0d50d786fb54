// The source of a declaration, cut to what fits into an answer; of something long that has members, its head and a list
// of them.
import { cleanText } from '../text/clean.js'
import { isComment } from '../text/line-kinds.js'
import { fromIndex } from '../text/position.js'
import type { Place } from '../workspace/places.js'
import type { Declaration, Declarations } from './declarations.js'
import { isExternal } from './hierarchy-walk.js'
import type { ContextOf } from './operation.js'
import type { DeclarationsByFile } from './uses.js'

export interface DeclaredSource {
  readonly file: string
  readonly declaration: Declaration
  readonly members: readonly Declaration[]
  /** Lines of the whole declaration. */
  readonly first: number
  readonly last: number
  /** Its text, cut to the first lines. */
  readonly source: string
}

const longestSource = 40
const longestHead = 12
const longestLine = 240

export async function declaredSource(
  definitions: readonly Place[],
  declarations: DeclarationsByFile,
  context: ContextOf['symbol'],
): Promise<DeclaredSource | undefined> {
  const found = await declarationAmong(definitions, declarations, context)
  if (found === undefined) return undefined
  const { file, declared, declaration } = found
  const { text } = context.workspace.read(file)
  const members = membersOf(declaration, declared)
  const { at, start, end } = declaration
  // rust-analyzer counts what is written about a declaration to it, and that is told already.
  let first = start.line
  while (first < at.line && isComment(text.line(first) ?? '')) first = fromIndex(first)
  const isLong = lineCount({ first, last: end.line }) > longestSource
  const most = isLong && members.length > 0 ? longestHead : longestSource
  const lines: string[] = []
  for (let line = first; line <= end.line && lines.length < most; line += 1) lines.push(text.line(line) ?? '')
  return { file, declaration, members, first, last: end.line, source: shown(lines) }
}

interface Found {
  readonly file: string
  readonly declared: Declarations
  readonly declaration: Declaration
}

/**
 * Asked at a definition, clangd leads to the declaration in the header, and from a virtual method to all that override
 * it. So what was asked about wins when it is one of the definitions, and a body wins over a mere declaration.
 */
async function declarationAmong(
  definitions: readonly Place[],
  declarations: DeclarationsByFile,
  { source, target }: ContextOf['symbol'],
): Promise<Found | undefined> {
  const asked = { ...target, file: source.relative }
  const isAsked = ({ file, line, column }: Place) =>
    file === asked.file && line === asked.line && column === asked.column
  const here = await declarationAt(asked, declarations)
  if (definitions.length === 0 || definitions.some(isAsked)) return here
  const [first] = definitions
  const there = first === undefined ? undefined : await declarationAt(first, declarations)
  if (here === undefined || there === undefined || here.declaration.name !== there.declaration.name)
    return there
  return span(here.declaration) > span(there.declaration) ? here : there
}

async function declarationAt(
  place: { readonly file: string; readonly line: number; readonly column: number },
  declarations: DeclarationsByFile,
): Promise<Found | undefined> {
  const { file, line } = place
  if (isExternal({ ...place, end_line: line, end_column: place.column, text: '' })) return undefined
  const declared = await declarations.of(file)
  const declaration = declared?.declaredAt(place)
  // A name that is only brought in is declared elsewhere.
  if (declared === undefined || declaration === undefined || declared.imports.has(line)) return undefined
  return { file, declared, declaration }
}

function span({ start, end }: Declaration): number {
  return lineCount({ first: start.line, last: end.line })
}

function membersOf(declaration: Declaration, { all }: Declarations): Declaration[] {
  return all.filter(other => other.parent === declaration && other.isUnit)
}

export function lineCount({ first, last }: { readonly first: number; readonly last: number }): number {
  return fromIndex(last - first)
}

function shown(lines: readonly string[]): string {
  const written = lines.filter(line => line.trim() !== '')
  const indents = written.map(line => line.length - line.trimStart().length)
  const indent = Math.min(...(indents.length === 0 ? [0] : indents))
  return lines.map(line => cleanText(line.slice(indent), longestLine).text.trimEnd()).join('\n')
}
