import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countTokens } from './o200k.mjs'
import { pack } from './pack.js'
import { contextKinds, type LeftOut, type Piece, textOf } from './piece.js'
import { ranked } from './rank.js'

const server = { id: 'fake', name: 'fake', version: '1.0.0' }

function pieceWith(piece: Partial<Piece>): Piece {
  return {
    kind: 'definition',
    file: 'src/a.ts',
    line: 1,
    forms: [['text']],
    value: 1,
    query: 'textDocument/definition',
    server,
    queriedAt: '2030-01-01T00:00:00.000Z',
    sources: [],
    ...piece,
  }
}

const line = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('<|endoftext|>', 'export function area(width: number): number', '\t\t}', ''),
)

const pieces = fc.array(
  fc
    .record({
      kind: fc.constantFrom(...contextKinds),
      file: fc.constantFrom('src/a.ts', 'src/b.ts', 'a/very/long/path/to/some/file.ts'),
      line: fc.integer({ min: 1, max: 500 }),
      value: fc.integer({ min: 0, max: 100 }),
      forms: fc.array(fc.array(line, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
    })
    .map(pieceWith),
  { maxLength: 30 },
)

const measure = (
  packed: readonly { piece: Piece; lines: readonly string[] }[],
  leftOut: readonly LeftOut[],
) =>
  countTokens(
    ['context', ...packed.map(({ piece, lines }) => textOf(piece, lines)), `${leftOut.length} left`].join(
      '\n',
    ),
  )

test('contract 7 a packed context is never over its budget, and says of every piece what became of it', () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: 20, max: 600 }), (given, budget) => {
      const sorted = ranked(given)
      const { packed, leftOut, tokens } = pack(sorted, { budget, count: countTokens, measure })
      expect(tokens).toBeLessThanOrEqual(budget)
      expect(measure(packed, leftOut)).toBe(tokens)
      expect(packed.length + leftOut.length).toBe(sorted.length)
      expect(leftOut.every(({ reason }) => reason === 'budget')).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test('contract 7 with room for everything nothing is left out, and each piece has its longest form', () => {
  fc.assert(
    fc.property(pieces, given => {
      const sorted = ranked(given)
      const { packed, leftOut } = pack(sorted, { budget: 100_000, count: countTokens, measure })
      expect(leftOut).toEqual([])
      expect(packed.map(({ lines }) => lines)).toEqual(sorted.map(({ forms }) => forms[0]))
    }),
    { numRuns: 50 },
  )
})

test('contract 7 what is worth most is packed first, in a shorter form where the longest has no room', () => {
  const best = pieceWith({ value: 9, line: 1, forms: [[words(200)], ['short']] })
  const next = pieceWith({ value: 8, line: 2, forms: [['next']] })
  const last = pieceWith({ value: 7, line: 3, forms: [[words(60)]] })
  const sorted = ranked([last, next, best])
  expect(sorted).toEqual([best, next, last])
  const { packed, leftOut } = pack(sorted, { budget: 60, count: countTokens, measure })
  expect(packed.map(({ lines }) => lines)).toEqual([['short'], ['next']])
  expect(leftOut).toEqual([{ kind: 'definition', target: 'src/a.ts:3', reason: 'budget' }])
})

test('contract 7 equal pieces, and source that another one shows, are told once', () => {
  const whole = pieceWith({ value: 5, line: 10, endLine: 20, symbol: 'Shape' })
  const member = pieceWith({ value: 4, line: 12, symbol: 'Shape.area' })
  const again = pieceWith({ kind: 'workspace_symbol', value: 6, line: 10, endLine: 20, symbol: 'Shape' })
  const users = pieceWith({ kind: 'usage', value: 3, line: 12, symbol: 'Shape.area' })
  expect(ranked([whole, member, again, users])).toEqual([again, users])
})

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
}
