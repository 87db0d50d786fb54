// Which operations a preset offers to a model: its list of tools, or as much of the operations as it lets a model do.
import type { Preset } from '../../config/presets.js'
import { unreachable } from '../../errors.js'
import type { Effect, Operation } from '../../operations/operation.js'

export type Offer = Pick<Preset, 'tools' | 'edits'>

/** In an order that never varies, for clients cache the list and prompts repeat it: the preset's own, else the list's. */
export function offeredBy<O extends Pick<Operation, 'name' | 'effect'>>(
  { tools, edits }: Offer,
  operations: readonly O[],
): readonly O[] {
  switch (tools.kind) {
    case 'every-operation':
      return operations
    case 'none':
      return []
    case 'operations':
      return inOrder(tools.names, operations)
    case 'sandbox':
      return operations.filter(({ name }) => tools.names.includes(sandboxNames.get(name) ?? name))
    // Their own dialects are other names for these operations; the operations stand for them.
    case 'lsp':
    case 'per-capability':
      return operations.filter(({ effect }) => allowed[edits].includes(effect))
    default:
      return unreachable(tools)
  }
}

/** What is named first is what a model is to try first. */
function inOrder<O extends Pick<Operation, 'name'>>(names: readonly string[], operations: readonly O[]): O[] {
  return names.flatMap(name => operations.filter(operation => operation.name === name))
}

const allowed: Readonly<Record<Preset['edits'], readonly Effect[]>> = {
  none: ['read'],
  propose: ['read', 'propose'],
  apply: ['read', 'propose', 'edit', 'execute'],
}

/** What the sandbox dialect calls an operation of another name. */
const sandboxNames: ReadonlyMap<string, string> = new Map([['go_to_definition', 'find_definition']])
