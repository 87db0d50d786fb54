// How an agent points at a symbol (contract 3.1): whichever of file, line, column, symbol, near and handle is known. It
// looks a few lines around a wrong line and says so, and never guesses: several matches are an error with candidates
// that each work verbatim as the next target.
import { z } from 'zod'
import { BridgeError, type Candidate } from '../errors.js'
import { identifierAt, identifiersOn, occurrences } from '../text/lines.js'
import { nearest } from '../text/nearest.js'
import { validateLine, validatePosition } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import { markOf, parseHandle, type SymbolHandle } from './handle.js'
import { matching, parseSymbolQuery, type SymbolQuery } from './symbol-path.js'

export const fileField = z.string().describe('Path, relative to the workspace root or absolute inside it.')

/** The shared input of every operation on a symbol. */
export const symbolTarget = {
  file: fileField.optional(),
  line: z.number().int().optional().describe('1-based line.'),
  column: z.number().int().optional().describe('1-based UTF-16 column; symbol is easier.'),
  symbol: z
    .string()
    .optional()
    .describe('Name ("area"), name path ("Shape.area"), or "area#2" for the 2nd on the line.'),
  near: z.string().optional().describe('Text of the line, verbatim, instead of line.'),
  handle: z.string().optional().describe('Handle from an earlier answer, instead of all the above.'),
}

export interface TargetInput {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly symbol?: string | undefined
  readonly near?: string | undefined
  readonly handle?: string | undefined
}

/** A symbol declared in the file, with its public position. */
export interface Declared {
  readonly path: string
  readonly segments: readonly string[]
  readonly line: number
  readonly column: number
}

export interface FoundSymbol {
  readonly line: number
  readonly column: number
  readonly symbol: string
  readonly note?: string
}

/** How far around a wrong line to look. */
const tolerance = 5
const mostCandidates = 10

export function targetFile(input: TargetInput): string | undefined {
  return input.handle === undefined ? input.file : parseHandle(input.handle).file
}

export async function findTarget(
  source: SourceFile,
  input: TargetInput,
  declared: () => Promise<readonly Declared[]>,
): Promise<FoundSymbol> {
  if (input.handle !== undefined) return byHandle(source, parseHandle(input.handle))
  const line = input.near === undefined ? input.line : lineNear(source, input.near, input.line)
  if (line === undefined) {
    if (input.symbol === undefined) throw needsMore(source)
    return byName(source, input.symbol, await declared())
  }
  if (input.column !== undefined) return byColumn(source, line, input.column, input.symbol)
  if (input.symbol !== undefined) return byLineAndName(source, line, input.symbol, declared)
  return byLine(source, line, await declared())
}

function byColumn(source: SourceFile, line: number, column: number, symbol: string | undefined): FoundSymbol {
  const text = validatePosition(source.text, { line, column })
  const found = identifierAt(text, column)
  if (found !== undefined && (symbol === undefined || lastSegment(symbol) === found.name)) {
    return { line, column: found.column, symbol: found.name }
  }
  throw new BridgeError({
    kind: symbol === undefined ? 'InvalidArguments' : 'SymbolNotFound',
    message: `there is no ${symbol ?? 'name'} at ${source.relative}:${line}:${column}`,
    hint: namesOnLine(text, line),
  })
}

async function byLineAndName(
  source: SourceFile,
  line: number,
  symbol: string,
  declared: () => Promise<readonly Declared[]>,
): Promise<FoundSymbol> {
  const query = parseSymbolQuery(symbol)
  const name = query.segments.at(-1) ?? symbol
  const text = validateLine(source.text, line)
  const here = occurrences(text, name)
  if (here.length > 0) return { line, symbol: name, column: choose(source, here, query, line, name) }
  for (let distance = 1; distance <= tolerance; distance += 1) {
    const around = [line - distance, line + distance].filter(candidate => occursOn(source, candidate, name))
    if (around.length === 0) continue
    const [found] = around
    if (found === undefined || around.length > 1)
      throw ambiguous(
        source,
        name,
        around.flatMap(on => onLine(source, on, name)),
      )
    const columns = occurrences(source.text.line(found) ?? '', name)
    const note = `line ${line} has no ${name}; it stands on line ${found}`
    return { line: found, symbol: name, column: choose(source, columns, query, found, name), note }
  }
  throw notFound(source, symbol, await declared())
}

function byLine(source: SourceFile, line: number, declared: readonly Declared[]): FoundSymbol {
  const text = validateLine(source.text, line)
  const starting = declared.filter(symbol => symbol.line === line)
  const [only] = starting
  if (only !== undefined && starting.length === 1) {
    return { line, column: only.column, symbol: only.segments.at(-1) ?? only.path }
  }
  const names = identifiersOn(text)
  const [single] = names
  if (single !== undefined && names.length === 1) return { line, column: single.column, symbol: single.name }
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `line ${line} of ${source.relative} alone does not name one symbol`,
    hint: namesOnLine(text, line),
  })
}

function byName(source: SourceFile, written: string, declared: readonly Declared[]): FoundSymbol {
  const query = parseSymbolQuery(written)
  const matches = matching(declared, query.segments)
  const name = query.segments.at(-1) ?? written
  const chosen = query.ordinal === undefined ? matches[0] : matches[query.ordinal - 1]
  if (chosen !== undefined && (matches.length === 1 || query.ordinal !== undefined)) {
    return { line: chosen.line, column: chosen.column, symbol: chosen.segments.at(-1) ?? name }
  }
  if (matches.length > 1) throw ambiguous(source, written, overloads(source, matches))
  // Not declared here: a local or a usage then, if the file has just one.
  const used = query.segments.length === 1 ? everywhere(source, name) : []
  const [only] = used
  if (only !== undefined && used.length === 1) return { line: only.line, column: only.column, symbol: name }
  if (used.length > 1) throw ambiguous(source, name, used)
  throw notFound(source, written, declared)
}

/** The line the handle was made for, wherever it is now. */
function byHandle(source: SourceFile, handle: SymbolHandle): FoundSymbol {
  const { line, column, symbol, mark } = handle
  const text = source.text.line(line)
  if (text !== undefined && markOf(text) === mark && occurrences(text, symbol).includes(column)) {
    return { line, column, symbol }
  }
  const moved: number[] = []
  for (let candidate = 1; candidate <= source.text.lineCount; candidate += 1) {
    const other = source.text.line(candidate) ?? ''
    if (other.includes(symbol) && markOf(other) === mark) moved.push(candidate)
  }
  const [only] = moved
  if (only !== undefined && moved.length === 1) {
    return { line: only, column, symbol, note: `the line moved from ${line} to ${only}` }
  }
  if (moved.length > 1)
    throw ambiguous(
      source,
      symbol,
      moved.flatMap(on => onLine(source, on, symbol)),
    )
  throw new BridgeError({
    kind: 'SymbolNotFound',
    message: `the handle is stale: the line it was made for (${source.relative}:${line}) has changed`,
    hint: `Point at it anew, for instance with file ${source.relative} and symbol ${symbol}.`,
  })
}

function lineNear(source: SourceFile, near: string, line: number | undefined): number {
  const wanted = near.trim()
  const equal: number[] = []
  const containing: number[] = []
  for (let number = 1; number <= source.text.lineCount; number += 1) {
    const text = source.text.line(number) ?? ''
    if (text.trim() === wanted) equal.push(number)
    else if (wanted !== '' && text.includes(wanted)) containing.push(number)
  }
  const found = equal.length > 0 ? equal : containing
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (line !== undefined && found.includes(line)) return line
  throw new BridgeError({
    kind: found.length === 0 ? 'SymbolNotFound' : 'SymbolAmbiguous',
    message:
      found.length === 0
        ? `no line of ${source.relative} reads ${JSON.stringify(wanted)}`
        : `${found.length} lines of ${source.relative} read ${JSON.stringify(wanted)}: ${found.slice(0, mostCandidates).join(', ')}`,
    hint:
      found.length === 0
        ? 'Give the text of the line verbatim, or its number.'
        : 'Give one of these as line.',
  })
}

function choose(
  source: SourceFile,
  columns: readonly number[],
  query: SymbolQuery,
  line: number,
  name: string,
): number {
  const chosen = query.ordinal === undefined ? columns[0] : columns[query.ordinal - 1]
  if (chosen !== undefined && (columns.length === 1 || query.ordinal !== undefined)) return chosen
  if (columns.length > 1 && query.ordinal === undefined)
    throw ambiguous(source, name, onLine(source, line, name))
  throw new BridgeError({
    kind: 'SymbolNotFound',
    message: `line ${line} of ${source.relative} has ${columns.length} of ${name}, not ${query.ordinal}`,
    hint: `Use ${name}#1 to ${name}#${columns.length}.`,
  })
}

function overloads(source: SourceFile, matches: readonly Declared[]): Candidate[] {
  const seen = new Map<string, number>()
  return matches.map(match => {
    const same = matches.filter(other => other.path === match.path).length
    const ordinal = (seen.get(match.path) ?? 0) + 1
    seen.set(match.path, ordinal)
    const symbol = same > 1 ? `${match.path}#${ordinal}` : match.path
    const text = (source.text.line(match.line) ?? '').trim()
    return { file: source.relative, line: match.line, column: match.column, symbol, text }
  })
}

function everywhere(source: SourceFile, name: string): Candidate[] {
  const found: Candidate[] = []
  for (let line = 1; line <= source.text.lineCount && found.length <= mostCandidates; line += 1) {
    found.push(...onLine(source, line, name))
  }
  return found
}

function onLine(source: SourceFile, line: number, name: string): Candidate[] {
  const text = source.text.line(line) ?? ''
  const columns = occurrences(text, name)
  return columns.map((column, index) => ({
    file: source.relative,
    line,
    column,
    symbol: columns.length === 1 ? name : `${name}#${index + 1}`,
    text: text.trim(),
  }))
}

function occursOn(source: SourceFile, line: number, name: string): boolean {
  const text = source.text.line(line)
  return text !== undefined && occurrences(text, name).length > 0
}

function ambiguous(
  source: Pick<SourceFile, 'relative'>,
  name: string,
  candidates: readonly Candidate[],
): BridgeError {
  return new BridgeError({
    kind: 'SymbolAmbiguous',
    message: `${name} is ambiguous in ${source.relative}: ${candidates.length} places fit`,
    hint: 'Use one of the candidates verbatim (file, line and symbol).',
    candidates: candidates.slice(0, mostCandidates),
  })
}

function notFound(source: SourceFile, written: string, declared: readonly Declared[]): BridgeError {
  const close = nearest(
    written,
    declared.map(symbol => symbol.path),
    3,
  )
  return new BridgeError({
    kind: 'SymbolNotFound',
    message: `there is no ${written} in ${source.relative}`,
    hint:
      close.length === 0
        ? 'See list_symbols for what the file declares, or find_symbol for where it is declared.'
        : `Did you mean ${close.join(', ')}?`,
  })
}

function needsMore(source: SourceFile): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: `which symbol of ${source.relative} is meant?`,
    hint: 'Give symbol, or line and symbol, or line and column.',
  })
}

function namesOnLine(text: string, line: number): string {
  const names = [...new Set(identifiersOn(text).map(({ name }) => name))]
  if (names.length === 0) return `Line ${line} holds no name.`
  return `Give symbol; line ${line} has: ${names.slice(0, 12).join(', ')}.`
}

function lastSegment(symbol: string): string {
  return parseSymbolQuery(symbol).segments.at(-1) ?? symbol
}
