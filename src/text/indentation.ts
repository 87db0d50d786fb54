// How a file is indented, read off the file itself: a formatter that is told anything else would change every line.

export interface Indentation {
  readonly insertSpaces: boolean
  /** Undefined where the text does not show it: no line is indented, or all are with tabs. */
  readonly width: number | undefined
}

/** Lines looked at; more tell nothing new. */
const mostLines = 5000
const widest = 8

export function indentationOf(text: string): Indentation {
  let tabs = 0
  let spaces = 0
  const steps = new Map<number, number>()
  let previous = 0
  for (const indent of indents(text)) {
    if (indent.includes('\t')) {
      tabs += 1
      continue
    }
    if (indent !== '') spaces += 1
    // Deeper or less deep by a few columns: one level. The same depth again says nothing about the width.
    const step = Math.abs(indent.length - previous)
    if (step > 1 && step <= widest) steps.set(step, (steps.get(step) ?? 0) + 1)
    previous = indent.length
  }
  if (tabs > spaces) return { insertSpaces: false, width: undefined }
  return { insertSpaces: true, width: mostFrequent(steps) }
}

/** The white space at the beginning of every line that holds something. */
function* indents(text: string): Generator<string> {
  let count = 0
  for (const [, indent = '', first = ''] of text.matchAll(/^([ \t]*)([^ \t\r\n])/gm)) {
    count += 1
    if (count > mostLines) return
    // The inner lines of a block comment are set one column to the right of it, by its asterisks.
    if (first !== '*') yield indent
  }
}

/** Of two equally frequent widths the smaller: the larger is then two levels at once. */
function mostFrequent(steps: ReadonlyMap<number, number>): number | undefined {
  const ranked = [...steps].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || a - b)
  return ranked[0]?.[0]
}
