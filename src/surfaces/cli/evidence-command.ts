// `alidade evidence`: how it is typed. What it does lies in evidence-actions.ts, loaded when it is called.
import { InvalidArgumentError, Option } from 'commander'
import type { CliCommand } from './command.js'
import { usageError } from './failure.js'

const actions = ['tail', 'verify', 'export'] as const
export type EvidenceAction = (typeof actions)[number]

export const evidenceCommand: CliCommand = {
  name: 'evidence',
  group: 'Other commands:',
  description:
    'The record of what was asked and answered here: tail shows the youngest events, verify finds any altered, removed, reordered or torn record and names the first (exit code 1), export prints chosen records as JSON lines with a proof at the end.',
  example: 'verify',
  syntax: () => ({
    positional: { name: 'action', required: true, description: 'tail, verify or export.' },
    options: [
      new Option('--follow', 'With tail: go on until interrupted, and print what is recorded meanwhile.'),
      new Option('--lines <n>', 'With tail: how many events at first (default 20).').argParser(wholeNumber),
      new Option('--since <time>', 'Only events from this time on: 2030-01-31T12:00Z, or 30m, 2h, 7d ago.'),
      new Option('--until <time>', 'Only events up to this time, given likewise.'),
      new Option('--kind <kinds>', 'Only events of these kinds, separated by commas.'),
      new Option('--id <id>', 'Only the event that an answer named as its evidence.'),
      new Option('--against <file>', 'With verify: an earlier export whose records the log must still hold.'),
    ],
  }),
  async run({ positionals: [typed = ''], flags, common }, context) {
    const action = actions.find(name => name === typed)
    if (action === undefined)
      throw usageError(`there is no evidence ${JSON.stringify(typed)}`, 'Give one of: tail, verify, export.')
    const { runEvidenceCommand } = await import('./evidence-actions.js')
    const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined)
    return runEvidenceCommand(
      {
        ...common,
        action,
        follow: flags.follow === true,
        lines: typeof flags.lines === 'number' ? flags.lines : 20,
        since: text('since'),
        until: text('until'),
        kinds: text('kind'),
        id: text('id'),
        against: text('against'),
      },
      context,
    )
  },
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && text.trim() !== '') return value
  throw new InvalidArgumentError('It is not a whole number.')
}
