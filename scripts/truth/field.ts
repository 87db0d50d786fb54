// The files of the real code that a run plants in: few enough that what is planted meets, clean enough that the errors
// they had before can be told from those that were planted.
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Batch, BatchError } from './batch.js'
import type { Dialect, RealImport } from './dialect.js'
import type { Random } from './random.js'

export interface Field {
  /** By file, relative to the root. */
  readonly texts: ReadonlyMap<string, string>
  /** What the engine finds in them before anything is planted. */
  readonly errors: readonly BatchError[]
  readonly imports: readonly (RealImport & { readonly using: string })[]
}

export interface FieldOptions {
  readonly root: string
  readonly dialect: Dialect
  readonly batch: Batch | undefined
  readonly random: Random
}

const mostFiles = 10
/** Of these the cleanest are taken. */
const mostCandidates = 24
const largestText = 40_000
/** Where a server stops counting after some twenty, planted errors would be lost among the old ones. */
const mostErrors = 3

export async function chooseField({ root, dialect, batch, random }: FieldOptions): Promise<Field> {
  const all = (await readdir(root, { recursive: true })).filter(dialect.takes).sort()
  const texts = new Map<string, string>()
  for (const file of random.shuffled(all)) {
    if (texts.size === mostCandidates) break
    const text = readFileSync(join(root, file), 'utf8')
    const isFit = text.length < largestText && !text.includes('\r') && text.endsWith('\n')
    if (isFit && (dialect.breaks(file) || dialect.spots(text.split('\n')).length > 0)) texts.set(file, text)
  }
  const errors = (await batch?.run(root, [...texts.keys()])) ?? []
  const countOf = (file: string) => errors.filter(error => error.file === file).length
  const chosen = [...texts].filter(([file]) => countOf(file) <= mostErrors).slice(0, mostFiles)
  const chosenTexts = new Map(chosen)
  const imports = chosen.flatMap(([file, text]) =>
    (dialect.imports?.({ file, lines: text.split('\n') }) ?? []).flatMap(found => {
      const declaring = readIfThere(join(root, found.from))
      return declaring?.match(found.declaration) ? [{ ...found, using: file }] : []
    }),
  )
  return { texts: chosenTexts, errors: errors.filter(({ file }) => chosenTexts.has(file)), imports }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
