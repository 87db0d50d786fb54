// What an operation takes, as far as a command line must know: its fields with their kinds, read off its schema.
import * as z from 'zod'
import type { Operation } from '../../operations/operation.js'

const propertySchema = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  items: z.looseObject({ type: z.string().optional(), enum: z.array(z.string()).optional() }).optional(),
})
const shapeSchema = z.looseObject({
  properties: z.record(z.string(), propertySchema).default({}),
  required: z.array(z.string()).default([]),
})
export type Property = z.output<typeof propertySchema>
export type InputShape = z.output<typeof shapeSchema>

export function shapeOf(operation: Operation): InputShape {
  return shapeSchema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
}

/** Whether a value of this kind has to be written as JSON: objects, and lists of anything but plain values. */
export function isJson({ type, items }: Property): boolean {
  if (type === 'array') return !isPlain(items?.type)
  return type !== 'boolean' && !isPlain(type)
}

/** Whether it holds several plain values, so that its flag may be repeated. */
export function isList(property: Property): boolean {
  return property.type === 'array' && !isJson(property)
}

/** Typed paths are relative to the current folder, those of an operation to the root. */
export function isPath(field: string): boolean {
  return pathFields.has(field)
}

export function dashed(name: string): string {
  return name.replaceAll('_', '-')
}

const pathFields: ReadonlySet<string> = new Set(['file', 'files', 'seen', 'folder', 'folders'])

function isPlain(type: string | undefined): boolean {
  return type === 'string' || type === 'integer' || type === 'number'
}
