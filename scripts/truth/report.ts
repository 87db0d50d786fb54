// The runs in one line per server, and where they fall short of what is promised.
import type { ServerDefinition } from '../../src/servers/definition.js'
import type { EditsResult, StartsResult } from './results.js'

/** Servers whose first answer is nearly always whole, not merely labelled. */
const promised = ['typescript', 'typescript-language-server', 'pyright', 'gopls', 'clangd']
const leastComplete = 0.9
const mostUnknown = 0.02

export function describeStarts(id: string, result: StartsResult): string {
  const { starts, complete, partial, unknown, lies, ratio, steady } = result
  const shares = `complete ${share(complete, starts)}, partial ${share(partial, starts)}, unknown ${share(unknown, starts)}`
  const time =
    ratio === undefined ? 'never complete' : `first complete answer at ${ratio}x the raw server's time`
  return `${id}: ${starts} cold starts, ${steady} steady places: ${shares}; ${lies} called complete and were not; ${time}`
}

export function shortfallsOfStarts(id: string, { starts, complete }: StartsResult): string[] {
  if (!promised.includes(id) || complete / starts >= leastComplete) return []
  return [
    `${id}: only ${share(complete, starts)} of the first answers were complete, at least 90 % are promised`,
  ]
}

export function describeEdits(id: string, result: EditsResult): string {
  const { edits, reports, unknown, previews, renames, references, confirmed, confirmed_by, violations } =
    result
  const failed = result.renames_failed === 0 ? '' : ` and ${result.renames_failed} not`
  const ways = `${previews} previewed, ${renames} renames applied${failed}, ${references} times all places of a name`
  const batch =
    confirmed_by === undefined ? 'not confirmed in batch' : `${confirmed} times confirmed by ${confirmed_by}`
  return `${id}: ${edits} edits (${ways}), ${reports} reports, unknown ${share(unknown, reports)}, ${batch}, ${violations} violations`
}

export function shortfallsOfEdits(
  { id, embedded }: Pick<ServerDefinition, 'id' | 'embedded'>,
  { reports, unknown }: EditsResult,
): string[] {
  if (embedded === undefined || unknown / reports < mostUnknown) return []
  return [`${id}: ${share(unknown, reports)} of the reports were unknown, under 2 % are promised`]
}

export function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${Math.round((part / whole) * 1000) / 10} %`
}
