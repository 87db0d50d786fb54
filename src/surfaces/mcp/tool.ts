// One operation as an MCP tool: its name, what a model chooses by, and schemas that cost few tokens. Nothing here is
// written by hand for a single operation.
import type { JSONObject, JSONValue, Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { inputSchema } from '../../operations/input.js'
import type { Effect, Operation } from '../../operations/operation.js'

export function toolOf(operation: Operation, { structured }: { readonly structured: boolean }): Tool {
  const { properties, required } = jsonSchema(inputSchema(operation))
  return {
    name: operation.name,
    title: titleOf(operation.name),
    description: operation.summary,
    inputSchema: {
      type: 'object',
      ...(isObject(properties) ? { properties } : {}),
      ...(isStrings(required) ? { required } : {}),
      additionalProperties: false,
    },
    ...(structured ? { outputSchema: jsonSchema(answerSchema(operation)) } : {}),
    annotations: annotations[operation.effect],
  }
}

const annotations: Readonly<Record<Effect, ToolAnnotations>> = {
  read: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  // A proposal is computed and kept in memory; nothing is written before it is applied.
  propose: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  edit: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  // A server's command may do anything, such as downloading what a manifest asks for.
  execute: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
}

/** Success and failure in one object: clients of 2025 accept no union at the root of a schema. */
function answerSchema(operation: Operation): z.ZodType {
  return z.object({
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
  })
}

/** As input: a field with a default need not be given, and an object may have more fields than are named. */
function jsonSchema(schema: z.ZodType): JSONObject {
  const plain = withoutNoise(z.toJSONSchema(schema, { io: 'input' }))
  return isObject(plain) ? plain : { type: 'object' }
}

/** Every tool is paid for in every prompt, so what says nothing is left out. */
function withoutNoise(value: unknown): JSONValue {
  if (Array.isArray(value)) return value.map(withoutNoise)
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).filter(([key, child]) => !isNoise(key, child))
    return Object.fromEntries(kept.map(([key, child]) => [key, withoutNoise(child)]))
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

/** Zod names the dialect, which is the default one, and the largest numbers JavaScript can count to. */
function isNoise(key: string, value: unknown): boolean {
  if (key === '$schema' || value === undefined) return true
  return (
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  )
}

function isObject(value: JSONValue | undefined): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isStrings(value: JSONValue | undefined): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string')
}

/** `find_references` is "Find references". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
