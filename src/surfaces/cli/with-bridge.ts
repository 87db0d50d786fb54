// Opens a bridge for one command, shows what it is doing, and closes it whatever happens: no server outlives a command.
import type { BridgeCore } from '../../bridge.js'
import { systemClock } from '../../clock.js'
import { bridgeOptions, type CommonFlags } from './common-flags.js'
import type { Console } from './console.js'
import { showProgress } from './progress.js'

export interface CommandContext {
  readonly console: Console
  /** Aborted when the command is to end. */
  readonly signal: AbortSignal
}

/** `use` asks, `show` prints; the line of progress is gone in between, and servers stop after the answer is out. */
export async function withBridge<T>(
  flags: CommonFlags,
  { console }: CommandContext,
  steps: {
    use(bridge: BridgeCore): Promise<T>
    show(outcome: T, bridge: BridgeCore): Promise<number>
  },
): Promise<number> {
  const { openBridge } = await import('../../bridge.js')
  const bridge = await openBridge(bridgeOptions(flags, console))
  for (const warning of bridge.warnings) console.warn(warning)
  try {
    const stop = showProgress({
      console,
      events: bridge.events,
      candidates: () => bridge.candidates(),
      clock: systemClock,
    })
    const outcome = await steps.use(bridge).finally(stop)
    return await steps.show(outcome, bridge)
  } finally {
    await bridge.close()
  }
}
