// The form in which a plan is kept and from which its handle is made: everything but the text before, which is in the
// file and known by its hash.
import * as z from 'zod'
import { contentHash } from '../text/hash.js'
import type { EditPlan, PlannedBefore } from './edit-plan.js'

const beforeSchema = z.strictObject({
  file: z.string(),
  content: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  bom: z.boolean(),
  isBinary: z.literal(true).exactOptional(),
})

const planSchema = z.strictObject({
  version: z.literal(1),
  root: z.string(),
  files: z.array(
    z.strictObject({
      file: z.string(),
      before: beforeSchema.exactOptional(),
      after: z.string().exactOptional(),
      edits: z.int().min(0),
    }),
  ),
  folders: z.array(z.string()),
  excluded: z.array(z.string()),
})

export type StoredPlan = z.infer<typeof planSchema>
export type StoredBefore = z.infer<typeof beforeSchema>

export const handlePrefix = 'p:'

export function toStored({ files, folders, excluded }: EditPlan, root: string): StoredPlan {
  return {
    version: 1,
    root,
    files: files.map(({ file, before, after, edits }) => ({
      file,
      ...(before && { before: storedBefore(before) }),
      ...(after === undefined ? {} : { after }),
      edits,
    })),
    folders: [...folders],
    excluded: [...excluded],
  }
}

export function parseStored(text: string): StoredPlan | undefined {
  try {
    return planSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Of everything, in one order of fields, so that nothing can be put into a file that its name does not vouch for. */
export function handleOf({ version, root, files, folders, excluded }: StoredPlan): string {
  const facts = files.map(({ file, before, after, edits }) => [
    file,
    before === undefined ? null : [before.file, before.content, before.bom, before.isBinary ?? false],
    after ?? null,
    edits,
  ])
  return handlePrefix + shortHash(JSON.stringify([version, root, facts, folders, excluded]), 12)
}

/** The beginning of the hash, in hexadecimal digits. */
export function shortHash(text: string, digits: number): string {
  const start = 'sha256:'.length
  return contentHash(text).slice(start, start + digits)
}

function storedBefore({ file, content, bom, isBinary }: PlannedBefore): StoredBefore {
  return { file, content, bom, ...(isBinary && { isBinary }) }
}
