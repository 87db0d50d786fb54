// Questions about a part of a file: from a line to a line, or the whole.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import type { ServerRange } from '../lsp/parse.js'
import { fromIndex, type PositionEncoding, toServerPosition, validateLine } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import { fileField } from './target.js'

export const spanTarget = {
  file: fileField,
  line: z.number().int().optional().describe('1-based first line; without it and end_line the whole file.'),
  end_line: z.number().int().optional().describe('Last line; the first one unless given.'),
}

export interface LineSpan {
  readonly first: number
  readonly last: number
  readonly isWhole: boolean
}

export interface SpanInput {
  readonly line?: number | undefined
  readonly end_line?: number | undefined
}

export function lineSpan({ text }: SourceFile, { line, end_line }: SpanInput): LineSpan {
  const first = line ?? 1
  validateLine(text, first)
  // A last line past the end asks for everything up to it, and that is what is given.
  const last = Math.min(end_line ?? line ?? text.lineCount, text.lineCount)
  if (last < first) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `end_line ${end_line} comes before line ${first}`,
      hint: 'Give the first line as line and the last one as end_line.',
    })
  }
  return { first, last, isWhole: first === 1 && last === text.lineCount }
}

/** Up to the end of the last line and not a character further: clangd and others refuse what lies past the text. */
export function spanRange(
  { text }: SourceFile,
  { first, last }: LineSpan,
  encoding: PositionEncoding,
): ServerRange {
  const lastLine = text.line(last) ?? ''
  return {
    start: toServerPosition('', { line: first, column: 1 }, encoding),
    end: toServerPosition(lastLine, { line: last, column: fromIndex(lastLine.length) }, encoding),
  }
}

/** ` from line 3 to 9`; nothing for a whole file. */
export function spanWords({ first, last, isWhole }: LineSpan): string {
  if (isWhole) return ''
  return first === last ? ` on line ${first}` : ` from line ${first} to ${last}`
}
