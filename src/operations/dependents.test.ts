// Which names a changed line is asked about, in several languages: whoever hands on a name of another file must not look
// as if nobody depended on it.
import { expect, test } from 'vitest'
import type { ServerSymbol } from '../lsp/results.js'
import { SourceText } from '../text/lines.js'
import { namesIn } from './dependents.js'

/** Protocol numbers. */
const kinds = { module: 2, function: 12 }

function symbolOn(
  line: number,
  name: string,
  kind: keyof typeof kinds,
  last = line,
  children: ServerSymbol[] = [],
) {
  const range = { start: { line: line - 1, character: 0 }, end: { line: last - 1, character: 80 } }
  const unsaid = { detail: undefined, container: undefined, uri: undefined }
  return { name, kind: kinds[kind], range, selection: range, children, ...unsaid }
}

function changedIn(file: string, lines: readonly string[], symbols: readonly ServerSymbol[] = []) {
  const outline = {
    file,
    uri: `file:///${file}`,
    text: new SourceText(lines.join('\n')),
    symbols,
    encoding: 'utf-16' as const,
  }
  const { names, gaps } = namesIn(outline, [{ start: 1, end: lines.length + 1 }])
  return { names: names.map(({ name }) => name), gaps }
}

test.each<[string, string, string[]]>([
  ['pkg/__init__.py', 'from .shapes import area', ['shapes', 'area']],
  ['lib/shapes.js', 'exports.area = size', ['area', 'size']],
  ['src/lib.rs', 'pub(crate) use shapes::area;', ['shapes', 'area']],
  ['src/index.ts', "export { area } from './shapes.js'", ['area', 'shapes', 'js']],
])('R-211 %s: what %j hands on is asked about', (file, line, names) => {
  expect(changedIn(file, [line])).toEqual({ names: expect.arrayContaining(names), gaps: [] })
})

test('R-211 a list of names that is written one a line is handed on like one on a line', () => {
  const { names } = changedIn('pkg/__init__.py', ['from .shapes import (', '    area,', ')'])
  expect(names).toContain('area')
})

test.each([
  ['pkg/__init__.py', 'from .shapes import *'],
  ['include/all.h', '#include "shapes.h"'],
  ['src/lib.rs', 'pub use shapes::*;'],
])('R-211 %s: of what %j hands on without naming it, nobody was looked for', (file, line) => {
  expect(changedIn(file, [line]).gaps).toEqual([`who uses what ${file}:1 hands on was not looked for`])
})

test('R-211 a module that lies in a file of its own is asked about, one with a body by what is in it', () => {
  const declared = changedIn('src/lib.rs', ['pub mod shapes;'], [symbolOn(1, 'shapes', 'module')])
  expect(declared.names).toEqual(['shapes'])
  const inner = symbolOn(2, 'area', 'function')
  const body = ['mod shapes {', '  fn area() {}', '  pub use other::side;', '}']
  const { names } = changedIn('src/lib.rs', body, [symbolOn(1, 'shapes', 'module', 4, [inner])])
  expect(names).toEqual(['shapes.area', 'other', 'side'])
})

test('R-211 what a file only takes in is its own affair', () => {
  for (const [file, line] of [
    ['src/main.c', '#include "shapes.h"'],
    ['src/main.rs', 'use shapes::area;'],
    ['src/main.ts', "import { area } from './shapes.js'"],
  ] as const)
    expect(changedIn(file, [line])).toEqual({ names: [], gaps: [] })
})
