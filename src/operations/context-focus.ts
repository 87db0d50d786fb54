// What a context is for: the files and lines that are being worked on, and what the reader already sees of them.
import { parseExcerpt, Seen, type Span } from '../context/excerpt.js'
import { BridgeError } from '../errors.js'
import type { SourceFile } from '../workspace/source-file.js'
import type { Workspace } from '../workspace/workspace.js'

export interface Focus {
  readonly source: SourceFile
  /** The lines that count; all of them when none were named. */
  readonly spans: readonly Span[]
  readonly isWhole: boolean
}

export interface Attention {
  readonly focuses: readonly Focus[]
  readonly seen: Seen
}

export interface AttentionInput {
  readonly files: readonly string[]
  readonly seen: readonly string[]
}

/** Throws what is wrong with a path: a context for another file than was meant would mislead. */
export function attentionOf({ files, seen }: AttentionInput, workspace: Workspace): Attention {
  const spans = new Map<string, { source: SourceFile; spans: Span[]; isWhole: boolean }>()
  const visible = new Seen()
  for (const written of files) {
    const { source, span } = excerptOf(written, workspace)
    const own = spans.get(source.relative) ?? { source, spans: [], isWhole: false }
    spans.set(source.relative, own)
    if (span === undefined) own.isWhole = true
    else {
      own.spans.push(span)
      visible.add(source.relative, span)
    }
  }
  for (const written of seen) {
    const { source, span } = excerptOf(written, workspace)
    visible.add(source.relative, span)
  }
  const focuses = [...spans.values()].map(({ source, spans: own, isWhole }) => ({
    source,
    isWhole,
    spans: isWhole ? [{ first: 1, last: source.text.lineCount }] : own,
  }))
  return { focuses, seen: visible }
}

function excerptOf(written: string, workspace: Workspace) {
  const { path, span } = parseExcerpt(written)
  const source = workspace.read(path)
  if (span !== undefined && span.first > source.text.lineCount) {
    throw new BridgeError({
      kind: 'InvalidArguments',
      message: `${written}: the file ends at line ${source.text.lineCount}`,
      hint: 'Give lines that the file has, or the file alone.',
    })
  }
  return { source, span }
}
