// From a server's locations to places an agent can use: relative path, 1-based position, and the line of source that
// lets it decide without another read.
import type { ServerLocation, ServerRange } from '../lsp/results.js'
import { cleanLine } from '../text/clean.js'
import { type PositionEncoding, toPublicPosition, toPublicPositionIn } from '../text/position.js'
import { uriToPath } from '../text/uri.js'
import type { PathGate } from './path-gate.js'
import type { SourceCache, SourceFile } from './source-file.js'

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
}

const longestLine = 200

/** In the order of file and position, without repeats. */
export function toPlaces(
  locations: readonly ServerLocation[],
  encoding: PositionEncoding,
  options: PlacesOptions,
): Place[] {
  const unique = new Map<string, Place>()
  for (const { uri, range } of locations) {
    const place = toPlace(uri, range, encoding, options)
    unique.set(`${place.file}\0${place.line}\0${place.column}\0${place.end_line}\0${place.end_column}`, place)
  }
  return [...unique.values()].sort(byPosition)
}

export function toPlace(
  uri: string,
  range: ServerRange,
  encoding: PositionEncoding,
  options: PlacesOptions,
): Place {
  const path = uriToPath(uri)
  const inside = path === undefined ? undefined : sourceOf(path, options.cache)
  if (inside === undefined) return withoutSource(path, uri, range, encoding, options)
  const start = toPublicPositionIn(inside.text, range.start, encoding)
  const end = toPublicPositionIn(inside.text, range.end, encoding)
  return {
    file: path === undefined ? uri : options.gate.display(path),
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    text: cleanLine(inside.text.line(start.line) ?? '', longestLine).text,
  }
}

function sourceOf(path: string, cache: SourceCache): SourceFile | undefined {
  try {
    return cache.get(path)
  } catch {
    // Outside the root, gone, or too large: the place stands without its line, and nothing private is read (W27).
    return undefined
  }
}

function withoutSource(
  path: string | undefined,
  uri: string,
  range: ServerRange,
  encoding: PositionEncoding,
  { gate }: PlacesOptions,
): Place {
  const start = toPublicPosition(undefined, range.start, encoding)
  const end = toPublicPosition(undefined, range.end, encoding)
  return {
    file: path === undefined ? `external:${cleanLine(uri, longestLine).text}` : gate.display(path),
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    text: '',
  }
}

function byPosition(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
