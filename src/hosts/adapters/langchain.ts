// `alidade/langchain`: tools for LangChain. It wants instances of its own class, so its `tool` function is handed in; the
// package itself is not imported.
import type { AgentTool } from '../../dialects/agent-tool.js'
import type { JsonObject } from '../../json.js'

/** The `tool` function of `@langchain/core/tools`, as far as it is used here. */
export type LangChainToolFactory<T> = (
  run: (input: unknown, config?: { readonly signal?: AbortSignal | undefined }) => Promise<string>,
  fields: { name: string; description: string; schema: JsonObject },
) => T

/** For `bindTools`, `createAgent` and graphs: `langchainTools(await bridge.tools(), tool)`. */
export function langchainTools<T>(tools: readonly AgentTool[], tool: LangChainToolFactory<T>): T[] {
  return tools.map(own =>
    tool(async (input, config) => (await own.call(input, { signal: config?.signal })).text, {
      name: own.name,
      description: own.description,
      schema: { ...own.inputSchema },
    }),
  )
}
