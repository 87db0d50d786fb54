// What the runs found, in the short form that is committed and shown: counts and ratios, never the single answers.
import * as z from 'zod'

const startsResult = z.object({
  version: z.string(),
  /** The real code and the symbol whose references were asked for. */
  workspace: z.string(),
  symbol: z.string(),
  /** How many places the server finds when it is left alone for long. */
  steady: z.number().int(),
  seed: z.string(),
  starts: z.number().int(),
  complete: z.number().int(),
  partial: z.number().int(),
  unknown: z.number().int(),
  /** First answers that were called complete and lacked a steady place. */
  lies: z.number().int(),
  /** Median over the starts of our time to the first complete answer, divided by the raw server's. */
  ratio: z.number().optional(),
  complete_ms: z.number().int().optional(),
  raw_ms: z.number().int().optional(),
})

const editsResult = z.object({
  version: z.string(),
  workspace: z.string(),
  seed: z.string(),
  edits: z.number().int(),
  reports: z.number().int(),
  unknown: z.number().int(),
  previews: z.number().int(),
  renames: z.number().int(),
  renames_failed: z.number().int().default(0),
  references: z.number().int().default(0),
  confirmed: z.number().int(),
  confirmed_by: z.string().optional(),
  violations: z.number().int(),
})

const truthSchema = z.object({
  starts: z.record(z.string(), startsResult),
  edits: z.record(z.string(), editsResult),
})

export type StartsResult = z.infer<typeof startsResult>
export type EditsResult = z.infer<typeof editsResult>
export type Truth = z.infer<typeof truthSchema>

export const truthFile = 'test/real/truth.json'

export function parseTruth(text: string): Truth {
  return truthSchema.parse(JSON.parse(text))
}
