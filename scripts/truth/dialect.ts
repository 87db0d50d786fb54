// How files are broken and mended in one language, so that what a compiler must say of the result is known beforehand.
// Whatever is planted carries a number in its names, stands on lines of its own, and never depends on its surroundings.

/** What a server may be expected to see; few see all. */
export const allChecks = ['names', 'types', 'calls', 'imports', 'syntax'] as const
export type Check = (typeof allChecks)[number]

/** An error on one of the planted lines. */
export interface ExpectedError {
  /** Of the line, counted from the first one that is planted. */
  readonly offset: number
  /** What every compiler names in its message. */
  readonly mentions?: string
  /** Some report it and some do not, because another error came before it. */
  readonly optional?: true
  /** Some tell nothing else of the file because of it; then they must say so. */
  readonly hides?: true
}

export interface Fault {
  readonly check: Check
  readonly lines: (number: number) => readonly string[]
  readonly errors: (number: number) => readonly ExpectedError[]
  /** Where it may stand, if not everywhere. */
  readonly at?: 'head' | 'end'
}

/** Something that one file declares and another uses. */
export interface Bond {
  readonly states: readonly BondState[]
  readonly declared: (number: number, state: BondState) => readonly string[]
  readonly use: (number: number, from: string, to: string) => readonly string[]
  /** In the file that uses it. */
  readonly errors: (number: number, state: BondState) => readonly ExpectedError[]
  /** Whether the second file can use what the first declares. */
  readonly fits: (declaring: SourceLines, using: SourceLines) => boolean
  readonly name: (number: number) => string
}

export type BondState = 'good' | 'wrong' | 'absent'

/** A bond whose declaring side is a file of its own, which comes and goes. */
export interface MadeFile {
  readonly file: (number: number, using: string) => string
  readonly text: (number: number, state: 'good' | 'wrong') => string
  readonly use: (number: number, using: string) => readonly string[]
  readonly errors: (number: number, state: BondState) => readonly ExpectedError[]
}

export interface SourceLines {
  readonly file: string
  readonly lines: readonly string[]
}

export interface Dialect {
  /** Whether a file may be planted in. */
  readonly takes: (file: string) => boolean
  /** Whether it may also be broken; in some only what others use is declared. */
  readonly breaks: (file: string) => boolean
  /** Before which lines something may be planted, counted from 0; the last line is always among them. */
  readonly spots: (lines: readonly string[]) => readonly number[]
  readonly comment: (number: number) => string
  readonly faults: readonly Fault[]
  readonly bond: Bond
  readonly made?: MadeFile
  /** A declaration of the real code that another file imports by name, and how it is written where it is declared. */
  readonly imports?: (using: SourceLines) => readonly RealImport[]
}

export interface RealImport {
  readonly name: string
  /** The file it is said to come from. */
  readonly from: string
  /** The line that imports it, counted from 0. */
  readonly line: number
  /** Finds the name where it is declared. */
  readonly declaration: RegExp
}

/** Lines that begin like this, after a blank one, have only whole declarations before and after them. */
export function spotsBefore(lines: readonly string[], pattern: RegExp): number[] {
  return lines.flatMap((line, at) => (pattern.test(line) && lines[at - 1]?.trim() === '' ? [at] : []))
}
