// The files of one change, each with its text before and after: which names they declare where they differ, and the
// verdict on each.
import { mapLines } from '../changes/line-map.js'
import type { SourceText } from '../text/lines.js'
import type { SourceFile } from '../workspace/source-file.js'
import { type JudgedFile, judged } from './change-result.js'
import type { DeclaredName, Span } from './dependents.js'
import { type Examiner, type Findings, nothingFound, unknownFindings } from './examine.js'

/** One file and its text after each step; the same number of steps for every file. */
export interface ChangedText {
  /** As answers show it. */
  readonly file: string
  readonly absolute: string
  /** As it was before; undefined when there was none, or nobody knows. */
  readonly source: { readonly text: SourceText } | undefined
  /** Undefined where there is no such file after the step. */
  readonly texts: readonly (string | undefined)[]
  /** It comes out of this file, whose findings are therefore its own from before. */
  readonly movedFrom?: string
  /** Why nobody knows what it was before. */
  readonly baseless?: string
}

/** One that is on the disk as it was before. */
export interface ChangedFile extends ChangedText {
  readonly source: SourceFile | undefined
}

/** What the lines declare that any step changes, asked while the server sees the disk. */
export async function namesBefore(
  files: readonly ChangedFile[],
  examiner: Examiner,
): Promise<readonly DeclaredName[]> {
  const names: DeclaredName[] = []
  for (const changed of files) {
    const { source } = changed
    if (source !== undefined) names.push(...(await examiner.namesOnDisk(source, spansBefore(changed))))
  }
  return names
}

/** The lines from before that any step changes. */
export function spansBefore({ source, texts }: Pick<ChangedText, 'source' | 'texts'>): readonly Span[] {
  const spans = texts.flatMap(text =>
    mapLines(source?.text.text ?? '', text ?? '').changes.map(change => ({
      start: change.beforeStart,
      end: change.beforeEnd,
    })),
  )
  return distinct(spans)
}

/** The lines that this text has instead of those from before. */
export function changedSpans({ source }: Pick<ChangedText, 'source'>, text: string): readonly Span[] {
  return mapLines(source?.text.text ?? '', text).changes.map(change => ({
    start: change.afterStart,
    end: change.afterEnd,
  }))
}

/** Names that were none before: they may take another's place, and whoever referred to that refers to them. */
export function added(names: readonly DeclaredName[], before: readonly DeclaredName[]): DeclaredName[] {
  const known = new Set(before.map(({ name }) => name))
  return names.filter(({ name }) => !known.has(name))
}

/** `unlooked`: why nobody looked at the changed files before. */
export function judgeFiles(
  files: readonly ChangedText[],
  after: Findings,
  before: Findings,
  unlooked?: string,
): JudgedFile[] {
  const changed = new Map(files.map(file => [file.file, file]))
  const left = new Set(files.flatMap(({ movedFrom }) => movedFrom ?? []))
  return [...after].flatMap(([file, examined]) => {
    // It is told of under its new name.
    if (left.has(file)) return []
    const own = changed.get(file)
    if (own?.baseless !== undefined) return [judged(file, unknownFindings('', own.baseless), examined)]
    if (own !== undefined && own.source === undefined && own.movedFrom === undefined) {
      return [judged(file, nothingFound(), examined)]
    }
    const known = before.get(own?.movedFrom ?? file)
    if (known !== undefined || own === undefined || unlooked === undefined) {
      return [judged(file, known, examined)]
    }
    return [judged(file, unknownFindings('', unlooked), examined)]
  })
}

function distinct(spans: readonly Span[]): readonly Span[] {
  return [...new Map(spans.map(span => [`${span.start}:${span.end}`, span])).values()]
}
