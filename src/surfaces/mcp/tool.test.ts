import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { leanKeywords } from '../../dialects/lean-schema.js'
import type { Answer } from '../../operations/answer.js'
import { findReferences } from '../../operations/find-references.js'
import { operations } from '../../operations/index.js'
import { defineOperation } from '../../operations/operation.js'
import { toolOf } from './tool.js'

const structured = operations.map(operation => toolOf(operation, { structured: true }))

describe('R-110 a tool follows from its operation', () => {
  test('R-110 name, description and annotations', () => {
    const tool = toolOf(findReferences, { structured: false })
    expect(tool).toMatchObject({
      name: 'find_references',
      description: findReferences.summary,
      annotations: { readOnlyHint: true, openWorldHint: false },
    })
    expect(tool.outputSchema).toBeUndefined()
  })

  test('R-110 what writes is announced as destructive, what only reads or proposes as reading', () => {
    for (const operation of operations) {
      const { annotations } = toolOf(operation, { structured: false })
      const isReading = operation.effect === 'read' || operation.effect === 'propose'
      expect(annotations?.readOnlyHint === true, operation.name).toBe(isReading)
      expect(annotations?.destructiveHint === true, operation.name).toBe(!isReading)
      // Only a server's own command may reach the world outside, which is what clients take for granted.
      expect(annotations?.openWorldHint ?? true, operation.name).toBe(operation.effect === 'execute')
    }
  })

  test('R-110 a default is said in words, and bounds are left to the operation', () => {
    const operation = defineOperation({
      ...findReferences,
      input: z.object({
        limit: z.number().int().min(1).max(9).default(5).describe('Most.'),
        deep: z.boolean().default(false).describe('Deeper.'),
        list: z.boolean().default(true).describe('List.'),
        kind: z.enum(['a', 'b']).default('b').describe('Which.'),
        edits: z.array(z.object({ file: z.string().describe('Path.'), text: z.string().optional() })),
      }),
      run: async () => ({ references: [] }),
    })
    expect(toolOf(operation, { structured: false }).inputSchema).toEqual({
      type: 'object',
      properties: {
        limit: { type: 'integer', description: 'Most. Default 5.' },
        deep: { type: 'boolean', description: 'Deeper.' },
        list: { type: 'boolean', description: 'List. Default true.' },
        kind: { type: 'string', description: 'Which. Default b.', enum: ['a', 'b'] },
        edits: {
          type: 'array',
          items: {
            type: 'object',
            properties: { file: { type: 'string', description: 'Path.' }, text: { type: 'string' } },
            required: ['file'],
          },
        },
      },
      required: ['edits'],
    })
  })
})

// Gemini and Vertex refuse a whole list for one keyword they do not know, and know one type a field; the strict mode of
// OpenAI knows no unions of objects; all of them want to be told what an array holds.
describe.each(operations)('R-110 the input schema of $name is one that every provider takes', operation => {
  const { inputSchema } = toolOf(operation, { structured: false })

  test('R-110 as it is sent', () => {
    expect(inputSchema.type).toBe('object')
    for (const { path, schema } of schemasIn(inputSchema)) {
      const where = `${operation.name}${path}`
      const unknown = Object.keys(schema).filter(key => !leanKeywords.some(known => known === key))
      expect(unknown, where).toEqual([])
      expect(['string', 'integer', 'number', 'boolean', 'array', 'object'], where).toContain(schema.type)
      if (schema.type === 'array') expect(schema.items, where).toBeDefined()
      if (schema.type === 'object' && path !== '') expect(schema.properties, where).toBeDefined()
      if ('enum' in schema) expect(schema, where).toMatchObject({ type: 'string', enum: expect.any(Array) })
    }
    for (const [name, field] of Object.entries(inputSchema.properties ?? {}))
      expect(field, `${operation.name}.${name} is described`).toMatchObject({
        description: expect.any(String),
      })
  })

  test('R-110 as it is declared: what is left out narrows no type', () => {
    const declared = JSON.stringify(z.toJSONSchema(operation.input, { io: 'input' }))
    expect(declared).not.toMatch(/"(anyOf|oneOf|allOf|not|const|\$ref|\$defs|nullable|prefixItems)":/)
    expect(declared).not.toMatch(/"type":(\[|"null")/)
  })
})

describe('R-110 output schemas with --structured', () => {
  const validators = new AjvJsonSchemaValidator()
  const references = structured.find(tool => tool.name === 'find_references')

  test('R-110 have an object at the root, for clients of 2025', () => {
    for (const { name, outputSchema } of structured)
      expect(outputSchema, name).toMatchObject({ type: 'object', required: ['ok'] })
  })

  test('R-147 fit every success and every failure', () => {
    const text = fc.string()
    const place = fc.record({
      file: text,
      line: fc.nat(),
      column: fc.nat(),
      end_line: fc.nat(),
      end_column: fc.nat(),
      text,
    })
    const success = fc.record(
      {
        ok: fc.constant(true as const),
        result: fc.record({ references: fc.array(place) }),
        completeness: fc.oneof(
          fc.constant({ verdict: 'complete' as const }),
          fc.record({ verdict: fc.constantFrom('partial' as const, 'unknown' as const), reason: text }),
        ),
        freshness: fc.record({ verdict: fc.constantFrom('current' as const), queried_at: text }),
        servers: fc.array(fc.record({ id: text, name: text, version: text })),
        evidence: text,
      },
      { requiredKeys: ['ok', 'result', 'completeness', 'freshness', 'servers'] },
    )
    const candidate = fc.record({ file: text, line: fc.nat(), column: fc.nat(), symbol: text, text })
    const failure = fc.record(
      {
        ok: fc.constant(false as const),
        kind: fc.constantFrom('SymbolAmbiguous' as const, 'InvalidArguments' as const),
        error: text,
        hint: text,
        candidates: fc.array(candidate),
      },
      { requiredKeys: ['ok', 'kind', 'error', 'hint'] },
    )
    const { $schema, ...schema } = references?.outputSchema ?? {}
    expect($schema).toBeUndefined()
    const fits = validators.getValidator(schema)
    fc.assert(
      fc.property(fc.oneof(success, failure), (answer: Answer<unknown>) => {
        const { valid, errorMessage } = fits(JSON.parse(JSON.stringify(answer)))
        expect(valid, errorMessage).toBe(true)
      }),
    )
    expect(fits({ result: {} }).valid).toBe(false)
  })
})

/** The schema itself and every one inside it, with the way to it. */
function schemasIn(schema: object, path = ''): { path: string; schema: Record<string, unknown> }[] {
  const { properties, items }: Record<string, unknown> = { ...schema }
  const inner = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  return [
    { path, schema: { ...schema } },
    ...inner.flatMap(([name, child]) => schemasIn(child, `${path}.${name}`)),
    ...(typeof items === 'object' && items !== null ? schemasIn(items, `${path}[]`) : []),
  ]
}
