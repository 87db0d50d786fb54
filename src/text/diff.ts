// Differences for reading: a unified diff that a reviewer or a model decides on, and the changed lines by which old
// positions are moved through an edit. Applying an edit never goes through a diff.
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk } from 'diff'
import { type LineBlock, lineBlocks } from './line-blocks.js'
import { fromIndex } from './position.js'

export interface DiffInput {
  readonly before: string
  readonly after: string
  /** The path before; undefined for a file that is created. */
  readonly from: string | undefined
  /** The path after; undefined for a file that is deleted. */
  readonly to: string | undefined
  /** How many equal lines are shown around a change. */
  readonly context?: number
  /** In UTF-16 units; beyond it whole hunks are left out, and a last line says so. */
  readonly maxLength?: number
}

/** Lines, 1-based and half-open; an insertion has an empty range before, a deletion an empty one after. */
export interface ChangedRange {
  readonly beforeStart: number
  readonly beforeEnd: number
  readonly afterStart: number
  readonly afterEnd: number
}

export const longestDiff = 100_000

/**
 * Empty when nothing differs. It is for reading: carriage returns are not shown where every line of both texts ends
 * with one, and what a terminal would not show, or would obey, is written as `<U+202E>`.
 */
export function unifiedDiff(input: DiffInput): string {
  const { from, to, context = 3, maxLength = longestDiff } = input
  const [before, after] = withoutUniformReturns(input.before, input.after)
  const isRename = from !== undefined && to !== undefined && from !== to
  if (before === after && from === to) return ''
  const patch = {
    oldFileName: from === undefined ? '/dev/null' : `a/${from}`,
    newFileName: to === undefined ? '/dev/null' : `b/${to}`,
    oldHeader: undefined,
    newHeader: undefined,
    // Only this form can say that a file was renamed; for the others its modes would have to be made up.
    ...(isRename ? { isGit: true, isRename } : {}),
  }
  const hunks = hunksOf(before, after, context)
  const { kept, left, isCutInside } = firstHunks(hunks, maxLength)
  const diff = visible(formatPatch({ ...patch, hunks: kept }, FILE_HEADERS_ONLY))
  if (left === 0 && !isCutInside) return diff
  const name = visible(JSON.stringify(to ?? from))
  const missing = isCutInside ? 'the rest of this hunk' : ''
  const others = left === 0 ? '' : `${left} more ${left === 1 ? 'hunk' : 'hunks'}`
  return `${diff}... ${[missing, others].filter(part => part !== '').join(' and ')} of ${name} not shown\n`
}

/** Lines are those of LSP, so that a lone carriage return ends one too. */
export function changedRanges(before: string, after: string): readonly ChangedRange[] {
  return lineBlocks(before.split(lineEnd), after.split(lineEnd)).map(block => ({
    beforeStart: fromIndex(block.beforeStart),
    beforeEnd: fromIndex(block.beforeEnd),
    afterStart: fromIndex(block.afterStart),
    afterEnd: fromIndex(block.afterEnd),
  }))
}

const lineEnd = /\r\n|\n|\r/
// Controls that command a terminal, line ends that are none to a diff, and what Unicode says is not to be seen, the
// bidirectional controls among it; the two selectors that choose between a drawn and a written emoji stay.
const unseen =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu

function visible(text: string): string {
  return text.replace(unseen, character => {
    const code = character.codePointAt(0) ?? 0
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

function withoutUniformReturns(before: string, after: string): readonly [string, string] {
  const isUniform = [before, after].every(text => !/\r(?!\n)|(?<!\r)\n/.test(text))
  return isUniform ? [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')] : [before, after]
}

function hunksOf(before: string, after: string, context: number): StructuredPatchHunk[] {
  const oldLines = terminatedLines(before)
  const newLines = terminatedLines(after)
  const hunks: StructuredPatchHunk[] = []
  for (const group of grouped(lineBlocks(oldLines, newLines), context)) {
    const [first] = group
    const last = group.at(-1)
    if (first === undefined || last === undefined) continue
    const lead = Math.min(context, first.beforeStart)
    const trail = Math.min(context, oldLines.length - last.beforeEnd)
    const lines: string[] = []
    const add = (mark: string, list: readonly string[]) => {
      for (const line of list) lines.push(...marked(mark, line))
    }
    let done = first.beforeStart - lead
    for (const block of group) {
      add(' ', oldLines.slice(done, block.beforeStart))
      add('-', oldLines.slice(block.beforeStart, block.beforeEnd))
      add('+', newLines.slice(block.afterStart, block.afterEnd))
      done = block.beforeEnd
    }
    add(' ', oldLines.slice(done, done + trail))
    hunks.push({
      oldStart: fromIndex(first.beforeStart - lead),
      oldLines: last.beforeEnd + trail - (first.beforeStart - lead),
      newStart: fromIndex(first.afterStart - lead),
      newLines: last.afterEnd + trail - (first.afterStart - lead),
      lines,
    })
  }
  return hunks
}

/** Each with its line feed, which the last one may lack. */
function terminatedLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function marked(mark: string, line: string): string[] {
  if (line.endsWith('\n')) return [mark + line.slice(0, -1)]
  return [mark + line, '\\ No newline at end of file']
}

/** Changes whose context would touch or overlap stand in one hunk. */
function grouped(blocks: readonly LineBlock[], context: number): LineBlock[][] {
  const groups: LineBlock[][] = []
  for (const block of blocks) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (last !== undefined && block.beforeStart - last.beforeEnd <= 2 * context) group?.push(block)
    else groups.push([block])
  }
  return groups
}

interface FirstHunks {
  readonly kept: StructuredPatchHunk[]
  readonly left: number
  /** A first hunk that is too long alone is cut at a line: part of it says more than nothing. */
  readonly isCutInside: boolean
}

function firstHunks(hunks: readonly StructuredPatchHunk[], maxLength: number): FirstHunks {
  let room = maxLength
  const kept: StructuredPatchHunk[] = []
  for (const hunk of hunks) {
    const length = hunk.lines.reduce((sum, line) => sum + line.length + 1, hunkHeader)
    if (length <= room) {
      kept.push(hunk)
      room -= length
      continue
    }
    if (kept.length > 0) return { kept, left: hunks.length - kept.length, isCutInside: false }
    return { kept: [beginningOf(hunk, room)], left: hunks.length - 1, isCutInside: true }
  }
  return { kept, left: 0, isCutInside: false }
}

const hunkHeader = 40

function beginningOf(hunk: StructuredPatchHunk, maxLength: number): StructuredPatchHunk {
  let room = maxLength - hunkHeader
  const lines: string[] = []
  for (const line of hunk.lines) {
    room -= line.length + 1
    if (room < 0) break
    lines.push(line)
  }
  return { ...hunk, lines }
}
