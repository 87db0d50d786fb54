// What a client tells its model about the whole server: when these tools beat text search, in which order they are used,
// and how to read a verdict.

import type { PresetName } from '../../config/presets.js'

/** Presets with tools of their own say what these are in the tools themselves. */
export function instructionsFor(preset: PresetName | undefined): string {
  return preset === undefined || preset === 'default' || preset === 'full' ? instructions : inShort
}

const verdicts = [
  'A line that begins with partial: or unknown: says what is missing from an answer; without one it is complete, and an empty list means there is none.',
  'A failure gives a hint: follow it.',
]

const inShort = [
  "Alidade answers from the language servers of this workspace: the compiler's view of the code, not its text.",
  'Use its tools instead of grep whenever meaning counts. Lines and columns are 1-based.',
  ...verdicts,
].join('\n')

export const instructions = [
  "Alidade answers from the language servers of this workspace: the compiler's view of the code, not its text.",
  'Use it instead of grep whenever meaning counts: where something is defined, every use of a symbol before you change or delete it, what a file declares, which errors the present content has. Grep stays right for plain text, comments and file names.',
  'Begin with explore_symbol: one answer with signature, source, callers and number of uses; the narrower tools give the whole lists.',
  'To change code by meaning: propose (rename_symbol and others answer with a diff and a handle p:..., and write nothing), preview_edit with that handle or with edits of your own (what would break, nothing written), apply_edit with the handle. Then check_change, or get_diagnostics for a single file.',
  'Point with file + symbol (a name, or a name path such as Shape.area), with symbol alone, or with a handle from an earlier answer; line and column are optional and 1-based. Every tool also takes timeout_ms (default 55000).',
  'The first line of an answer ends in its verdict. [complete]: nothing is missing, so an empty list means there is none. [partial]: something is missing, and a line says what. [unknown]: not established, so an empty list proves nothing.',
  'Diagnostics are "settled" when they hold for the file\'s present content; "unknown" is not "no errors". A failure gives a kind and a hint: follow the hint.',
].join('\n')
