import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../operations/answer.js'
import { findReferences } from '../../operations/find-references.js'
import { operations } from '../../operations/index.js'
import { defineOperation } from '../../operations/operation.js'
import { toolOf } from './tool.js'

const plain = operations.map(operation => toolOf(operation, { structured: false }))
const structured = operations.map(operation => toolOf(operation, { structured: true }))

describe('R-110 a tool follows from its operation', () => {
  test('R-110 name, title, description and annotations', () => {
    const tool = toolOf(findReferences, { structured: false })
    expect(tool).toMatchObject({
      name: 'find_references',
      title: 'Find references',
      description: findReferences.summary,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    })
    expect(tool.outputSchema).toBeUndefined()
  })

  test('R-110 an operation that writes is announced as destructive, a proposal as reading', () => {
    const annotated = (effect: 'edit' | 'execute' | 'propose') =>
      toolOf(defineOperation({ ...findReferences, effect }), { structured: false }).annotations
    expect(annotated('edit')).toMatchObject({ destructiveHint: true, readOnlyHint: false })
    expect(annotated('execute')).toMatchObject({ destructiveHint: true, readOnlyHint: false })
    expect(annotated('propose')).toMatchObject({ readOnlyHint: true })
  })

  test('R-110 input schemas are objects that refuse unknown fields, with one type a field and no noise', () => {
    for (const { name, inputSchema } of plain) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      for (const field of Object.values(inputSchema.properties ?? {})) {
        expect(field, name).toMatchObject({ type: expect.any(String), description: expect.any(String) })
      }
      expect(JSON.stringify(inputSchema)).not.toMatch(/\$schema|anyOf|oneOf|9007199254740991/)
    }
  })

  test('R-110 the default list costs less than 8 KB of every prompt', () => {
    expect(JSON.stringify(plain).length).toBeLessThan(8000)
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
