// `alidade/openai-agents`: function tools for OpenAI Agents, as plain objects; the package itself is not imported. Its
// strict mode knows no optional argument, so each of them may be null here, and null is taken for "not given".
import type { AgentTool } from '../../dialects/agent-tool.js'
import type { JsonObject, JsonValue } from '../../json.js'

export interface OpenAiAgentTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: StrictSchema
  readonly strict: true
  invoke(
    context: unknown,
    input: string,
    details?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string>
  needsApproval(): Promise<boolean>
  isEnabled(): Promise<boolean>
}

export type StrictSchema = {
  type: 'object'
  properties: Record<string, JsonObject>
  required: string[]
  additionalProperties: false
}

export interface OpenAiAgentOptions {
  /** Which tools wait for a person; by default none, because the policy of the bridge has decided already. */
  readonly needsApproval?: (tool: AgentTool) => boolean
}

/** For the `tools` of an `Agent`. */
export function openAiAgentTools(
  tools: readonly AgentTool[],
  { needsApproval = () => false }: OpenAiAgentOptions = {},
): OpenAiAgentTool[] {
  return tools.map(tool => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: strict(tool.inputSchema),
    strict: true,
    async invoke(_context, input, details) {
      const { text } = await tool.call(withoutNulls(parsed(input)), { signal: details?.signal })
      return text
    },
    needsApproval: async () => needsApproval(tool),
    isEnabled: async () => true,
  }))
}

/** What is no JSON at all is handed on as it is: the tool says what it takes. */
function parsed(input: string): unknown {
  try {
    return input === '' ? {} : JSON.parse(input)
  } catch {
    return input
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const given = Object.entries(value).filter(([, child]) => child !== null)
  return Object.fromEntries(given.map(([key, child]) => [key, withoutNulls(child)]))
}

interface ObjectSchema {
  readonly properties?: JsonValue
  readonly required?: JsonValue
}

function strict({ properties = {}, required = [] }: ObjectSchema): StrictSchema {
  const needed = Array.isArray(required) ? required : []
  const fields = isObject(properties) ? Object.entries(properties) : []
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, field]) => {
        const inner = isObject(field) ? strictValue(field) : {}
        return [name, needed.includes(name) ? inner : nullable(inner)]
      }),
    ),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  }
}

function strictValue(schema: JsonObject): JsonObject {
  const { description, items } = schema
  if (schema.type === 'object')
    return { ...(description === undefined ? {} : { description }), ...strict(schema) }
  return isObject(items) ? { ...schema, items: strictValue(items) } : schema
}

function nullable(schema: JsonObject): JsonObject {
  const { description, ...others } = schema
  return { ...(description === undefined ? {} : { description }), anyOf: [others, { type: 'null' }] }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
