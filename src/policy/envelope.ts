// The execution envelope: what a session was set up to do. Inside it reads need no approval; what lies outside
// has to be approved, however harmless it looks.
import type { Effect, Fact, PolicyQuestion } from './policy.js'

/** An absent list is no limit. The workspace is always the one that was opened: the path gate sees to that. */
export interface Envelope {
  readonly languages?: readonly string[] | undefined
  readonly methods?: readonly string[] | undefined
  readonly classes?: readonly Effect[] | undefined
  readonly expiresAt?: Date | undefined
}

export interface Outside {
  readonly reason: string
  readonly dependsOn: readonly Fact[]
}

/** Why the question is not covered; undefined when it is. */
export function outsideOf(
  envelope: Envelope,
  question: PolicyQuestion,
  now: () => Date,
): Outside | undefined {
  const { languages, methods, classes, expiresAt } = envelope
  const { language, method, effect } = question
  const uncovered = (what: string, ...dependsOn: Fact[]) => ({
    reason: `the execution envelope does not cover ${what}`,
    dependsOn,
  })
  if (expiresAt !== undefined && now() >= expiresAt)
    return { reason: `the execution envelope expired at ${expiresAt.toISOString()}`, dependsOn: [] }
  if (classes !== undefined && !classes.includes(effect)) return uncovered(`the class ${effect}`)
  if (language !== undefined && languages !== undefined && !languages.includes(language))
    return uncovered(language, 'language')
  if (method !== undefined && methods !== undefined && !methods.includes(method))
    return uncovered(method, 'method')
  return undefined
}
