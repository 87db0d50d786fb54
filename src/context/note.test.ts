import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noteLines } from './note.js'
import { type ContextItem, contextKinds, type LeftOut } from './piece.js'

function item(
  kind: ContextItem['kind'],
  file: string,
  line: number,
  text: string,
  stale = false,
): ContextItem {
  return {
    kind,
    text: `${file}:${line}  ${text}`,
    record: {
      id: `cx:0-${line}`,
      source_type: 'lsp_semantic',
      query_type: 'textDocument/definition',
      server: { id: 'fake', name: 'fake', version: '1.0.0' },
      target: { file, line },
      priority: 'supporting',
      purity: 'impure',
      queried_at: '2030-01-01T00:00:00.000Z',
      injected_at: '2030-01-01T00:00:01.000Z',
      ...(stale ? { stale } : {}),
    },
  }
}

test('contract 7 a note is grouped by what it is for, then by file, and says what is missing', () => {
  const items = [
    item('usage', 'src/a.ts', 9, 'area: used at src/b.ts:3'),
    item('definition', 'src/c.ts', 40, 'function grow(): void\n    Makes it larger.'),
    item('definition', 'src/d.ts', 1, 'type Size = number', true),
    item('definition', 'src/c.ts', 7, 'class Shape'),
  ]
  const leftOut: LeftOut[] = [
    { kind: 'usage', target: 'src/a.ts:12 main', reason: 'time' },
    { kind: 'structure', target: 'src/b.ts', reason: 'budget' },
    { kind: 'structure', target: 'src/e.xyz', reason: 'error', detail: 'no server' },
  ]
  expect(noteLines(items, leftOut).join('\n')).toMatchInlineSnapshot(`
    "Used here, defined elsewhere:
      src/c.ts
        7  class Shape
        40  function grow(): void
          Makes it larger.
      src/d.ts:1  type Size = number
          (may be out of date: as of 2030-01-01T00:00:00.000Z)
    Who depends on it:
      src/a.ts:9  area: used at src/b.ts:3
    no room for: the outline of src/b.ts
    not answered in time: the users of main
    could not be asked: the outline of src/e.xyz (no server)"
  `)
})

const leftOut = fc.record({
  kind: fc.constantFrom(...contextKinds),
  target: fc.string({ maxLength: 400 }),
  reason: fc.constantFrom('budget' as const, 'time' as const, 'error' as const),
  detail: fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
})

test('contract 7 however much is missing, telling it takes three short lines', () => {
  fc.assert(
    fc.property(fc.array(leftOut, { maxLength: 60 }), missing => {
      const lines = noteLines([], missing)
      expect(lines.length).toBe(new Set(missing.map(({ reason }) => reason)).size)
      for (const line of lines) expect(line.length).toBeLessThan(350)
    }),
  )
})
