// From a server's locations to places an agent can use: relative path, 1-based position, and the line of source that
// lets it decide without another read.
import type { ServerLocation, ServerRange } from '../lsp/results.js'
import { cleanLine } from '../text/clean.js'
import type { SourceText } from '../text/lines.js'
import { type PositionEncoding, toPublicPosition, toPublicPositionIn } from '../text/position.js'
import { uriToPath } from '../text/uri.js'
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
}

const longestLine = 200

/** In the order of file and position, without repeats. */
export function toPlaces(
  locations: readonly ServerLocation[],
  encoding: PositionEncoding,
  options: PlacesOptions,
): Place[] {
  const unique = new Map<string, Place>()
  // Results come in runs of one file; looking at the disk once per file keeps thousands of them cheap.
  const files = new Map<string, ShownFile>()
  for (const { uri, range } of locations) {
    const file = files.get(uri) ?? shownFile(uri, options)
    files.set(uri, file)
    const place = placeIn(file, range, encoding)
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
  return placeIn(shownFile(uri, options), range, encoding)
}

interface ShownFile {
  readonly name: string
  /** Undefined for what may not or cannot be read: the place then stands without its line. */
  readonly text: SourceText | undefined
}

function shownFile(uri: string, { gate, cache }: PlacesOptions): ShownFile {
  const path = uriToPath(uri)
  if (path === undefined) return { name: `external:${cleanLine(uri, longestLine).text}`, text: undefined }
  const name = gate.display(path)
  try {
    return { name, text: cache.get(path).text }
  } catch {
    // Outside the root, gone, or too large; nothing private is read (fault W27).
    return { name, text: undefined }
  }
}

function placeIn({ name, text }: ShownFile, range: ServerRange, encoding: PositionEncoding): Place {
  const start =
    text === undefined
      ? toPublicPosition(undefined, range.start, encoding)
      : toPublicPositionIn(text, range.start, encoding)
  const end =
    text === undefined
      ? toPublicPosition(undefined, range.end, encoding)
      : toPublicPositionIn(text, range.end, encoding)
  return {
    file: name,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    text: cleanLine(text?.line(start.line) ?? '', longestLine).text,
  }
}

function byPosition(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
