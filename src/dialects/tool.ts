// A tool as a model is offered it: an operation as it is, or one or more of them under other names, fields and texts.
// A dialect never answers by itself: whatever it says, an operation has said to it first.
import type * as z from 'zod'
import { asBridgeError, BridgeError } from '../errors.js'
import type { Answer, Failure, Success } from '../operations/answer.js'
import { parseInput } from '../operations/input.js'
import type { Effect, Operation } from '../operations/operation.js'
import { failure } from '../operations/run.js'

export interface ModelTool {
  readonly name: string
  /** When to use it; this is what a model chooses by. */
  readonly description: string
  readonly effect: Effect
  readonly input: z.ZodObject
  /** The one operation whose answer is handed on as it is; undefined where the tool has an answer of its own. */
  readonly operation: Operation | undefined
  answer(input: unknown, asking: Asking): Promise<ToolAnswer>
}

export interface ToolAnswer {
  readonly ok: boolean
  /** What a model reads; it alone carries every fact. */
  readonly text: string
  /** The same as an object, in the shape the tool promises. */
  readonly result: object
}

/** What a tool may do: put questions, as whoever called it and for as long as that one waits. */
export interface Asking {
  ask(
    operation: Operation,
    input: unknown,
    options?: { readonly patience?: number },
  ): Promise<Answer<unknown>>
  render(operation: Operation, answer: Answer<unknown>): string
  missingServer(
    file: string,
  ): { readonly language: string; readonly command: string; readonly install: string } | undefined
  proposedDiffs(
    handle: string,
    options: { readonly context: number },
  ): readonly { readonly file: string; readonly diff: string }[]
  readonly limitBytes: number
  /** The kind of arguments that cannot be parsed (C27). */
  readonly argumentErrorKind: 'InvalidArguments' | 'Wire'
}

/** Never throws: whatever goes wrong is an answer that says so. */
export async function answerOf(tool: ModelTool, input: unknown, asking: Asking): Promise<ToolAnswer> {
  try {
    return await tool.answer(input, asking)
  } catch (thrown) {
    const failed = failure(asBridgeError(thrown))
    return { ok: false, text: failureText(failed), result: failed }
  }
}

/** The arguments of a tool, checked; what does not fit is an error of the kind that the preset wants. */
export function parseArguments<Input extends z.ZodObject>(
  tool: { readonly name: string; readonly input: Input },
  raw: unknown,
  { argumentErrorKind: kind }: Pick<Asking, 'argumentErrorKind'>,
): z.output<Input> & { readonly timeout_ms?: number } {
  try {
    const { timeout_ms, ...fields } = parseInput(tool, raw)
    const parsed = tool.input.parse(fields)
    return typeof timeout_ms === 'number' ? { ...parsed, timeout_ms } : parsed
  } catch (thrown) {
    const { message, hint, cause } = asBridgeError(thrown)
    throw new BridgeError({ kind, message, hint, cause })
  }
}

export function failureText({ kind, error, hint, candidates = [] }: Failure): string {
  const targets = candidates.map(({ file, line, column, text }) => `  ${file}:${line}:${column}  ${text}`)
  const next = error.endsWith(hint) ? [] : [`hint: ${hint}`]
  return [`${kind}: ${error}`, ...targets, ...next].join('\n')
}

/** What must never be left out of an answer: that something is missing from it, or that it may be out of date. */
export function caveats({ completeness, freshness, target }: Success<unknown>): string[] {
  const lines: string[] = []
  if (target?.note !== undefined) lines.push(`note: ${target.note}`)
  if (completeness.verdict !== 'complete') {
    lines.push(`${completeness.verdict}: ${completeness.reason}`)
    if (completeness.hint !== undefined) lines.push(`hint: ${completeness.hint}`)
  }
  if (freshness.verdict !== 'current')
    lines.push(`freshness ${freshness.verdict}: ${freshness.reason ?? 'no reason known'}`)
  return lines
}

export interface Listing {
  readonly head: readonly string[]
  readonly items: readonly string[]
  readonly tail: readonly string[]
  /** How many items there are, those included that are not here any more. */
  readonly total: number
  /** What one of them is, in the line that counts the rest. */
  readonly noun?: string
}

/** Cut at an item's edge, so that the whole stays within the limit. */
export function fitted({ head, items, tail, total, noun = 'results' }: Listing, limitBytes: number): string {
  const textOf = (shown: number) => {
    const more = shown < total ? [`+${total - shown} more ${noun}`] : []
    return [...head, ...items.slice(0, shown), ...tail, ...more].join('\n')
  }
  if (Buffer.byteLength(textOf(items.length)) <= limitBytes) return textOf(items.length)
  let fits = 0
  let tooMany = items.length
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (Buffer.byteLength(textOf(middle)) <= limitBytes) fits = middle
    else tooMany = middle
  }
  return textOf(fits)
}
