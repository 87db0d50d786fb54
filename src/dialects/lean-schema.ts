// JSON schemas as models are sent them. A tool list is part of every prompt, so what says little is left out; and the
// keywords that remain are those every provider takes: Gemini and Vertex refuse a whole list because of one
// `additionalProperties`, `const`, `default` or list of types in it.
import * as z from 'zod'
import type { JsonObject, JsonValue } from '../json.js'

export type LeanSchema = {
  readonly type: 'object'
  readonly properties?: JsonObject
  readonly required?: string[]
}

/** As input: a field with a default need not be given. What the schema leaves open is checked by the operation itself. */
export function leanInput(schema: z.ZodType, defaults: Readonly<Record<string, unknown>> = {}): LeanSchema {
  const { properties, required } = lean(withDefaults(jsonSchema(schema), defaults))
  return {
    type: 'object' as const,
    ...(isObject(properties) ? { properties } : {}),
    ...(isStrings(required) ? { required } : {}),
  }
}

/** For clients that check an answer against it, so it keeps what can be checked. */
export function outputSchema(schema: z.ZodType): JsonObject {
  return withoutNoise(jsonSchema(schema))
}

/** The whole language of the schemas that models see. */
export const leanKeywords = ['type', 'description', 'enum', 'properties', 'required', 'items'] as const

function lean(schema: JsonObject): JsonObject {
  const { type, enum: choices, properties, required, items } = schema
  const description = described(schema)
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === '' ? {} : { description }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(isObject(properties) && Object.keys(properties).length > 0
      ? { properties: mapValues(properties, lean) }
      : {}),
    ...(isStrings(required) && required.length > 0 ? { required } : {}),
    ...(isObject(items) ? { items: lean(items) } : {}),
  }
}

/** Only what the schema itself has a default for can have another one. */
function withDefaults(schema: JsonObject, defaults: Readonly<Record<string, unknown>>): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const changed = Object.entries(properties).map(([name, field]) => {
    const given = plainValue(defaults[name])
    const isChanged = name in defaults && isObject(field) && field.default !== undefined
    return [name, isChanged ? { ...field, default: given } : field]
  })
  return { ...schema, properties: Object.fromEntries(changed) }
}

/** A default is said in words; that what is off or empty stays so needs none. */
function described({ description, default: given }: JsonObject): string {
  const text = typeof description === 'string' ? description : ''
  const isSilent = given === undefined || given === false || given === '' || Array.isArray(given)
  return isSilent ? text : `${text} Default ${String(given)}.`.trim()
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const plain = plainValue(z.toJSONSchema(schema, { io: 'input' }))
  return isObject(plain) ? plain : { type: 'object' }
}

function plainValue(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value === 'object' && value !== null) {
    const given = Object.entries(value).filter(([, child]) => child !== undefined)
    return Object.fromEntries(given.map(([key, child]) => [key, plainValue(child)]))
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

/** Zod names the dialect, which is the default one, and the largest numbers JavaScript can count to. */
function withoutNoise(schema: JsonObject): JsonObject {
  const said = Object.entries(schema).filter(
    ([key, value]) =>
      key !== '$schema' && value !== Number.MIN_SAFE_INTEGER && value !== Number.MAX_SAFE_INTEGER,
  )
  return Object.fromEntries(said.map(([key, value]) => [key, deepWithoutNoise(value)]))
}

function deepWithoutNoise(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null
  if (Array.isArray(value)) return value.map(deepWithoutNoise)
  return isObject(value) ? withoutNoise(value) : value
}

function mapValues(object: JsonObject, map: (value: JsonObject) => JsonObject): JsonObject {
  const mapped = Object.entries(object).map(([key, value]) => [key, isObject(value) ? map(value) : {}])
  return Object.fromEntries(mapped)
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isStrings(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string')
}
