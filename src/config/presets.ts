// The presets as data: each is a complete assignment of the policy knobs, so that the behaviours of five earlier
// designs come out of one engine (contract section 4). Which knob is obeyed where is the business of its reader.
import type { RestartPolicy } from '../supervisor/restart-policy.js'

export const presetNames = ['default', 'full', 'governed', 'single-tool', 'plugin', 'sandbox'] as const
export type PresetName = (typeof presetNames)[number]

export type Autodetection = 'off' | 'announce' | 'auto'

export type OfferedTools =
  | { readonly kind: 'operations'; readonly names: readonly string[] }
  | { readonly kind: 'every-operation' }
  | { readonly kind: 'none' }
  /** The one tool `Lsp {kind}`. */
  | { readonly kind: 'lsp' }
  /** `lsp_*`, one per capability the server declares. */
  | { readonly kind: 'per-capability' }
  /** Tools of the sandbox dialect: `file_path`, `line`, `col`. */
  | { readonly kind: 'sandbox'; readonly names: readonly string[] }

export interface Preset {
  readonly name: PresetName
  /** Who may ask: `passive` is the host's context assembler alone, `tools` the model alone. */
  readonly plane: 'passive' | 'tools' | 'both'
  readonly tools: OfferedTools
  readonly edits: 'none' | 'propose' | 'apply'
  /** Whether a file must have been read before one of its symbols may be renamed. */
  readonly readGate: boolean
  /** Requests that may be sent; lifecycle and document synchronisation always may. */
  readonly methods: 'any' | readonly string[]
  readonly restart: RestartPolicy
  /** Zero seconds is never: the server lives until the session ends. */
  readonly idle: { readonly seconds: number; readonly counts: 'model' | 'success' | 'any' }
  readonly autodetect: Autodetection
  /** The same when nobody is there to be told. */
  readonly autodetectUnattended: Autodetection
  /** Whether the workspace file's servers count when nobody is there to be told. */
  readonly workspaceServersUnattended: boolean
  readonly detectBy: 'extension' | 'project-marker'
  readonly evidence: 'required' | 'best-effort'
  /** Whether programs are looked up on PATH at the start, once, with a warning for each missing one. */
  readonly probe: 'at-boot' | 'on-use'
  /** Whose table of servers is tried first. */
  readonly candidates: 'ours' | 'seed'
  readonly missingCapability: 'error' | 'skip' | 'not-described' | 'not-generated'
  readonly missingServer: 'error' | 'skip' | 'hide'
  /** What a call gets that arrives while the server is being restarted. */
  readonly whileRestarting: 'wait' | 'fail'
  readonly onTimeout: 'error' | 'empty'
  /** The default of the parameter where there is one; without meaning where no reference tool is offered. */
  readonly referencesIncludeDeclaration: boolean
  readonly limitKb: number
  /** What a settings section that nobody configured is answered with: null, or an empty object. */
  readonly configurationNull: boolean
  readonly unknownRequest: 'null' | 'method-not-found'
  readonly argumentErrorKind: 'InvalidArguments' | 'Wire'
  /** Whether the install hint stands in `error` too, not in `hint` alone. */
  readonly hintInError: boolean
  readonly externalPaths: 'marked' | 'plain'
  readonly daemon: 'shared' | 'forbidden'
}

const fiveFailedStarts: RestartPolicy = {
  max: 5,
  counts: 'failed-starts',
  trigger: 'eager',
  reset: 'on-initialize',
  backoffMs: [1000, 2000, 4000, 8000, 16_000],
  maxBackoffMs: 30_000,
}

const onNextCall: RestartPolicy = {
  max: Number.POSITIVE_INFINITY,
  counts: 'crashes',
  trigger: 'on-call',
  reset: 'never',
  backoffMs: [],
  maxBackoffMs: 0,
}

const ours: Preset = {
  name: 'default',
  plane: 'both',
  tools: {
    kind: 'operations',
    names: [
      'explore_symbol',
      'find_symbol',
      'list_symbols',
      'go_to_definition',
      'find_references',
      'find_callers',
      'type_hierarchy',
      'get_diagnostics',
      'check_change',
      'preview_edit',
      'rename_symbol',
      'apply_edit',
      'server_status',
    ],
  },
  edits: 'apply',
  readGate: false,
  methods: 'any',
  restart: fiveFailedStarts,
  idle: { seconds: 600, counts: 'model' },
  autodetect: 'announce',
  autodetectUnattended: 'announce',
  workspaceServersUnattended: true,
  detectBy: 'extension',
  evidence: 'best-effort',
  probe: 'on-use',
  candidates: 'ours',
  missingCapability: 'error',
  missingServer: 'error',
  whileRestarting: 'wait',
  onTimeout: 'error',
  referencesIncludeDeclaration: true,
  limitKb: 40,
  configurationNull: true,
  unknownRequest: 'null',
  argumentErrorKind: 'InvalidArguments',
  hintInError: false,
  externalPaths: 'marked',
  daemon: 'shared',
}

/** What the seeds have in common against ours (C28, C33, the size of an answer). */
const seed: Preset = { ...ours, limitKb: 100, hintInError: true, externalPaths: 'plain' }

export const presets: Readonly<Record<PresetName, Preset>> = {
  default: ours,
  full: {
    ...seed,
    name: 'full',
    tools: { kind: 'every-operation' },
    idle: { seconds: 600, counts: 'any' },
    referencesIncludeDeclaration: false,
  },
  governed: {
    ...seed,
    name: 'governed',
    plane: 'passive',
    tools: { kind: 'none' },
    edits: 'none',
    // what enriches a context or validates a change, and nothing that could modify a file.
    methods: [
      'textDocument/hover',
      'textDocument/definition',
      'textDocument/typeDefinition',
      'textDocument/documentSymbol',
      'workspace/symbol',
      'textDocument/references',
      'textDocument/signatureHelp',
      'textDocument/inlayHint',
      'textDocument/diagnostic',
      'workspace/diagnostic',
    ],
    restart: {
      max: 1,
      counts: 'restarts',
      trigger: 'eager',
      reset: 'never',
      backoffMs: [0],
      maxBackoffMs: 0,
    },
    idle: { seconds: 0, counts: 'any' },
    autodetectUnattended: 'off',
    workspaceServersUnattended: false,
    evidence: 'required',
    candidates: 'seed',
    missingCapability: 'skip',
    missingServer: 'skip',
    onTimeout: 'empty',
    daemon: 'forbidden',
  },
  'single-tool': {
    ...seed,
    name: 'single-tool',
    plane: 'tools',
    tools: { kind: 'lsp' },
    edits: 'none',
    restart: { ...onNextCall, max: 3 },
    autodetect: 'auto',
    autodetectUnattended: 'auto',
    probe: 'at-boot',
    candidates: 'seed',
    missingCapability: 'not-described',
    argumentErrorKind: 'Wire',
  },
  plugin: {
    ...seed,
    name: 'plugin',
    tools: { kind: 'per-capability' },
    edits: 'propose',
    idle: { seconds: 600, counts: 'any' },
    autodetect: 'auto',
    autodetectUnattended: 'auto',
    candidates: 'seed',
    missingCapability: 'not-generated',
    missingServer: 'hide',
    whileRestarting: 'fail',
  },
  sandbox: {
    ...seed,
    name: 'sandbox',
    plane: 'tools',
    tools: { kind: 'sandbox', names: ['find_definition', 'find_references', 'rename_symbol'] },
    edits: 'propose',
    readGate: true,
    restart: onNextCall,
    idle: { seconds: 600, counts: 'success' },
    autodetect: 'auto',
    autodetectUnattended: 'auto',
    detectBy: 'project-marker',
    candidates: 'seed',
  },
}

/** `interactive`: somebody is there who can be told which server is about to start. */
export function autodetection(
  preset: Preset,
  { interactive }: { readonly interactive: boolean },
): Autodetection {
  return interactive ? preset.autodetect : preset.autodetectUnattended
}
