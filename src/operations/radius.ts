// The shape of what a change reaches.
import * as z from 'zod'
import { placeSchema } from './operation.js'

const userSchema = z.object({
  file: z.string(),
  /** Empty at the top level of a file. */
  symbol: z.string(),
  /** Where it uses the symbol. */
  line: z.number().int(),
  /** Steps away from the changed symbol. */
  depth: z.number().int(),
})
export type User = z.output<typeof userSchema>

const symbolSchema = z.object({
  symbol: z.string(),
  kind: z.string(),
  ...placeSchema.shape,
  change: z.enum(['modified', 'added', 'removed']),
  /** Absent when nobody knows. */
  references: z.number().int().optional(),
  users: z.array(userSchema),
  users_total: z.number().int(),
  tests: z.array(userSchema),
  tests_total: z.number().int(),
  /** No test reaches it, within the depth asked for; false also where not all was looked at. */
  untested: z.boolean(),
})
export type Affected = z.output<typeof symbolSchema>

export const radiusSchema = z.object({
  depth: z.number().int(),
  symbols: z.array(symbolSchema),
  /** Changed files, and what in them is no symbol. */
  changed: z.array(z.object({ file: z.string(), change: z.string(), note: z.string().optional() })),
  /** The first of the changed files that are in no language with a server. */
  others: z.array(z.string()),
  others_total: z.number().int(),
  /** Files that use a changed symbol. */
  files: z.array(z.string()),
  tests: z.array(z.object({ file: z.string(), symbol: z.string(), line: z.number().int() })),
  untested: z.array(z.object({ file: z.string(), symbol: z.string(), line: z.number().int() })),
})
export type Radius = z.output<typeof radiusSchema>
