// The files as they were and what was planted in them since: the text each of them must have now, and the errors that a
// compiler must find in it. Nothing here asks anybody, which is why it can be held against what is answered.
import type { ExpectedError } from './dialect.js'

export interface Planted {
  /** In the order of planting; also the number in the names. */
  readonly number: number
  readonly file: string
  /** The line of the original text it stands before, counted from 0. */
  readonly spot: number
  readonly lines: readonly string[]
  readonly errors: readonly ExpectedError[]
  /** After it the rest of the file is read differently by each compiler: only its own error is sure. */
  readonly isSyntax: boolean
}

export interface Expectation {
  readonly required: readonly Required[]
  /** Lines on which an error may be, or not. */
  readonly optional: ReadonlySet<number>
  /** Errors elsewhere in the file say nothing. */
  readonly isLoose: boolean
}

export interface Required {
  /** Counted from 1. */
  readonly line: number
  readonly mentions: string | undefined
  /** What was planted there. */
  readonly text: string
  /** Of the original code, or the number of what was planted. */
  readonly by: 'original' | number
  readonly hides: boolean
}

/** A name of the real code that was changed where it is declared. */
export interface BrokenName {
  readonly number: number
  readonly file: string
  readonly declaration: RegExp
  readonly name: string
  readonly using: string
  /** The line that imports it, in the original text, counted from 0. */
  readonly line: number
}

export interface GroundOptions {
  readonly files: readonly string[]
  /** The text a file had before anything was planted. */
  readonly read: (file: string) => string
  /** The errors it had then. */
  readonly errors: readonly { readonly file: string; readonly line: number }[]
}

export class Ground {
  readonly files: readonly string[]
  readonly #read: (file: string) => string
  readonly #errors: GroundOptions['errors']
  readonly #original = new Map<string, readonly string[]>()
  readonly #planted = new Map<string, Planted>()
  #brokenName: BrokenName | undefined

  constructor({ files, read, errors }: GroundOptions) {
    this.files = files
    this.#read = read
    this.#errors = errors
    for (const file of files) this.originalOf(file)
  }

  originalOf(file: string): readonly string[] {
    const known = this.#original.get(file)
    if (known !== undefined) return known
    const lines = this.#read(file).split('\n')
    this.#original.set(file, lines)
    return lines
  }

  get brokenName(): BrokenName | undefined {
    return this.#brokenName
  }

  /** Takes the place of what has the same number in the same file. */
  plant(planted: Planted): void {
    this.#planted.set(`${planted.file} ${planted.number}`, planted)
  }

  remove(file: string, number: number): void {
    this.#planted.delete(`${file} ${number}`)
  }

  breakName(broken: BrokenName | undefined): void {
    this.#brokenName = broken
  }

  textOf(file: string): string {
    const at = this.#inFile(file)
    const lines = this.originalOf(file).flatMap((line, index) => [
      ...at.filter(({ spot }) => spot === index).flatMap(planted => planted.lines),
      line,
    ])
    const text = lines.join('\n')
    const broken = this.#brokenName
    if (broken?.file !== file) return text
    return text.replace(broken.declaration, (whole, name: string) =>
      whole.replace(name, () => `${name}_gone_${broken.number}`),
    )
  }

  expectationOf(file: string): Expectation {
    const required: Required[] = []
    const optional = new Set<number>()
    let isLoose = this.#brokenName !== undefined
    for (const planted of this.#inFile(file)) {
      isLoose ||= planted.isSyntax
      const first = this.#lineOf(planted)
      for (const { offset, mentions, optional: mayBe, hides = false } of planted.errors) {
        const line = first + offset
        if (mayBe) optional.add(line)
        else required.push({ line, mentions, text: planted.lines[offset] ?? '', by: planted.number, hides })
      }
    }
    const syntax = this.#inFile(file).filter(planted => planted.isSyntax)
    if (syntax.length > 0) {
      const own = new Set(syntax.map(planted => this.#lineOf(planted)))
      return { required: required.filter(({ line, hides }) => hides || own.has(line)), optional, isLoose }
    }
    // What was wrong with a use of a name may be gone while nobody knows the name.
    const old = this.#brokenName === undefined ? this.#errors : []
    for (const { line } of old.filter(error => error.file === file)) {
      const text = this.originalOf(file)[line - 1] ?? ''
      required.push({
        line: this.#shifted(file, line - 1),
        mentions: undefined,
        text,
        by: 'original',
        hides: false,
      })
    }
    const broken = this.#brokenName
    if (broken?.using === file) {
      const line = this.#shifted(file, broken.line)
      const text = this.originalOf(file)[broken.line] ?? ''
      required.push({ line, mentions: broken.name, text, by: broken.number, hides: false })
    }
    return { required, optional, isLoose }
  }

  /** Whether a compiler that reads everything agrees with one that reads file by file. */
  get isPlain(): boolean {
    return this.#brokenName === undefined && ![...this.#planted.values()].some(({ isSyntax }) => isSyntax)
  }

  /** Whether something is planted that keeps some compilers from telling the rest. */
  get hasHidden(): boolean {
    return [...this.#planted.values()].some(({ errors }) => errors.some(({ hides }) => hides))
  }

  /** The first line of what was planted under this number, counted from 1. */
  lineOf(file: string, number: number): number {
    const planted = this.#planted.get(`${file} ${number}`)
    if (planted === undefined) throw new TypeError(`${number} is not planted in ${file}`)
    return this.#lineOf(planted)
  }

  #inFile(file: string): Planted[] {
    return [...this.#planted.values()]
      .filter(planted => planted.file === file)
      .sort((a, b) => a.spot - b.spot || a.number - b.number)
  }

  #lineOf({ file, spot, number }: Planted): number {
    const before = this.#inFile(file).filter(
      other => other.spot < spot || (other.spot === spot && other.number < number),
    )
    return spot + before.reduce((sum, { lines }) => sum + lines.length, 0) + 1
  }

  #shifted(file: string, line: number): number {
    const before = this.#inFile(file).filter(({ spot }) => spot <= line)
    return line + before.reduce((sum, { lines }) => sum + lines.length, 0) + 1
  }
}
