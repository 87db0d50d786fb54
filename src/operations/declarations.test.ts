// Units of a file, from outlines as servers really send them: nested, flat, with locals, with callbacks.
import { expect, test } from 'vitest'
import { parseDocumentSymbols } from '../lsp/results.js'
import { SourceText } from '../text/lines.js'
import { type Declaration, readDeclarations } from './declarations.js'

const kinds = { module: 2, class: 5, method: 6, function: 12, variable: 13, object: 19 }

interface Shape {
  readonly name: string
  readonly kind: keyof typeof kinds
  /** Lines, from 0. */
  readonly lines: readonly [number, number]
  readonly column?: number
  readonly children?: readonly Shape[]
}

function symbol({ name, kind, lines: [first, last], column = 0, children = [] }: Shape): object {
  return {
    name,
    kind: kinds[kind],
    range: { start: { line: first, character: 0 }, end: { line: last, character: 99 } },
    selectionRange: {
      start: { line: first, character: column },
      end: { line: first, character: column + name.length },
    },
    children: children.map(symbol),
  }
}

function declared(file: string, text: string, shapes: readonly Shape[]) {
  const source = { file, text: new SourceText(text), encoding: 'utf-16' as const }
  return readDeclarations(parseDocumentSymbols(shapes.map(symbol)), source)
}

const shown = ({ path, at }: Declaration) => `${path}@${at.line}:${at.column}`

const typescript = declared(
  'a.ts',
  "import { b } from 'b'\nclass A {\n  m() {\n    const x = () => 1\n  }\n}\ntest('t', () => {\n})\n",
  [
    { name: 'b', kind: 'variable', lines: [0, 0], column: 9 },
    {
      name: 'A',
      kind: 'class',
      lines: [1, 5],
      column: 6,
      children: [
        {
          name: 'm',
          kind: 'method',
          lines: [2, 4],
          column: 2,
          children: [{ name: 'x', kind: 'variable', lines: [3, 3], column: 10 }],
        },
      ],
    },
    { name: "test('t') callback", kind: 'function', lines: [6, 7], column: 10 },
  ],
)

test('mistake 10: units are what others can use: neither locals nor imported names', () => {
  expect(typescript.all.filter(({ isUnit }) => isUnit).map(shown)).toEqual([
    'A@2:7',
    'A.m@3:3',
    "test('t') callback@7:11",
  ])
  expect(typescript.unitAround({ line: 4, column: 11 })?.path).toBe('A.m')
  expect(typescript.unitAround({ line: 1, column: 10 })).toBeUndefined()
  expect(typescript.unitsOn(6).map(({ path }) => path)).toEqual(['A'])
  expect(typescript.unitsOn(4).map(({ path }) => path)).toEqual(['A.m'])
})

test('mistake 10: what has no name of its own cannot be asked about', () => {
  expect(typescript.all.filter(({ isNamed }) => !isNamed).map(({ path }) => path)).toEqual([
    "test('t') callback",
  ])
})

test('mistake 10: a flat list with whole declarations gives the same units, pointed at by their names', () => {
  const text = new SourceText('class A:\n  def m(self):\n    x = 1\n')
  const location = (first: number, last: number) => ({
    uri: 'file:///a.py',
    range: { start: { line: first, character: 0 }, end: { line: last, character: 99 } },
  })
  const flat = [
    { name: 'A', kind: kinds.class, location: location(0, 2) },
    { name: 'm', kind: kinds.method, containerName: 'A', location: location(1, 2) },
    { name: 'x', kind: kinds.variable, containerName: 'm', location: location(2, 2) },
  ]
  const { all } = readDeclarations(parseDocumentSymbols(flat), { file: 'a.py', text, encoding: 'utf-16' })
  expect(all.filter(({ isUnit }) => isUnit).map(shown)).toEqual(['A@1:7', 'A.m@2:7'])
})

test("mistake 10: Rust's tests stand beside the code: in a module of their own, or under an attribute", () => {
  const text =
    'fn area() {}\n\n#[test]\nfn one() {}\n\nmod tests {\n  fn two() {}\n}\nimpl Shape {\n  fn grow() {}\n}\n'
  const { all } = declared('src/lib.rs', text, [
    { name: 'area', kind: 'function', lines: [0, 0], column: 3 },
    { name: 'one', kind: 'function', lines: [3, 3], column: 3 },
    {
      name: 'tests',
      kind: 'module',
      lines: [5, 7],
      column: 4,
      children: [{ name: 'two', kind: 'function', lines: [6, 6], column: 5 }],
    },
    {
      name: 'impl Shape',
      kind: 'object',
      lines: [8, 10],
      column: 0,
      children: [{ name: 'grow', kind: 'function', lines: [9, 9], column: 5 }],
    },
  ])
  expect(all.filter(({ isTest }) => isTest).map(({ path }) => path)).toEqual(['one', 'tests', 'tests.two'])
  expect(all.filter(({ isUnit }) => isUnit).map(({ name }) => name)).toContain('grow')
})
