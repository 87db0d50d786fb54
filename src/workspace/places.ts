// From a server's locations to places an agent can use: relative path, 1-based position, and the line of source that
// lets it decide without another read.
import { LRUCache } from 'lru-cache'
import type { ServerLocation, ServerPosition, ServerRange } from '../lsp/results.js'
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
  const places = locations.map(({ uri, range }) => {
    let file = files.get(uri)
    if (file === undefined) {
      file = shownFile(uri, options)
      files.set(uri, file)
    }
    return placeIn(file, range, encoding)
  })
  return places.sort(byPosition).filter((place, index) => !isRepeat(place, places[index - 1]))
}

export function toPlace(
  uri: string,
  range: ServerRange,
  encoding: PositionEncoding,
  options: PlacesOptions,
): Place {
  return placeIn(shownFile(uri, options), range, encoding)
}

interface ShownFile {
  readonly name: string
  /** Undefined for what may not or cannot be read: the place then stands without its line. */
  readonly text: SourceText | undefined
}

function shownFile(uri: string, { gate, cache, table }: PlacesOptions): ShownFile {
  const { path, name } = named(uri, gate)
  if (path === undefined) return { name, text: undefined }
  try {
    return { name, text: cache.get(path, table.stampOf(path)).text }
  } catch {
    // Outside the root, gone, or too large; nothing private is read (fault W27).
    return { name, text: undefined }
  }
}

interface NamedFile {
  readonly path: string | undefined
  readonly name: string
}

// A name depends on the URI and the root alone, and the same files come again in every answer.
const namesByGate = new WeakMap<PathGate, LRUCache<string, NamedFile>>()
const mostNames = 5000

function named(uri: string, gate: PathGate): NamedFile {
  const names = namesByGate.get(gate) ?? new LRUCache<string, NamedFile>({ max: mostNames })
  namesByGate.set(gate, names)
  const known = names.get(uri)
  if (known !== undefined) return known
  const path = uriToPath(uri)
  const name = path === undefined ? `external:${cleanLine(uri, longestLine).text}` : gate.display(path)
  names.set(uri, { path, name })
  return { path, name }
}

function placeIn({ name, text }: ShownFile, range: ServerRange, encoding: PositionEncoding): Place {
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

function byPosition(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column || a.end_line - b.end_line || a.end_column - b.end_column
}

function isRepeat(place: Place, previous: Place | undefined): boolean {
  return previous !== undefined && byPosition(place, previous) === 0
}
