// The question of approval on a terminal, where the policy wants one. Without somebody to ask the call fails and says so.
import type { Approve } from '../../policy/authority.js'
import type { Console } from './console.js'

export function approvalOn(console: Console): Approve | undefined {
  if (!console.canAsk) return undefined
  return ({ operation, effect, file, reason }, signal) => {
    const where = file === undefined ? '' : ` in ${file}`
    return console.confirm(`${reason}. Let ${operation} (class ${effect}) run${where}?`, signal)
  }
}
