// One operation as an MCP tool: its name, what a model chooses by, and schemas that cost few tokens. Nothing here is
// written by hand for a single operation.
import type { Tool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { annotationsOf } from '../../dialects/annotations.js'
import { leanInput, outputSchema } from '../../dialects/lean-schema.js'
import { operationTool } from '../../dialects/operation-tool.js'
import type { ModelTool } from '../../dialects/tool.js'
import type { JsonObject } from '../../json.js'
import type { Operation } from '../../operations/operation.js'

export interface ToolOptions {
  readonly structured: boolean
  /** What an argument is when it is not given, where that differs from the operation's own default. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

export function toolOf(operation: Operation, options: ToolOptions): Tool {
  return describedTool(operationTool(operation), options)
}

/** Without a title: it would only repeat the name, and clients show the name then. */
export function describedTool(tool: ModelTool, { structured, defaults }: ToolOptions): Tool {
  const { name, description, input, effect, operation } = tool
  return {
    name,
    description,
    // `timeout_ms` is taken by every tool and listed by none: the instructions name it once.
    inputSchema: leanInput(input, defaults),
    // A dialect's own object is what its design says it is, and not checked once more by the client.
    ...(structured && operation !== undefined ? { outputSchema: answerSchema(operation) } : {}),
    annotations: { ...annotationsOf[effect] },
  }
}

/** Success and failure in one object: clients of 2025 accept no union at the root of a schema. */
function answerSchema(operation: Operation): JsonObject {
  return outputSchema(
    z.object({
      ok: z.boolean(),
      result: operation.output.optional(),
      target: z
        .object({
          file: z.string(),
          line: z.int(),
          column: z.int(),
          symbol: z.string(),
          handle: z.string(),
          note: z.string().optional(),
        })
        .optional(),
      completeness: z
        .object({
          verdict: z.enum(['complete', 'partial', 'unknown']),
          reason: z.string().optional(),
          hint: z.string().optional(),
        })
        .optional(),
      freshness: z
        .object({
          verdict: z.enum(['current', 'stale', 'unknown']),
          content: z.string().optional(),
          queried_at: z.string(),
          reason: z.string().optional(),
        })
        .optional(),
      servers: z.array(z.object({ id: z.string(), name: z.string(), version: z.string() })).optional(),
      truncated: z.object({ shown: z.int(), total: z.int() }).optional(),
      evidence: z.string().optional(),
      kind: z.string().optional(),
      error: z.string().optional(),
      hint: z.string().optional(),
      candidates: z
        .array(
          z.object({
            file: z.string(),
            line: z.int(),
            column: z.int(),
            symbol: z.string(),
            text: z.string(),
          }),
        )
        .optional(),
    }),
  )
}
