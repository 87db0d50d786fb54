// A context that is handed over becomes one event with the record of every item in it (INV-LSP-001). It is recognised by
// the shape that the contract gives it; the texts of the items are source and stay out.
import * as z from 'zod'
import type { CallRecord } from './evidence.js'
import { contextRecord, type EvidenceEvent } from './shapes.js'

const contextSchema = z.object({
  items: z.array(z.object({ record: contextRecord })).min(1),
  tokens: z.number().int().nonnegative(),
  budget: z.number().int().nonnegative().optional(),
  left_out: z.array(z.unknown()),
})

/** Empty for every answer that is no context, and for one with nothing in it. */
export function contextEvents({ answer }: CallRecord, call: string): EvidenceEvent[] {
  const result = answer?.result
  if (typeof result !== 'object' || result === null || !('left_out' in result)) return []
  const context = contextSchema.safeParse(result).data
  if (context === undefined) return []
  const { items, tokens, budget, left_out } = context
  return [
    {
      kind: 'context_injected',
      call,
      tokens,
      ...(budget === undefined ? {} : { budget }),
      items: items.map(({ record }) => record),
      left_out: left_out.length,
    },
  ]
}
