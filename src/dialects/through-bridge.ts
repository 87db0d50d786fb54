// Puts a tool's questions to a bridge, in the name of whoever called the tool.
import type { BridgeCore } from '../bridge.js'
import type { Answer } from '../operations/answer.js'
import type { Call } from '../operations/run.js'
import type { Asking } from './tool.js'

export type AskedBridge = Pick<BridgeCore, 'preset' | 'run' | 'render' | 'missingServer' | 'proposedDiffs'>

/** `onAnswer` hears of every answer before a text is made of it. */
export function askingThrough(
  bridge: AskedBridge,
  call: Call,
  onAnswer?: (answer: Answer<unknown>) => void,
): Asking {
  return {
    async ask(operation, input, options) {
      const answer = await bridge.run(
        operation,
        input,
        options === undefined ? call : { ...call, ...options },
      )
      onAnswer?.(answer)
      return answer
    },
    render: (operation, answer) => bridge.render(operation, answer),
    missingServer: file => bridge.missingServer(file),
    proposedDiffs: (handle, options) => bridge.proposedDiffs(handle, options),
    limitBytes: bridge.preset.limitKb * 1024,
    argumentErrorKind: bridge.preset.argumentErrorKind,
  }
}
