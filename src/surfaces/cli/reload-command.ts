// `alidade reload`: looks at PATH and the configuration again, says whether they hold, and what would be used. Where no
// daemon runs there is nobody to tell: every command reads them anew by itself.
import type { Reloaded } from '../../bridge.js'
import type { CommonFlags } from './common-flags.js'
import { exitCodes } from './exit-code.js'
import { describeLanguage } from './status-command.js'
import { type CommandContext, withBridge } from './with-bridge.js'

export function runReloadCommand(flags: CommonFlags, context: CommandContext): Promise<number> {
  const { console } = context
  return withBridge(flags, context, {
    use: bridge => bridge.reload(),
    async show(reloaded) {
      if (flags.json === true) await console.json({ ok: true, ...reloaded, daemon: null })
      else await console.text(describe(reloaded))
      return exitCodes.answer
    },
  })
}

/** Warnings were told when the bridge was opened. */
function describe({ preset, sources, languages }: Reloaded): string {
  return [
    `the configuration is valid: preset ${preset}, ${sources.length === 0 ? 'no files' : sources.join(', ')}`,
    ...languages.flatMap(describeLanguage),
    ...(languages.length === 0 ? ['no language known here has a file'] : []),
    'No daemon runs here, so there is none to be told; every command reads this anew.',
  ].join('\n')
}
