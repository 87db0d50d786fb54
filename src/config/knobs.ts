// The policy knobs as keys of the configuration: any of a preset's values can be turned by itself (contract section 4).
// One row per knob says what it may be and where in the preset it goes.
import * as z from 'zod'
import { asOperationName, operationNameSchema } from './operation-names.js'
import { type Preset, presetNames, presets } from './presets.js'

const plain = z.strictObject({
  plane: z
    .enum(['passive', 'tools', 'both'])
    .describe(
      'Who may ask: the host alone (`passive`), the model alone (`tools`; the host, which the command line is, looks after servers and documents), or both.',
    ),
  edits: z
    .enum(['none', 'propose', 'apply'])
    .describe(
      'How far a change may go: what it does not allow is neither offered nor done. Commands of a server, which may write, need `apply`.',
    ),
  evidence: z.enum(['required', 'best-effort']).describe('Whether nothing is answered without a record.'),
  autodetect: z
    .enum(['off', 'announce', 'auto'])
    .describe('Whether servers are found by themselves, and told of before they start.'),
  autodetect_unattended: z
    .enum(['off', 'announce', 'auto'])
    .describe('The same when nobody is there to be told.'),
  workspace_servers_unattended: z
    .boolean()
    .describe("Whether the workspace file's servers count when nobody is there to be told."),
  detect_by: z
    .enum(['extension', 'project-marker'])
    .describe('Whether a language needs a project file such as `go.mod` besides its extension.'),
  probe: z
    .enum(['at-boot', 'on-use'])
    .describe(
      'Whether programs are looked up on PATH once, at the start, with a warning for each missing one.',
    ),
  candidates: z
    .enum(['ours', 'seed'])
    .describe('Which servers are tried first: the shipped ones (`ours`) or the established ones (`seed`).'),
  missing_capability: z
    .enum(['error', 'skip', 'not-described', 'not-generated'])
    .describe(
      'What becomes of a question that no server can answer. `not-described` and `not-generated` leave it out of the tools; under `error` and `skip` it is offered, and whoever asks gets `CapabilityMissing`: an answer without it would pass for none. A context is assembled without it under every value.',
    ),
  missing_server: z
    .enum(['error', 'skip', 'hide'])
    .describe(
      'What becomes of the tools where there is no server. `hide` offers none; under `error` and `skip` they are offered, and whoever asks is told how to install one.',
    ),
  while_restarting: z
    .enum(['wait', 'fail'])
    .describe('What a call does that comes while a server is being restarted.'),
  on_timeout: z
    .enum(['error', 'empty'])
    .describe(
      'Not obeyed: what was not answered in time is `RequestTimeout` under either value, because nothing would pass for no results. A context is assembled without it and says so.',
    ),
  read_gate: z.boolean().describe('Whether a file must have been read before what it declares is renamed.'),
  references_include_declaration: z
    .boolean()
    .describe('The default of `include_declaration` of find_references.'),
  external_paths: z
    .enum(['marked', 'plain'])
    .describe('Files outside the workspace: `external:...`, or their plain path.'),
  hint_in_error: z.boolean().describe('Whether the way to install a server stands in the error, too.'),
  argument_error_kind: z
    .enum(['InvalidArguments', 'Wire'])
    .describe('The kind of arguments that cannot be parsed.'),
  unknown_request: z
    .enum(['null', 'method-not-found'])
    .describe('What a server gets for a request nobody knows.'),
  unset_configuration: z
    .enum(['null', 'object'])
    .describe('What a server gets for a settings section that nobody configured.'),
  daemon: z
    .enum(['shared', 'forbidden'])
    .describe('Not obeyed yet, for there is no daemon: whether a shared one may be used.'),
  methods: z
    .array(z.string().max(100))
    .max(200)
    .describe('The only requests that may be sent to servers; empty allows every one.'),
  tools: z.enum(presetNames).describe('The preset whose tools a model is offered.'),
  operations: z
    .array(operationNameSchema)
    .max(200)
    .describe('The operations a model is offered, by name and in this order, instead.'),
  idle_counts: z
    .enum(['model', 'success', 'any'])
    .describe("Which calls keep a server from being idle: all but a poller's, successful ones, or any."),
})

export const knobsSchema = plain.partial()

export type Knobs = z.infer<typeof knobsSchema>

/** The preset with the knobs that were turned. */
export function withKnobs(preset: Preset, knobs: Knobs): Preset {
  const { methods, tools, operations } = knobs
  return {
    ...preset,
    plane: knobs.plane ?? preset.plane,
    edits: knobs.edits ?? preset.edits,
    evidence: knobs.evidence ?? preset.evidence,
    autodetect: knobs.autodetect ?? preset.autodetect,
    // Whoever turns the one means the other, unless it is turned as well.
    autodetectUnattended: knobs.autodetect_unattended ?? knobs.autodetect ?? preset.autodetectUnattended,
    workspaceServersUnattended: knobs.workspace_servers_unattended ?? preset.workspaceServersUnattended,
    detectBy: knobs.detect_by ?? preset.detectBy,
    probe: knobs.probe ?? preset.probe,
    candidates: knobs.candidates ?? preset.candidates,
    missingCapability: knobs.missing_capability ?? preset.missingCapability,
    missingServer: knobs.missing_server ?? preset.missingServer,
    whileRestarting: knobs.while_restarting ?? preset.whileRestarting,
    onTimeout: knobs.on_timeout ?? preset.onTimeout,
    readGate: knobs.read_gate ?? preset.readGate,
    referencesIncludeDeclaration: knobs.references_include_declaration ?? preset.referencesIncludeDeclaration,
    externalPaths: knobs.external_paths ?? preset.externalPaths,
    hintInError: knobs.hint_in_error ?? preset.hintInError,
    argumentErrorKind: knobs.argument_error_kind ?? preset.argumentErrorKind,
    unknownRequest: knobs.unknown_request ?? preset.unknownRequest,
    configurationNull:
      knobs.unset_configuration === undefined
        ? preset.configurationNull
        : knobs.unset_configuration === 'null',
    daemon: knobs.daemon ?? preset.daemon,
    methods: methods === undefined ? preset.methods : methods.length === 0 ? 'any' : methods,
    tools:
      operations === undefined
        ? (tools === undefined ? preset : presets[tools]).tools
        : { kind: 'operations', names: operations.map(asOperationName) },
    idle: { ...preset.idle, counts: knobs.idle_counts ?? preset.idle.counts },
  }
}
