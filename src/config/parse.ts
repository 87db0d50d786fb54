// The bytes of a configuration file to a value that remembers where each of its parts stands.
import { decodeSource } from '../text/decode.js'
import { parseJsonc } from './parse-jsonc.js'
import { type Part, type Path, Recorder } from './recorder.js'

/** A value and, for the messages about it, where it was written. */
export interface Source {
  readonly value: unknown
  /** `file:line:column`, 1-based, of a value or of its key. */
  place(path: Path, part?: Part): string
}

export type Parser = (text: string, recorder: Recorder) => unknown

/**
 * Every `.yaml` or `.yml` is YAML, everything else JSON with comments. The YAML parser is large and most workspaces have
 * no such file, so it is loaded when there is one.
 */
export async function parserFor(name: string): Promise<Parser> {
  return /\.ya?ml$/i.test(name) ? (await import('./parse-yaml.js')).parseYaml : parseJsonc
}

export function parseConfiguration(bytes: Uint8Array, name: string, parse: Parser): Source {
  const { text } = decodeSource(bytes, name)
  const recorder = new Recorder(name, text)
  const value = parse(text, recorder)
  return { value, place: (path, part = 'value') => recorder.place(path, part) }
}

/** For values that stand in no file: those given on the command line or by a program. */
export function withoutFile(value: unknown, name: string): Source {
  return { value, place: () => name }
}
