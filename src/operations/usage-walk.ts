// Follows uses from symbol to symbol, outwards, always from where a name stands. Each symbol is asked about once, whoever
// leads to it, so that what one of them reaches is credited to every symbol it was reached from. Bounded in questions and
// in time; what was not asked is said.
import { ReferencesRequest } from 'vscode-languageserver-protocol'
import { asBridgeError } from '../errors.js'
import type { Place } from '../workspace/places.js'
import type { Declaration } from './declarations.js'
import type { ContextOf, FileContext } from './operation.js'
import { usesOf } from './renamed-imports.js'
import { counted, listed } from './render.js'
import { parseSymbolQuery } from './symbol-path.js'
import { type DeclarationsByFile, gatherUses, pointedAt, referencesTo, type Use } from './uses.js'

type Context = ContextOf['workspace']

export interface Unit {
  readonly file: string
  readonly declaration: Declaration
  /** What was removed has its place in the old text, where something else may stand now. */
  readonly change?: 'modified' | 'added' | 'removed'
}

export interface UsesOfUnit {
  /** How many references there are, its declaration not counted. */
  readonly references: number
  /** Those from outside of it, by the unit they stand in. */
  readonly uses: readonly Use[]
}

/** A use that was reached, and over how many steps. */
export interface Reached {
  readonly use: Use
  readonly distance: number
}

const atOnce = 6
const mostQuestions = 400

export class UsageWalk {
  readonly #context: Context
  readonly #declarations: DeclarationsByFile
  readonly #mayAsk: () => boolean
  readonly #known = new Map<string, UsesOfUnit>()
  readonly #asked = new Set<string>()

  constructor(context: Context, declarations: DeclarationsByFile, mayAsk: () => boolean) {
    this.#context = context
    this.#declarations = declarations
    this.#mayAsk = mayAsk
  }

  /** Takes in what is known already, such as who refers to what is gone. */
  async learn(unit: Unit, references: readonly Place[]): Promise<void> {
    const uses = await gatherUses(references, this.#declarations)
    this.#asked.add(keyOf(unit))
    this.#known.set(keyOf(unit), { references: references.length, uses })
  }

  /** Asks about these and, step by step, about what uses them. */
  async walk(units: readonly Unit[], depth: number): Promise<void> {
    let frontier = units
    for (let step = 1; step <= depth && frontier.length > 0; step += 1) {
      await this.#askAll(
        frontier.filter(unit => !this.#asked.has(keyOf(unit))),
        step,
      )
      frontier = distinct(frontier.flatMap(unit => this.#known.get(keyOf(unit))?.uses.flatMap(unitOf) ?? []))
    }
  }

  usesOf(unit: Unit): UsesOfUnit | undefined {
    return this.#known.get(keyOf(unit))
  }

  /** Whatever uses the symbol within so many steps, nearest first; whether all of it is known. */
  reach(from: Unit, depth: number): { readonly reached: readonly Reached[]; readonly isWhole: boolean } {
    const reached: Reached[] = []
    const seen = new Set([keyOf(from)])
    let isWhole = true
    let frontier: readonly Unit[] = [from]
    for (let distance = 1; distance <= depth; distance += 1) {
      const next: Unit[] = []
      for (const unit of frontier) {
        const found = this.#known.get(keyOf(unit))
        if (found === undefined) isWhole &&= !unit.declaration.isNamed
        for (const use of found?.uses ?? []) {
          const key =
            use.unit === undefined ? `${use.file}#` : keyOf({ file: use.file, declaration: use.unit })
          if (seen.has(key)) continue
          seen.add(key)
          reached.push({ use, distance })
          next.push(...unitOf(use))
        }
      }
      frontier = next
    }
    return { reached, isWhole }
  }

  async #askAll(units: readonly Unit[], step: number): Promise<void> {
    const named = units.filter(({ declaration }) => declaration.isNamed)
    const due = named.slice(0, Math.max(mostQuestions - this.#asked.size, 0))
    const left = named.slice(due.length)
    const failed: string[] = []
    const waiting = due.values()
    const work = async () => {
      for (const unit of waiting) {
        if (!this.#mayAsk()) {
          left.push(unit)
          continue
        }
        this.#asked.add(keyOf(unit))
        try {
          this.#known.set(keyOf(unit), await this.#ask(unit, step))
        } catch (thrown) {
          if (this.#context.signal.aborted) throw thrown
          failed.push(`${unit.declaration.path} (${asBridgeError(thrown).message})`)
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    // Questions asked at the same time fail in any order; the same failure reads the same each time.
    this.#doubt(failed.sort(), 'who uses them is unknown', 'Ask about them one by one with find_references.')
    const names = left.map(({ file, declaration }) => `${file} ${declaration.path}`)
    const reason = step === 1 ? 'not looked at' : `not looked at, at depth ${step}`
    this.#doubt(names, reason, 'Ask about fewer files, with a smaller depth, or with a larger timeout_ms.')
  }

  async #ask(unit: Unit, step: number): Promise<UsesOfUnit> {
    const needs = { name: 'blast_radius', lsp: ReferencesRequest, needsWholeWorkspace: true }
    const places = await this.#context.inFile(unit.file, needs, file => askedIn(file, unit.declaration, step))
    const { at } = unit.declaration
    const references = places.filter(
      ({ file, line, column }) => file !== unit.file || line !== at.line || column !== at.column,
    )
    const uses = await gatherUses(references, this.#declarations)
    return { references: references.length, uses: uses.filter(use => !isWithin(use, unit)) }
  }

  #doubt(names: readonly string[], what: string, hint: string): void {
    if (names.length === 0) return
    const reason = `${counted(names.length, 'symbol')}: ${what}: ${listed(names)}`
    this.#context.doubt({ verdict: 'partial', reason, hint })
  }
}

/**
 * What is changed is held against the text too; for what merely uses it the server's word is enough, and the name of a
 * member is too common to tell anything.
 */
async function askedIn(file: FileContext, declaration: Declaration, step: number): Promise<readonly Place[]> {
  const context = pointedAt(file, declaration)
  const isMember = parseSymbolQuery(declaration.path).segments.length > 1
  if (step === 1 && !isMember) return referencesTo(context)
  const { references } = await usesOf(context.at, context)
  return file.workspace.places(references, file.server.client.encoding)
}

function unitOf({ file, unit }: Use): Unit[] {
  return unit === undefined ? [] : [{ file, declaration: unit }]
}

function keyOf({ file, declaration: { at }, change }: Unit): string {
  return `${change === 'removed' ? 'gone ' : ''}${file}#${at.line}:${at.column}`
}

function distinct(units: readonly Unit[]): Unit[] {
  return [...new Map(units.map(unit => [keyOf(unit), unit])).values()]
}

/** Its own body, or that of one of its members. */
function isWithin({ file, unit }: Use, whole: Unit): boolean {
  if (file !== whole.file) return false
  for (let inner = unit; inner !== undefined; inner = inner.parent) {
    if (keyOf({ file, declaration: inner }) === keyOf(whole)) return true
  }
  return false
}
