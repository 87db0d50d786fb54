// Parses a call's arguments against the operation's own schema: unknown fields are refused with the nearest known name,
// and every complaint names its field.
import * as z from 'zod'
import { BridgeError } from '../errors.js'
import { nearest } from '../text/nearest.js'
import type { Operation } from './operation.js'

/** Every operation takes it; the contract names it once. */
function timeoutField(milliseconds: number) {
  const whole = z.number().int().min(1).max(600_000).optional()
  return whole.describe(`Milliseconds to wait for the answer (default ${milliseconds}).`)
}

const defaultMilliseconds = 55_000

/** What has a name and takes fields: an operation, or a tool that stands for some. */
export type Callable = Pick<Operation, 'name' | 'input' | 'milliseconds'>

export function inputSchema(operation: Callable): z.ZodObject {
  const made = schemas.get(operation)
  if (made !== undefined) return made
  const timeout = timeoutField(operation.milliseconds ?? defaultMilliseconds)
  const schema = z.strictObject({ ...operation.input.shape, timeout_ms: timeout })
  schemas.set(operation, schema)
  return schema
}

// Making a schema costs more than using it.
const schemas = new WeakMap<Callable, z.ZodObject>()

export function parseInput(operation: Callable, raw: unknown): Readonly<Record<string, unknown>> {
  const schema = inputSchema(operation)
  const parsed = schema.safeParse(raw ?? {})
  if (parsed.success) return withoutEmptyLists(parsed.data, schema)
  const [issue] = parsed.error.issues
  const known = Object.keys(schema.shape)
  throw new BridgeError({
    kind: 'InvalidArguments',
    message: `${operation.name}: ${describe(issue)}`,
    hint: hintFor(issue, known),
    cause: parsed.error,
  })
}

/** Models fill in fields they have no use for: an empty list that may be left out was meant to be, and asks for nothing. */
function withoutEmptyLists(
  input: Readonly<Record<string, unknown>>,
  { shape }: z.ZodObject,
): Readonly<Record<string, unknown>> {
  const isMeant = ([name, value]: readonly [string, unknown]) =>
    !(Array.isArray(value) && value.length === 0 && shape[name] instanceof z.ZodOptional)
  return Object.fromEntries(Object.entries(input).filter(isMeant))
}

type Issue = z.core.$ZodIssue | undefined

function describe(issue: Issue): string {
  if (issue === undefined) return 'the arguments do not fit'
  if (issue.code === 'unrecognized_keys') return `unknown argument ${issue.keys.join(', ')}`
  const path = issue.path.join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}

function hintFor(issue: Issue, known: readonly string[]): string {
  const list = `It takes ${known.join(', ')}.`
  if (issue?.code !== 'unrecognized_keys') return list
  const [close] = issue.keys.flatMap(key => nearest(key, known, 1))
  return close === undefined ? list : `Did you mean ${close}? ${list}`
}
