// From edits as an agent writes them to the texts they make: by range, by a text that occurs once, or the whole text, one
// step after another. Whatever has no one meaning is refused, with the places that would have one.
import { asBridgeError, BridgeError } from '../errors.js'
import { applyEdits, type TextEdit } from '../text/edits.js'
import { SourceText } from '../text/lines.js'
import { type PublicPosition, validatePosition } from '../text/position.js'

export interface WrittenEdit {
  readonly new_text: string
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly end_line?: number | undefined
  readonly end_column?: number | undefined
  readonly find?: string | undefined
}

const mostPlaces = 10

/** All edits of one file in one step; every place is one of the text before the step. `before` is undefined where there is no file. */
export function editedText(file: string, before: string | undefined, edits: readonly WrittenEdit[]): string {
  const [only] = edits
  if (only !== undefined && isWhole(only)) {
    if (edits.length === 1) return only.new_text
    throw wrong(
      file,
      'one edit replaces the whole text and another one a part of it',
      'Put them in two steps.',
    )
  }
  if (edits.some(isWhole))
    throw wrong(
      file,
      'one edit replaces the whole text and another one a part of it',
      'Put them in two steps.',
    )
  if (before === undefined) {
    throw new BridgeError({
      kind: 'FileNotFound',
      message: `${file} does not exist, so no part of it can be replaced`,
      hint: 'To create it, give new_text alone. Paths are relative to the workspace root.',
    })
  }
  const text = new SourceText(before)
  const placed = edits.map(edit => place(file, text, edit))
  return applyEdits(before, inOrder(file, text, placed))
}

function isWhole({ line, find }: WrittenEdit): boolean {
  return line === undefined && find === undefined
}

function place(file: string, text: SourceText, edit: WrittenEdit): TextEdit {
  if (edit.find !== undefined && edit.line !== undefined)
    throw wrong(file, 'an edit has both find and line', 'Give one of them.')
  return edit.find === undefined ? placeRange(file, text, edit) : placeFound(file, text, edit.find, edit)
}

function placeRange(file: string, text: SourceText, edit: WrittenEdit): TextEdit {
  const { line = 0, column = 1, new_text } = edit
  const start: PublicPosition = { line, column }
  const isInsertion = edit.end_line === undefined && edit.end_column === undefined
  const end = isInsertion
    ? start
    : { line: edit.end_line ?? line, column: edit.end_column ?? (edit.end_line === undefined ? column : 1) }
  checkPosition(file, text, start)
  checkPosition(file, text, end)
  const offsets = { start: text.offsetAt(start), end: text.offsetAt(end) }
  if (offsets.end < offsets.start) {
    const from = `${end.line}:${end.column}`
    throw wrong(
      file,
      `an edit ends at ${from}, before it begins`,
      'The end is the place after the last character.',
    )
  }
  return { ...offsets, text: new_text }
}

function placeFound(file: string, text: SourceText, find: string, { new_text }: WrittenEdit): TextEdit {
  if (find === '') throw wrong(file, 'find is empty', 'Give the text to replace, or line and column.')
  const exact = offsetsOf(text.text, find)
  // Models write line feeds, whatever the file has.
  const hasReturns = exact.length === 0 && find.includes('\n') && text.text.includes('\r\n')
  const wanted = hasReturns ? withReturns(find) : find
  const found = hasReturns ? offsetsOf(text.text, wanted) : exact
  const [start] = found
  if (start === undefined) throw notFound(file, text, find)
  if (found.length > 1) {
    const lines = found.map(offset => text.positionAt(offset).line)
    throw wrong(
      file,
      `the text to find occurs ${found.length} times, on lines ${listed(lines)}`,
      'Give more of the text around it, or line and column instead.',
    )
  }
  return { start, end: start + wanted.length, text: hasReturns ? withReturns(new_text) : new_text }
}

/** Those that overlap count as well: which of them would be meant? */
function offsetsOf(text: string, find: string): number[] {
  const offsets: number[] = []
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + 1)) offsets.push(at)
  return offsets
}

function withReturns(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')
}

function notFound(file: string, text: SourceText, find: string): BridgeError {
  const first =
    find
      .split(/\r?\n/)
      .find(line => line.trim() !== '')
      ?.trim() ?? ''
  const near: number[] = []
  for (let line = 1; first !== '' && line <= text.lineCount; line += 1) {
    if (text.line(line)?.includes(first)) near.push(line)
  }
  return wrong(
    file,
    'the text to find does not occur',
    near.length === 0
      ? 'It must be the text of the file verbatim, before this step, indentation and line ends included.'
      : `Its first line occurs on ${near.length === 1 ? 'line' : 'lines'} ${listed(near)}; what follows or stands before it differs.`,
  )
}

function checkPosition(file: string, text: SourceText, position: PublicPosition): void {
  try {
    validatePosition(text, position)
  } catch (thrown) {
    const { message, hint } = asBridgeError(thrown)
    throw wrong(file, message, hint ?? '')
  }
}

/** An insertion stands before what is replaced at the same place. */
function inOrder(file: string, text: SourceText, edits: readonly TextEdit[]): TextEdit[] {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  for (const [index, edit] of sorted.entries()) {
    const next = sorted[index + 1]
    if (next === undefined || next.start >= edit.end) continue
    const { line, column } = text.positionAt(next.start)
    throw wrong(
      file,
      `two edits overlap at ${line}:${column}`,
      'All places of one step are places of the text before it; put one of the edits in a later step.',
    )
  }
  return sorted
}

function listed(lines: readonly number[]): string {
  const shown = lines.slice(0, mostPlaces).join(', ')
  return lines.length > mostPlaces ? `${shown} and ${lines.length - mostPlaces} more` : shown
}

function wrong(file: string, message: string, hint: string): BridgeError {
  return new BridgeError({ kind: 'InvalidArguments', message: `${file}: ${message}`, hint })
}
