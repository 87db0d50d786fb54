// Which tools a preset offers to a model: operations as they are, or one of the dialects over them.
import type { Preset } from '../config/presets.js'
import { unreachable } from '../errors.js'
import { operations } from '../operations/index.js'
import type { Operation } from '../operations/operation.js'
import { effectsOf } from '../policy/policy.js'
import { capabilityTools } from './capability-tools.js'
import { lspTool } from './lsp-tool.js'
import { type Offer as OfferedOperations, offeredBy } from './offered.js'
import { operationTool } from './operation-tool.js'
import { sandboxTools } from './sandbox-tools.js'
import type { ModelTool } from './tool.js'

export type Offer = OfferedOperations &
  Pick<Preset, 'missingCapability' | 'missingServer' | 'referencesIncludeDeclaration'>

/** What is known of the servers: undefined while nobody can say what one that answers here can do. */
export type Offering = (operation: Pick<Operation, 'lsp'>) => boolean | undefined

/** In an order that never varies, for clients cache the list and prompts repeat it. */
export function toolsFor(offer: Offer, offering: Offering): readonly ModelTool[] {
  if (offer.missingServer === 'hide' && offering({ lsp: null }) === false) return []
  const isOffered = (operation: Pick<Operation, 'lsp'>) =>
    !hidesIncapable(offer) || (offering(operation) ?? true)
  const { edits, referencesIncludeDeclaration: includesDeclaration } = offer
  const effects = effectsOf(edits)
  switch (offer.tools.kind) {
    case 'operations':
    case 'every-operation':
    case 'none':
      return offeredBy<Operation>(offer, operations).filter(isOffered).map(operationTool)
    case 'lsp':
      return [lspTool({ isOffered, includesDeclaration })]
    case 'sandbox': {
      const { names } = offer.tools
      return sandboxTools({ includesDeclaration }).filter(
        ({ name, effect }) => names.includes(name) && effects.includes(effect),
      )
    }
    case 'per-capability':
      return capabilityTools({ isOffered, effects })
    default:
      return unreachable(offer.tools)
  }
}

/** Whether what no server can answer is left out, so that the list changes while servers come and go (C9, C10). */
export function isDynamic(offer: Pick<Offer, 'missingCapability' | 'missingServer'>): boolean {
  return hidesIncapable(offer) || offer.missingServer === 'hide'
}

function hidesIncapable({ missingCapability }: Pick<Offer, 'missingCapability'>): boolean {
  return missingCapability === 'not-described' || missingCapability === 'not-generated'
}
