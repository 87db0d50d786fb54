// The text form of a context: what a colleague would write who has just looked. Grouped by what it is for, in each group
// by file, every line with its place; at the end what is missing and why.
import type { ContextItem, ContextKind, LeftOut, LeftOutReason } from './piece.js'

/** Without the first line, which says what the note is about. */
export function noteLines(items: readonly ContextItem[], leftOut: readonly LeftOut[]): string[] {
  const lines: string[] = []
  for (const { title, kinds } of groups) {
    const own = items.filter(({ kind }) => kinds.includes(kind))
    if (own.length === 0) continue
    lines.push(title, ...byFile(own))
  }
  for (const { reason, words } of gaps) {
    const missing = leftOut.filter(left => left.reason === reason)
    if (missing.length > 0) lines.push(`${words}: ${gapText(missing)}`)
  }
  return lines
}

const groups: readonly { readonly title: string; readonly kinds: readonly ContextKind[] }[] = [
  { title: 'Problems:', kinds: ['diagnostics'] },
  { title: 'Named in the task:', kinds: ['workspace_symbol'] },
  { title: 'Used here, defined elsewhere:', kinds: ['definition'] },
  { title: 'Calls into libraries:', kinds: ['call_signature'] },
  { title: 'Who depends on it:', kinds: ['usage'] },
  { title: 'Outline:', kinds: ['structure'] },
  { title: 'Inferred:', kinds: ['inlay_hints'] },
]

const gaps: readonly { readonly reason: LeftOutReason; readonly words: string }[] = [
  { reason: 'budget', words: 'no room for' },
  { reason: 'time', words: 'not answered in time' },
  { reason: 'error', words: 'could not be asked' },
]

/** A file with several items is named once. */
function byFile(items: readonly ContextItem[]): string[] {
  const files = new Map<string, ContextItem[]>()
  for (const item of items) {
    const { file } = item.record.target
    files.set(file, [...(files.get(file) ?? []), item])
  }
  return [...files].flatMap(([file, own]) => {
    const [first] = own
    if (first !== undefined && own.length === 1) return indented(marked(first))
    const inOrder = own.toSorted((a, b) => lineOf(a) - lineOf(b))
    return [
      `  ${file}`,
      ...inOrder.flatMap(item => indented(`  ${marked(item).slice(file.length).replace(/^:/, '')}`)),
    ]
  })
}

function lineOf({ record }: ContextItem): number {
  return record.target.line ?? 0
}

function marked({ text, record }: ContextItem): string {
  return record.stale === true ? `${text}\n    (may be out of date: as of ${record.queried_at})` : text
}

function indented(text: string): string[] {
  return text.split('\n').map(line => `  ${line}`)
}

/** Before the names of what is missing, and where it is too much to be named. */
const nouns: Readonly<Record<ContextKind, readonly [string, string]>> = {
  diagnostics: ['the problems of', 'reports of problems'],
  workspace_symbol: ['the declaration of', 'symbols of the task'],
  definition: ['the definition of', 'definitions'],
  call_signature: ['the signature of', 'call signatures'],
  usage: ['the users of', 'lists of users'],
  structure: ['the outline of', 'outlines'],
  inlay_hints: ['the inferred types of', 'lists of inferred types'],
}

const mostNamed = 3
const longestGap = 300

/** By name where they are few; a list of what is missing must not take the room of what is there. */
function gapText(missing: readonly LeftOut[]): string {
  const kinds = new Map<ContextKind, LeftOut[]>()
  for (const left of missing) kinds.set(left.kind, [...(kinds.get(left.kind) ?? []), left])
  const counted = (kind: ContextKind, own: readonly LeftOut[]) => `${own.length} ${nouns[kind][1]}`
  const named = [...kinds].map(([kind, own]) =>
    own.length > mostNamed ? counted(kind, own) : `${nouns[kind][0]} ${own.map(nameOf).join(', ')}`,
  )
  const text = named.join('; ')
  return text.length <= longestGap ? text : [...kinds].map(([kind, own]) => counted(kind, own)).join('; ')
}

/** The symbol says enough where there is one. */
function nameOf({ target, detail }: LeftOut): string {
  const name = target.split(' ').slice(1).join(' ') || target
  return detail === undefined ? name : `${name} (${detail})`
}
