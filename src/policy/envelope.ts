// The execution envelope: what a session was set up to do. Inside it reads need no approval; what lies outside
// has to be approved, however harmless it looks.
import type { Effect, PolicyQuestion } from './policy.js'

/** An absent list is no limit. The workspace is always the one that was opened: the path gate sees to that. */
export interface Envelope {
  readonly languages?: readonly string[] | undefined
  readonly methods?: readonly string[] | undefined
  readonly classes?: readonly Effect[] | undefined
  readonly expiresAt?: Date | undefined
}

/** Why the question is not covered; undefined when it is. */
export function outsideOf(envelope: Envelope, question: PolicyQuestion, now: Date): string | undefined {
  const { languages, methods, classes, expiresAt } = envelope
  const { language, method, effect } = question
  if (expiresAt !== undefined && now >= expiresAt)
    return `the execution envelope expired at ${expiresAt.toISOString()}`
  if (classes !== undefined && !classes.includes(effect))
    return `the execution envelope does not cover the class ${effect}`
  if (language !== undefined && languages !== undefined && !languages.includes(language))
    return `the execution envelope does not cover ${language}`
  if (method !== undefined && methods !== undefined && !methods.includes(method))
    return `the execution envelope does not cover ${method}`
  return undefined
}
