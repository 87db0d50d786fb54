// What an answer shows of an item of a hierarchy: a name that works as the next question's symbol, its kind and its place.
import { SymbolKind } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import type { HierarchyItem } from '../lsp/hierarchy.js'
import { cleanLine } from '../text/clean.js'
import { isExternalName } from '../workspace/external.js'
import type { Place } from '../workspace/places.js'
import type { Workspace } from '../workspace/workspace.js'
import { placeSchema } from './operation.js'
import { symbolKindName } from './symbol-kind.js'
import { joinPath } from './symbol-path.js'

export const entrySchema = z.object({
  symbol: z.string(),
  kind: z.string(),
  ...placeSchema.shape,
})

export type HierarchyEntry = z.output<typeof entrySchema>

const longestName = 200

export function entryOf(
  item: HierarchyItem,
  place: Place,
  workspace: Pick<Workspace, 'read'>,
): HierarchyEntry {
  const kind = isModule(item) ? 'module' : symbolKindName(item.kind)
  return { symbol: symbolOf(item, place, workspace), kind, ...place }
}

/** The top level of a file, which calls without being called. Pyright has items for imported names of this kind too. */
export function isModule({ kind, selectionRange: { start } }: HierarchyItem): boolean {
  return (kind === SymbolKind.Module || kind === SymbolKind.File) && start.line === 0 && start.character === 0
}

export function pointerTo({ symbol, file, line, column }: HierarchyEntry): string {
  return `${symbol} (${file}:${line}:${column})`
}

function symbolOf(item: HierarchyItem, place: Place, workspace: Pick<Workspace, 'read'>): string {
  // TypeScript names a file by its absolute path here, Pyright as `(module) main.py`.
  if (isModule(item)) return place.file
  const written = writtenName(item, place, workspace)
  const container = containerOf(item)
  const segments = container === undefined ? [written] : [container, written]
  return cleanLine(joinPath(segments), longestName).text
}

/** Pyright calls what was imported under another name by that one, which does not stand where it is declared. */
function writtenName({ name }: HierarchyItem, place: Place, workspace: Pick<Workspace, 'read'>): string {
  const { file, line, column, end_line, end_column } = place
  if (!identifier.test(name) || line !== end_line || isExternalName(file)) return name
  try {
    const { text } = workspace.read(file)
    const written = text.text.slice(
      text.offsetAt({ line, column }),
      text.offsetAt({ line, column: end_column }),
    )
    return identifier.test(written) ? written : name
  } catch {
    // Gone since, or not to be read: the server's word is all there is.
    return name
  }
}

/** `detail` is the container for TypeScript, `class Base (shapes.py)` for Pyright, the whole path for clangd. */
function containerOf({ name, detail }: HierarchyItem): string | undefined {
  if (detail === undefined || detail === name) return undefined
  const [, ofClass] = /^class (\S+) \(/.exec(detail) ?? []
  if (ofClass !== undefined) return ofClass
  if (detail.endsWith(`::${name}`))
    return detail
      .slice(0, -name.length - '::'.length)
      .split('::')
      .at(-1)
  return identifier.test(detail) ? detail : undefined
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u
