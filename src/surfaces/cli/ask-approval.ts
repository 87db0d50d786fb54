// The question of approval on a terminal, where the policy wants one. Without somebody to ask the call fails and says so.
import { approvalText } from '../../policy/approval-text.js'
import type { Approve } from '../../policy/authority.js'
import type { Console } from './console.js'

export function approvalOn(console: Console): Approve | undefined {
  if (!console.canAsk) return undefined
  return (request, signal) => console.confirm(`Alidade: ${approvalText(request)} Approve?`, signal)
}
