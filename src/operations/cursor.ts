// Pointing between characters, for questions about what could be written there: at the end of a line, after a dot, inside
// the parentheses of a call. Nothing there is a symbol, so a cursor is a place of its own kind. Models cannot count
// columns, so the text in front of the cursor will do instead.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { fromIndex, validateLine, validatePosition } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import { fileField } from './target.js'

export const cursorTarget = {
  file: fileField,
  line: z.number().int().optional().describe('1-based line; needed unless after stands once in the file.'),
  column: z.number().int().optional().describe('1-based UTF-16 column; the end of the line unless given.'),
  after: z.string().optional().describe('Text right before the cursor, e.g. "client.", instead of column.'),
}

export interface CursorInput {
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly after?: string | undefined
}

export interface Cursor {
  readonly line: number
  readonly column: number
  /** The whole line the cursor is on. */
  readonly lineText: string
}

const mostLines = 10

export function findCursor(source: SourceFile, { line, column, after }: CursorInput): Cursor {
  if (after === undefined) {
    if (line === undefined) throw needsMore(source)
    const lineText = validateLine(source.text, line)
    if (column !== undefined) validatePosition(source.text, { line, column })
    return { line, column: column ?? fromIndex(lineText.length), lineText }
  }
  if (after === '' || /[\r\n]/.test(after)) {
    throw invalid(
      'after must be text of one line',
      'Give the last few characters before the cursor, on its line.',
    )
  }
  const found = line === undefined ? everywhere(source, after) : onLine(source, line, after)
  const fitting = column === undefined ? found : found.filter(cursor => cursor.column === column)
  const [only] = fitting
  if (only === undefined) throw notThere(source, after, line, column, found)
  if (fitting.length > 1) throw severalTimes(source, after, fitting)
  return only
}

function everywhere(source: SourceFile, after: string): Cursor[] {
  const found: Cursor[] = []
  for (let line = 1; line <= source.text.lineCount && found.length <= mostLines; line += 1) {
    found.push(...onLine(source, line, after))
  }
  return found
}

function onLine(source: SourceFile, line: number, after: string): Cursor[] {
  const lineText = validateLine(source.text, line)
  const found: Cursor[] = []
  for (let at = lineText.indexOf(after); at !== -1; at = lineText.indexOf(after, at + 1)) {
    found.push({ line, column: fromIndex(at + after.length), lineText })
  }
  return found
}

function needsMore(source: SourceFile): BridgeError {
  return invalid(
    `where in ${source.relative} is the cursor?`,
    'Give line and column, or line and after (the text right before the cursor).',
  )
}

function notThere(
  source: SourceFile,
  after: string,
  line: number | undefined,
  column: number | undefined,
  found: readonly Cursor[],
): BridgeError {
  const [other] = found
  if (other !== undefined) {
    return invalid(
      `${JSON.stringify(after)} does not end at column ${column} of line ${other.line}`,
      `It ends at column ${other.column}; after alone is enough.`,
    )
  }
  const where = line === undefined ? source.relative : `line ${line} of ${source.relative}`
  const reads = line === undefined ? '' : ` The line reads: ${source.text.line(line)?.trim().slice(0, 200)}`
  return invalid(`${where} does not contain ${JSON.stringify(after)}`, `Give the text verbatim.${reads}`)
}

function severalTimes(source: SourceFile, after: string, found: readonly Cursor[]): BridgeError {
  const places = found.slice(0, mostLines).map(({ line, column }) => `${line}:${column}`)
  const count = found.length > mostLines ? `more than ${mostLines}` : found.length
  return invalid(
    `${JSON.stringify(after)} stands ${count} times in ${source.relative}`,
    `Give line and column of one: ${places.join(', ')}.`,
  )
}

function invalid(message: string, hint: string): BridgeError {
  return new BridgeError({ kind: 'InvalidArguments', message, hint })
}
