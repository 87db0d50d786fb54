// The text form of an answer, in one place: what every operation's text has in common (verdict lines, cut, errors), and
// the pieces they share. Compact, one fact a line, grouped by file; never a dump of JSON.
import type { Place } from '../workspace/places.js'
import type { Answer, AnswerTarget, Envelope, Failure, Success } from './answer.js'
import type { Operation } from './operation.js'

/** The answer cut at an item's edge, so that its whole text stays within the limit. */
export function cutToFit(
  operation: Operation,
  answer: Success<unknown>,
  limitBytes: number,
): Success<unknown> {
  const { result } = answer
  const fitsIn = (candidate: Success<unknown>) =>
    Buffer.byteLength(renderSuccess(operation, candidate)) <= limitBytes
  const total = operation.items.count(result)
  if (total === 0 || fitsIn(answer)) return answer
  const cutTo = (shown: number) => ({
    ...answer,
    result: operation.items.keep(result, shown),
    truncated: { shown, total },
  })
  let fits = 0
  let tooMany = total
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (fitsIn(cutTo(middle))) fits = middle
    else tooMany = middle
  }
  return cutTo(fits)
}

/** What a model or a person reads; it alone carries every fact. */
export function renderAnswer(operation: Operation, answer: Answer<unknown>): string {
  return answer.ok ? renderSuccess(operation, answer) : renderFailure(answer)
}

/** `path` once, then its places, one a line with the source that lets a reader decide. */
export function groupedByFile(places: readonly Place[]): string[] {
  const lines: string[] = []
  let file: string | undefined
  for (const place of places) {
    if (place.file !== file) {
      file = place.file
      lines.push(file)
    }
    lines.push(`  ${place.line}:${place.column}${place.text === '' ? '' : `  ${place.text}`}`)
  }
  return lines
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** As `counted`, and of how many when some were cut off. */
export function countedOf(shown: number, total: number, noun: string): string {
  return shown === total ? counted(shown, noun) : `${shown} of ${counted(total, noun)}`
}

/** The first few of them, and how many more there are. */
export function listed(names: readonly string[], most = 5): string {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}

export function fileCount(places: readonly Place[]): string {
  return counted(new Set(places.map(place => place.file)).size, 'file')
}

export function pointer(target: AnswerTarget | undefined): string {
  return target === undefined ? '' : `${target.symbol} (${target.file}:${target.line}:${target.column})`
}

function renderSuccess(operation: Operation, answer: Success<unknown>): string {
  const { result, completeness, truncated, target } = answer
  const total = truncated?.total ?? operation.items.count(result)
  return framed(operation.render(result, { target, total, completeness }), answer)
}

/** An operation's own lines, of which the first summarises, with what every answer says around them. */
export function framed([summary = '', ...lines]: readonly string[], answer: Envelope): string {
  const { completeness, freshness, truncated, target } = answer
  const after: string[] = []
  if (truncated !== undefined) after.push(`+${truncated.total - truncated.shown} more results`)
  if (target?.note !== undefined) after.push(`note: ${target.note}`)
  if (completeness.verdict !== 'complete') {
    after.push(`${completeness.verdict}: ${completeness.reason}`)
    if (completeness.hint !== undefined) after.push(`hint: ${completeness.hint}`)
  }
  if (freshness.verdict !== 'current')
    after.push(`freshness ${freshness.verdict}: ${freshness.reason ?? 'no reason known'}`)
  const said = answer.servers.map(server => `${server.name} ${server.version}`).join(', ')
  const stamp = [
    completeness.verdict,
    freshness.verdict === 'current' ? undefined : freshness.verdict,
    said === '' ? undefined : said,
  ]
  const head = `${summary} [${stamp.filter(part => part !== undefined).join('; ')}]`
  if (target !== undefined) after.push(`handle: ${target.handle}`)
  return [head, ...lines, ...after].join('\n')
}

function renderFailure(failure: Failure): string {
  const candidates = (failure.candidates ?? []).map(
    ({ file, line, symbol, text }) => `  file=${file} line=${line} symbol=${symbol}  ${text}`,
  )
  // Where the hint is part of the error already, saying it twice only costs.
  const hint = failure.error.endsWith(failure.hint) ? [] : [`hint: ${failure.hint}`]
  return [`${failure.kind}: ${failure.error}`, ...candidates, ...hint].join('\n')
}
