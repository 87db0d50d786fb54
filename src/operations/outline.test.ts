// The text of an outline: small, and every symbol in it can be pointed at with what is printed.
import { expect, test } from 'vitest'
import { embeddedBridge } from '../../test/embedded-bridge.js'
import { fixture } from '../../test/fixture/index.js'
import { sourceFile } from '../../test/source-file.js'
import type { Answer } from './answer.js'
import { listSymbols } from './list-symbols.js'
import { type OutlineSymbol, outlineLines } from './outline.js'
import { renderAnswer } from './render.js'
import { parseSymbolQuery } from './symbol-path.js'
import { findTarget } from './target.js'

const story = fixture`
-- tsconfig.json --
{}
-- src/shapes.ts --
export interface Shape { area(): number; area(scale: number): number }
export class Circle implements Shape {
  readonly radius = 1
  static unit = 1
  area(): number { return area(area(1)) }
  ['quoted name']() { return 1 }
  nested() { const inner = { left: 1, right: 2 }; return inner }
}
function area(radius: number) { return radius }
const area2 = area(area(1)), twice = twice2 + 1; var twice2 = 2
[1].map(x => { const inside = x; return inside })
export namespace Deep.Space { export const nine = 9 }
`

test('contract 3.2 an outline is several times smaller than its JSON, and each line of it can be used', async () => {
  await using opened = await embeddedBridge(story)
  const answer = succeeded(await opened.bridge.listSymbols({ file: 'src/shapes.ts' }))
  const text = renderAnswer(listSymbols, answer)
  expect(text.length * 5).toBeLessThan(JSON.stringify(answer.result).length)

  const source = sourceFile(story.files.get('src/shapes.ts') ?? '', 'src/shapes.ts')
  const symbols = flat(answer.result.symbols)
  const declared = symbols.map(({ path, line, column }) => {
    return { path, segments: parseSymbolQuery(path).segments, line, column }
  })
  const printed = pointers(text.split('\n').slice(1))
  expect(printed.map(({ symbol }) => symbol)).toEqual(symbols.map(({ path }) => path))
  for (const [index, pointer] of printed.entries()) {
    const { line, column } = await findTarget(source, pointer, async () => declared)
    expect({ pointer, line, column }).toEqual({
      pointer,
      line: symbols[index]?.line,
      column: symbols[index]?.column,
    })
  }
})

test('contract 3 depth leaves out what lies deeper, and says so', async () => {
  await using opened = await embeddedBridge(story)
  const all = succeeded(await opened.bridge.listSymbols({ file: 'src/shapes.ts' }))
  const total = flat(all.result.symbols).length
  const one = succeeded(await opened.bridge.listSymbols({ file: 'src/shapes.ts', depth: 1 }))
  expect(flat(one.result.symbols).map(({ path }) => path)).toEqual(all.result.symbols.map(({ path }) => path))
  const left = total - one.result.symbols.length
  expect(one.completeness).toMatchObject({
    verdict: 'partial',
    reason: `${left} symbols deeper than depth 1 left out`,
  })
  const deep = succeeded(await opened.bridge.listSymbols({ file: 'src/shapes.ts', depth: 99 }))
  expect(deep.result).toEqual(all.result)
  expect(deep.completeness).toEqual({ verdict: 'complete' })
})

const at = (line: number, column: number, text: string) => {
  return { file: 'a.ts', line, column, end_line: line, end_column: column + 1, text }
}
const symbol = (kind: string, path: string, place: ReturnType<typeof at>, children?: OutlineSymbol[]) => {
  const name = parseSymbolQuery(path).segments.at(-1) ?? path
  return { name, kind, path, ...place, ...(children === undefined ? {} : { children }) }
}

test('contract 3.2 runs share a line, and a column is told only where it is needed', () => {
  const lines = outlineLines([
    symbol('class', 'Shape', at(1, 7, 'class Shape {'), [
      symbol('field', 'Shape.a', at(2, 3, 'a = a')),
      symbol('field', 'Shape.b', at(3, 3, 'b')),
      symbol('method', 'Shape.area', at(4, 3, 'area()')),
      symbol('method', 'Shape.on click', at(5, 3, '"on click"()')),
      symbol('method', 'Shape.last', at(6, 3, 'last()')),
    ]),
    symbol('method', 'Circle.area', at(8, 9, 'fn (c Circle) area() { area }')),
    symbol('variable', 'x', at(9, 5, 'let x = x')),
    symbol('variable', 'y', at(9, 9, 'let y')),
    symbol('variable', 'z', at(10, 1, `z ${'.'.repeat(50)}\u2026`)),
    symbol('variable', 'a\\.b', at(11, 1, "'a.b': 1")),
    symbol('function', 'f', at(12, 1, 'f(); f()')),
    symbol('function', 'f', at(12, 6, 'f(); f()')),
  ])
  expect(lines).toEqual([
    'class Shape:1',
    ' field a:2 b:3',
    ' method area:4',
    ' method on click:5',
    ' method last:6',
    'method Circle.area:8',
    'variable x:9:5 y:9 z:10:1 a\\.b:11',
    'function f:12:1 f:12:6',
  ])
})

interface Pointer {
  readonly symbol: string
  readonly line: number
  readonly column?: number
}

/** Reads the text as somebody would who knows nothing else of the answer. */
function pointers(lines: readonly string[]): Pointer[] {
  const containers: string[] = []
  return lines.flatMap(line => {
    const [, indent = '', told = ''] = /^( *)\S+ (.*)$/.exec(line) ?? []
    const places = told.match(/\S.*?:\d+(?::\d+)?(?= |$)/g) ?? []
    return places.map(place => {
      const [, name = '', number, column] = /^(.*?):(\d+)(?::(\d+))?$/.exec(place) ?? []
      containers[indent.length] = name
      const path = containers.slice(0, indent.length + 1).join('.')
      const pointer = { symbol: path, line: Number(number) }
      return column === undefined ? pointer : { ...pointer, column: Number(column) }
    })
  })
}

function flat(symbols: readonly OutlineSymbol[]): OutlineSymbol[] {
  return symbols.flatMap(found => [found, ...flat(found.children ?? [])])
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
