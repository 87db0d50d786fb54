// A tool bound to a bridge, as a program that embeds Alidade hands it to its agent: everything a framework asks of a
// tool (name, description, schema, a function), and nothing of any framework.
import type * as z from 'zod'
import type { Effect } from '../operations/operation.js'
import { presetDefaults } from '../operations/preset-defaults.js'
import { type LeanSchema, leanInput } from './lean-schema.js'
import { type AskedBridge, askingThrough } from './through-bridge.js'
import { answerOf, type ModelTool, type ToolAnswer } from './tool.js'

export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly effect: Effect
  /** Nothing is written when it is called; a host's plan mode may let it through. */
  readonly readOnly: boolean
  readonly input: z.ZodObject
  /** The same as plain JSON, in the few keywords that every provider takes. */
  readonly inputSchema: LeanSchema
  /** Never rejects: a failure is an answer that says so. */
  call(input: unknown, options?: CallOptions): Promise<ToolAnswer>
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export function agentTool(tool: ModelTool, bridge: AskedBridge): AgentTool {
  const { name, description, effect, input, operation } = tool
  const defaults = presetDefaults(bridge.preset)[operation?.name ?? '']
  return {
    name,
    description,
    effect,
    readOnly: isReadOnly(effect),
    input,
    inputSchema: leanInput(input, defaults),
    call: (given, { signal } = {}) =>
      answerOf(tool, given, askingThrough(bridge, { caller: 'model', signal })),
  }
}

/** A proposal is computed and kept; nothing is written before somebody applies it. */
export function isReadOnly(effect: Effect): boolean {
  return effect === 'read' || effect === 'propose'
}
