// `alidade/ai`: tools for the Vercel AI SDK, as plain objects. The SDK itself is not imported: it takes any schema that
// follows the Standard Schema, and this one is the lean JSON schema that every provider accepts.
import type { AgentTool } from '../../dialects/agent-tool.js'
import type { JsonObject } from '../../json.js'

export interface AiTool {
  readonly description: string
  readonly inputSchema: AiSchema
  execute(input: AiInput, options: { readonly abortSignal?: AbortSignal }): Promise<string>
}

export type AiInput = Readonly<Record<string, unknown>>

/** What the SDK asks of a schema; what the arguments are worth the tool says itself, with a hint. */
export interface AiSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: AiInput }
    readonly jsonSchema: {
      readonly input: (options: unknown) => JsonObject
      readonly output: (options: unknown) => JsonObject
    }
    readonly types?: { readonly input: unknown; readonly output: AiInput }
  }
}

/** For the `tools` of `generateText`, `streamText` and agents. A failure is a text with its kind and a hint. */
export function aiTools(tools: readonly AgentTool[]): Record<string, AiTool> {
  return Object.fromEntries(tools.map(tool => [tool.name, aiTool(tool)]))
}

function aiTool(tool: AgentTool): AiTool {
  const schema = (): JsonObject => ({ ...tool.inputSchema })
  return {
    description: tool.description,
    inputSchema: {
      '~standard': {
        version: 1,
        vendor: 'alidade',
        validate: value => ({ value: isInput(value) ? value : {} }),
        jsonSchema: { input: schema, output: schema },
      },
    },
    async execute(input, { abortSignal }) {
      return (await tool.call(input, { signal: abortSignal })).text
    },
  }
}

function isInput(value: unknown): value is AiInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
