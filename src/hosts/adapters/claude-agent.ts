// `alidade/claude-agent`: tool definitions for the Claude Agent SDK, as plain objects in the shape its `tool()` makes
// them: a zod raw shape, a handler, annotations. The SDK itself is not imported.
import type * as z from 'zod'
import type { AgentTool } from '../../dialects/agent-tool.js'
import { type Annotations, annotationsOf } from '../../dialects/annotations.js'

export interface ClaudeAgentTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodRawShape
  readonly annotations: Annotations
  handler(args: Readonly<Record<string, unknown>>, extra: unknown): Promise<ClaudeAgentResult>
}

export type ClaudeAgentResult = {
  content: { type: 'text'; text: string }[]
  isError?: boolean
}

/** For the `tools` of `createSdkMcpServer`. */
export function claudeAgentTools(tools: readonly AgentTool[]): ClaudeAgentTool[] {
  return tools.map(tool => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input.shape,
    annotations: annotationsOf[tool.effect],
    async handler(args, extra) {
      const { ok, text } = await tool.call(args, { signal: signalIn(extra) })
      return { content: [{ type: 'text', text }], ...(ok ? {} : { isError: true }) }
    },
  }))
}

/** The names under which the SDK lets a model call them, for `allowedTools`: all, or those of plan mode. */
export function claudeAgentToolNames(
  tools: readonly AgentTool[],
  { server, readOnly = false }: { readonly server: string; readonly readOnly?: boolean },
): string[] {
  return tools.filter(tool => tool.readOnly || !readOnly).map(({ name }) => `mcp__${server}__${name}`)
}

function signalIn(extra: unknown): AbortSignal | undefined {
  if (typeof extra !== 'object' || extra === null || !('signal' in extra)) return undefined
  return extra.signal instanceof AbortSignal ? extra.signal : undefined
}
