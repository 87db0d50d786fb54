// Everything that is needed to look at a violation later: what was done, what was expected, what was answered, and the
// texts of all files at that moment.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { truthFolder } from './starts-kept.js'

export interface Violation {
  readonly server: string
  readonly seed: string
  readonly step: number
  readonly file: string
  /** What was done last, and how it was written. */
  readonly edit: string
  readonly words: string
}

export interface Scene {
  readonly history: readonly string[]
  readonly expected: unknown
  readonly answer: unknown
  /** The same question once more: a violation that goes away by itself is one of time. */
  readonly again: unknown
  readonly texts: ReadonlyMap<string, string>
}

/** Returns the folder. */
export function keepScene(violation: Violation, scene: Scene): string {
  const { server, seed, step } = violation
  const folder = join(truthFolder(), 'violations', `${server}-${seed}-${step}`)
  const { texts, ...rest } = scene
  for (const [file, text] of texts) {
    const path = join(folder, 'files', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  writeFileSync(join(folder, 'violation.json'), JSON.stringify({ ...violation, ...rest }, null, 2))
  return folder
}

export function describeViolation({ server, seed, step, file, edit, words }: Violation): string {
  return `${server}, step ${step}, ${file}: ${words} [after: ${edit}; again: npm run truth -- edits --server ${server} --seed ${seed} --edits ${step}]`
}
