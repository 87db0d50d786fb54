import { expect, test } from 'vitest'
import { seemsToDeclare } from './declaring-lines.js'

test.each([
  'export default class Shape {',
  'export const Shape = 1',
  'declare abstract class Shape<T> {',
  'async function Shape() {}',
  'export const enum Shape {',
  'class Shape:',
  'async def Shape():',
  'pub(crate) struct Shape;',
  'pub unsafe extern "C" fn Shape() {}',
  'func Shape() {}',
  'func (s *Square) Shape() {}',
  'type Shape struct {',
  '#define Shape 1',
  'before\nclass Shape\nafter',
])('R-08 %j seems to declare Shape', text => {
  expect(seemsToDeclare(text, 'Shape')).toBe(true)
})

test.each([
  'new Shape()',
  'class Shapes:',
  'import { Shape } from "./shapes.js"',
  '  class Shape:',
  '// class Shape',
  'class $Shape {}',
  'const shape = Shape',
])('R-08 %j does not', text => {
  expect(seemsToDeclare(text, 'Shape')).toBe(false)
})

test('R-08 a name is taken as it is written', () => {
  expect(seemsToDeclare('const $a = 1', '$a')).toBe(true)
  expect(seemsToDeclare('const xa = 1', '.a')).toBe(false)
  expect(seemsToDeclare('class größe', 'größe')).toBe(true)
  expect(seemsToDeclare('class größe', 'gr')).toBe(false)
})
