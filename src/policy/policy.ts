// May this call run? The seam every call passes before anything is touched. The decision is a value, so that it can be
// recorded; today's policy allows everything that a caller can reach.

export interface PolicyQuestion {
  readonly operation: string
  readonly effect: 'read' | 'propose' | 'edit' | 'execute'
  /** The command line counts as the host, not as a model. */
  readonly caller: 'model' | 'host'
}

export type PolicyDecision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny' | 'ask'; readonly reason: string; readonly hint: string }

export type Policy = (question: PolicyQuestion) => PolicyDecision

export const allowAll: Policy = () => ({ decision: 'allow' })

/** For an agent whose block does not opt in. */
export function notEnabled(agent: string): Policy {
  return () => ({
    decision: 'deny',
    reason: `the agent ${agent} is not enabled`,
    hint: 'Set lsp.enabled: true in its block of agents.yaml.',
  })
}
