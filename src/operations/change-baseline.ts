// What a change is measured against, file by file (contract section 6): an announced baseline, a revision of git, or, where
// nobody said anything, what the servers were shown before, else git's HEAD. What has no baseline is said to have none.
import { asBridgeError, BridgeError } from '../errors.js'
import type { Change } from '../workspace/git.js'
import type { KeptChange } from '../workspace/kept-changes.js'
import { statSignature } from '../workspace/source-file.js'
import { type Before, comparable, type Entry, type Measure, type MeasuredChange } from './measured-change.js'
import type { ContextOf } from './operation.js'

type Context = ContextOf['workspace']

export interface ChangeQuestion {
  readonly change?: string | undefined
  readonly files?: readonly string[] | undefined
  readonly since?: string | undefined
}

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
  const isListed = named?.every(file => listed.has(file)) === true
  const fromGit =
    head === undefined || isListed ? { entries: [], textless: [] } : await gitEntries(head, named, context)
  const entries = new Map<string, Entry>()
  const moved = new Set<string>()
  const add = (file: string, before: Before) =>
    entries.set(file, { file, before: listed.get(file) ?? before })
  for (const { file, before, movedFrom } of fromGit.entries) {
    const isMove = movedFrom !== undefined && !listed.has(file)
    const old = movedFrom === undefined ? undefined : (listed.get(movedFrom) ?? before)
    if (isMove && old !== undefined && old.kind !== 'absent') {
      entries.set(file, { file, before: old, movedFrom })
      moved.add(movedFrom)
      continue
    }
    // What was moved from where nothing was when the change began is new; so is what was noted as absent.
    add(file, isMove ? { kind: 'absent' } : before)
    if (movedFrom !== undefined && !isMove) add(movedFrom, before)
  }
  for (const file of named ?? listed.keys())
    if (!entries.has(file) && !moved.has(file)) add(file, unlisted(file, begun, context))
  const isAllNoted = head === undefined && gap === undefined
  if (isAllNoted && named === undefined)
    for (const file of await filesBut(listed, context)) add(file, { kind: 'absent' })
  const announcedLater = (file: string, text: string | undefined) =>
    begun.named.includes(file) ? undefined : context.workspace.changes.announcedLater(handle, file, text)
  return {
    entries: [...entries.values()],
    baseline: `change ${handle}`,
    textless: fromGit.textless,
    gaps: gap === undefined || isListed ? [] : [gap],
    // Whoever names files, now or then, says what is his own.
    ...(named === undefined && begun.named.length > 0 ? { announcedLater } : {}),
  }
}

function kept(text: string | undefined, unread: string | undefined): Before {
  if (unread !== undefined) return { kind: 'unreadable', reason: unread }
  return text === undefined ? { kind: 'absent' } : { kind: 'text', text }
}

/** Of a file that was not noted when the change began, and of which git says nothing. */
function unlisted(file: string, { head, gap }: KeptChange, { workspace }: Context): Before {
  if (head !== undefined) return { kind: 'unknown', reason: 'git knows no other text' }
  const isIgnored = workspace.witnesses.isIgnored(workspace.locate(file).absolute)
  // Without git every source file was noted, so one that was not is new.
  if (gap === undefined && !isIgnored && workspace.routes.languageOf(file) !== undefined)
    return { kind: 'absent' }
  return { kind: 'unknown', reason: 'it was not noted when the change began' }
}

async function filesBut(listed: ReadonlyMap<string, Before>, { workspace }: Context): Promise<string[]> {
  const found: string[] = []
  await workspace.refresh()
  for (const language of workspace.routes.languages())
    found.push(...(await workspace.keptFilesOf(language)).filter(file => !listed.has(file)))
  return found
}

async function sinceRevision(
  since: string,
  named: readonly string[] | undefined,
  context: Context,
): Promise<Measure> {
  const measured = await gitEntries(since, named, context)
  return { ...measured, baseline: `git ${measured.from.slice(0, 12)}`, gaps: [] }
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
  const moved = new Set(fromGit?.entries.flatMap(({ movedFrom }) => movedFrom ?? []))
  const entries: Entry[] = []
  for (const file of new Set([...(named ?? shown.keys()), ...others.keys()])) {
    const before = shown.get(file)
    // It is told of under its new name.
    if (before === undefined && moved.has(file)) continue
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
  // Whoever named the files knows what changed.
  const gaps = gap === undefined || named !== undefined ? [] : [gap]
  return { entries, baseline, textless: fromGit?.textless ?? [], gaps }
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
  const isNew = text.kind === 'absent' && statSignature(workspace.locate(file).absolute) !== undefined
  return isNew ? { kind: 'unknown', reason: 'git does not know it' } : text
}

async function textAt(from: Change['from'], file: string, context: Context): Promise<Before> {
  const wait = { signal: context.signal, milliseconds: context.remaining() * 0.5 }
  try {
    const text = await context.workspace.git.textAt(from, file, wait)
    return text === undefined ? { kind: 'absent' } : { kind: 'text', text }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    return { kind: 'unreadable', reason: asBridgeError(thrown).message }
  }
}

function notARange(): BridgeError {
  return new BridgeError({
    kind: 'InvalidArguments',
    message: 'a range of revisions was given, but a change is judged as it is on the disk now',
    hint: 'Give one revision: everything since then is judged. blast_radius takes ranges.',
  })
}
