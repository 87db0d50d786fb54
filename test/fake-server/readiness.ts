// Servers that answer too little before they are ready, the fault most worth a test: seven of ten real servers give
// a well-formed, too small answer right after the start. Each way of becoming ready, and of saying so, is one choice.
import type { Act, Json, Rule, Script, Selector } from './script.js'

const token = 'fake-index'

const beginning: readonly Act[] = [
  { act: 'request', method: 'window/workDoneProgress/create', params: { token }, waits: true },
  progress({ kind: 'begin', title: 'Indexing', percentage: 0 }),
]

export interface PartialBeforeReady {
  /** The methods that answer too little; every query without it. */
  readonly on?: Selector
  /** The answer before; without it, only what lies in the asked file. */
  readonly before?: Act
  /** The answer afterwards; without it, the whole truth. */
  readonly after?: Act
  /**
   * What makes the server ready: time after the handshake, a message it receives, or the nth call, already whole.
   * With `never` it is the test that performs `become-ready`, if anybody.
   */
  readonly ready:
    | 'never'
    | { readonly milliseconds: number }
    | { readonly received: Selector }
    | { readonly calls: number }
  /** How the client can tell; without it, not at all. */
  readonly says?: 'progress' | { readonly notification: string; readonly params?: Json }
}

export function partialBeforeReady(options: PartialBeforeReady): Script {
  const { on = '@query', before = { act: 'built-in', only: 'same-file' }, ready, says } = options
  const announce: readonly Act[] = says === undefined ? [] : [announcement(says)]
  const rules: Rule[] = []
  if (says === 'progress') rules.push({ on: 'initialized', also: true, do: beginning })
  if (ready !== 'never') rules.push(becomingReady(ready, on, [{ act: 'become-ready' }, ...announce]))
  rules.push({ on, when: 'before-ready', do: [before] })
  if (options.after !== undefined) rules.push({ on, when: 'after-ready', do: [options.after] })
  return { description: 'H12, O9, R-89: answers too little before it is ready.', rules }
}

export const readinessFaults = {
  'partial-before-ready': partialBeforeReady({ ready: { milliseconds: 300 }, says: 'progress' }),
  'partial-before-ready-silently': partialBeforeReady({ ready: { milliseconds: 300 } }),
  'progress-never-ends': {
    description: 'H12: begins a progress after the handshake and never ends it; its answers are whole.',
    rules: [
      {
        on: 'initialized',
        also: true,
        do: [...beginning, progress({ kind: 'report', message: '1 of 2', percentage: 50 })],
      },
    ],
  },
} satisfies Record<string, Script>

function becomingReady(
  ready: Exclude<PartialBeforeReady['ready'], 'never'>,
  on: Selector,
  acts: readonly Act[],
): Rule {
  if ('received' in ready) return { on: ready.received, nth: 1, also: true, do: acts }
  if ('calls' in ready) return { on, nth: ready.calls, also: true, do: acts }
  return { on: 'initialized', also: true, do: [{ act: 'delay', milliseconds: ready.milliseconds }, ...acts] }
}

function announcement(says: NonNullable<PartialBeforeReady['says']>): Act {
  if (says === 'progress') return progress({ kind: 'end', message: 'Indexed' })
  return { act: 'notify', method: says.notification, params: says.params ?? {} }
}

function progress(value: Json): Act {
  return { act: 'notify', method: '$/progress', params: { token, value } }
}
