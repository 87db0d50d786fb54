// Which diagnostics a change brought and which it took away. The old ones are carried through the edit first, so that an
// error which only moved is nobody's news; a key made of the exact place would blame every line below an insertion.
import type { ChangedRange } from '../text/diff.js'
import type { SourceText } from '../text/lines.js'
import { type Lines, toIndex } from '../text/position.js'
import { type LineMap, mapLines } from './line-map.js'

export interface Finding {
  readonly severity: string
  readonly message: string
  readonly code?: string | undefined
  readonly source?: string | undefined
  readonly line: number
  readonly column: number
  readonly end_line: number
  readonly end_column: number
}

/** Diagnostics with the very text they are for. */
export interface Reported<F extends Finding> {
  readonly text: SourceText
  readonly findings: readonly F[]
}

export interface Delta<F extends Finding> {
  readonly new: readonly F[]
  /** As they stood before the change. */
  readonly resolved: readonly F[]
  /** Those of the present that were there before, as they stand now. */
  readonly kept: readonly F[]
}

/**
 * A multiset comparison: each old finding accounts for at most one of the present. Equal are severity, code, message and
 * source, and one of: the unchanged line and its column; the text of the line, wherever it went; the covered text, inside
 * one changed region. On an unchanged line a message that proposes a name equals one about the same names without it.
 */
export function deltaOf<F extends Finding>(baseline: Reported<F>, present: Reported<F>): Delta<F> {
  const map = mapLines(baseline.text.text, present.text.text)
  const pairing = new Pairing(baseline.findings, present.findings)
  pairing.pair(
    old => sameLine(map.follow(old.line), old),
    found => sameLine(found.line, found),
  )
  pairing.pair(
    old => lineAnchor(baseline.text, old),
    found => lineAnchor(present.text, found),
  )
  pairing.pair(
    old => coveredAnchor(baseline.text, old, map, 'before'),
    found => coveredAnchor(present.text, found, map, 'after'),
  )
  // Whether a compiler proposes another name depends on what else is declared, so the line itself is no worse than before.
  const isSuggestion = ({ message }: Finding) => suggestion.test(message)
  const namedAt = (line: number | undefined, finding: Finding) =>
    line === undefined ? undefined : `${sameLine(line, finding)} ${namesIn(finding)}`
  pairing.pair(
    old => (isSuggestion(old) ? namedAt(map.follow(old.line), old) : undefined),
    found => namedAt(found.line, found),
    kindOf,
  )
  pairing.pair(
    old => namedAt(map.follow(old.line), old),
    found => (isSuggestion(found) ? namedAt(found.line, found) : undefined),
    kindOf,
  )
  return pairing.outcome()
}

/** As clang, TypeScript and ty write it. */
const suggestion = /[,.;]? *did you mean\b.*$/is

type Key = string | undefined

/** Works through both lists in the order of the text, so that the order in which a server lists them means nothing. */
class Pairing<F extends Finding> {
  #old: readonly F[]
  #present: readonly F[]
  readonly #kept: F[] = []

  constructor(old: readonly F[], present: readonly F[]) {
    this.#old = [...old].sort(byPlace)
    this.#present = [...present].sort(byPlace)
  }

  pair(
    oldKey: (finding: F) => Key,
    presentKey: (finding: F) => Key,
    identityOf: (finding: F) => string = identity,
  ): void {
    const waiting = new Map<string, F[]>()
    for (const finding of this.#old) {
      const key = oldKey(finding)
      if (key === undefined) continue
      const whole = `${identityOf(finding)}\n${key}`
      const same = waiting.get(whole)
      if (same === undefined) waiting.set(whole, [finding])
      else same.push(finding)
    }
    const paired = new Set<F>()
    this.#present = this.#present.filter(finding => {
      const key = presentKey(finding)
      const old = key === undefined ? undefined : waiting.get(`${identityOf(finding)}\n${key}`)?.shift()
      if (old === undefined) return true
      paired.add(old)
      this.#kept.push(finding)
      return false
    })
    this.#old = this.#old.filter(finding => !paired.has(finding))
  }

  outcome(): Delta<F> {
    return { new: this.#present, resolved: this.#old, kept: this.#kept.sort(byPlace) }
  }
}

function identity({ severity, code, source, message }: Finding): string {
  return JSON.stringify([severity, code ?? null, source ?? null, message])
}

/** Its wording and its code are others when a name is proposed. */
function kindOf({ severity, source }: Finding): string {
  return JSON.stringify([severity, source ?? null])
}

/** What the message is about, without the name it proposes. */
function namesIn({ message }: Finding): Key {
  return JSON.stringify(message.replace(suggestion, '').match(/(['"`])[^\s'"`]+\1/g) ?? message)
}

function sameLine(line: number | undefined, { column }: Finding): Key {
  return line === undefined ? undefined : `${line}:${column}`
}

/** The line without its indentation, and the place in it: what was moved or indented anew is still the same. */
function lineAnchor(text: Lines, { line, column }: Finding): Key {
  const whole = text.line(line)
  if (whole === undefined) return undefined
  const inside = toIndex(column) - (whole.length - whole.trimStart().length)
  return JSON.stringify([whole.trim(), inside])
}

function coveredAnchor(text: Lines, finding: Finding, map: LineMap, side: 'before' | 'after'): Key {
  const region = map.changes.findIndex(change => isIn(change, side, finding.line))
  if (region < 0) return undefined
  const { line, column, end_line, end_column } = finding
  const end = end_line === line ? toIndex(end_column) : undefined
  const covered = text.line(line)?.slice(toIndex(column), end).trim() ?? ''
  // A place without any text is like every other such place.
  return covered === '' ? undefined : JSON.stringify([region, covered])
}

function isIn(change: ChangedRange, side: 'before' | 'after', line: number): boolean {
  if (side === 'before') return line >= change.beforeStart && line < change.beforeEnd
  return line >= change.afterStart && line < change.afterEnd
}

function byPlace(a: Finding, b: Finding): number {
  return (
    a.line - b.line ||
    a.column - b.column ||
    a.end_line - b.end_line ||
    a.end_column - b.end_column ||
    compare(identity(a), identity(b))
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
