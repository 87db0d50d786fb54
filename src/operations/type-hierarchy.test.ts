// Types above and below a type, through a real bridge: asked of a server that knows them, and worked out for the embedded
// ones, which do not.
import { expect, test } from 'vitest'
import { embeddedBridge } from '../../test/embedded-bridge.js'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Rule, Script } from '../../test/fake-server/index.js'
import type { Json } from '../../test/fake-server/script.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { renderAnswer } from './render.js'
import { typeHierarchy } from './type-hierarchy.js'

const shapes = fixture`
-- shapes.fake --
class Named
class Shape
class Square
class Tiny
`

test('R-100 a server that knows the hierarchy is asked, step by step', async () => {
  const script: Script = {
    capabilities: { typeHierarchyProvider: true },
    rules: [
      answering('textDocument/prepareTypeHierarchy', [type('Shape', 1)]),
      { ...answering('typeHierarchy/supertypes', [type('Named', 0)]), nth: 1 },
      { ...answering('typeHierarchy/supertypes', null), nth: { from: 2 } },
      { ...answering('typeHierarchy/subtypes', [type('Square', 2)]), nth: 1 },
      { ...answering('typeHierarchy/subtypes', [type('Tiny', 3), type('Shape', 1)]), nth: 2 },
      { ...answering('typeHierarchy/subtypes', []), nth: { from: 3 } },
    ],
  }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.typeHierarchy({ file: 'shapes.fake', symbol: 'Shape' }))
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result.supertypes).toEqual([
    {
      symbol: 'Named',
      kind: 'class',
      file: 'shapes.fake',
      line: 1,
      column: 7,
      end_line: 1,
      end_column: 12,
      text: 'class Named',
      depth: 1,
    },
  ])
  expect(answer.result.subtypes.map(({ symbol, depth, via }) => [symbol, depth, via])).toEqual([
    ['Square', 1, undefined],
    ['Shape', 2, 'Square (shapes.fake:3:7)'],
    ['Tiny', 2, 'Square (shapes.fake:3:7)'],
  ])
  expect(renderAnswer(typeHierarchy, answer).split('\n').slice(0, 6)).toEqual([
    '1 supertype and 3 subtypes of Shape (shapes.fake:2:7) [complete; fake 1.0.0]',
    'class Shape (shapes.fake:2:7)  class Shape',
    'supertypes:',
    '  shapes.fake:1:7 class Named  class Named',
    'subtypes:',
    '  shapes.fake:3:7 class Square  class Square',
  ])
  const up = succeeded(
    await opened.bridge.typeHierarchy({ file: 'shapes.fake', symbol: 'Shape', direction: 'supertypes' }),
  )
  expect(up.result.subtypes).toEqual([])
  expect(renderAnswer(typeHierarchy, up)).toMatch(/^0 supertypes of Shape/)
})

test('contract 1 a server without it, in a language whose heads are not read, says what else there is', async () => {
  await using opened = await fakeBridge(shapes, [{ language: 'fake' }])
  expect(await opened.bridge.typeHierarchy({ file: 'shapes.fake', symbol: 'Shape' })).toMatchObject({
    ok: false,
    kind: 'CapabilityMissing',
    hint: expect.stringContaining('go_to_implementation'),
  })
})

test('contract 1 where there is no type, the answer is not "no subtypes"', async () => {
  const script: Script = {
    capabilities: { typeHierarchyProvider: true },
    rules: [answering('textDocument/prepareTypeHierarchy', null)],
  }
  await using opened = await fakeBridge(shapes, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.typeHierarchy({ file: 'shapes.fake', symbol: 'Shape' }))
  expect(answer.completeness).toMatchObject({
    verdict: 'unknown',
    reason: 'fake sees no class or interface there',
  })
  expect(renderAnswer(typeHierarchy, answer)).toMatch(/^no class or interface at Shape/)
})

test('R-111 TypeScript 7 has no hierarchy: it is derived, and said to be', async () => {
  const story = fixture`
-- tsconfig.json --
{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "lib": ["es2022"], "types": [] } }
-- base.ts --
export interface Named { name: string }
export interface Shape extends Named { area(): number }
export class Base<T = string> extends Error implements Shape { x?: T; area() { return 1 } }
export default class extends Base {}
const mixin = <C extends new () => object>(c: C) => class extends c {}
export class Mixed extends mixin(Base) implements
  // Base, {
  Shape { name = ''; area() { return 1 } }
-- use.ts --
import { Base as Root, type Named } from './base'
import * as base from './base'
export class A extends Root<Array<{ a: string }>> {}
export class B extends base.Base<() => void> implements Named {}
export { Root as Renamed }
export const value: Named = new A()
-- further.ts --
import { Renamed } from './use'
export const F = class extends Renamed {}
`
  await using opened = await embeddedBridge(story)
  const answer = succeeded(await opened.bridge.typeHierarchy({ file: 'use.ts', line: 3, symbol: 'Root' }))
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('TypeScript 7 has no type hierarchy'),
  })
  expect(answer.result.types).toMatchObject([{ symbol: 'Base', kind: 'class', file: 'base.ts', line: 3 }])
  expect(answer.result.supertypes.map(({ symbol, kind, depth }) => [symbol, kind, depth])).toEqual([
    ['Shape', 'interface', 1],
    ['Error', 'class', 1],
    ['Named', 'interface', 2],
  ])
  expect(answer.result.supertypes[1]?.file).toMatch(/^external:/)
  expect(answer.result.subtypes.map(({ symbol, file, line }) => `${symbol} ${file}:${line}`)).toEqual([
    '(anonymous class) base.ts:4',
    'F further.ts:2',
    'A use.ts:3',
    'B use.ts:4',
  ])
  const above = succeeded(
    await opened.bridge.typeHierarchy({ file: 'base.ts', symbol: 'Mixed', direction: 'supertypes' }),
  )
  expect(above.result.supertypes.map(({ symbol }) => symbol)).toEqual(['Shape', 'Named'])
  expect(above.completeness).toMatchObject({
    reason: expect.stringContaining('Mixed inherits from an expression'),
  })
  const below = succeeded(
    await opened.bridge.typeHierarchy({ file: 'use.ts', line: 1, symbol: 'Named', direction: 'subtypes' }),
  )
  expect(below.result.subtypes.map(({ symbol, depth }) => `${symbol} ${depth}`).slice(0, 4)).toEqual([
    'Shape 1',
    'B 1',
    'Base 2',
    'Mixed 2',
  ])
  const none = succeeded(await opened.bridge.typeHierarchy({ file: 'use.ts', symbol: 'value' }))
  expect(none.completeness.verdict).toBe('unknown')
})

test('R-111 Pyright has no hierarchy: it is derived, through renamed imports too', async () => {
  const story = fixture`
-- base.py --
from typing import Generic, TypeVar
T = TypeVar("T")
class Named: ...
class Base(Named, Generic[T], metaclass=type): ...
-- use.py --
from base import Base as Root
import base
class A(Root[list[int]]): ...
class B(base.Base["str"], base.Named): ...
-- further.py --
from use import Root as Third
class F(
    # Base,
    Third,
): ...
`
  await using opened = await embeddedBridge(story)
  const answer = succeeded(await opened.bridge.typeHierarchy({ file: 'base.py', symbol: 'Base' }))
  expect(answer.result.supertypes.map(({ symbol }) => symbol)).toEqual(['Named', 'Generic'])
  expect(answer.result.subtypes.map(({ symbol, file }) => `${symbol} ${file}`)).toEqual([
    'F further.py',
    'A use.py',
    'B use.py',
  ])
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('Pyright'),
  })
})

function type(name: string, line: number): Json {
  const range = { start: { line, character: 6 }, end: { line, character: 6 + name.length } }
  return { name, kind: 5, uri: '{root}/shapes.fake', range, selectionRange: range }
}

function answering(on: string, result: Json): Rule {
  return { on, do: [{ act: 'answer', result }] }
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
