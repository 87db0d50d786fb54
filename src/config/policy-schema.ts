// The part of the configuration that says what may be asked and done (`policy`), and what becomes of it over the layers.
import * as z from 'zod'
import { asOperationName, operationNameSchema } from './operation-names.js'

const classes = ['read', 'propose', 'edit', 'execute'] as const
const sensitivities = ['ordinary', 'sensitive'] as const

const words = (what: string) => z.array(z.string().min(1).max(128)).min(1).max(200).optional().describe(what)

/** `paths` are globs of the kind that a server's `scope` takes. */
export function policySchema(glob: z.ZodString) {
  const rule = z.strictObject({
    decision: z
      .enum(['allow', 'deny', 'ask'])
      .describe('What happens; `ask` has it approved each time. Required.'),
    operations: z
      .array(operationNameSchema)
      .min(1)
      .max(200)
      .optional()
      .describe('Operations by name, e.g. `rename_symbol`.'),
    classes: z.array(z.enum(classes)).min(1).optional().describe('Capability classes.'),
    callers: z
      .array(z.enum(['model', 'host']))
      .min(1)
      .optional()
      .describe('Who asks.'),
    methods: words(
      'LSP requests, e.g. `textDocument/rename`. It holds for every such request, whatever led to it.',
    ),
    paths: z.array(glob).min(1).max(100).optional().describe('Globs of files, relative to the workspace.'),
    languages: words('Languages of the file in question.'),
    mode: z
      .enum(['attended', 'unattended'])
      .optional()
      .describe('Whether the call brings somebody who can be asked.'),
    sensitivity: z.enum(sensitivities).optional().describe('Whether the workspace is marked as sensitive.'),
    reason: z.string().max(300).optional().describe('Told to whoever is refused.'),
  })
  return z.strictObject({
    sensitivity: z
      .enum(sensitivities)
      .optional()
      .describe('In a sensitive workspace everything but reading has to be approved.')
      .meta({ default: 'ordinary' }),
    envelope: z
      .strictObject({
        languages: words('Languages it covers; absent covers all.'),
        methods: words('LSP requests it covers; absent covers all.'),
        classes: z
          .array(z.enum(classes))
          .optional()
          .describe('Capability classes it covers; absent covers all that the preset allows.'),
        expires_at: z.iso
          .datetime({ offset: true })
          .optional()
          .describe('When it ends, e.g. `2030-01-01T00:00:00Z`.'),
      })
      .optional()
      .describe('The execution envelope: what it covers needs no approval, anything else does.'),
    rules: z
      .array(rule)
      .max(200)
      .optional()
      .describe(
        'The first rule whose every condition holds decides. They go beyond the envelope, never beyond the preset; those of a workspace only make it stricter.',
      )
      .meta({ default: [] }),
  })
}

export type PolicyConfiguration = z.infer<ReturnType<typeof policySchema>>
type Rule = NonNullable<PolicyConfiguration['rules']>[number]

export interface ResolvedPolicy {
  readonly sensitivity: (typeof sensitivities)[number]
  readonly envelope: {
    readonly languages?: readonly string[] | undefined
    readonly methods?: readonly string[] | undefined
    readonly classes?: readonly (typeof classes)[number][] | undefined
    readonly expiresAt?: Date | undefined
  }
  readonly rules: readonly Rule[]
  readonly workspaceRules: readonly Rule[]
}

type Given = PolicyConfiguration | undefined

/** `operator`: the user's layers, the strongest last. */
export function resolvePolicy(operator: readonly Given[], workspace: Given): ResolvedPolicy {
  const layers = operator.filter(layer => layer !== undefined)
  const last = <T>(pick: (layer: PolicyConfiguration) => T | undefined) =>
    layers.map(pick).findLast(value => value !== undefined)
  const { expires_at, ...envelope } = last(({ envelope }) => envelope) ?? {}
  return {
    // A workspace may mark itself as sensitive, and cannot take the mark off.
    sensitivity:
      workspace?.sensitivity === 'sensitive' ? 'sensitive' : (last(layer => layer.sensitivity) ?? 'ordinary'),
    envelope: expires_at === undefined ? envelope : { ...envelope, expiresAt: new Date(expires_at) },
    rules: layers.toReversed().flatMap(({ rules }) => (rules ?? []).map(normalised)),
    workspaceRules: (workspace?.rules ?? []).map(normalised),
  }
}

function normalised(rule: Rule): Rule {
  return rule.operations === undefined ? rule : { ...rule, operations: rule.operations.map(asOperationName) }
}
