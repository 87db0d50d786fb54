// From a server's locations to places an agent can use: relative path, 1-based position, and the line of source that
// lets it decide without another read.
import { LRUCache } from 'lru-cache'
import type { ServerPosition, ServerRange } from '../lsp/parse.js'
import type { ServerLocation } from '../lsp/results.js'
import { cleanLine } from '../text/clean.js'
import type { SourceText } from '../text/lines.js'
import {
  fromIndex,
  type PositionEncoding,
  type PublicPosition,
  toPublicPosition,
  toPublicPositionIn,
} from '../text/position.js'
import { uriToPath } from '../text/uri.js'
import { externalPrefix } from './external.js'
import type { FileTable } from './file-table.js'
import type { PathGate } from './path-gate.js'
import type { SourceCache } from './source-file.js'

export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly end_line: number
  readonly end_column: number
  readonly text: string
  readonly label?: string | undefined
}

export interface PlacesOptions {
  readonly gate: PathGate
  readonly cache: SourceCache
  readonly table: Pick<FileTable, 'stampOf'>
}

const longestLine = 200

/** In the order of file and position, without repeats. */
export function toPlaces(
  locations: readonly ServerLocation[],
  encoding: PositionEncoding,
  options: PlacesOptions,
): Place[] {
  // Results come in runs of one file; looking at the disk once per file keeps thousands of them cheap.
  const files = new Map<string, ShownFile>()
  const byName = new Map<string, Place[]>()
  let run: { readonly uri: string; readonly file: ShownFile; readonly places: Place[] } | undefined
  for (const { uri, range } of locations) {
    if (run?.uri !== uri) {
      const file = files.get(uri) ?? shownFile(uri, encoding, options)
      files.set(uri, file)
      const places = byName.get(file.name) ?? []
      byName.set(file.name, places)
      run = { uri, file, places }
    }
    run.places.push(placeIn(run.file, range, encoding))
  }
  // Names have long beginnings in common, so they are compared once per file and not once per place.
  const sorted: Place[] = []
  for (const name of [...byName.keys()].sort()) {
    for (const place of inOrder(byName.get(name) ?? [])) sorted.push(place)
  }
  return sorted
}

/** Whether both begin at the same character; servers differ in how far a declaration reaches. */
export function isSamePlace(a: Place, b: Place): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column
}

/** Two lists as one, in the same order and without repeats. */
export function mergedPlaces(first: readonly Place[], second: readonly Place[]): Place[] {
  if (second.length === 0) return [...first]
  const byName = new Map<string, Place[]>()
  for (const place of [...first, ...second])
    byName.set(place.file, [...(byName.get(place.file) ?? []), place])
  return [...byName.keys()].sort().flatMap(name => inOrder(byName.get(name) ?? []))
}

export function toPlace(
  uri: string,
  range: ServerRange,
  encoding: PositionEncoding,
  options: PlacesOptions,
): Place {
  return placeIn(shownFile(uri, encoding, options), range, encoding)
}

interface ShownFile {
  readonly name: string
  /** Undefined for what may not or cannot be read: the place then stands without its line. */
  readonly text: SourceText | undefined
  /** What was made of this text before, by the line it starts on. */
  readonly made: Map<number, MadePlace[]>
}

interface MadePlace {
  readonly range: ServerRange
  readonly place: Place
}

// The same places come again in every answer about a symbol, and a text never changes.
const madePlaces = new WeakMap<SourceText, Map<PositionEncoding, ShownFile['made']>>()

function shownFile(
  uri: string,
  encoding: PositionEncoding,
  { gate, cache, table }: PlacesOptions,
): ShownFile {
  const { path, name } = named(uri, gate)
  if (path === undefined) return { name, text: undefined, made: new Map() }
  try {
    const { text } = cache.get(path, table.stampOf(path))
    const byEncoding = madePlaces.get(text) ?? new Map<PositionEncoding, ShownFile['made']>()
    madePlaces.set(text, byEncoding)
    const made = byEncoding.get(encoding) ?? new Map<number, MadePlace[]>()
    byEncoding.set(encoding, made)
    return { name, text, made }
  } catch {
    // Outside the root, gone, or too large; nothing private is read (fault W27).
    return { name, text: undefined, made: new Map() }
  }
}

interface NamedFile {
  readonly path: string | undefined
  readonly name: string
  readonly external: PathGate['external']
}

// A name depends on the URI, the root and how the gate names what lies outside, and the same files come again in every
// answer.
const namesByGate = new WeakMap<PathGate, LRUCache<string, NamedFile>>()
const mostNames = 5000

function named(uri: string, gate: PathGate): NamedFile {
  const names = namesByGate.get(gate) ?? new LRUCache<string, NamedFile>({ max: mostNames })
  namesByGate.set(gate, names)
  const known = names.get(uri)
  const { external } = gate
  if (known?.external === external) return known
  const path = uriToPath(uri)
  const marked = external === 'marked' ? externalPrefix : ''
  const name = path === undefined ? marked + cleanLine(uri, longestLine).text : gate.display(path)
  const made = { path, name, external }
  names.set(uri, made)
  return made
}

function placeIn(file: ShownFile, range: ServerRange, encoding: PositionEncoding): Place {
  const made = file.made.get(range.start.line)
  for (const other of made ?? []) if (isSameRange(other.range, range)) return other.place
  const place = makePlace(file, range, encoding)
  if (made === undefined) file.made.set(range.start.line, [{ range, place }])
  else made.push({ range, place })
  return place
}

function isSameRange(a: ServerRange, b: ServerRange): boolean {
  return (
    a.start.line === b.start.line &&
    a.start.character === b.start.character &&
    a.end.line === b.end.line &&
    a.end.character === b.end.character
  )
}

function makePlace({ name, text }: ShownFile, range: ServerRange, encoding: PositionEncoding): Place {
  const firstLine = text?.line(fromIndex(range.start.line))
  const start = publicPosition(text, firstLine, range.start, encoding)
  const lastLine = range.end.line === range.start.line ? firstLine : text?.line(fromIndex(range.end.line))
  const end = publicPosition(text, lastLine, range.end, encoding)
  return {
    file: name,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    text: cleanLine(firstLine ?? '', longestLine).text,
  }
}

/** A line the text does not have is a server's mistake, or the line after the last: then the end of the text is meant. */
function publicPosition(
  text: SourceText | undefined,
  lineText: string | undefined,
  position: ServerPosition,
  encoding: PositionEncoding,
): PublicPosition {
  if (text === undefined || lineText !== undefined) return toPublicPosition(lineText, position, encoding)
  return toPublicPositionIn(text, position, encoding)
}

function inOrder(places: Place[]): readonly Place[] {
  // Servers nearly always list a file's places in order.
  if (places.every((place, index) => index === 0 || isAfter(place, places[index - 1]))) return places
  return places.sort(byPosition).filter((place, index) => index === 0 || isAfter(place, places[index - 1]))
}

function byPosition(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column || a.end_line - b.end_line || a.end_column - b.end_column
}

function isAfter(place: Place, previous: Place | undefined): boolean {
  return previous !== undefined && byPosition(place, previous) > 0
}
