// One agent's block of `agents.yaml`, chosen by `--agent`.
import { BridgeError } from '../errors.js'
import { nearest } from '../text/nearest.js'
import type { Source } from './parse.js'
import { quote } from './recorder.js'
import type { AgentBlock, AgentsFile } from './schema.js'
import { invalid } from './validate.js'

export interface AgentsSource {
  readonly agents: AgentsFile['agents']
  readonly source: Source
  readonly name: string
}

/** An agent without a block has an empty one: it is there, and not enabled. */
export function agentBlock(id: string, { agents, source, name }: AgentsSource): AgentBlock {
  const matches = agents.flatMap((agent, index) => (agent.id === id ? [{ agent, index }] : []))
  const [first, second] = matches
  if (second !== undefined) {
    throw invalid([
      {
        place: source.place(['agents', second.index, 'id']),
        message: `a second agent has the id ${quote(id)}`,
        hint: 'Give each agent an id of its own.',
      },
    ])
  }
  if (first !== undefined) return first.agent.lsp ?? {}
  const ids = agents.map(agent => agent.id)
  const [meant] = nearest(id, ids, 1)
  const suggestion = meant === undefined ? '' : `; did you mean ${quote(meant)}?`
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `${name} has no agent ${quote(id)}${suggestion}`,
    hint: `Agents in this file: ${ids.length === 0 ? 'none' : ids.slice(0, 20).map(quote).join(', ')}.`,
  })
}
