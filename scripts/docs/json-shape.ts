// JSON schemas in words: the type of an input field, and the shape of a result on one line.
import * as z from 'zod'
import { placeSchema } from '../../src/operations/operation.js'

export type Schema = z.core.JSONSchema.JSONSchema

export interface Field {
  readonly name: string
  readonly type: string
  /** As JSON, "required", or nothing where it may simply be left out. */
  readonly fallback: string
  readonly description: string
}

export function fieldsOf(schema: z.ZodType): Field[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return []
    const fallback =
      property.default === undefined
        ? required.includes(name)
          ? 'required'
          : ''
        : `\`${JSON.stringify(property.default)}\``
    return [{ name, type: typeOf(property), fallback, description: property.description ?? '' }]
  })
}

/** Scalars by their name alone, everything else spelt out; the seven fields of a place as `...place`. */
export function shapeOf(schema: z.ZodType): string {
  const root = z.toJSONSchema(schema, { io: 'output' })
  return shape(root, { definitions: root.$defs ?? {}, open: [] })
}

interface Surroundings {
  readonly definitions: Readonly<Record<string, Schema>>
  /** The definitions we are inside of: a symbol has symbols for children. */
  readonly open: readonly string[]
}

function shape(schema: Schema, around: Surroundings): string {
  if (schema.$ref !== undefined) return referred(schema.$ref, around)
  if (schema.enum !== undefined) return schema.enum.map(value => JSON.stringify(value)).join(' or ')
  if (schema.type === 'array') return `[${shape(plain(schema.items), around)}]`
  if (schema.type === 'object') return objectShape(schema, around)
  return typeOf(schema)
}

function referred(reference: string, { definitions, open }: Surroundings): string {
  const name = reference.split('/').at(-1) ?? ''
  const found = definitions[name]
  if (found === undefined || open.includes(name)) return 'the same'
  return shape(found, { definitions, open: [...open, name] })
}

const placeFields = Object.keys(placeSchema.shape)

function objectShape({ properties = {}, required = [] }: Schema, around: Surroundings): string {
  const names = Object.keys(properties)
  const holdsPlace = placeFields.every(name => names.includes(name))
  const own = holdsPlace ? names.filter(name => !placeFields.includes(name)) : names
  if (holdsPlace && own.length === 0) return 'place'
  const written = own.map(name => {
    const property = plain(properties[name])
    const label = required.includes(name) ? name : `${name}?`
    return isScalar(property) ? label : `${label}: ${shape(property, around)}`
  })
  return `{ ${[...written, ...(holdsPlace ? ['...place'] : [])].join(', ')} }`
}

function isScalar({ type, enum: choices }: Schema): boolean {
  return choices === undefined && ['string', 'number', 'integer', 'boolean'].includes(String(type))
}

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map(value => JSON.stringify(value)).join(', ')
  if (schema.type === 'array') return `list of ${typeOf(plain(schema.items))}s`
  if (schema.type !== 'integer' && schema.type !== 'number') return String(schema.type ?? 'any JSON')
  const { minimum, maximum } = schema
  const bounded = isBound(minimum) && isBound(maximum)
  return bounded ? `${schema.type}, ${minimum} to ${maximum}` : schema.type
}

/** Zod names the largest numbers JavaScript can count to, which bound nothing. */
function isBound(value: number | undefined): boolean {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
}

function plain(schema: unknown): Schema {
  return isSchema(schema) ? schema : {}
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
