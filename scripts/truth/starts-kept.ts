// What earlier runs found, so that a long run can be stopped and gone on with: every start is written down as soon as it
// is over. A result counts only for the same seed, the same version of the server and the same question.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { type Start, startSchema } from './starts.js'
import { type Subject, versionOf } from './subjects.js'

const keptSchema = z.object({
  steady: z.array(z.string()),
  starts: z.array(startSchema),
})

export interface Kept {
  readonly steady: readonly string[]
  readonly starts: readonly Start[]
}

export function readKept(subject: Subject, seed: string): Kept | undefined {
  try {
    return keptSchema.parse(JSON.parse(readFileSync(fileOf(subject, seed), 'utf8')))
  } catch {
    // Not there, or of another form: then the runs are made anew.
    return undefined
  }
}

export function keep(subject: Subject, seed: string, kept: Kept): void {
  const file = fileOf(subject, seed)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(kept))
  renameSync(`${file}.new`, file)
}

/** Beside the other caches of the project. */
export function truthFolder(): string {
  return resolve('node_modules/.cache/alidade-truth')
}

function fileOf(subject: Subject, seed: string): string {
  const { file, name } = subject.workspace.symbol
  const words = ['starts', subject.id, versionOf(subject), subject.workspaceId, file, name, seed]
  return join(truthFolder(), `${words.join(' ').replace(/[^\w.-]+/g, '-')}.json`)
}
