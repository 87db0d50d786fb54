// Which diagnostics a change brought and which it took away. The old ones are carried through the edit first, so that an
// error which only moved is nobody's news; a key made of the exact place would blame every line below an insertion.
import type { ChangedRange } from '../text/diff.js'
import type { SourceText } from '../text/lines.js'
import { type Lines, toIndex } from '../text/position.js'
import { type LineMap, mapLines } from './line-map.js'
import { sameLines } from './same-lines.js'

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
 * source, and one of: the unchanged line and its column; the text of a line that went elsewhere; the covered text, inside
 * one changed region. On an unchanged line a message that proposes a name equals one about the same names without it.
 */
export function deltaOf<F extends Finding>(baseline: Reported<F>, present: Reported<F>): Delta<F> {
  const map = mapLines(baseline.text.text, present.text.text)
  const pairing = new Pairing(baseline.findings, present.findings)
  pairing.pair(
    old => sameLine(map.follow(old.line), old),
    found => sameLine(found.line, found),
  )
  const oldAnchor = (old: F) => lineAnchor(baseline.text, old)
  const anchor = (found: F) => lineAnchor(present.text, found)
  pairing.pair(
    old => (map.follow(old.line) === undefined ? oldAnchor(old) : undefined),
    found => (map.trace(found.line) === undefined ? anchor(found) : undefined),
  )
  // Of two equal lines that stayed where they are, each has its own errors: one may be mended while the other is broken.
  const isSame = sameLines(baseline.text, present.text, map)
  pairing.pairIf(oldAnchor, anchor, (old, found) => isSame(old.line, found.line))
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
  readonly #old: readonly F[]
  readonly #present: readonly F[]
  /** The present one by the old one, and the old one by the present one. */
  readonly #pairs = new Map<F, F>()

  constructor(old: readonly F[], present: readonly F[]) {
    this.#old = [...old].sort(byPlace)
    this.#present = [...present].sort(byPlace)
  }

  pair(
    oldKey: (finding: F) => Key,
    presentKey: (finding: F) => Key,
    identityOf: (finding: F) => string = identity,
  ): void {
    const waiting = grouped(this.#left(this.#old), oldKey, identityOf)
    for (const [key, present] of grouped(this.#left(this.#present), presentKey, identityOf)) {
      const old = waiting.get(key) ?? []
      for (const [index, finding] of present.entries()) {
        const other = old[index]
        if (other !== undefined) this.#join(other, finding)
      }
    }
  }

  /**
   * Pairs those of equal keys that fit together, as many as can be: an old one that is paired already may change to
   * another one that fits it as well, because in a row of equal lines each may have taken its neighbour's place.
   */
  pairIf(
    oldKey: (finding: F) => Key,
    presentKey: (finding: F) => Key,
    fits: (old: F, present: F) => boolean,
  ): void {
    const groups = grouped(this.#old, oldKey, identity)
    const left = grouped(this.#left(this.#present), presentKey, identity)
    for (const [key, present] of left) {
      const olds = groups.get(key) ?? []
      if (this.#left(olds).length === 0) continue
      const place = (found: F, tried: Set<F>): boolean =>
        olds.some(old => {
          if (tried.has(old) || !fits(old, found)) return false
          tried.add(old)
          const holder = this.#pairs.get(old)
          if (holder !== undefined && !place(holder, tried)) return false
          this.#join(old, found)
          return true
        })
      for (const found of present) place(found, new Set())
    }
  }

  outcome(): Delta<F> {
    const kept = this.#present.filter(finding => this.#pairs.has(finding))
    return { new: this.#left(this.#present), resolved: this.#left(this.#old), kept }
  }

  #left(findings: readonly F[]): readonly F[] {
    return findings.filter(finding => !this.#pairs.has(finding))
  }

  #join(old: F, present: F): void {
    this.#pairs.set(old, present).set(present, old)
  }
}

function grouped<F extends Finding>(
  findings: readonly F[],
  keyOf: (finding: F) => Key,
  identityOf: (finding: F) => string,
): ReadonlyMap<string, readonly F[]> {
  const groups = new Map<string, F[]>()
  for (const finding of findings) {
    const key = keyOf(finding)
    if (key === undefined) continue
    const whole = `${identityOf(finding)}\n${key}`
    const same = groups.get(whole)
    if (same === undefined) groups.set(whole, [finding])
    else same.push(finding)
  }
  return groups
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
