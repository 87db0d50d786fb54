// A shell decides by the exit code alone, so no doubt may look like "no findings".
import { expect, test } from 'vitest'
import { errorKinds } from '../../errors.js'
import type { Answer } from '../../operations/answer.js'
import { findSymbol } from '../../operations/find-symbol.js'
import { getDiagnostics } from '../../operations/get-diagnostics.js'
import { exitCodeOf } from './answer-code.js'

const freshness = { verdict: 'current', queried_at: '2030-01-01T00:00:00.000Z' } as const

test('contract 2: empty and partial answers are answers', () => {
  const answer: Answer<unknown> = {
    ok: true,
    result: { symbols: [], total: 0 },
    completeness: { verdict: 'partial', reason: 'still indexing' },
    freshness,
    servers: [],
  }
  expect(exitCodeOf(findSymbol, answer)).toBe(0)
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
    const result = { files: [{ file: 'a.ts', content: 'sha256:0', verdict, diagnostics }] }
    const answer: Answer<unknown> = {
      ok: true,
      result,
      completeness: { verdict: 'complete' },
      freshness,
      servers: [],
    }
    expect(exitCodeOf(getDiagnostics, answer)).toBe(code)
  },
)

test.each([...errorKinds, 'Bug' as const])(
  'contract 2: a failure of kind %s is usage or not established',
  kind => {
    const code = exitCodeOf(getDiagnostics, { ok: false, kind, error: 'e', hint: 'h' })
    expect(code).toBe(kind === 'InvalidArguments' ? 2 : 3)
  },
)
