// A path is what one answer prints and the next question takes, so it has to survive the way through a model verbatim,
// whatever the names look like and whichever server made them up.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ServerSymbol } from '../lsp/results.js'
import {
  type DeclaredSymbol,
  declaredSymbols,
  indexedSegments,
  joinPath,
  matching,
  parseSymbolQuery,
} from './symbol-path.js'

// Everything that means something in a path, and things that only look as if they did.
const pieces = fc.constantFrom(
  'area',
  'Shape',
  '.',
  '/',
  ':',
  '::',
  '#',
  '#2',
  '\\',
  ' ',
  '"',
  '(*',
  ')',
  '1',
)
const name = fc.array(pieces, { minLength: 1, maxLength: 6 }).map(parts => parts.join(''))

test('contract 3.1 a printed path is read back as the same names, with or without an ordinal', () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.nat({ max: 99 }), (segments, ordinal) => {
      const path = joinPath(segments)
      expect(parseSymbolQuery(path)).toEqual({ segments, ordinal: undefined })
      expect(parseSymbolQuery(`${path}#${ordinal}`)).toEqual({ segments, ordinal })
    }),
    { numRuns: 1000 },
  )
})

test('contract 3.1 plain names are printed plainly', () => {
  expect(joinPath(['Shape', 'area'])).toBe('Shape.area')
  expect(joinPath(['Shape', '#sides'])).toBe('Shape.#sides')
  expect(joinPath(['impl Area for Shape', 'area'])).toBe('impl Area for Shape.area')
  expect(joinPath(['a.b', 'c/d', 'e::f', 'g:h', 'i\\j', 'k#2'])).toBe('a\\.b.c\\/d.e\\::f.g:h.i\\\\j.k\\#2')
})

test.each([
  ['area', ['area'], undefined],
  ['Shape.area', ['Shape', 'area'], undefined],
  ['Shape::area', ['Shape', 'area'], undefined],
  ['Shape/area', ['Shape', 'area'], undefined],
  ['area#2', ['area'], 2],
  ['Shape.area#10', ['Shape', 'area'], 10],
  ['#sides', ['#sides'], undefined],
  ['#2', ['#2'], undefined],
  ['area\\#2', ['area#2'], undefined],
  ['area\\\\#2', ['area\\'], 2],
  ['::area', ['area'], undefined],
  ['/Shape/area', ['Shape', 'area'], undefined],
  ['.', ['.'], undefined],
  ['area\\', ['area\\'], undefined],
  ['operator ==', ['operator =='], undefined],
])('contract 3.1 %j is read as %j', (written, segments, ordinal) => {
  expect(parseSymbolQuery(written)).toEqual({ segments, ordinal })
})

test('contract 3.1 every declared path finds its own symbol and its overloads, in order, and nothing else', () => {
  fc.assert(
    fc.property(outlineOf(3), outline => {
      const declared = declaredSymbols(outline)
      for (const symbol of declared) {
        const { segments, ordinal } = parseSymbolQuery(symbol.path)
        expect(ordinal).toBeUndefined()
        const overloads = declared.filter(other => other.path === symbol.path)
        expect(matching(declared, segments)).toEqual(overloads)
      }
    }),
    { numRuns: 300 },
  )
})

test('contract 3.1 a whole path wins over one that ends in it; a bare name finds members too', () => {
  const declared = declaredSymbols([
    serverSymbol('area', {}),
    serverSymbol('Shape', { children: [serverSymbol('area', {}), serverSymbol('sides', {})] }),
    serverSymbol('Circle', { children: [serverSymbol('area', {})] }),
  ])
  expect(found(declared, 'area')).toEqual(['area'])
  expect(found(declared, 'sides')).toEqual(['Shape.sides'])
  expect(found(declared, 'Shape.area')).toEqual(['Shape.area'])
  expect(found(declared, 'Shape::area')).toEqual(['Shape.area'])
  expect(found(declared, 'Square.area')).toEqual([])
  expect(found(declared, 'Shape')).toEqual(['Shape'])
})

test('contract 3.1 what servers make of a method is Type.method to everybody', () => {
  const go = declaredSymbols([
    serverSymbol('Route', {}),
    serverSymbol('(*Route).Match', {}),
    serverSymbol('(Route).Name', {}),
  ])
  expect(go.map(({ path }) => path)).toEqual(['Route', 'Route.Match', 'Route.Name'])
  expect(found(go, 'Match')).toEqual(['Route.Match'])
  expect(found(go, 'Route')).toEqual(['Route'])

  const cpp = declaredSymbols([serverSymbol('geometry::Shape::area', {}), serverSymbol('Shape::~Shape', {})])
  expect(cpp.map(({ path }) => path)).toEqual(['geometry.Shape.area', 'Shape.~Shape'])
  expect(found(cpp, 'Shape::area')).toEqual(['geometry.Shape.area'])

  const flat = declaredSymbols([serverSymbol('area', { container: 'Outer.Shape' })])
  expect(found(flat, 'Shape.area')).toEqual(['Outer.Shape.area'])
  expect(found(flat, 'Outer.Shape.area')).toEqual(['Outer.Shape.area'])
})

test('contract 3.1 a Rust implementation goes by the name of its type', () => {
  const area = serverSymbol('area', {})
  const declared = declaredSymbols([
    serverSymbol('Shape', {}),
    serverSymbol('impl Shape', { children: [serverSymbol('sides', {})] }),
    serverSymbol('impl Area for Shape', { children: [area] }),
    serverSymbol("impl<'a, T: Into<Vec<T>>> fmt::Display<T> for crate::Ring<'a, T>", { children: [area] }),
    serverSymbol('impl Area for &mut Dot', { children: [area] }),
  ])
  expect(found(declared, 'Shape')).toEqual(['Shape'])
  expect(found(declared, 'Shape.sides')).toEqual(['impl Shape.sides'])
  expect(found(declared, 'Shape::area')).toEqual(['impl Area for Shape.area'])
  expect(found(declared, 'Ring.area')).toHaveLength(1)
  expect(found(declared, 'Dot.area')).toEqual(['impl Area for &mut Dot.area'])
})

test('contract 3.1 parameters and generics are no part of a name, unless that tells two apart', () => {
  const declared = declaredSymbols([
    serverSymbol('area(int)', {}),
    serverSymbol('area', {}),
    serverSymbol('List<T>', { children: [serverSymbol('add(T)', {})] }),
  ])
  expect(found(declared, 'area')).toEqual(['area'])
  expect(found(declared, 'area(int)')).toEqual(['area(int)'])
  expect(found(declared, 'List.add')).toEqual(['List<T>.add(T)'])
})

test('contract 3.1 what a workspace index calls a symbol', () => {
  const path = (symbol: string, container?: string) => joinPath(indexedSegments({ name: symbol, container }))
  expect(path('area')).toBe('area')
  expect(path('area', 'Shape')).toBe('Shape.area')
  expect(path('area', 'geometry::Shape')).toBe('geometry.Shape.area')
  // gopls: the import path is no name, and the package is named only when the question fits it.
  expect(path('Person.Greeting', 'example.com/greeter')).toBe('Person.Greeting')
  expect(path('greeter.Person.Greeting', 'example.com/greeter')).toBe('Person.Greeting')
  expect(path('greeter', 'example.com/greeter')).toBe('greeter')
  expect(path('operator/', 'Shape')).toBe('Shape.operator\\/')
})

const serverNames = fc.constantFrom(
  '(*Route).Match',
  'Route.Match',
  'Route::match',
  'impl Shape',
  'impl Area for Shape',
  'area(int)',
  'area',
  'List<T>',
)

function outlineOf(depth: number): fc.Arbitrary<ServerSymbol[]> {
  const container = fc.option(fc.oneof(name, serverNames), { nil: undefined })
  const children = depth === 0 ? fc.constant([]) : outlineOf(depth - 1)
  const symbol = fc
    .record({ name: fc.oneof(name, serverNames), container, children })
    .map(parts => serverSymbol(parts.name, parts))
  return fc.array(symbol, { maxLength: 3 })
}

function serverSymbol(
  symbol: string,
  { container, children = [] }: { container?: string | undefined; children?: readonly ServerSymbol[] },
): ServerSymbol {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
  return {
    name: symbol,
    kind: 12,
    detail: undefined,
    container,
    uri: undefined,
    range,
    selection: range,
    children,
  }
}

function found(declared: readonly DeclaredSymbol[], written: string): string[] {
  return matching(declared, parseSymbolQuery(written).segments).map(({ path }) => path)
}
