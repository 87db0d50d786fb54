// An operation as a tool: the same name, fields and text.
import type { Operation } from '../operations/operation.js'
import type { ModelTool } from './tool.js'

export function operationTool(operation: Operation): ModelTool {
  const made = tools.get(operation)
  if (made !== undefined) return made
  const { name, summary, effect, input } = operation
  const tool: ModelTool = {
    name,
    description: summary,
    effect,
    input,
    operation,
    async answer(given, asking) {
      const answer = await asking.ask(operation, given)
      return { ok: answer.ok, text: asking.render(operation, answer), result: answer }
    },
  }
  tools.set(operation, tool)
  return tool
}

// A list of tools is asked for again and again, and is to be the same each time.
const tools = new WeakMap<Operation, ModelTool>()
