// The text form is all that a model sees, so it is held to its bounds and to saying everything: the verdicts, the cut, the
// way on after a failure.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Place } from '../workspace/places.js'
import type { AnswerTarget, Failure, Success } from './answer.js'
import { findReferences } from './find-references.js'
import { findSymbol } from './find-symbol.js'
import { getDiagnostics } from './get-diagnostics.js'
import { goToDefinition } from './go-to-definition.js'
import { inspectSymbol } from './inspect-symbol.js'
import { listSymbols } from './list-symbols.js'
import type { Operation } from './operation.js'
import { cutToFit, renderAnswer } from './render.js'
import { serverStatus } from './server-status.js'

const target: AnswerTarget = {
  file: 'src/a.ts',
  line: 1,
  column: 17,
  symbol: 'area',
  handle: 's:abcdefabcdef:1:17:src/a.ts#area',
}

test('contract 3.2 references: a summary, one file once, one place a line, the handle', () => {
  const references = [
    place('src/a.ts', 1, 'export function area()'),
    place('src/b.ts', 2),
    place('src/b.ts', 9),
  ]
  expect(renderAnswer(findReferences, success({ references }, { target }))).toBe(`\
3 references to area (src/a.ts:1:17) in 2 files [complete; typescript-go 7.0.2]
src/a.ts
  1:1  export function area()
src/b.ts
  2:1  area()
  9:1  area()
handle: s:abcdefabcdef:1:17:src/a.ts#area`)
})

test('contract 3.2 whatever is not plain has a line that says so', () => {
  const answer = success(
    { references: [] },
    {
      target: { ...target, note: 'line 3 has no area; it stands on line 1' },
      completeness: { verdict: 'partial', reason: 'it is still indexing', hint: 'Ask again later.' },
      freshness: { verdict: 'stale', queried_at: '', reason: 'the file kept changing' },
    },
  )
  expect(renderAnswer(findReferences, answer).split('\n')).toEqual([
    '0 references to area (src/a.ts:1:17) in 0 files [partial; stale; typescript-go 7.0.2]',
    'note: line 3 has no area; it stands on line 1',
    'partial: it is still indexing',
    'hint: Ask again later.',
    'freshness stale: the file kept changing',
    `handle: ${target.handle}`,
  ])
  const silent = success({ places: [] }, { freshness: { verdict: 'unknown', queried_at: '' } })
  expect(renderAnswer(goToDefinition, silent)).toContain('freshness unknown: no reason known')
})

test('contract 3.2 a failure has kind, error, candidates and hint', () => {
  const failure: Failure = {
    ok: false,
    kind: 'SymbolAmbiguous',
    error: 'area is ambiguous in src/a.ts: 2 places fit',
    hint: 'Use one of the candidates verbatim (file, line and symbol).',
    candidates: [
      { file: 'src/a.ts', line: 2, column: 3, symbol: 'Shape.area', text: 'area() {}' },
      { file: 'src/a.ts', line: 7, column: 3, symbol: 'area#2', text: 'area(area)' },
    ],
  }
  expect(renderAnswer(findReferences, failure)).toBe(`\
SymbolAmbiguous: area is ambiguous in src/a.ts: 2 places fit
  file=src/a.ts line=2 symbol=Shape.area  area() {}
  file=src/a.ts line=7 symbol=area#2  area(area)
hint: Use one of the candidates verbatim (file, line and symbol).`)
})

test('R-143 diagnostics are none only when that is settled, and their number survives a cut', () => {
  const file = (verdict: 'settled' | 'unknown', count: number) => ({
    file: 'src/a.ts',
    content: `sha256:${'ab'.repeat(32)}`,
    verdict,
    diagnostics: Array.from({ length: count }, (_, index) => ({
      severity: index === 0 ? ('error' as const) : ('warning' as const),
      message: `wrong\nvery wrong ${'x'.repeat(100)}`,
      code: '2322',
      source: 'ts',
      ...place('src/a.ts', index + 1),
    })),
  })
  const text = (verdict: 'settled' | 'unknown', count: number) =>
    renderAnswer(getDiagnostics, success({ files: [file(verdict, count)] }))
  expect(text('settled', 0)).toMatch(/^src\/a\.ts: no diagnostics, settled for sha256:abababababab \[/)
  expect(text('settled', 3)).toMatch(/^src\/a\.ts: 1 error, 2 warnings, settled for/)
  expect(text('settled', 1)).toContain('src/a.ts:1:1 error [ts 2322]: wrong\n    very wrong')
  expect(text('unknown', 0)).toMatch(/^diagnostics of src\/a\.ts are unknown/)
  expect(text('unknown', 0)).not.toContain('no diagnostics')

  const cut = cutToFit(getDiagnostics, success({ files: [file('settled', 9)] }), 10)
  expect(cut.truncated).toEqual({ shown: 0, total: 9 })
  const shown = renderAnswer(getDiagnostics, cut)
  expect(shown).toContain('0 of 9 diagnostics shown')
  expect(shown).toContain('+9 more results')
  expect(shown).not.toContain('no diagnostics')
})

test('contract 3.2 a server that never ran, and one that indexes and failed before', () => {
  expect(renderAnswer(serverStatus, success({ languages: [], servers: [] }))).toContain('none known')
  const server = {
    id: 'gopls',
    name: 'gopls',
    version: '0.20',
    language: 'go',
    root: '.',
    how: 'found on PATH',
    state: 'indexing',
    indexing: 'it is loading packages',
    memory_mb: 12.5,
    restarts: 1,
    last_error: 'it died',
  }
  const text = renderAnswer(
    serverStatus,
    success({ languages: [{ language: 'go', files: 1 }], servers: [server] }),
  )
  expect(text.split('\n').slice(1)).toEqual([
    'languages here: go (1 file)',
    'go: gopls 0.20 (found on PATH) indexing, 12.5 MB, 1 restart, root .',
    '  indexing: it is loading packages',
    '  last error: it died',
  ])
})

test('contract 3.2 a symbol about which a server says nothing', () => {
  expect(renderAnswer(inspectSymbol, success({}, { target }))).toMatch(
    /^the server has nothing to say about area/,
  )
})

interface Sample {
  readonly operation: Operation
  readonly result: (count: number, text: string) => unknown
}

const samples: readonly Sample[] = [
  { operation: findReferences, result: (count, text) => ({ references: places(count, text) }) },
  { operation: goToDefinition, result: (count, text) => ({ places: places(count, text) }) },
  {
    operation: findSymbol,
    result: (count, text) => ({
      symbols: places(count, text).map(found => ({ ...found, name: 'area', kind: 'method', path: text })),
      total: count,
    }),
  },
  {
    operation: listSymbols,
    result: (count, text) => ({ symbols: nested(places(count, text), text) }),
  },
  {
    operation: getDiagnostics,
    result: (count, text) => ({
      files: [
        {
          file: 'src/a.ts',
          content: 'sha256:abc',
          verdict: 'settled',
          diagnostics: places(count, text).map(found => ({ ...found, severity: 'error', message: text })),
        },
      ],
    }),
  },
]

test('R-145 under any limit the whole text fits, is cut between items, and the rest adds up', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.nat({ max: 200 }),
      fc.string({ unit: fc.constantFrom('a', 'ß', '\u{1f600}', ' ') }),
      fc.nat({ max: 6000 }),
      fc.boolean(),
      ({ operation, result }, count, text, room, doubtful) => {
        const whole = success(result(count, text), {
          target,
          ...(doubtful ? { completeness: { verdict: 'partial', reason: text.repeat(3) } } : {}),
        })
        const least = Buffer.byteLength(renderAnswer(operation, cutToFit(operation, whole, 0)))
        const limit = least + room
        const cut = cutToFit(operation, whole, limit)
        const rendered = renderAnswer(operation, cut)
        expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(limit)
        const kept = operation.items.count(cut.result)
        expect(kept).toBe(cut.truncated?.shown ?? count)
        if (cut.truncated === undefined) {
          expect(cut).toEqual(whole)
          expect(rendered).not.toContain('more results')
          return
        }
        expect(cut.truncated.total).toBe(count)
        expect(rendered).toContain(`+${count - kept} more results`)
        expect(rendered).toContain(`${kept} of ${count} `)
        // Not one item less than fits.
        const next = { ...cut, result: operation.items.keep(whole.result, kept + 1) }
        const more = { ...next, truncated: { shown: kept + 1, total: count } }
        expect(Buffer.byteLength(renderAnswer(operation, kept + 1 === count ? whole : more))).toBeGreaterThan(
          limit,
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('R-145 a cut outline keeps the containers of what it keeps', () => {
  const outline = { symbols: nested(places(3, 'text'), 'text') }
  const kept = listSymbols.items.keep(outline, 2)
  expect(kept.symbols).toMatchObject([{ line: 1, children: [{ line: 2 }] }])
  expect(kept.symbols[0]?.children?.[0]?.children).toBeUndefined()
})

function success<R>(result: R, parts: Partial<Success<R>> = {}): Success<R> {
  return {
    ok: true,
    result,
    completeness: { verdict: 'complete' },
    freshness: { verdict: 'current', queried_at: '2030-01-01T00:00:00.000Z' },
    servers: [{ id: 'typescript', name: 'typescript-go', version: '7.0.2' }],
    ...parts,
  }
}

function place(file: string, line: number, text = 'area()'): Place {
  return { file, line, column: 1, end_line: line, end_column: 5, text }
}

function places(count: number, text: string): Place[] {
  return Array.from({ length: count }, (_, index) =>
    place(`src/${Math.floor(index / 3)}.ts`, index + 1, text),
  )
}

interface Nested extends Place {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly children?: Nested[]
}

/** Each symbol inside the one before, up to three deep. */
function nested(all: readonly Place[], name: string): Nested[] {
  const roots: Nested[] = []
  for (let index = 0; index < all.length; index += 3) {
    let inner: Nested | undefined
    for (const found of all.slice(index, index + 3).reverse()) {
      const own = { ...found, name, kind: 'class', path: name }
      inner = inner === undefined ? own : { ...own, children: [inner] }
    }
    if (inner !== undefined) roots.push(inner)
  }
  return roots
}
