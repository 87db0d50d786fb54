// How an agent points at a symbol (contract 3.1): whichever of file, line, column, symbol, near and handle is known. It
// looks a few lines around a wrong line and says so, and never guesses: several matches are an error with candidates
// that each work verbatim as the next target.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { identifierAt, identifiersOn, occurrences } from '../text/lines.js'
import { nearest } from '../text/nearest.js'
import { type PublicPosition, validateLine, validatePosition } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import {
  ambiguous,
  candidatesEverywhere,
  candidatesOn,
  type Declared,
  declaredCandidates,
  type FoundSymbol,
  nameOf,
} from './candidates.js'
import { locateHandle, parseHandle } from './handle.js'
import { joinPath, matching, parseSymbolQuery, type SymbolQuery } from './symbol-path.js'

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

/** How far around a wrong line to look. */
const tolerance = 5
const mostLines = 10

export function targetFile(input: TargetInput): string | undefined {
  return input.handle === undefined ? input.file : parseHandle(input.handle).file
}

export async function findTarget(
  source: SourceFile,
  input: TargetInput,
  declared: () => Promise<readonly Declared[]>,
): Promise<FoundSymbol> {
  if (input.handle !== undefined) return locateHandle(source, parseHandle(input.handle))
  const line = input.near === undefined ? input.line : lineNear(source, input.near, input)
  if (line === undefined) {
    if (input.symbol === undefined) throw needsMore(source)
    return byName(source, input.symbol, await declared())
  }
  if (input.column !== undefined) return byColumn(source, { line, column: input.column }, input, declared)
  if (input.symbol !== undefined) return byLineAndName(source, line, input.symbol, declared)
  return byLine(source, line, await declared())
}

async function byColumn(
  source: SourceFile,
  at: PublicPosition,
  { symbol }: TargetInput,
  declared: () => Promise<readonly Declared[]>,
): Promise<FoundSymbol> {
  const { line, column } = at
  const text = validatePosition(source.text, at)
  const found = identifierAt(text, column)
  if (found !== undefined && (symbol === undefined || lastSegment(symbol) === found.name)) {
    return { line, column: found.column, symbol: found.name }
  }
  // Not every name is an identifier: an operator, a quoted property, a container that only the server names.
  if (symbol !== undefined) {
    const name = lastSegment(symbol)
    if (occurrences(text, name).includes(column)) return { line, column, symbol: name }
    const here = (await declared()).filter(other => other.line === line && other.column === column)
    const [meant] = matching(here, parseSymbolQuery(symbol).segments)
    if (meant !== undefined) return foundBy(source, meant)
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
  // A path says which of several is meant; and some names are the server's own and stand nowhere in the text.
  if (query.segments.length > 1 || here.length === 0) {
    const meant = declaredOn(line, query, await declared())
    if (meant !== undefined) return foundBy(source, meant)
  }
  if (here.length > 0) return { line, symbol: name, column: choose(source, here, query, line, name) }
  for (let distance = 1; distance <= tolerance; distance += 1) {
    const around = [line - distance, line + distance].filter(candidate => occursOn(source, candidate, name))
    const [found] = around
    if (found === undefined) continue
    if (around.length > 1) {
      const candidates = around.flatMap(on => candidatesOn(source, on, name))
      throw ambiguous(source.relative, name, candidates)
    }
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
  if (only !== undefined && starting.length === 1) return foundBy(source, only)
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
  const matches = distinct(matching(declared, query.segments))
  const chosen = query.ordinal === undefined ? matches[0] : matches[query.ordinal - 1]
  if (chosen !== undefined && (matches.length === 1 || query.ordinal !== undefined)) {
    return foundBy(source, chosen)
  }
  if (matches.length > 1) {
    throw ambiguous(source.relative, written, declaredCandidates(source, matches, distinct(declared)))
  }
  // Not declared here: a local or a usage then, if the file has just one.
  const [name = written, ...inner] = query.segments
  const used = matches.length === 0 && inner.length === 0 ? candidatesEverywhere(source, name) : []
  const [only] = used
  if (only !== undefined && used.length === 1 && (query.ordinal ?? 1) === 1) {
    return { line: only.line, column: only.column, symbol: name }
  }
  if (used.length > 1) throw ambiguous(source.relative, name, used)
  throw notFound(source, written, declared)
}

function lineNear(source: SourceFile, near: string, { line, symbol }: TargetInput): number {
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
  if (found.length === 0) {
    throw new BridgeError({
      kind: 'SymbolNotFound',
      message: `no line of ${source.relative} reads ${JSON.stringify(wanted)}`,
      hint: 'Give the text of the line verbatim, or its number.',
    })
  }
  const name = symbol === undefined ? undefined : lastSegment(symbol)
  const candidates = name === undefined ? [] : found.flatMap(on => candidatesOn(source, on, name))
  if (name !== undefined && candidates.length > 0) throw ambiguous(source.relative, name, candidates)
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `${found.length} lines of ${source.relative} read ${JSON.stringify(wanted)}: ${found.slice(0, mostLines).join(', ')}`,
    hint: 'Give one of these as line.',
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
    throw ambiguous(source.relative, name, candidatesOn(source, line, name))
  throw new BridgeError({
    kind: 'SymbolNotFound',
    message: `line ${line} of ${source.relative} has ${columns.length} of ${name}, not ${query.ordinal}`,
    hint:
      columns.length === 1 ? `Use ${joinPath([name])}.` : `Use ${joinPath([name])}#1 to #${columns.length}.`,
  })
}

/** The declaration on this line that the path means; with `#n` the n-th of its overloads, if it stands here. */
function declaredOn(
  line: number,
  { segments, ordinal }: SymbolQuery,
  declared: readonly Declared[],
): Declared | undefined {
  const matches = distinct(matching(declared, segments))
  const wanted = ordinal === undefined ? matches : matches.slice(ordinal - 1, ordinal)
  const here = wanted.filter(match => match.line === line)
  return here.length === 1 ? here[0] : undefined
}

/** Some servers list one declaration twice. */
function distinct(declared: readonly Declared[]): Declared[] {
  const places = new Map(declared.map(symbol => [`${symbol.line}:${symbol.column}:${symbol.path}`, symbol]))
  return [...places.values()]
}

function foundBy(source: SourceFile, declared: Declared): FoundSymbol {
  return { line: declared.line, column: declared.column, symbol: nameOf(source, declared) }
}

function occursOn(source: SourceFile, line: number, name: string): boolean {
  const text = source.text.line(line)
  return text !== undefined && occurrences(text, name).length > 0
}

function notFound(source: SourceFile, written: string, declared: readonly Declared[]): BridgeError {
  const { segments } = parseSymbolQuery(written)
  // A name alone is compared with names, a path with paths; what is suggested is always a path.
  const spelled = (path: readonly string[]) => joinPath(path.slice(-segments.length))
  const words = nearest(
    joinPath(segments),
    declared.map(symbol => spelled(symbol.segments)),
    3,
  )
  const close = words.flatMap(word =>
    declared.filter(symbol => spelled(symbol.segments) === word).map(symbol => symbol.path),
  )
  return new BridgeError({
    kind: 'SymbolNotFound',
    message: `there is no ${written} in ${source.relative}`,
    hint:
      close.length === 0
        ? 'See list_symbols for what the file declares, or find_symbol for where it is declared.'
        : `Did you mean ${[...new Set(close)].slice(0, 3).join(', ')}?`,
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
