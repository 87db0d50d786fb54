// Turns what a server wants changed into a plan: for every file its content before and its content after, worked out
// in memory. A plan is what is shown, kept under a handle and, later, written; making one writes nothing.
import ignore from 'ignore'
import type { ServerWorkspaceEdit } from '../lsp/edit-results.js'
import { longestDiff, unifiedDiff } from '../text/diff.js'
import type { PositionEncoding } from '../text/position.js'
import { notUnicode } from './draft-errors.js'
import type { DraftFilesOptions, Origin } from './draft-files.js'
import { type DraftFile, EditDraft, type OpenDocuments } from './edit-draft.js'

export interface EditPlan {
  /** In the order of their names. */
  readonly files: readonly PlannedFile[]
  /** Folders that go when the plan leaves them empty, because the server renamed or deleted them. */
  readonly folders: readonly string[]
  /** Files left out because an excluded glob names them. */
  readonly excluded: readonly string[]
}

export interface PlannedFile {
  /**
   * The path it will have, relative to the root; for a deleted file the one it had. Links are resolved: what is
   * planned for a link is planned for the file behind it.
   */
  readonly file: string
  /** Undefined for a file that is created. */
  readonly before: PlannedBefore | undefined
  /** Without the byte order mark, which stays as it was; undefined for a file that is deleted. */
  readonly after: string | undefined
  /** How many edits of the server changed its text. */
  readonly edits: number
}

export interface PlannedBefore {
  /** Another one than the file's when it is renamed. */
  readonly file: string
  /** `sha256:...` of the bytes. */
  readonly content: string
  readonly text: string
  readonly bom: boolean
  /** Not text: the file is moved or deleted as it is, and `text` stands empty. */
  readonly isBinary?: true
}

export interface PlanOptions {
  /** Globs with the meaning they have in `.gitignore`. */
  readonly exclude?: readonly string[]
  /** Those of the server that made the edit; what it has open under another content is not edited. */
  readonly documents?: OpenDocuments
}

export function makePlan(
  edit: ServerWorkspaceEdit,
  encoding: PositionEncoding,
  { gate, cache, exclude = [], documents }: PlanOptions & DraftFilesOptions,
): EditPlan {
  const globs = ignore({ ignorecase: false }).add(exclude.map(glob => glob.replace(/^\.\//, '')))
  const draft = new EditDraft({
    gate,
    cache,
    encoding,
    documents,
    isExcluded: file => file !== '.' && globs.ignores(file),
  })
  for (const change of edit.changes) draft.make(change)
  draft.settle()
  const files = plannedFiles(draft)
  for (const { file, after = '' } of files) {
    // A lone half of a character would silently be written as another one.
    if (/\p{Surrogate}/u.test(after)) throw notUnicode(file)
  }
  return {
    files,
    folders: [...draft.folders].sort(),
    excluded: [...draft.excluded].sort(),
  }
}

export interface DiffOptions {
  readonly context?: number
  readonly maxLength?: number
}

/** One diff for all files, in the order of the plan, cut when it grows too long; a last line says what is missing. */
export function diffOf(plan: EditPlan, { context = 3, maxLength = longestDiff }: DiffOptions = {}): string {
  const parts: string[] = []
  let room = maxLength
  for (const [index, file] of plan.files.entries()) {
    if (room <= 0) {
      const left = plan.files.length - index
      return `${parts.join('')}... ${left} more ${left === 1 ? 'file' : 'files'} not shown\n`
    }
    const part = fileDiff(file, context, room)
    parts.push(part)
    room -= part.length
  }
  return parts.join('')
}

export function countEdits(plan: EditPlan): number {
  return plan.files.reduce((sum, { edits }) => sum + edits, 0)
}

function fileDiff({ file, before, after }: PlannedFile, context: number, maxLength: number): string {
  return unifiedDiff({
    before: before?.text ?? '',
    after: after ?? '',
    from: before?.file,
    to: after === undefined ? undefined : file,
    context,
    maxLength,
  })
}

function plannedFiles({ files, origins }: EditDraft): PlannedFile[] {
  const planned: PlannedFile[] = []
  const kept = new Set([...files.values()].map(file => file?.origin))
  /** What was at the name and is nowhere now. */
  const displaced = (name: string) => {
    const origin = origins.get(name)
    return origin === undefined || kept.has(origin) ? undefined : origin
  }
  for (const [name, file] of files) {
    const lost = displaced(name)
    if (file === undefined) {
      if (lost !== undefined) planned.push(deleted(lost))
    } else if (lost === undefined) planned.push(...changed(name, file))
    else planned.push(...overwritten(name, file, lost))
  }
  return planned.sort((a, b) => (a.file < b.file ? -1 : 1))
}

function changed(name: string, { origin, text, edits }: DraftFile): PlannedFile[] {
  const isUnchanged = origin?.file === name && text.text === origin.text.text
  return isUnchanged ? [] : [{ file: name, before: origin && beforeOf(origin), after: text.text, edits }]
}

/**
 * A file moved over another one shows as what it is: the one disappears, the other gets a new text. The mark of the
 * moved text comes along as a character; one that the other file had stays, as it does with every edit.
 */
function overwritten(name: string, { origin, text, edits }: DraftFile, lost: Origin): PlannedFile[] {
  const mark = origin?.bom && !lost.bom ? '\ufeff' : ''
  const after = mark + text.text
  const replaced: PlannedFile = { file: name, before: beforeOf(lost), after, edits }
  return origin === undefined ? [replaced] : [replaced, deleted(origin)]
}

function deleted(origin: Origin): PlannedFile {
  return { file: origin.file, before: beforeOf(origin), after: undefined, edits: 0 }
}

function beforeOf({ file, content, text, bom, isBinary }: Origin): PlannedBefore {
  return { file, content, text: text.text, bom, ...(isBinary ? { isBinary } : {}) }
}
