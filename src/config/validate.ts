// Holds a value against the schema and says what is wrong so that it can be corrected without opening the manual:
// where it stands, what it must be, and which key was probably meant.
import type { z } from 'zod'
import { BridgeError } from '../errors.js'
import { nearest } from '../text/nearest.js'
import { type Expectations, expectationsOf } from './describe.js'
import type { Source } from './parse.js'
import { type Path, quote } from './recorder.js'

/** One thing wrong with a configuration. */
export interface Problem {
  /** `file:line:column`. */
  readonly place: string
  readonly message: string
  readonly hint: string
}

export function validate<T extends z.ZodType>(schema: T, source: Source): z.output<T> {
  const result = schema.safeParse(source.value)
  if (result.success) return result.data
  const context = { source, ...expectationsOf(schema) }
  // A file may hold tens of thousands of wrong keys, and each would be compared with every right one.
  const issues = result.error.issues.slice(0, mostShown + 1)
  throw invalid(issues.flatMap(issue => problemsOf(issue, context)))
}

const mostShown = 10

/** One error for all problems, a line each, so that a file is corrected in one round. */
export function invalid(problems: readonly Problem[]): BridgeError {
  const lines = [...new Set(problems.map(problem => `${problem.place}: ${problem.message}`))].toSorted(
    byPlace,
  )
  const shown = lines.slice(0, mostShown)
  if (lines.length > shown.length) shown.push('and more')
  const first = problems.find(problem => `${problem.place}: ${problem.message}` === lines[0])
  return new BridgeError({
    kind: 'InvalidArguments',
    message: shown.join('\n'),
    hint: first?.hint ?? 'Correct the configuration.',
  })
}

/** `servers.go.args[0]`, as it would be written in a program. */
export function dotted(path: Path): string {
  return path
    .map(step => {
      if (typeof step === 'number') return `[${step}]`
      return /^[A-Za-z0-9_+-]+$/.test(step) ? `.${step}` : `[${quote(step)}]`
    })
    .join('')
    .replace(/^\./, '')
}

interface Context extends Expectations {
  readonly source: Source
}

function problemsOf(issue: z.core.$ZodIssue, context: Context): Problem[] {
  const { source } = context
  const path = issue.path.filter(step => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostShown + 1).map(key => unknownKey(path, key, context))
  const subject = path.length === 0 ? 'the configuration' : dotted(path)
  if (issue.code === 'invalid_key') {
    const message = `the name ${quote(String(path.at(-1)))} ${issue.issues[0]?.message ?? 'is not allowed'}`
    return [{ place: source.place(path, 'key'), message, hint: 'Rename it.' }]
  }
  const value = valueAt(source.value, path)
  if (value === undefined && path.length > 0) {
    const message = `${subject} is missing`
    return [
      {
        place: source.place(path.slice(0, -1), 'key'),
        message,
        hint: `Add it: ${context.expectedAt(path)}.`,
      },
    ]
  }
  const problem = wrongValue(issue, path, context)
  return [{ place: source.place(path), message: `${subject} ${problem.message}`, hint: problem.hint }]
}

function unknownKey(path: Path, key: string, { source, keysAt }: Context): Problem {
  const keys = keysAt(path)
  const [meant] = nearest(key, keys, 1)
  const inside = path.length === 0 ? '' : ` in ${dotted(path)}`
  const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`
  return {
    place: source.place([...path, key], 'key'),
    message: `unknown key ${quote(key)}${inside}${suggestion}`,
    hint: `${meant === undefined ? 'Remove it' : `Rename it to "${meant}"`}. Valid keys here: ${keys.join(', ')}.`,
  }
}

function wrongValue(issue: z.core.$ZodIssue, path: Path, context: Context): Omit<Problem, 'place'> {
  const value = valueAt(context.source.value, path)
  switch (issue.code) {
    case 'custom':
    case 'invalid_format':
      return { message: issue.message, hint: `It ${issue.message}.` }
    case 'invalid_value': {
      const [meant] = typeof value === 'string' ? nearest(value, issue.values.map(String), 1) : []
      const found = typeof value === 'string' ? quote(value) : nameOf(value)
      const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`
      const expected = context.expectedAt(path)
      return { message: `must be ${expected}, not ${found}${suggestion}`, hint: `Use ${expected}.` }
    }
    case 'too_small':
    case 'too_big': {
      if (typeof value === 'number') return unexpected(context.expectedAt(path), value)
      const unit = issue.origin === 'string' ? 'characters' : 'entries'
      const bound = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`
      return { message: `must have ${bound} ${unit}`, hint: `Give it ${bound} ${unit}.` }
    }
    case 'invalid_union':
      return {
        message: 'must be plain JSON, with finite numbers only',
        hint: 'Use values that JSON can hold.',
      }
    default:
      return unexpected(context.expectedAt(path), value)
  }
}

function unexpected(expected: string, value: unknown): Omit<Problem, 'place'> {
  return { message: `must be ${expected}, not ${nameOf(value)}`, hint: `Use ${expected}.` }
}

/** Strings are not repeated: a secret may have slipped into the wrong place. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

function valueAt(value: unknown, path: Path): unknown {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = Reflect.get(current, step)
  }
  return current
}

/** In the order of the file, with numbers compared as numbers. */
function byPlace(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
