// What a line is worth, in several languages; above all, nothing that declares something may count for nothing.
import { expect, test } from 'vitest'
import { handsOn, isAttribute, isComment, isFiller } from './line-kinds.js'

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
    expect(handsOn(line), line).toBe(true)
  for (const line of ["import a from 'a'", 'use a;', 'exported = 1']) expect(handsOn(line), line).toBe(false)
})
