// From changed lines to changed symbols: the smallest unit around each line, whether it is new, and what is no longer
// there at all.
import { cleanLine } from '../text/clean.js'
import { isAttribute, isComment, isFiller } from '../text/line-kinds.js'
import type { SourceText } from '../text/lines.js'
import { fromIndex } from '../text/position.js'
import type { Place } from '../workspace/places.js'
import type { TouchedFile } from './change-set.js'
import { type Declaration, type Declarations, isContainer, wholes } from './declarations.js'
import { type OldSymbols, oldSymbols } from './old-symbols.js'
import type { ContextOf } from './operation.js'
import type { DeclarationsByFile } from './uses.js'

type Context = ContextOf['workspace']

export interface ChangedSymbol {
  readonly file: string
  readonly declaration: Declaration
  readonly change: 'modified' | 'added' | 'removed'
  /** The line it is declared on; of the old text, if it was removed. */
  readonly text: string
  /** Who still refers to what was removed; undefined where nobody knows. */
  readonly left?: readonly Place[] | undefined
}

export interface ChangedSymbols {
  /** In the order of files and positions. */
  readonly symbols: readonly ChangedSymbol[]
  /** Changed lines that are in no symbol and do more than import, by file. */
  readonly outside: ReadonlyMap<string, OutsideLines>
}

export interface OutsideLines {
  readonly now: readonly number[]
  /** Of the old text. */
  readonly before: readonly number[]
}

const longestLine = 200

export async function changedSymbols(
  touched: readonly TouchedFile[],
  declarations: DeclarationsByFile,
  context: Context,
): Promise<ChangedSymbols> {
  const before = await oldSymbols(touched, declarations, context)
  const symbols: ChangedSymbol[] = []
  const outside = new Map<string, OutsideLines>()
  for (const file of touched) {
    const old = before.get(file.file)
    for (const found of old?.removed ?? []) symbols.push({ ...found, change: 'removed' })
    const present = file.status === 'deleted' ? undefined : await declarations.of(file.file)
    const lines = { now: [] as readonly number[], before: old?.outside ?? [] }
    if (present !== undefined) {
      const { text } = context.workspace.read(file.file)
      const units = changedUnits(file, { present, old }, text)
      lines.now = units.outside
      for (const declaration of units.inside) {
        const isNew = old === undefined ? isAllNew(declaration, file, text) : !old.paths.has(declaration.path)
        const change = isNew ? 'added' : 'modified'
        const written = cleanLine(text.line(declaration.at.line) ?? '', longestLine).text
        symbols.push({ file: file.file, declaration, change, text: written })
      }
    }
    if (lines.now.length > 0 || lines.before.length > 0) outside.set(file.file, lines)
  }
  return { symbols: symbols.sort(byPlace), outside }
}

interface Sides {
  readonly present: Declarations
  readonly old: OldSymbols | undefined
}

interface ChangedUnits {
  readonly inside: ReadonlySet<Declaration>
  readonly outside: readonly number[]
}

function changedUnits(file: TouchedFile, { present, old }: Sides, text: SourceText): ChangedUnits {
  const units = present.all.filter(({ isUnit, kind }) => isUnit && !wholes.has(kind))
  if (file.lines === 'all') return { inside: new Set(units), outside: [] }
  const inside = new Set<Declaration>()
  const outside: number[] = []
  for (const line of file.lines) {
    const written = text.line(line) ?? ''
    if (isFiller(written)) continue
    const around = present.unitsOn(line)
    // Between the members of a class, or outside of everything.
    const isBetween = around.every(isContainer)
    if (isBetween && isComment(written)) continue
    const credited =
      isBetween && isAttribute(written) ? (declaredBelow(line, present, text) ?? around) : around
    for (const unit of credited) inside.add(unit)
    if (credited.length === 0 && !present.imports.has(line)) outside.push(line)
  }
  // Where lines were only taken out, the present text has none to show for it.
  for (const unit of units) if (old?.touched.has(unit.path)) inside.add(unit)
  for (const seam of old === undefined ? file.seams : []) {
    for (const unit of present.unitsOn(seam)) {
      if (!isContainer(unit) && unit.start.line < seam) inside.add(unit)
    }
  }
  return { inside, outside }
}

const longestHead = 10

/** Decorators and attributes stand above a declaration, for some servers outside of it. */
function declaredBelow(
  line: number,
  { unitsOn }: Declarations,
  text: SourceText,
): readonly Declaration[] | undefined {
  for (let next = fromIndex(line); next - line <= longestHead; next += 1) {
    if ((text.line(next) ?? '').trim() === '') return undefined
    const starting = unitsOn(next).filter(({ start }) => start.line === next)
    if (starting.length > 0) return starting
  }
  return undefined
}

/** Where nobody knows what was there before: a unit is new when all its lines are. */
function isAllNew({ start, end }: Declaration, { lines, status }: TouchedFile, text: SourceText): boolean {
  if (lines === 'all') return status === 'added'
  const changed = new Set(lines)
  for (let line = start.line; line <= end.line; line += 1) {
    if (!changed.has(line) && !isFiller(text.line(line) ?? '')) return false
  }
  return true
}

export function byPlace(a: ChangedSymbol, b: ChangedSymbol): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.declaration.at.line - b.declaration.at.line || a.declaration.at.column - b.declaration.at.column
}
