// The schema in words: the rows of the generated settings page, and what an error says a value must be.
import * as z from 'zod'
import type { Path } from './recorder.js'
import { agentsFileSchema, configurationSchema } from './schema.js'

export interface SettingDescription {
  /** `restart.max`, `servers.<name>.command`, `agents[].lsp.enabled`. */
  readonly key: string
  readonly type: string
  /** As JSON; undefined where nothing holds when the key is absent. */
  readonly default: string | undefined
  readonly description: string
}

/** Every key of the configuration, in the order of the schema, then those of an agent's block. */
export function describeSettings(): SettingDescription[] {
  return [configurationSchema, agentsFileSchema].flatMap(schema =>
    rowsBelow(z.toJSONSchema(schema, { io: 'input' }), ''),
  )
}

export interface Expectations {
  /** The keys that are valid inside the object at this path; none where any key is. */
  keysAt(path: Path): readonly string[]
  /** What the value at this path must be, e.g. "a whole number from 0 to 604800". */
  expectedAt(path: Path): string
}

export function expectationsOf(schema: z.ZodType): Expectations {
  const root = z.toJSONSchema(schema, { io: 'input' })
  return {
    keysAt: path => Object.keys(schemaAt(root, path)?.properties ?? {}),
    expectedAt(path) {
      const found = schemaAt(root, path)
      return found === undefined ? 'plain JSON' : typeOf(found)
    },
  }
}

type Schema = z.core.JSONSchema.JSONSchema

function rowsBelow(schema: Schema, prefix: string): SettingDescription[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return []
    const key = prefix + name
    const row = {
      key,
      type: typeOf(property),
      default: property.default === undefined ? undefined : JSON.stringify(property.default),
      description: property.description ?? '',
    }
    const inside = [
      ...rowsBelow(property, `${key}.`),
      ...rowsBelow(plainObject(property.items), `${key}[].`),
      ...rowsBelow(plainObject(property.additionalProperties), `${key}.<name>.`),
    ]
    return [row, ...inside]
  })
}

function schemaAt(root: Schema, path: Path): Schema | undefined {
  let schema = root
  for (const step of path) {
    const next: unknown =
      typeof step === 'number' ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties)
    if (!isSchema(next)) return undefined
    schema = next
  }
  return schema
}

function typeOf(schema: Schema): string {
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum.map(value => JSON.stringify(value)).join(', ')}`
  switch (schema.type) {
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`
    case 'boolean':
      return 'true or false'
    case 'string':
      return 'a string'
    case 'array': {
      const item = plainObject(schema.items)
      if (item.type === 'integer') return `a list of whole numbers from ${item.minimum} to ${item.maximum}`
      return item.type === 'object' ? 'a list of objects' : 'a list of strings'
    }
    case 'object':
      return 'an object'
    default:
      return 'plain JSON'
  }
}

function plainObject(schema: unknown): Schema {
  return isSchema(schema) ? schema : {}
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
