// The files of a change with the text of each before and after: what is compared, and what cannot be.
import { asBridgeError, BridgeError } from '../errors.js'
import { SourceText } from '../text/lines.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { ChangedText } from './changed-files.js'
import { isHarmless } from './harmless-files.js'
import type { ContextOf } from './operation.js'

type Context = ContextOf['workspace']

export interface MeasuredChange {
  /** The old and the present text of every file that differs, and of those that were named. */
  readonly files: readonly ChangedText[]
  /** In words, for the answer. */
  readonly baseline: string
  /** Files that have no text to compare, each with the reason. */
  readonly textless: readonly { readonly file: string; readonly reason: string }[]
  /** Why there may be changed files that are not listed, or users of what was changed. */
  readonly gaps: readonly string[]
}

/** The text of a file before; `absent` where there was none, `unreadable` where there was one that cannot be had. */
export type Before =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' | 'unreadable'; readonly reason: string }

export interface Entry {
  readonly file: string
  readonly before: Before
  /** Where it was before it was moved. */
  readonly movedFrom?: string | undefined
}

export interface Measure {
  readonly entries: readonly Entry[]
  readonly baseline: string
  readonly textless: readonly { readonly file: string; readonly reason: string }[]
  readonly gaps: readonly string[]
  /** The change that the file belongs to by now, unless it is this one; given its text from before. */
  readonly announcedLater?: (file: string, text: string | undefined) => string | undefined
}

const mostFiles = 200

/** Reads the present of every entry, and drops those that do not differ unless somebody named them. */
export function comparable(
  { entries, textless, baseline, announcedLater, ...measure }: Measure,
  { named, isAnnounced }: { readonly named: readonly string[] | undefined; readonly isAnnounced: boolean },
  { workspace, doubt }: Context,
): MeasuredChange {
  const files: ChangedText[] = []
  const unreadable = [...textless]
  const gaps = [...measure.gaps]
  const moved = new Set<string>()
  for (const { file, before, movedFrom } of entries) {
    const { absolute } = workspace.locate(file)
    const present = presentOf(file, named?.includes(file) === true, workspace)
    if (typeof present === 'string') {
      unreadable.push({ file, reason: present })
      continue
    }
    if (before.kind === 'unreadable' && !isHarmless(file))
      gaps.push(`who used what ${movedFrom ?? file} declared before is unknown: ${before.reason}`)
    if (present === undefined && before.kind !== 'text') {
      // A change may have made a file and taken it away again; whoever names one without a change has mistyped it.
      if (before.kind !== 'unreadable' && named?.includes(file) && !isAnnounced) throw missing(file)
      if (before.kind === 'unknown' && !isHarmless(file))
        gaps.push(`${file} is gone, and whether it was there before is unknown: ${before.reason}`)
      if (before.kind !== 'absent') unreadable.push({ file, reason: before.reason })
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
    const isKnown = movedFrom === undefined && !('reason' in before)
    const other = isKnown ? announcedLater?.(file, text) : undefined
    if (other !== undefined) {
      gaps.push(`${file} was changed too, and is not judged here, because ${other} was announced for it`)
      continue
    }
    const source = text === undefined ? undefined : { text: new SourceText(text) }
    files.push({
      file,
      absolute,
      source: movedFrom === undefined ? source : undefined,
      texts: [present?.text.text],
      ...(movedFrom === undefined ? {} : { movedFrom }),
      ...('reason' in before ? { baseless: before.reason } : {}),
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
    gaps.push(reason)
  }
  return { baseline, files: files.slice(0, mostFiles), textless: unreadable, gaps }
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

function missing(file: string): BridgeError {
  return new BridgeError({
    kind: 'FileNotFound',
    message: `${file} does not exist, and nobody knows a text it had`,
    hint: 'Paths are relative to the workspace root.',
  })
}
