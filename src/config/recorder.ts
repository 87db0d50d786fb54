// Where each key and value of a configuration file stands, and the bounds that hold for both formats. A parser
// reports what it meets; errors found later, by meaning, can then still name file, line and column.
import { BridgeError } from '../errors.js'
import { cleanLine } from '../text/clean.js'
import { SourceText } from '../text/lines.js'

export type Path = readonly (string | number)[]
export type Part = 'key' | 'value'

export const deepest = 100
const mostValues = 50_000

export class Recorder {
  readonly #name: string
  readonly #source: SourceText
  readonly #offsets = new Map<string, number>()
  #values = 0

  constructor(name: string, text: string) {
    this.#name = name
    this.#source = new SourceText(text)
  }

  key(path: Path, offset: number): void {
    this.#offsets.set(address(path, 'key'), offset)
  }

  value(path: Path, offset: number): void {
    this.#values += 1
    if (this.#values > mostValues)
      this.fail(offset, `more than ${mostValues} values`, 'Remove what is not needed.')
    if (path.length > deepest) this.refuseDepth(offset)
    this.#offsets.set(address(path, 'value'), offset)
  }

  /** What both formats refuse in an object, whose keys so far are given: a key that comes twice, or that is no key. */
  newKey(key: string, seen: Set<string>, offset: number): void {
    if (seen.has(key)) {
      this.fail(offset, `the key ${quote(key)} stands here a second time`, 'Keep one of the two.')
    }
    if (key === '__proto__') this.fail(offset, 'the key "__proto__" is not allowed', 'Remove it.')
    seen.add(key)
  }

  refuseDepth(offset: number): never {
    this.fail(offset, `nested more than ${deepest} deep`, 'Flatten the file.')
  }

  fail(offset: number, message: string, hint: string, cause?: unknown): never {
    const text = `${this.#at(offset)}: ${cleanLine(message, 300).text}`
    throw new BridgeError({ kind: 'InvalidArguments', message: text, hint, cause })
  }

  /** `name:line:column` of a key or value, else of the nearest thing around it. */
  place(path: Path, part: Part): string {
    const own = this.#offsets.get(address(path, part)) ?? this.#offsets.get(address(path, 'value'))
    if (own !== undefined) return this.#at(own)
    return path.length === 0 ? this.#at(0) : this.place(path.slice(0, -1), 'key')
  }

  #at(offset: number): string {
    const { line, column } = this.#source.positionAt(offset)
    return `${this.#name}:${line}:${column}`
  }
}

/** A text from a file, for a message: one line, bounded, without anything that commands a terminal. */
export function quote(text: string): string {
  return JSON.stringify(cleanLine(text, 60).text)
}

function address(path: Path, part: Part): string {
  return `${part} ${JSON.stringify(path)}`
}
