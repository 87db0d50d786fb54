// The presets as a table. A knob without a row here does not compile, and a knob that nothing obeys yet is said to be
// so: a table of promises would be worse than none.
import { type OfferedTools, type Preset, presetNames, presets } from '../../src/config/presets.js'
import { unreachable } from '../../src/errors.js'
import type { RestartPolicy } from '../../src/supervisor/restart-policy.js'
import { code, table } from './markdown.js'

interface Knob {
  readonly title: string
  /** The file that obeys it, below src; undefined while none does. */
  readonly obeyedIn: string | undefined
  readonly show: (preset: Preset) => string
}

export const knobs: Readonly<Record<Exclude<keyof Preset, 'name'>, Knob>> = {
  tools: {
    title: 'Tools offered',
    obeyedIn: 'dialects/offered.ts',
    show: ({ tools }) => describeTools(tools),
  },
  edits: { title: 'Edits', obeyedIn: 'policy/policy.ts', show: ({ edits }) => edits },
  restart: {
    title: 'Restart after a crash',
    obeyedIn: 'supervisor/lifecycle.ts',
    show: ({ restart }) => describeRestart(restart),
  },
  whileRestarting: {
    title: 'A call during a restart',
    obeyedIn: 'supervisor/instance.ts',
    show: ({ whileRestarting }) => whileRestarting,
  },
  idle: {
    title: 'Stopped when idle',
    obeyedIn: 'operations/run.ts',
    show: ({ idle }) =>
      idle.seconds === 0 ? 'never' : `after ${idle.seconds} s without ${activity[idle.counts]}`,
  },
  autodetect: { title: 'Auto-detection', obeyedIn: 'bridge.ts', show: ({ autodetect }) => autodetect },
  autodetectUnattended: {
    title: 'Auto-detection when nobody is there to be told',
    obeyedIn: 'bridge.ts',
    show: ({ autodetectUnattended }) => autodetectUnattended,
  },
  workspaceServersUnattended: {
    title: "The workspace file's servers then count",
    obeyedIn: 'config/load.ts',
    show: ({ workspaceServersUnattended }) => yes(workspaceServersUnattended),
  },
  candidates: {
    title: 'Servers tried first (see [servers](servers.md))',
    obeyedIn: 'bridge.ts',
    show: ({ candidates }) => (candidates === 'ours' ? 'the shipped ones' : 'the established ones'),
  },
  limitKb: { title: 'Longest answer', obeyedIn: 'bridge.ts', show: ({ limitKb }) => `${limitKb} KB` },
  plane: { title: 'Who may ask', obeyedIn: 'policy/policy.ts', show: ({ plane }) => plane },
  readGate: {
    title: 'Rename needs a read file',
    obeyedIn: 'operations/call-state.ts',
    show: ({ readGate }) => yes(readGate),
  },
  methods: {
    title: 'Requests that may be sent',
    obeyedIn: 'lsp/capabilities.ts',
    show: ({ methods }) => (typeof methods === 'string' ? methods : `${methods.length} read requests`),
  },
  detectBy: {
    title: 'Languages found by',
    obeyedIn: 'workspace/recognised-project.ts',
    show: ({ detectBy }) => detectBy,
  },
  probe: {
    title: 'Programs are looked up',
    obeyedIn: 'supervisor/programs.ts',
    show: ({ probe }) => (probe === 'at-boot' ? 'once, at the start' : 'when they are needed'),
  },
  evidence: { title: 'Evidence', obeyedIn: 'bridge.ts', show: ({ evidence }) => evidence },
  missingCapability: {
    title: 'Missing capability',
    obeyedIn: 'dialects/index.ts',
    show: ({ missingCapability }) => missingCapability,
  },
  missingServer: {
    title: 'Missing server',
    obeyedIn: 'operations/offered-capabilities.ts',
    show: ({ missingServer }) => missingServer,
  },
  onTimeout: { title: 'A call that times out', obeyedIn: undefined, show: ({ onTimeout }) => onTimeout },
  referencesIncludeDeclaration: {
    title: 'References include the declaration',
    obeyedIn: 'operations/preset-defaults.ts',
    show: ({ referencesIncludeDeclaration }) => yes(referencesIncludeDeclaration),
  },
  configurationNull: {
    title: 'An unset section is answered with',
    obeyedIn: 'supervisor/session.ts',
    show: ({ configurationNull }) => (configurationNull ? 'null' : 'an object'),
  },
  unknownRequest: {
    title: "A server's unknown request gets",
    obeyedIn: 'supervisor/session.ts',
    show: ({ unknownRequest }) => unknownRequest,
  },
  argumentErrorKind: {
    title: 'Kind of a wrong argument',
    obeyedIn: 'operations/run.ts',
    show: ({ argumentErrorKind }) => argumentErrorKind,
  },
  hintInError: {
    title: 'Install hint also in the error',
    obeyedIn: 'operations/run.ts',
    show: ({ hintInError }) => yes(hintInError),
  },
  externalPaths: {
    title: 'Files outside the workspace',
    obeyedIn: 'workspace/path-gate.ts',
    show: ({ externalPaths }) => externalPaths,
  },
  daemon: { title: 'Shared daemon', obeyedIn: undefined, show: ({ daemon }) => daemon },
}

export function presetTables(): string[] {
  const all = Object.values(knobs)
  const obeyed = all.filter(({ obeyedIn }) => obeyedIn !== undefined)
  const declared = all.filter(({ obeyedIn }) => obeyedIn === undefined)
  if (declared.length === 0) return [tableOf(obeyed)]
  return [
    tableOf(obeyed),
    'The following knobs are declared and not obeyed yet: every preset behaves as `default` does here.',
    tableOf(declared),
  ]
}

function tableOf(rows: readonly Knob[]): string {
  return table(
    ['Knob', ...presetNames.map(code)],
    rows.map(({ title, show }) => [title, ...presetNames.map(name => show(presets[name]))]),
  )
}

function describeTools(tools: OfferedTools): string {
  switch (tools.kind) {
    case 'operations':
      return `of these, the operations that exist: ${tools.names.map(code).join(', ')}`
    case 'every-operation':
      return 'every operation'
    case 'none':
      return 'none'
    case 'sandbox':
      return tools.names.map(code).join(', ')
    case 'lsp':
      return '`Lsp`'
    case 'per-capability':
      return '`lsp_*`, one per capability the servers declare'
    default:
      return unreachable(tools)
  }
}

const activity: Readonly<Record<Preset['idle']['counts'], string>> = {
  model: "a call other than a poller's",
  success: 'a successful call',
  any: 'any call',
}

const bounds: Readonly<Record<RestartPolicy['counts'], (max: number) => string>> = {
  'failed-starts': max => `off after ${max} failed starts in a row`,
  restarts: max => `off when it dies after ${max === 1 ? 'one restart' : `${max} restarts`}`,
  crashes: max => `off after more than ${max} crashes`,
}

function describeRestart({ max, counts, trigger, backoffMs }: RestartPolicy): string {
  const bound = Number.isFinite(max) ? bounds[counts](max) : 'never off'
  const waits = backoffMs.filter(wait => wait > 0).map(wait => wait / 1000)
  const when = trigger === 'eager' ? 'by itself' : 'at the next call'
  return `${when}${waits.length === 0 ? '' : ` after ${waits.join(', ')} s`}; ${bound}`
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no'
}
