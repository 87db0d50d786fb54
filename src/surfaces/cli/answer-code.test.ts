// A shell decides by the exit code alone, so no doubt may look like "no findings".
import { expect, test } from 'vitest'
import * as z from 'zod'
import { errorKinds } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { findSymbol } from '../../operations/find-symbol.js'
import { getDiagnostics } from '../../operations/get-diagnostics.js'
import { operations } from '../../operations/index.js'
import { exitCodeOf } from './answer-code.js'

function answered(result: unknown): Answer<unknown> {
  return {
    ok: true,
    result,
    completeness: { verdict: 'partial', reason: 'still indexing' },
    freshness: { verdict: 'current', queried_at: '2030-01-01T00:00:00.000Z' },
    servers: [],
  }
}

test('contract 2: empty and partial answers are answers', () => {
  expect(exitCodeOf(findSymbol, answered({ symbols: [], total: 0 }))).toBe(0)
})

test.each([
  { verdict: 'settled', severity: undefined, code: 0 },
  { verdict: 'settled', severity: 'warning', code: 0 },
  { verdict: 'settled', severity: 'error', code: 1 },
  { verdict: 'unknown', severity: 'error', code: 1 },
  { verdict: 'unknown', severity: 'warning', code: 3 },
  { verdict: 'unknown', severity: undefined, code: 3 },
] as const)(
  'contract 2: diagnostics $verdict with $severity end with $code',
  ({ verdict, severity, code }) => {
    const place = { file: 'a.ts', line: 1, column: 1, end_line: 1, end_column: 2, text: '' }
    const diagnostics = severity === undefined ? [] : [{ severity, message: 'm', ...place }]
    const files = [{ file: 'a.ts', content: 'sha256:0', verdict, diagnostics }]
    expect(exitCodeOf(getDiagnostics, answered({ files }))).toBe(code)
  },
)

test.each([
  { found: 'clean', code: 0 },
  { found: 'warnings_only', code: 0 },
  { found: 'baseline_error', code: 0 },
  { found: 'new_errors', code: 1 },
  { found: 'lsp_unavailable', code: 3 },
])('contract 6: whatever answers with a class of a change ends with $code for $found', ({ found, code }) => {
  const judging = { output: z.object({ class: z.string(), files: z.array(z.unknown()) }) }
  expect(exitCodeOf(judging, answered({ class: found, files: [] }))).toBe(code)
})

test('contract 6: every operation that declares a class has the five of the contract', () => {
  const classed = z.object({ properties: z.object({ class: z.object({ enum: z.array(z.string()) }) }) })
  for (const { name, output } of operations) {
    if (!(output instanceof z.ZodObject) || !('class' in output.shape)) continue
    const { properties } = classed.parse(z.toJSONSchema(output))
    const five = ['baseline_error', 'clean', 'lsp_unavailable', 'new_errors', 'warnings_only']
    expect(properties.class.enum.toSorted(), name).toEqual(five)
  }
})

test('contract 2: files that are listed without diagnostics are an answer', () => {
  const listing = { output: z.object({ files: z.array(z.unknown()) }) }
  expect(exitCodeOf(listing, answered({ files: [{ file: 'a.ts', edits: 3 }] }))).toBe(0)
})

test.each([...errorKinds, 'Bug' as const])(
  'contract 2: a failure of kind %s is usage or not established',
  kind => {
    const code = exitCodeOf(getDiagnostics, { ok: false, kind, error: 'e', hint: 'h' })
    expect(code).toBe(kind === 'InvalidArguments' ? 2 : 3)
  },
)
