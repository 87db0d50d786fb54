// The question of approval on a terminal, where the policy wants one. Without somebody to ask the call fails and says so.
import type { Approve } from '../../policy/authority.js'
import type { Console } from './console.js'

export function approvalOn(console: Console): Approve | undefined {
  if (!console.canAsk) return undefined
  return async ({ operation, effect, file, reason }, signal) => {
    const { confirm } = await import('@clack/prompts')
    const where = file === undefined ? '' : ` in ${file}`
    const reply = await confirm({
      message: `${reason}. Let ${operation} (class ${effect}) run${where}?`,
      initialValue: false,
      input: process.stdin,
      output: process.stderr,
      withGuide: false,
      ...(signal === undefined ? {} : { signal }),
    })
    return reply === true
  }
}
