// From what a run found to the short form that is committed.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { serverDefinitions } from '../../src/servers/index.js'
import { type EditsResult, parseTruth, type StartsResult, type Truth, truthFile } from './results.js'
import type { EditsOutcome } from './run-edits.js'
import type { StartsOutcome } from './run-starts.js'
import { isLie, type Start } from './starts.js'
import { type Subject, versionOf } from './subjects.js'

export function startsResultOf(subject: Subject, seed: string, outcome: StartsOutcome): StartsResult {
  const { starts } = outcome
  const count = (...verdicts: Start['verdict'][]) =>
    starts.filter(({ verdict }) => verdicts.includes(verdict)).length
  const both = starts.flatMap(({ complete_ms, raw_ms }) =>
    complete_ms === undefined || raw_ms === undefined ? [] : [{ complete_ms, raw_ms }],
  )
  const times =
    both.length === 0
      ? {}
      : {
          ratio: Math.round(median(both.map(({ complete_ms, raw_ms }) => complete_ms / raw_ms)) * 100) / 100,
          complete_ms: Math.round(median(both.map(({ complete_ms }) => complete_ms))),
          raw_ms: Math.round(median(both.map(({ raw_ms }) => raw_ms))),
        }
  return {
    version: versionOf(subject),
    workspace: codeOf(subject),
    symbol: subject.workspace.symbol.name,
    steady: outcome.steady,
    seed,
    starts: starts.length,
    complete: count('complete'),
    partial: count('partial'),
    unknown: count('unknown', 'failed'),
    lies: starts.filter(start => isLie(start, outcome.steady)).length,
    ...times,
  }
}

export function editsResultOf(subject: Subject, seed: string, outcome: EditsOutcome): EditsResult {
  const { edits, reports, unknown, previews, renames, references, confirmed, confirmedBy, violations } =
    outcome
  return {
    version: versionOf(subject),
    workspace: codeOf(subject),
    seed,
    edits,
    reports,
    unknown,
    previews,
    renames,
    renames_failed: outcome.renamesFailed,
    references,
    confirmed,
    ...(confirmedBy === undefined ? {} : { confirmed_by: confirmedBy }),
    violations: violations.length,
  }
}

/** What was found now takes the place of what was found before, server by server. */
export function keepResults(found: Partial<Truth>): void {
  const before: Truth = existsSync(truthFile)
    ? parseTruth(readFileSync(truthFile, 'utf8'))
    : { starts: {}, edits: {} }
  const inOrder = <T>(results: Record<string, T>) =>
    Object.fromEntries(
      serverDefinitions.flatMap(({ id }) => (results[id] === undefined ? [] : [[id, results[id]]])),
    )
  const truth = {
    starts: inOrder({ ...before.starts, ...found.starts }),
    edits: inOrder({ ...before.edits, ...found.edits }),
  }
  writeFileSync(truthFile, JSON.stringify(truth))
  execFileSync(process.execPath, [
    resolve('node_modules/@biomejs/biome/bin/biome'),
    'format',
    '--write',
    truthFile,
  ])
}

/** The beginning of the note names what it is. */
function codeOf({ workspace }: Subject): string {
  return workspace.note.split(/,| without| from|, the/)[0] ?? workspace.note
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
