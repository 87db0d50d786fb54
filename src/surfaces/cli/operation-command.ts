// `alidade <operation>`: one question, one answer, then the servers go.
import type { BridgeCore } from '../../bridge.js'
import type { Answer } from '../../operations/answer.js'
import type { Operation } from '../../operations/operation.js'
import { exitCodeOf } from './answer-code.js'
import { approvalOn } from './ask-approval.js'
import { trustWasGiven } from './ask-trust.js'
import type { CommonFlags } from './common-flags.js'
import { reportFailure } from './failure.js'
import { type CommandContext, withBridge } from './with-bridge.js'

export interface Question {
  readonly operation: Operation
  readonly input: Readonly<Record<string, unknown>>
  readonly flags: CommonFlags
}

export async function runOperationCommand(
  { operation, input, flags }: Question,
  context: CommandContext,
): Promise<number> {
  const { console, signal } = context
  const json = flags.json === true
  const ask = async (bridge: BridgeCore) =>
    asTyped(
      await bridge.run(operation, input, { caller: 'host', signal, approve: approvalOn(console) }),
      console.cwd,
    )
  const show = async (answer: Answer<unknown>, bridge: BridgeCore) => {
    // Whoever pressed Ctrl-C knows that there is no answer.
    if (signal.aborted) return exitCodeOf(operation, answer)
    const text = bridge.render(operation, answer)
    if (!answer.ok) await reportFailure(answer, { console, json, text })
    else if (json) await console.json(answer)
    else await console.text(text)
    return exitCodeOf(operation, answer)
  }
  let askAgain = false
  const code = await withBridge(flags, context, {
    use: ask,
    async show(answer, bridge) {
      askAgain = await trustWasGiven(answer, { bridge, console, signal })
      return askAgain ? exitCodeOf(operation, answer) : show(answer, bridge)
    },
  })
  return askAgain ? withBridge(flags, context, { use: ask, show }) : code
}

/** The engine's hint speaks of paths relative to the root, which is not how they are typed here. */
function asTyped(answer: Answer<unknown>, cwd: string): Answer<unknown> {
  if (answer.ok || answer.kind !== 'FileNotFound') return answer
  return { ...answer, hint: `Paths are typed relative to the current folder, ${cwd}, or absolute.` }
}
