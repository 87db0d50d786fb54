// Who uses a symbol: every reference, under whatever name it was imported and also from files the server did not search,
// gathered by the unit it stands in. Shared by the operations that are made of several questions.
import { DocumentSymbolRequest } from 'vscode-languageserver-protocol'
import { asBridgeError, type ErrorKind } from '../errors.js'
import { toServerPosition } from '../text/position.js'
import { mergedPlaces, type Place } from '../workspace/places.js'
import { beginCrossCheck } from './cross-check.js'
import { type Declaration, type Declarations, declarationsIn } from './declarations.js'
import { formatHandle } from './handle.js'
import { isExternal } from './hierarchy-walk.js'
import type { ContextOf, FileContext } from './operation.js'
import { usesOf } from './renamed-imports.js'
import { counted } from './render.js'

/** The references that stand in one unit of a file, or in none. */
export interface Use {
  readonly file: string
  /** Undefined at the top level of a file, and where nobody knows. */
  readonly unit: Declaration | undefined
  /** In the order of the text. */
  readonly places: readonly Place[]
}

/** The context of a question about a symbol, from that of one about its file. */
export function pointedAt(
  context: FileContext,
  { name, at }: Pick<Declaration, 'name' | 'at'>,
): ContextOf['symbol'] {
  const { source, document, server } = context
  const place = { file: source.relative, ...at, symbol: name }
  const position = toServerPosition(source.text.line(at.line) ?? '', at, server.client.encoding)
  return {
    ...context,
    target: { ...place, handle: formatHandle(place, source) },
    at: { textDocument: { uri: document.uri }, position },
  }
}

/** The declaration included, in the order of files and positions. */
export async function referencesTo(context: ContextOf['symbol']): Promise<Place[]> {
  const { at, server, workspace } = context
  const crossCheck = beginCrossCheck(context)
  const uses = await usesOf(at, context)
  const places = uses.places ?? workspace.places(uses.references, server.client.encoding)
  return mergedPlaces(places, await crossCheck.missedBy(places))
}

/** What files declare, each asked once; a file that cannot be asked has nothing to tell, and that is noted. */
export class DeclarationsByFile {
  readonly #context: Pick<ContextOf['workspace'], 'inFile' | 'signal'>
  readonly #mayAsk: () => boolean
  readonly #known = new Map<string, Promise<Declarations | undefined>>()
  readonly #failures: string[] = []
  #unasked = 0

  constructor(context: Pick<ContextOf['workspace'], 'inFile' | 'signal'>, mayAsk: () => boolean) {
    this.#context = context
    this.#mayAsk = mayAsk
  }

  /** Why the units of some files are not known. */
  get gaps(): readonly string[] {
    const late = `the outlines of ${counted(this.#unasked, 'more file')} were not looked at for want of time`
    return [...this.#failures, ...(this.#unasked === 0 ? [] : [late])]
  }

  of(file: string): Promise<Declarations | undefined> {
    const known = this.#known.get(file) ?? this.#ask(file)
    this.#known.set(file, known)
    return known
  }

  async #ask(file: string): Promise<Declarations | undefined> {
    if (!this.#mayAsk()) {
      this.#unasked += 1
      return undefined
    }
    const needs = { name: 'the outline of a file', lsp: DocumentSymbolRequest, needsWholeWorkspace: false }
    try {
      return await this.#context.inFile(file, needs, declarationsIn)
    } catch (thrown) {
      if (this.#context.signal.aborted) throw thrown
      const { kind, message } = asBridgeError(thrown)
      // What no server knows has no units, which is not a failure.
      if (!unknowable.has(kind)) this.#failures.push(`the outline of ${file}: ${message}`)
      return undefined
    }
  }
}

const unknowable: ReadonlySet<ErrorKind> = new Set(['NoServerForExtension', 'LanguageNotEnabled'])

/** By the unit they stand in; libraries are nobody's to change. What only imports the name counts where nothing else does. */
export async function gatherUses(
  references: readonly Place[],
  declarations: DeclarationsByFile,
): Promise<Use[]> {
  const byFile = new Map<string, Place[]>()
  for (const place of references) if (!isExternal(place)) listUnder(byFile, place.file, place)
  const uses: Use[] = []
  for (const [file, places] of byFile) {
    const declared = await declarations.of(file)
    const units = new Map<Declaration | undefined, Place[]>()
    for (const place of places) listUnder(units, declared?.unitAround(place), place)
    const onTop = units.get(undefined)?.filter(({ line }) => declared?.imports.has(line) !== true)
    if (units.size > 1 && onTop?.length === 0) units.delete(undefined)
    for (const [unit, within] of units) uses.push({ file, unit, places: within })
  }
  return uses
}

function listUnder<K>(lists: Map<K, Place[]>, key: K, place: Place): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [place])
  else list.push(place)
}
