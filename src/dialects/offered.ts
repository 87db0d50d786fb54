// Which operations a model reaches under a preset, whatever its tools are called there.
import type { Preset } from '../config/presets.js'
import { unreachable } from '../errors.js'
import type { Operation } from '../operations/operation.js'
import { effectsOf } from '../policy/policy.js'
import { capabilityOperations } from './capability-tools.js'
import { lspOperations } from './lsp-tool.js'
import { sandboxOperations } from './sandbox-tools.js'

export type Offer = Pick<Preset, 'tools' | 'edits'>

/**
 * In an order that never varies, for clients cache the list and prompts repeat it: the preset's own, else the list's.
 * What the policy would refuse whoever asks is not offered.
 */
export function offeredBy<O extends Pick<Operation, 'name' | 'effect'>>(
  { tools, edits }: Offer,
  operations: readonly O[],
): readonly O[] {
  const permitted = effectsOf(edits)
  return named(
    tools,
    operations.filter(({ effect }) => permitted.includes(effect)),
  )
}

function named<O extends Pick<Operation, 'name'>>(
  tools: Offer['tools'],
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
      return operations.filter(({ name }) => tools.names.includes(sandboxOperations.get(name) ?? ''))
    case 'lsp':
      return operations.filter(({ name }) => lspOperations.has(name))
    case 'per-capability':
      return operations.filter(({ name }) => capabilityOperations.has(name))
    default:
      return unreachable(tools)
  }
}

/** What is named first is what a model is to try first. */
function inOrder<O extends Pick<Operation, 'name'>>(names: readonly string[], operations: readonly O[]): O[] {
  return names.flatMap(name => operations.filter(operation => operation.name === name))
}
