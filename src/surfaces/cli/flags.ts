// From the schema of an operation's input to the arguments and flags of its command, and from what was typed back to an
// input. Nothing here knows a single operation by name.
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import type { Operation } from '../../operations/operation.js'
import type { Positional, TypedCommand } from './command.js'
import { usageError } from './failure.js'
import { parseTarget, type TargetSurroundings } from './target-argument.js'

export function positionalOf(operation: Operation): Positional | undefined {
  const { properties, required } = shapeOf(operation)
  if (operation.on !== 'workspace') {
    const places = operation.on === 'symbol' || 'line' in properties
    return {
      name: places ? 'target' : 'file',
      required: required.includes('file'),
      description: places
        ? 'FILE, FILE:LINE or FILE:LINE:COLUMN, relative to the current folder.'
        : 'The file, relative to the current folder.',
      fills: 'target',
    }
  }
  const field = required.find(name => properties[name]?.type === 'string')
  if (field === undefined) return undefined
  const description = properties[field]?.description ?? ''
  return { name: dashed(field), required: true, description, fills: { field } }
}

/** One flag per field that the positional argument does not make superfluous. */
export function optionsOf(operation: Operation): Option[] {
  const { properties } = shapeOf(operation)
  const covered = coveredBy(positionalOf(operation))
  return Object.entries(properties)
    .filter(([field]) => field !== covered)
    .flatMap(([field, property]) => optionFor(field, property))
}

export function inputFrom(
  operation: Operation,
  typed: Pick<TypedCommand, 'positional' | 'flags'>,
  surroundings: TargetSurroundings,
) {
  const { properties } = shapeOf(operation)
  const input: Record<string, unknown> = {}
  for (const field of Object.keys(properties)) {
    const value = typed.flags[attribute(field)]
    if (value !== undefined) input[field] = pathFields.has(field) ? absolute(value, surroundings.cwd) : value
  }
  const positional = positionalOf(operation)
  if (positional === undefined || typed.positional === undefined) return input
  if (positional.fills !== 'target') return { ...input, [positional.fills.field]: typed.positional }
  const target = parseTarget(typed.positional, surroundings)
  for (const field of Object.keys(target)) {
    if (!(field in properties)) {
      throw usageError(
        `${dashed(operation.name)} is about a whole file, not about a place in it`,
        `Leave out what follows the file's name in ${typed.positional}.`,
      )
    }
    if (field in input) {
      throw usageError(
        `both ${positional.name.toUpperCase()} and --${dashed(field)} say which ${field} is meant`,
        'Leave one of them out.',
      )
    }
  }
  return { ...input, ...target }
}

export function dashed(name: string): string {
  return name.replaceAll('_', '-')
}

/** Typed paths are relative to the current folder, those of an operation to the root. */
const pathFields: ReadonlySet<string> = new Set(['file', 'files'])

const propertySchema = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  items: z.looseObject({ type: z.string().optional() }).optional(),
})
const shapeSchema = z.looseObject({
  properties: z.record(z.string(), propertySchema),
  required: z.array(z.string()).default([]),
})
type Property = z.output<typeof propertySchema>

function shapeOf(operation: Operation) {
  return shapeSchema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
}

function coveredBy(positional: Positional | undefined): string | undefined {
  if (positional === undefined || !positional.required) return undefined
  return positional.fills === 'target' ? 'file' : positional.fills.field
}

function optionFor(field: string, property: Property): Option[] {
  const flag = `--${dashed(field)}`
  const described = describe(field, property)
  if (property.type === 'boolean') {
    const yes = new Option(flag, described)
    const no = new Option(`--no-${dashed(field)}`, `Turn off: ${described}`)
    // Both are accepted; the one that would change nothing is not advertised.
    return property.default === true ? [yes.hideHelp(), no] : [yes, no.hideHelp()]
  }
  const option = new Option(`${flag} <${placeholder(property)}>`, described)
  if (property.enum !== undefined) return [option.choices(property.enum)]
  if (property.type === 'array') {
    const parse = parserOf(property.items?.type)
    return [
      option.argParser((text: string, before: readonly unknown[] | undefined) => [
        ...(before ?? []),
        parse(text),
      ]),
    ]
  }
  return [option.argParser(parserOf(property.type))]
}

function describe(field: string, { description = '', default: given, type }: Property): string {
  const text = pathFields.has(field) ? 'Path, relative to the current folder.' : description
  const repeated = type === 'array' ? ' May be repeated.' : ''
  const fallback = given === undefined || type === 'boolean' ? '' : ` (default ${JSON.stringify(given)})`
  return `${text}${repeated}${fallback}`
}

function placeholder({ type, items, enum: choices }: Property): string {
  if (choices !== undefined) return 'kind'
  const single = type === 'array' ? items?.type : type
  if (single === 'integer' || single === 'number') return 'n'
  return single === 'string' ? 'text' : 'json'
}

function parserOf(type: string | undefined): (text: string) => unknown {
  if (type === 'string') return text => text
  if (type === 'integer' || type === 'number') return parseNumber
  return parseJson
}

function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('It is not a number.')
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It is not valid JSON.')
  }
}

function absolute(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map(entry => absolute(entry, cwd))
  return typeof value === 'string' ? resolve(cwd, value) : value
}

/** How commander calls the value of a flag. */
function attribute(field: string): string {
  return new Option(`--${dashed(field)}`).attributeName()
}
