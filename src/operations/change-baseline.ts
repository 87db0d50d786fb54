// What a change is measured against, file by file (contract section 6): an announced baseline, a revision of git, or, where
// nobody said anything, what the servers were shown before, else git's HEAD. What has no baseline is said to have none.
import { asBridgeError, BridgeError } from '../errors.js'
import { SourceText } from '../text/lines.js'
import type { Change } from '../workspace/git.js'
import type { KeptChange } from '../workspace/kept-changes.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { ChangedText } from './changed-files.js'
import type { ContextOf } from './operation.js'

type Context = ContextOf['workspace']

export interface ChangeQuestion {
  readonly change?: string | undefined
  readonly files?: readonly string[] | undefined
  readonly since?: string | undefined
}

export interface MeasuredChange {
  /** The old and the present text of every file that differs, and of those that were named. */
  readonly files: readonly ChangedText[]
  /** In words, for the answer. */
  readonly baseline: string
  /** Files that have no text to compare, each with the reason. */
  readonly textless: readonly { readonly file: string; readonly reason: string }[]
  /** Why there may be changed files that are not listed. */
  readonly gap?: string
}

/** The text of a file before; `absent` where there was none. */
type Before =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly reason: string }

interface Entry {
  readonly file: string
  readonly before: Before
  /** Where it was before it was moved. */
  readonly movedFrom?: string | undefined
}

interface Measure {
  readonly entries: readonly Entry[]
  readonly baseline: string
  readonly textless: readonly { readonly file: string; readonly reason: string }[]
  readonly gap?: string
}

const mostFiles = 200

export async function measureChange(question: ChangeQuestion, context: Context): Promise<MeasuredChange> {
  const { change, since } = question
  if (change !== undefined && since !== undefined) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: 'both change and since were given',
      hint: 'A change has its own baseline: give one of them.',
    })
  }
  const named = question.files?.map(file => context.workspace.locate(file).relative)
  const measure =
    change !== undefined
      ? await sinceBegun(context.workspace.changes.get(change), change, named, context)
      : since !== undefined
        ? await sinceRevision(since, named, context)
        : await sinceShown(named, context)
  return comparable(measure, { named, isAnnounced: change !== undefined }, context)
}

async function sinceBegun(
  begun: KeptChange,
  handle: string,
  named: readonly string[] | undefined,
  context: Context,
): Promise<Measure> {
  const { head, files, gap } = begun
  const listed = new Map(files.map(({ file, text, unread }) => [file, kept(text, unread)]))
  const baseline = `change ${handle}`
  const asked = named ?? files.map(({ file }) => file)
  const fromGit =
    head === undefined || (begun.named && asked.every(file => listed.has(file)))
      ? undefined
      : await gitEntries(head, named, context)
  const others = new Map(fromGit?.entries.map(entry => [entry.file, entry]))
  const wanted = new Set([...asked, ...(begun.named ? [] : others.keys())])
  const unlisted = head === undefined ? 'it was not there to be noted when the change began' : undefined
  const entries = [...wanted].map((file): Entry => {
    const before = listed.get(file)
    if (before !== undefined) return { file, before }
    const other = others.get(file)
    if (other !== undefined) return other
    if (unlisted === undefined)
      return { file, before: { kind: 'unknown', reason: 'git knows no other text' } }
    // Of a whole workspace without git every file was noted, so what was not is new.
    return begun.named || gap !== undefined
      ? { file, before: { kind: 'unknown', reason: unlisted } }
      : { file, before: { kind: 'absent' } }
  })
  const fresh = head === undefined && !begun.named ? await unknownFiles(listed, named, context) : []
  return {
    entries: [...entries, ...fresh],
    baseline,
    textless: fromGit?.textless ?? [],
    ...(gap === undefined ? {} : { gap }),
  }
}

function kept(text: string | undefined, unread: string | undefined): Before {
  if (unread !== undefined) return { kind: 'unknown', reason: unread }
  return text === undefined ? { kind: 'absent' } : { kind: 'text', text }
}

/** Where there is no git, every source file that was not there. */
async function unknownFiles(
  listed: ReadonlyMap<string, Before>,
  named: readonly string[] | undefined,
  { workspace }: Context,
): Promise<Entry[]> {
  if (named !== undefined) return []
  const found: Entry[] = []
  await workspace.refresh()
  for (const language of workspace.routes.languages())
    for (const file of await workspace.keptFilesOf(language))
      if (!listed.has(file)) found.push({ file, before: { kind: 'absent' } })
  return found
}

async function sinceRevision(
  since: string,
  named: readonly string[] | undefined,
  context: Context,
): Promise<Measure> {
  const measured = await gitEntries(since, named, context)
  return { ...measured, baseline: `git ${measured.from.slice(0, 12)}` }
}

/** Nobody said anything: what the servers were shown before, else HEAD, else nothing. */
async function sinceShown(named: readonly string[] | undefined, context: Context): Promise<Measure> {
  const { workspace } = context
  const shown = new Map(
    workspace.given.all().map(source => [source.relative, { kind: 'text' as const, text: source.text.text }]),
  )
  let fromGit: Awaited<ReturnType<typeof gitEntries>> | undefined
  let gap: string | undefined
  try {
    fromGit = await gitEntries(undefined, named, context)
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    gap = asBridgeError(thrown).message
  }
  const others = new Map(fromGit?.entries.map(entry => [entry.file, entry]))
  const entries: Entry[] = []
  for (const file of new Set([...(named ?? shown.keys()), ...others.keys()])) {
    const before = shown.get(file)
    if (before !== undefined) {
      entries.push({ file, before })
      continue
    }
    workspace.given.disregard(workspace.locate(file).absolute)
    const reason = gap ?? 'git does not know it'
    entries.push(others.get(file) ?? { file, before: { kind: 'unknown', reason } })
  }
  const head = fromGit === undefined ? [] : [`git HEAD ${fromGit.from.slice(0, 12)}`]
  const sources = [...(shown.size === 0 ? [] : ['what servers were shown before']), ...head]
  const baseline = sources.length === 0 ? 'none' : sources.join(', else ')
  const measure = { entries, baseline, textless: fromGit?.textless ?? [] }
  // Whoever named the files knows what changed.
  return gap === undefined || named !== undefined ? measure : { ...measure, gap }
}

/** What differs from a revision, and the named files that do not. */
async function gitEntries(since: string | undefined, named: readonly string[] | undefined, context: Context) {
  const { git } = context.workspace
  const wait = () => ({ signal: context.signal, milliseconds: context.remaining() * 0.5 })
  const change = await git.changedFiles({ since, ...wait() })
  if (change.to !== undefined) throw notARange()
  const { from } = change
  const isWanted = (file: string) => named?.includes(file) ?? true
  const wanted = change.files.filter(
    ({ file, before }) => isWanted(file) || (before !== undefined && isWanted(before)),
  )
  const textless = wanted.flatMap(({ file, type }) =>
    type === 'file' ? [] : [{ file, reason: type === 'link' ? 'it is a link' : 'it is a submodule' }],
  )
  const entries: Entry[] = []
  for (const { file, status, before } of wanted.filter(({ type }) => type === 'file')) {
    if (status === 'added') entries.push({ file, before: { kind: 'absent' } })
    else {
      const old = before ?? file
      entries.push({ file, before: await textAt(from, old, context), movedFrom: before })
    }
  }
  const differing = new Set(wanted.flatMap(({ file, before }) => [file, before ?? file]))
  for (const file of named ?? []) {
    if (differing.has(file)) continue
    entries.push({ file, before: await unchangedIn(from, file, context) })
  }
  return { entries, textless, from }
}

/** A file that git does not list as changed is as it was, unless git does not look at it. */
async function unchangedIn(from: Change['from'], file: string, context: Context): Promise<Before> {
  const { workspace } = context
  if (workspace.witnesses.isIgnored(workspace.locate(file).absolute))
    return { kind: 'unknown', reason: 'git ignores it' }
  const text = await textAt(from, file, context)
  return text.kind === 'absent' ? { kind: 'unknown', reason: 'git does not know it' } : text
}

async function textAt(from: Change['from'], file: string, context: Context): Promise<Before> {
  const wait = { signal: context.signal, milliseconds: context.remaining() * 0.5 }
  try {
    const text = await context.workspace.git.textAt(from, file, wait)
    return text === undefined ? { kind: 'absent' } : { kind: 'text', text }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    return { kind: 'unknown', reason: asBridgeError(thrown).message }
  }
}

/** Reads the present of every entry, and drops those that do not differ unless somebody named them. */
function comparable(
  { entries, textless, ...measure }: Measure,
  { named, isAnnounced }: { readonly named: readonly string[] | undefined; readonly isAnnounced: boolean },
  { workspace, doubt }: Context,
): MeasuredChange {
  const files: ChangedText[] = []
  const unreadable = [...textless]
  const moved = new Set<string>()
  for (const { file, before, movedFrom } of entries) {
    const { absolute } = workspace.locate(file)
    const present = presentOf(file, named?.includes(file) === true, workspace)
    if (typeof present === 'string') {
      unreadable.push({ file, reason: present })
      continue
    }
    if (present === undefined && before.kind !== 'text') {
      // A change may have made a file and taken it away again; whoever names one without a change has mistyped it.
      if (named?.includes(file) && !isAnnounced) throw missing(file)
      continue
    }
    const text = before.kind === 'text' ? likeEnds(before.text, present?.text.text) : undefined
    if (
      text !== undefined &&
      text === present?.text.text &&
      movedFrom === undefined &&
      !named?.includes(file)
    )
      continue
    const source = text === undefined ? undefined : { text: new SourceText(text) }
    files.push({
      file,
      absolute,
      source: movedFrom === undefined ? source : undefined,
      texts: [present?.text.text],
      ...(movedFrom === undefined ? {} : { movedFrom }),
      ...(before.kind === 'unknown' ? { baseless: before.reason } : {}),
    })
    if (movedFrom === undefined || moved.has(movedFrom)) continue
    moved.add(movedFrom)
    files.push({
      file: movedFrom,
      absolute: workspace.locate(movedFrom).absolute,
      source,
      texts: [undefined],
    })
  }
  files.sort((a, b) => (a.file < b.file ? -1 : 1))
  if (files.length > mostFiles) {
    const reason = `${mostFiles} of the ${files.length} changed files were looked at`
    doubt({ verdict: 'partial', reason, hint: 'Name the files, or choose a later revision.' })
    return { ...measure, files: files.slice(0, mostFiles), textless: unreadable, gap: measure.gap ?? reason }
  }
  return { ...measure, files, textless: unreadable }
}

/** A reason where it cannot be read; undefined where there is none. */
function presentOf(
  file: string,
  isNamed: boolean,
  workspace: Context['workspace'],
): SourceFile | string | undefined {
  try {
    return workspace.read(file)
  } catch (thrown) {
    const { kind, message } = asBridgeError(thrown)
    if (kind === 'FileNotFound') return undefined
    // Whoever names a file outside is told that; of a link that git lists nobody claimed that it leads anywhere.
    if (kind === 'Bug' || (kind === 'PathOutsideWorkspace' && isNamed)) throw thrown
    return message
  }
}

/** Git may keep another line end than it writes to the disk (`core.autocrlf`). */
function likeEnds(old: string, present: string | undefined): string {
  const isOther = present?.includes('\r\n') === true && !old.includes('\r')
  return isOther ? old.replaceAll('\n', '\r\n') : old
}

function notARange(): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: 'a range of revisions was given, but a change is judged as it is on the disk now',
    hint: 'Give one revision: everything since then is judged. blast_radius takes ranges.',
  })
}

function missing(file: string): BridgeError {
  return new BridgeError({
    kind: 'FileNotFound',
    message: `${file} does not exist, and nobody knows a text it had`,
    hint: 'Paths are relative to the workspace root.',
  })
}
