// What a preview and an applied edit said about a change whose effect is known.
import type { Answer } from '../../src/index.js'
import { isError } from './judge.js'
import type { Snapshots } from './run-edits.js'

interface JudgedChange {
  readonly class: string
  readonly files: readonly {
    readonly file: string
    readonly verdict: string
    readonly class: string
    readonly new: readonly { readonly severity: string; readonly line: number; readonly message: string }[]
  }[]
}

export interface ChangeKnown {
  readonly before: Snapshots
  readonly after: Snapshots
}

/** What it said that is not so. */
export function judgePreview(answer: Answer<JudgedChange>, { before, after }: ChangeKnown): string[] {
  if (!answer.ok) return [`it failed: ${answer.kind}: ${answer.error}`]
  const { result } = answer
  const words: string[] = []
  // What shows when an error of syntax is gone was there before.
  if ([...before.values()].some(({ expectation }) => expectation.isLoose)) return []
  let isLoose = false
  const broken = [...after].flatMap(([file, { expectation }]) => {
    const past = new Set(before.get(file)?.expectation.required.map(({ by, text }) => `${by} ${text}`))
    isLoose ||= expectation.isLoose
    return expectation.required
      .filter(({ by, text }) => !past.has(`${by} ${text}`))
      .map(({ line, text }) => ({ file, line, text }))
  })
  if (broken.length > 0 && claimsNothingNew(result.class))
    words.push(
      `it would be ${result.class}, but ${broken.map(({ file, line }) => `${file}:${line}`).join(', ')} breaks`,
    )
  for (const file of result.files.filter(({ verdict }) => verdict === 'settled')) {
    const mine = broken.filter(place => place.file === file.file)
    // A line that was wrong before may be wrong in another way now.
    const lines = new Set(after.get(file.file)?.expectation.required.map(({ line }) => line))
    const found = file.new.filter(isError)
    for (const { line, text } of mine) {
      if (!isLoose && claimsNothingNew(file.class) && !found.some(error => error.line === line))
        words.push(`${file.file}:${line} (${text}) is not among the new errors`)
    }
    for (const { line, message } of isLoose ? [] : found) {
      if (!lines.has(line) && !after.get(file.file)?.expectation.optional.has(line))
        words.push(`${file.file}:${line} is called a new error: ${message}`)
    }
  }
  return words
}

/** Why a rename was not made; undefined where it was. */
export function whyNotRenamed(
  proposed: Answer<{ readonly handle?: string | undefined }>,
  applied: Answer<unknown> | undefined,
): string | undefined {
  if (!proposed.ok) return `rename: ${proposed.kind}`
  if (applied === undefined) return 'rename: nothing was proposed'
  return applied.ok ? undefined : `rename, applied: ${applied.kind}`
}

/** A rename of what is whole leaves everything whole. */
export function judgeApplied(answer: Answer<JudgedChange> | undefined): string[] {
  if (answer === undefined || !answer.ok) return []
  const found = answer.result.files.flatMap(({ file, new: errors }) =>
    errors.filter(isError).map(({ line, message }) => `${file}:${line} is called a new error: ${message}`),
  )
  return found
}

function claimsNothingNew(name: string): boolean {
  return ['clean', 'baseline_error', 'warnings_only'].includes(name)
}
