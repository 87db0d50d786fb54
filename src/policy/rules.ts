// Rules of the configuration: the first one whose every condition holds decides.
import picomatch from 'picomatch'
import { cleanLine } from '../text/clean.js'
import type {
  Caller,
  Effect,
  Fact,
  PolicyDecision,
  PolicyQuestion,
  PolicySettings,
  Verdict,
} from './policy.js'

/** An absent condition holds always; one about a file or a method holds only where there is one. */
export interface PolicyRule {
  readonly decision: Verdict
  readonly operations?: readonly string[] | undefined
  readonly classes?: readonly Effect[] | undefined
  readonly callers?: readonly Caller[] | undefined
  readonly methods?: readonly string[] | undefined
  /** Globs, relative to the workspace. */
  readonly paths?: readonly string[] | undefined
  readonly languages?: readonly string[] | undefined
  /** The deployment mode: whether somebody is there who can be asked. */
  readonly mode?: 'attended' | 'unattended' | undefined
  readonly sensitivity?: 'ordinary' | 'sensitive' | undefined
  /** In the operator's words. */
  readonly reason?: string | undefined
}

interface Surroundings extends Pick<PolicySettings, 'sensitivity'> {
  /** Which rules are looked at; absent are all. */
  readonly holds?: (rule: PolicyRule) => boolean
}

const longestReason = 300

export function firstMatch(
  rules: readonly PolicyRule[],
  question: PolicyQuestion,
  surroundings: Surroundings,
  whose: 'operator' | 'workspace',
): PolicyDecision | undefined {
  const index = rules.findIndex(
    rule => surroundings.holds?.(rule) !== false && holds(rule, question, surroundings),
  )
  const rule = rules[index]
  if (rule === undefined) return undefined
  const source = `${whose === 'operator' ? 'a rule of the operator' : 'a rule of the workspace'} (policy.rules[${index}])`
  // The words of a workspace are a stranger's, and are shown to whoever is asked to approve.
  const words = cleanLine(rule.reason ?? '', longestReason).text
  const reason = words === '' ? `${source} says ${rule.decision}` : `${source}: ${words}`
  return { decision: rule.decision, reason, hint: hints[rule.decision], dependsOn: factsOf(rule) }
}

function factsOf({ methods, paths, languages }: PolicyRule): readonly Fact[] {
  const facts: Fact[] = []
  if (methods !== undefined) facts.push('method')
  if (paths !== undefined) facts.push('file')
  if (languages !== undefined) facts.push('language')
  return facts
}

export const approvalHint = 'Somebody has to approve it: ask on a terminal, or in a client that can ask.'

const hints: Readonly<Record<Verdict, string>> = {
  allow: '',
  ask: approvalHint,
  deny: 'Do without it, or have the rule changed by whoever is responsible for it.',
}

function holds(rule: PolicyRule, question: PolicyQuestion, { sensitivity }: Surroundings): boolean {
  const { operation, effect, caller, attended, method, file, language } = question
  const includes = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || (value !== undefined && list.includes(value))
  return (
    includes(rule.operations, operation) &&
    includes(rule.classes, effect) &&
    includes(rule.callers, caller) &&
    includes(rule.methods, method) &&
    includes(rule.languages, language) &&
    (rule.paths === undefined || (file !== undefined && matches(rule.paths, file))) &&
    (rule.mode === undefined || (rule.mode === 'attended') === attended) &&
    (rule.sensitivity === undefined || rule.sensitivity === sensitivity)
  )
}

/** A glob covers hidden files as well: a rule that protects a folder protects all of it. */
function matches(globs: readonly string[], file: string): boolean {
  const matcher = matchers.get(globs) ?? picomatch([...globs], { dot: true })
  matchers.set(globs, matcher)
  return matcher(file)
}

// Making one costs far more than using it, and every request asks.
const matchers = new WeakMap<readonly string[], (file: string) => boolean>()
