// Which of the completions a server sent fit what is typed, best first. Many servers send all they know, a thousand at
// the beginning of a statement, and leave both to the editor.
import type { ServerCompletion } from '../lsp/completion.js'
import { identifierAt } from '../text/lines.js'
import { fitRank, nameFit } from '../text/name-fit.js'
import { type PositionEncoding, toIndex, toPublicPosition } from '../text/position.js'
import type { Cursor } from './cursor.js'

/** The part of a name that stands before the cursor. */
export function typedPrefix({ lineText, column }: Cursor): string {
  const name = identifierAt(lineText, column)
  return name === undefined ? '' : lineText.slice(toIndex(name.column), toIndex(column))
}

/** Whether a name goes on after the cursor. */
export function isBeforeRest({ lineText, column }: Cursor): boolean {
  const name = identifierAt(lineText, column)
  return name !== undefined && toIndex(name.column) + name.name.length > toIndex(column)
}

/** By fit to what is typed, then as the server sorts them, its own favourites first. */
export function fittingCompletions(
  completions: readonly ServerCompletion[],
  cursor: Cursor,
  encoding: PositionEncoding,
): ServerCompletion[] {
  return completions
    .map(completion => ({
      completion,
      rank: rankOf(replacedText(completion, cursor, encoding), completion.filterText),
    }))
    .filter(({ rank }) => rank !== undefined)
    .sort(
      (a, b) =>
        (a.rank ?? 0) - (b.rank ?? 0) ||
        Number(b.completion.preselect) - Number(a.completion.preselect) ||
        compare(a.completion.sortText, b.completion.sortText),
    )
    .map(({ completion }) => completion)
}

/**
 * What stands in the end where the name stands now. typescript-language-server also replaces the dot before it, by the same
 * dot or by `?.`; only the latter is news.
 */
export function insertedText(
  completion: ServerCompletion,
  cursor: Cursor,
  encoding: PositionEncoding,
): string {
  const replaced = replacedText(completion, cursor, encoding)
  const before = replaced.slice(0, Math.max(replaced.length - typedPrefix(cursor).length, 0))
  const { insert } = completion
  return insert.startsWith(before) ? insert.slice(before.length) : insert
}

/** What the completion is for: the name, unless the server says that it begins elsewhere. */
function replacedText(
  { replacesFrom }: ServerCompletion,
  cursor: Cursor,
  encoding: PositionEncoding,
): string {
  const { line, column, lineText } = cursor
  if (replacesFrom === undefined) return typedPrefix(cursor)
  const start = toPublicPosition(lineText, replacesFrom, encoding)
  if (start.line !== line || start.column > column) return typedPrefix(cursor)
  return lineText.slice(toIndex(start.column), toIndex(column))
}

/** Undefined for what nobody can have meant: its letters are not even all there, in their order. */
function rankOf(typed: string, name: string): number | undefined {
  const fit = nameFit(typed, name)
  return fit === 'rest' && !holdsInOrder(name.toLowerCase(), typed.toLowerCase()) ? undefined : fitRank(fit)
}

function holdsInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at)
    if (at === -1) return false
    at += letter.length
  }
  return true
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
