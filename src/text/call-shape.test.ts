// What is written like a call in the languages that have parentheses, and what only looks like it.
import { expect, test } from 'vitest'
import { looksLikeCall } from './call-shape.js'

test.each([
  'f()',
  'return f(1)',
  'const a = f (b)',
  'x = await f<number>(2)',
  'f?.(3)',
  'new f(4)',
  'if (f()) return',
  '[a, f()]',
  'a => f(5)',
  'a && f(6)',
  'go f(7)',
  'y = [f() for x in y]',
  'obj.f(8)',
  'f!(9)',
  'x = f()',
])('R-100 a call: %s', line => {
  expect(shapeOf(line)).toBe(true)
})

test.each([
  'function f() {',
  'def f(self):',
  'async f() {',
  'f(): number {',
  'func f(x int) int {',
  'func (s *Square) f() int {',
  'f() int',
  'fn f(x: i32) -> i32 {',
  'int f(int x);',
  'char *f(void)',
  'import { f } from "x"',
  'const table = [f]',
  'f',
  'export { f as g }',
])('R-100 no call: %s', line => {
  expect(shapeOf(line)).toBe(false)
})

function shapeOf(line: string): boolean {
  const start = line.search(/\bf\b/)
  return looksLikeCall(line, start, start + 1)
}
