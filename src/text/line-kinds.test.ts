// What a line is worth, in several languages; above all, nothing that declares something may count for nothing.
import { expect, test } from 'vitest'
import { handsOn, handsOnUnnamed, isAttribute, isComment, isFiller } from './line-kinds.js'

const code = [
  'return x',
  'x = {',
  'def area():',
  '#define AREA 1',
  '#[test]',
  '*/ x',
  '@decorated',
  'end_of = 1',
  'else {',
]

test('mistake 10: brackets that only end something are filler, code is not', () => {
  for (const line of ['', '   ', '}', '  })', '];', '\t},', 'end', '  end '])
    expect(isFiller(line), line).toBe(true)
  for (const line of code) expect(isFiller(line), line).toBe(false)
})

test('mistake 10: comments are told from what only looks like one', () => {
  for (const line of ['// a', '  /* a', ' * a', '# a', '#a', '-- a', '<!-- a'])
    expect(isComment(line), line).toBe(true)
  for (const line of [
    '#define A',
    '# define A',
    '#[test]',
    '#![allow(x)]',
    '#include <a>',
    'x // a',
    '@a',
    '- a',
  ])
    expect(isComment(line), line).toBe(false)
})

test('mistake 10: attributes belong to what stands below them; exports hand on', () => {
  for (const line of ['@app.route("/")', '  #[derive(Debug)]', '[Fact]'])
    expect(isAttribute(line), line).toBe(true)
  for (const line of ['[1, 2]', '# a', 'x @ y', '@']) expect(isAttribute(line), line).toBe(false)
  for (const line of ["export { a } from './a'", 'pub use a;', '__all__ = []'])
    expect(handsOn(line, 'a.ts'), line).toBe(true)
  for (const line of ["import a from 'a'", 'use a;', 'exported = 1'])
    expect(handsOn(line, 'a.ts'), line).toBe(false)
})

test('R-211 what hands names on, by its text and by the file it stands in', () => {
  const always = [
    'pub(crate) use a::b;',
    'pub mod a;',
    'mod a;',
    '# define A',
    'exports.a = 1',
    'module.exports = {',
  ]
  for (const line of always) {
    expect(handsOn(line, 'a'), line).toBe(true)
    expect(handsOnUnnamed(line, 'a'), line).toBe(false)
  }
  for (const line of ['mod a {', 'model a;', 'exports(1)', '// export a'])
    expect(handsOn(line, 'a'), line).toBe(false)
  for (const line of ['from .a import b', 'import a.b', 'from a import ('])
    expect(['a/__init__.py', '__init__.pyi', 'a.py'].map(file => handsOn(line, file))).toEqual([
      true,
      true,
      false,
    ])
  expect(['a.h', 'a/b.HPP', 'a.c'].map(file => handsOn('#include "a.h"', file))).toEqual([true, true, false])
})

test('R-211 what hands on names that do not stand there is told apart', () => {
  const all = ["export * from './a'", 'pub use a::*;', "module.exports = require('./a')"]
  for (const line of all) expect(handsOnUnnamed(line, 'a'), line).toBe(true)
  expect(handsOnUnnamed('from .a import *', '__init__.py')).toBe(true)
  expect(handsOnUnnamed('from .a import *', 'a.py')).toBe(false)
  expect(handsOnUnnamed('#include "b.h"', 'a.h')).toBe(true)
})
