// JSON schemas as models are sent them. A tool list is part of every prompt, so what says little is left out; and the
// keywords that remain are those every provider takes: Gemini and Vertex refuse a whole list because of one
// `additionalProperties`, `const`, `default` or list of types in it.
import type { JSONObject, JSONValue } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** As input: a field with a default need not be given. What the schema leaves open is checked by the operation itself. */
export function leanInput(schema: z.ZodType) {
  const { properties, required } = lean(jsonSchema(schema))
  return {
    type: 'object' as const,
    ...(isObject(properties) ? { properties } : {}),
    ...(isStrings(required) ? { required } : {}),
  }
}

/** For clients that check an answer against it, so it keeps what can be checked. */
export function outputSchema(schema: z.ZodType): JSONObject {
  return withoutNoise(jsonSchema(schema))
}

/** The whole language of the schemas that models see. */
export const leanKeywords = ['type', 'description', 'enum', 'properties', 'required', 'items'] as const

function lean(schema: JSONObject): JSONObject {
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

/** A default is said in words; that what is off or empty stays so needs none. */
function described({ description, default: given }: JSONObject): string {
  const text = typeof description === 'string' ? description : ''
  const isSilent = given === undefined || given === false || given === '' || Array.isArray(given)
  return isSilent ? text : `${text} Default ${String(given)}.`.trim()
}

function jsonSchema(schema: z.ZodType): JSONObject {
  const plain = plainValue(z.toJSONSchema(schema, { io: 'input' }))
  return isObject(plain) ? plain : { type: 'object' }
}

function plainValue(value: unknown): JSONValue {
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value === 'object' && value !== null) {
    const given = Object.entries(value).filter(([, child]) => child !== undefined)
    return Object.fromEntries(given.map(([key, child]) => [key, plainValue(child)]))
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

/** Zod names the dialect, which is the default one, and the largest numbers JavaScript can count to. */
function withoutNoise(schema: JSONObject): JSONObject {
  const said = Object.entries(schema).filter(
    ([key, value]) =>
      key !== '$schema' && value !== Number.MIN_SAFE_INTEGER && value !== Number.MAX_SAFE_INTEGER,
  )
  return Object.fromEntries(said.map(([key, value]) => [key, deepWithoutNoise(value)]))
}

function deepWithoutNoise(value: JSONValue | undefined): JSONValue {
  if (value === undefined) return null
  if (Array.isArray(value)) return value.map(deepWithoutNoise)
  return isObject(value) ? withoutNoise(value) : value
}

function mapValues(object: JSONObject, map: (value: JSONObject) => JSONObject): JSONObject {
  const mapped = Object.entries(object).map(([key, value]) => [key, isObject(value) ? map(value) : {}])
  return Object.fromEntries(mapped)
}

function isObject(value: JSONValue | undefined): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isStrings(value: JSONValue | undefined): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string')
}
