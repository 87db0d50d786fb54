// May this be asked? Pure: what the preset, the operator's rules, the workspace's own rules and the execution envelope
// say to one question, as a decision with its reason. Nothing here asks anybody or sends anything.
import { type Envelope, outsideOf } from './envelope.js'
import { approvalHint, firstMatch, type PolicyRule } from './rules.js'

export type Effect = 'read' | 'propose' | 'edit' | 'execute'

export type Caller = 'model' | 'host'

export interface PolicyQuestion {
  readonly operation: string
  readonly effect: Effect
  /** The command line counts as the host, not as a model. */
  readonly caller: Caller
  /** Whether somebody is there who can be asked. */
  readonly attended: boolean
  /** The LSP request it is about, if it is about one. */
  readonly method?: string | undefined
  /** Relative to the workspace, canonical. */
  readonly file?: string | undefined
  readonly language?: string | undefined
}

/** What of a question may differ within one call. */
export type Fact = 'method' | 'file' | 'language'

export type Verdict = 'allow' | 'deny' | 'ask'

/** Every decision says why, also the one that allows. */
export interface PolicyDecision {
  readonly decision: Verdict
  readonly reason: string
  /** What to do next, where it is not simply allowed. */
  readonly hint: string
  /** Which facts it was decided by; approval counts for these alone. */
  readonly dependsOn?: readonly Fact[] | undefined
}

export interface PolicySettings {
  readonly preset: string
  readonly plane: 'passive' | 'tools' | 'both'
  readonly edits: 'none' | 'propose' | 'apply'
  /** Requests that may be sent at all; lifecycle and document synchronisation always may. */
  readonly methods: 'any' | readonly string[]
  /** An agent whose block does not opt in is allowed nothing. */
  readonly disabledAgent?: string | undefined
  readonly sensitivity: 'ordinary' | 'sensitive'
  readonly envelope: Envelope
  /** The operator's. They may allow what the envelope does not, and never what the preset forbids. */
  readonly rules: readonly PolicyRule[]
  /** The workspace's own, which make it stricter and nothing else. */
  readonly workspaceRules: readonly PolicyRule[]
}

export interface Policy {
  decide(question: PolicyQuestion): PolicyDecision
  /** About one request of a call that was decided on already: who may ask at all is not looked at again. */
  decideRequest(question: PolicyQuestion): PolicyDecision
  /** Whether a request that belongs to no call may be sent. */
  decideMethod(method: string, language: string): PolicyDecision
  /** Whether a request can make a difference at all, and whether its file can: nearly always nothing does. */
  readonly looksAtRequests: boolean
  readonly looksAtFiles: boolean
}

export function createPolicy(settings: PolicySettings, now: () => Date): Policy {
  const { rules, workspaceRules, envelope, sensitivity } = settings
  const byRules = (question: PolicyQuestion): PolicyDecision => {
    const workspace = strict(firstMatch(workspaceRules, question, settings, 'workspace'))
    const operator = firstMatch(rules, question, settings, 'operator') ?? byDefault(question)
    return strictest(operator, workspace)
  }
  const byDefault = (question: PolicyQuestion): PolicyDecision => {
    const outside = outsideOf(envelope, question, now)
    if (outside !== undefined) return needsApproval(outside.reason, outside.dependsOn)
    if (sensitivity === 'sensitive' && question.effect !== 'read')
      return needsApproval(`the workspace is marked as sensitive, and this is of class ${question.effect}`)
    return allowed(`class ${question.effect}, within the envelope`)
  }
  return {
    decide: question => presetLimit(settings, question) ?? byRules(question),
    decideRequest: question => methodLimit(settings, question.method) ?? byRules(question),
    decideMethod(method, language) {
      const limit = methodLimit(settings, method)
      if (limit !== undefined) return limit
      const about = {
        operation: '',
        effect: 'read',
        caller: 'host',
        attended: false,
        method,
        language,
      } as const
      // Nobody knows whether a rule about a caller, an operation or a file holds: it may neither forbid nor allow.
      const general = { ...settings, holds: isAboutNoCall }
      const workspace = strict(firstMatch(workspaceRules, about, general, 'workspace'))
      const operator = firstMatch(rules, about, general, 'operator')
      const outside = outsideOf({ methods: envelope.methods, languages: envelope.languages }, about, now)
      const byEnvelope =
        outside === undefined
          ? allowed('no rule is about it')
          : needsApproval(outside.reason, outside.dependsOn)
      return strictest(operator ?? byEnvelope, workspace)
    },
    looksAtRequests:
      settings.methods !== 'any' ||
      rules.length + workspaceRules.length > 0 ||
      Object.values(envelope).some(limit => limit !== undefined),
    looksAtFiles: [...rules, ...workspaceRules].some(({ paths }) => paths !== undefined),
  }
}

const effects: Readonly<Record<PolicySettings['edits'], readonly Effect[]>> = {
  none: ['read'],
  propose: ['read', 'propose'],
  apply: ['read', 'propose', 'edit', 'execute'],
}

/** How much of what operations do a preset lets happen. A command of a server may write, so it counts as writing. */
export function effectsOf(edits: PolicySettings['edits']): readonly Effect[] {
  return effects[edits]
}

/** By these a host looks after servers, documents and folders; none of them tells it anything about the code. */
export const upkeep: ReadonlySet<string> = new Set([
  'server_status',
  'restart_server',
  'open_document',
  'close_document',
  'did_change_watched_files',
  'list_workspace_folders',
  'add_workspace_folder',
  'remove_workspace_folder',
])

/** What no rule can give back: the preset is the promise that a host was sold. */
function presetLimit(settings: PolicySettings, question: PolicyQuestion): PolicyDecision | undefined {
  const { preset, plane, edits, disabledAgent } = settings
  const { operation, effect, caller, method } = question
  if (disabledAgent !== undefined)
    return denied(
      `the agent ${disabledAgent} is not enabled`,
      'Set lsp.enabled: true in its block of agents.yaml.',
    )
  if (plane === 'passive' && caller === 'model')
    return denied(
      `with the preset ${preset} a model asks nothing itself; the host assembles its context`,
      'Let the host ask, or choose another preset.',
    )
  const isUpkeep = caller === 'host' && upkeep.has(operation)
  if (plane === 'tools' && caller === 'host' && !isUpkeep)
    return denied(
      `with the preset ${preset} only the model asks, through the tools it is offered`,
      'Ask through the tools, choose another preset, or set knobs.plane to both.',
    )
  if (!effectsOf(edits).includes(effect) && !isUpkeep) return beyondEdits(settings, effect)
  return methodLimit(settings, method)
}

function beyondEdits({ preset, edits }: PolicySettings, effect: Effect): PolicyDecision {
  if (effect === 'execute') return denied(`with the preset ${preset} nothing is executed`, anotherPreset)
  return edits === 'none'
    ? denied(`with the preset ${preset} nothing is changed or proposed`, anotherPreset)
    : denied(`with the preset ${preset} changes are proposed, not written`, 'Apply the diff yourself.')
}

const anotherPreset = 'Use a preset that allows it, e.g. --preset default.'

function methodLimit(
  { preset, methods }: PolicySettings,
  method: string | undefined,
): PolicyDecision | undefined {
  if (method === undefined || methods === 'any' || methods.includes(method)) return undefined
  return denied(`with the preset ${preset} ${method} is never sent`, anotherPreset)
}

function isAboutNoCall({ methods, paths, operations, classes, callers }: PolicyRule): boolean {
  const others = [paths, operations, classes, callers]
  return methods !== undefined && others.every(condition => condition === undefined)
}

const order: readonly Verdict[] = ['deny', 'ask', 'allow']

function strictest(first: PolicyDecision, second: PolicyDecision | undefined): PolicyDecision {
  if (second === undefined) return first
  return order.indexOf(second.decision) < order.indexOf(first.decision) ? second : first
}

/** A workspace that allows something to itself has said nothing. */
function strict(decision: PolicyDecision | undefined): PolicyDecision | undefined {
  return decision?.decision === 'allow' ? undefined : decision
}

function allowed(reason: string): PolicyDecision {
  return { decision: 'allow', reason, hint: '' }
}

function denied(reason: string, hint: string): PolicyDecision {
  return { decision: 'deny', reason, hint }
}

function needsApproval(reason: string, dependsOn: readonly Fact[] = []): PolicyDecision {
  return { decision: 'ask', reason, hint: approvalHint, dependsOn }
}
