// Which lines a change touches, file by file, in the numbers of the texts that are on the disk now: what git says differs,
// or whole files that somebody named.
import { mapLines } from '../changes/line-map.js'
import { asBridgeError, BridgeError } from '../errors.js'
import { type ChangedRange, changedRanges } from '../text/diff.js'
import { SourceText } from '../text/lines.js'
import type { ChangedFile, FileStatus } from '../workspace/git.js'
import type { ContextOf } from './operation.js'
import { counted } from './render.js'

type Context = ContextOf['workspace']

/** A file with its two texts, and where they differ. */
export interface TouchedFile {
  /** As answers show it; of a deleted file, where it was. */
  readonly file: string
  readonly status: FileStatus | 'named'
  /** Of a renamed file, where it was. */
  readonly before?: string
  /** Undefined where there was none, or nobody knows. */
  readonly oldText: SourceText | undefined
  /** Lines of the old text that are gone. */
  readonly removed: readonly number[]
  /** Lines of the present text that are new; every line of a file that was named. */
  readonly lines: 'all' | readonly number[]
  /** Lines of the present text before which something was taken out. */
  readonly seams: readonly number[]
}

export interface ChangeSet {
  /** In the order of their names. */
  readonly touched: readonly TouchedFile[]
  /** Changed files that no language server is known for. */
  readonly others: readonly string[]
}

export interface ChangeInput {
  readonly files?: readonly string[] | undefined
  readonly since?: string | undefined
}

const mostFiles = 200
const textsAtOnce = 4

export async function changeSet({ files, since }: ChangeInput, context: Context): Promise<ChangeSet> {
  const named = files?.map(file => context.workspace.locate(file).relative)
  if (named !== undefined && since === undefined) return namedFiles(named, context)
  const wait = () => ({ signal: context.signal, milliseconds: context.remaining() * 0.5 })
  const { git, routes } = context.workspace
  const change = await git.changedFiles({ since, ...wait() })
  const wanted = change.files.filter(
    ({ file, before }) => named?.some(name => name === file || name === before) ?? true,
  )
  const known = wanted.filter(({ file, type }) => type === 'file' && isKnown(file, context))
  const due = known.slice(0, mostFiles)
  if (due.length < known.length) {
    const reason = `${mostFiles} of the ${known.length} changed files were looked at`
    context.doubt({ verdict: 'partial', reason, hint: 'Name the files, or choose a later revision.' })
  }
  for (const { file } of wanted.filter(({ type }) => type === 'submodule')) {
    const reason = `what changed inside the submodule ${file} was not looked at`
    context.doubt({ verdict: 'partial', reason, hint: 'Ask in a workspace at the submodule.' })
  }
  const { from, to } = change
  const textAt = (revision: string, file: string) => git.textAt(revision, file, wait())
  const touched: TouchedFile[] = []
  const waiting = due.values()
  const work = async () => {
    for (const file of waiting) {
      const found = await touchedFile(file, { from, to, textAt }, context)
      if (found !== undefined) touched.push(found)
    }
  }
  await Promise.all(Array.from({ length: textsAtOnce }, work))
  const others = wanted.filter(
    ({ file, type }) => type !== 'submodule' && routes.languageOf(file) === undefined,
  )
  return {
    touched: touched.sort((a, b) => (a.file < b.file ? -1 : 1)),
    others: others.map(({ file }) => file),
  }
}

/** Without anything to compare with, all that such a file declares counts as changed. */
function namedFiles(files: readonly string[], { workspace }: Context): ChangeSet {
  const touched = [...new Set(files)].sort().map(file => {
    // What was named must be there and have a server, or the question makes no sense.
    const source = workspace.read(file)
    workspace.routes.forFile(source.relative)
    return {
      file: source.relative,
      status: 'named' as const,
      oldText: undefined,
      removed: [],
      lines: 'all' as const,
      seams: [],
    }
  })
  return { touched, others: [] }
}

function isKnown(file: string, { workspace, doubt }: Context): boolean {
  const language = workspace.routes.languageOf(file)
  if (language === undefined) return false
  if (workspace.routes.languages().includes(language)) return true
  doubt({
    verdict: 'partial',
    reason: `${file} was not looked at: ${language} is not among the enabled languages`,
  })
  return false
}

interface Texts {
  readonly from: string
  readonly to: string | undefined
  textAt(revision: string, file: string): Promise<string | undefined>
}

async function touchedFile(
  changed: ChangedFile,
  { from, to, textAt }: Texts,
  { workspace, doubt, signal }: Context,
): Promise<TouchedFile | undefined> {
  const { file, status, before } = changed
  try {
    const old = status === 'added' ? undefined : await textAt(from, before ?? file)
    const head = { file, status, ...(before === undefined ? {} : { before }) }
    const oldText = old === undefined ? undefined : new SourceText(old)
    if (status === 'deleted') return { ...head, oldText, removed: linesOf(oldText), lines: [], seams: [] }
    const present = workspace.read(file).text.text
    const ended = to === undefined ? present : await textAt(to, file)
    if (ended === undefined) throw unreadable(file)
    const ranges = changedRanges(old ?? '', ended)
    const removed = ranges.flatMap(({ beforeStart, beforeEnd }) => span(beforeStart, beforeEnd))
    const isEmpty = ranges.every(range => isBlank(range, new SourceText(old ?? ''), new SourceText(ended)))
    if (isEmpty && status === 'modified') return undefined
    // What the range left behind may have moved since.
    const follow = ended === present ? (line: number) => line : mapLines(ended, present).follow
    const lines = ranges.flatMap(({ afterStart, afterEnd }) => span(afterStart, afterEnd))
    const seams = ranges.filter(({ afterStart, afterEnd }) => afterStart === afterEnd)
    return {
      ...head,
      oldText,
      removed: oldText === undefined ? [] : removed,
      lines: lines.flatMap(line => follow(line) ?? []),
      seams: seams.flatMap(({ afterStart }) => follow(afterStart) ?? []),
    }
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const { message, hint } = asBridgeError(thrown)
    doubt({ verdict: 'partial', reason: `${file} was not looked at: ${message}`, hint })
    return undefined
  }
}

function unreadable(file: string): BridgeError {
  return new BridgeError({ kind: 'FileNotFound', message: `git has no text of ${file}` })
}

/** Half-open. */
function span(start: number, end: number): number[] {
  return Array.from({ length: Math.max(end - start, 0) }, (_, index) => start + index)
}

function linesOf(text: SourceText | undefined): number[] {
  return text === undefined ? [] : span(1, text.lineCount + 1)
}

/** Empty lines that came or went. */
function isBlank(range: ChangedRange, old: SourceText, now: SourceText): boolean {
  const isEmpty = (text: SourceText) => (line: number) => (text.line(line) ?? '').trim() === ''
  return (
    span(range.beforeStart, range.beforeEnd).every(isEmpty(old)) &&
    span(range.afterStart, range.afterEnd).every(isEmpty(now))
  )
}

/** `1-3, 7`. */
export function lineSpans(lines: readonly number[]): string {
  const spans: { first: number; last: number }[] = []
  for (const line of lines) {
    const open = spans.at(-1)
    if (open !== undefined && line - open.last === 1) open.last = line
    else spans.push({ first: line, last: line })
  }
  const most = 5
  const shown = spans
    .slice(0, most)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`))
  const left = spans.length - shown.length
  return [...shown, ...(left > 0 ? [counted(left, 'more place')] : [])].join(', ')
}
