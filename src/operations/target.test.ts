// How an agent points at a symbol: every way of pointing, every way of pointing wrongly, and the promise that what an
// error offers can be used as it stands.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sourceFile } from '../../test/source-file.js'
import { BridgeError } from '../errors.js'
import { fromIndex } from '../text/position.js'
import type { SourceFile } from '../workspace/source-file.js'
import { type Declared, type FoundSymbol, nameFrom } from './candidates.js'
import { joinPath, parseSymbolQuery } from './symbol-path.js'
import { findTarget, type TargetInput, targetFile } from './target.js'

const shapes = sourceFile(`class Shape {
  area(): number { return this.width * this.height }
  scale(by: number): Shape { return scaled(this, by) }
}

class Circle {
  area(): number { return area(area(this.radius)) }
}

// the area of the area
const größe = 1, \u{1d465}y = 2
const total = größe + \u{1d465}y
`)
const inShapes = declare(shapes, ['Shape', 1], ['Shape.area', 2], ['Shape.scale', 3], ['Circle', 6])
const withCircle = [...inShapes, ...declare(shapes, ['Circle.area', 7])]

test.each<[TargetInput, Partial<FoundSymbol>]>([
  [
    { line: 3, symbol: 'scale' },
    { line: 3, column: 3, symbol: 'scale' },
  ],
  [
    { line: 7, symbol: 'area#2' },
    { line: 7, column: 27, symbol: 'area' },
  ],
  [
    { line: 7, symbol: 'area#3' },
    { line: 7, column: 32 },
  ],
  [
    { line: 2, symbol: 'Shape.area' },
    { line: 2, column: 3, symbol: 'area' },
  ],
  [{ symbol: 'Shape.area' }, { line: 2, column: 3, symbol: 'area' }],
  [{ symbol: 'Circle::area' }, { line: 7, column: 3 }],
  [{ symbol: 'Shape' }, { line: 1, column: 7 }],
  [
    { line: 3, column: 3 },
    { line: 3, column: 3, symbol: 'scale' },
  ],
  [
    { line: 3, column: 5 },
    { line: 3, column: 3, symbol: 'scale' },
  ],
  [
    { line: 3, column: 8 },
    { line: 3, column: 3, symbol: 'scale' },
  ],
  [
    { line: 3, column: 5, symbol: 'Shape.scale' },
    { line: 3, column: 3, symbol: 'scale' },
  ],
  [
    { near: 'scale(by: number): Shape { return scaled(this, by) }', symbol: 'scale' },
    { line: 3, column: 3 },
  ],
  [
    { near: '  const total = größe', symbol: 'total' },
    { line: 12, column: 7 },
  ],
  [
    { near: 'this.radius', symbol: 'radius' },
    { line: 7, column: 42 },
  ],
  [{ line: 6 }, { line: 6, column: 7, symbol: 'Circle' }],
  // Not declared by the list of the server, but there once: a local or a usage.
  [{ symbol: 'scaled' }, { line: 3, column: 37, symbol: 'scaled' }],
  [{ symbol: 'scaled#1' }, { line: 3, column: 37, symbol: 'scaled' }],
  // Columns count UTF-16 units; names may be written in any script.
  [
    { line: 11, symbol: 'größe' },
    { line: 11, column: 7, symbol: 'größe' },
  ],
  [
    { line: 11, symbol: '\u{1d465}y' },
    { line: 11, column: 18, symbol: '\u{1d465}y' },
  ],
  [
    { line: 11, column: 20 },
    { line: 11, column: 18, symbol: '\u{1d465}y' },
  ],
])('contract 3.1 %j is found', async (input, expected) => {
  const found = await findTarget(shapes, input, async () => withCircle)
  expect(found).toMatchObject(expected)
  expect(found.note).toBeUndefined()
})

test('contract 3.1 a name beside the given line is found within a few lines, and that is said', async () => {
  const source = sourceFile(`one\n\n\n\n\n\nscale\n\n\n\n\n\ntwo\n`)
  for (const line of [2, 6, 8, 12]) {
    expect(await findTarget(source, { line, symbol: 'scale' }, none)).toEqual({
      line: 7,
      column: 1,
      symbol: 'scale',
      note: `line ${line} has no scale; it stands on line 7`,
    })
  }
  for (const line of [1, 13]) {
    const error = await failureOf(findTarget(source, { line, symbol: 'scale' }, none))
    expect(error.kind).toBe('SymbolNotFound')
  }
  const between = sourceFile('scale\n\nscale\n')
  const error = await failureOf(findTarget(between, { line: 2, symbol: 'scale' }, none))
  expect(error.kind).toBe('SymbolAmbiguous')
  expect(error.candidates?.map(({ line }) => line)).toEqual([1, 3])
})

test('contract 3.1 whole words only', async () => {
  const source = sourceFile('subarea areas area_ $area area\u0301x\n')
  const error = await failureOf(findTarget(source, { line: 1, symbol: 'area' }, none))
  expect(error.kind).toBe('SymbolNotFound')
})

test.each<[string, TargetInput, string, RegExp]>([
  ['line 0', { line: 0, symbol: 'area' }, 'InvalidArguments', /13 lines/],
  ['a negative line', { line: -1, symbol: 'area' }, 'InvalidArguments', /13 lines/],
  ['a line past the end', { line: 99, symbol: 'area' }, 'InvalidArguments', /13 lines/],
  ['column 0', { line: 1, column: 0 }, 'InvalidArguments', /13 characters/],
  ['a column past the end', { line: 1, column: 99 }, 'InvalidArguments', /13 characters/],
  ['half a character', { line: 11, column: 19 }, 'InvalidArguments', /UTF-16/],
  ['white space', { line: 2, column: 1 }, 'InvalidArguments', /line 2 has: area, number/],
  ['an empty line', { line: 5 }, 'InvalidArguments', /no name/],
  ['a line with several names', { line: 3, column: 1 }, 'InvalidArguments', /scale, by, number/],
  ['another name at the column', { line: 3, column: 3, symbol: 'area' }, 'SymbolNotFound', /scale, by/],
  ['an ordinal too large', { line: 7, symbol: 'area#4' }, 'SymbolNotFound', /area#1 to #3/],
  ['ordinal 0', { line: 7, symbol: 'area#0' }, 'SymbolNotFound', /area#1 to #3/],
  ['the second of one', { symbol: 'scaled#2' }, 'SymbolNotFound', /Did you mean Shape\.scale\?/],
  ['a misspelled name', { symbol: 'aera' }, 'SymbolNotFound', /Did you mean Shape\.area, Circle\.area\?/],
  ['a misspelled path', { symbol: 'Shape.aera' }, 'SymbolNotFound', /Did you mean Shape\.area/],
  ['a member of another class', { symbol: 'Circle.scale' }, 'SymbolNotFound', /./],
  ['nothing like it', { symbol: 'xylophone' }, 'SymbolNotFound', /list_symbols/],
  ['a file alone', {}, 'InvalidArguments', /Give symbol/],
  ['text that is nowhere', { near: 'no such line', symbol: 'area' }, 'SymbolNotFound', /verbatim/],
  ['text of several lines', { near: 'area(): number' }, 'InvalidArguments', /line/],
  ['a proposal', { handle: 'p:1' }, 'InvalidArguments', /s:/],
])('W15 %s is an error that helps', async (_, input, kind, hint) => {
  const error = await failureOf(findTarget(shapes, { file: 'src/a.ts', ...input }, async () => withCircle))
  expect(error.kind).toBe(kind)
  expect(error.hint).toMatch(hint)
  expect(error.message).not.toBe('')
})

test('contract 3.1 near and line together: the line decides between equal texts', async () => {
  const source = sourceFile('area()\nsides()\narea()\n')
  expect(await findTarget(source, { near: 'area()', line: 3, symbol: 'area' }, none)).toMatchObject({
    line: 3,
  })
  const error = await failureOf(findTarget(source, { near: 'area()', line: 2, symbol: 'area' }, none))
  expect(error.kind).toBe('SymbolAmbiguous')
  expect(error.candidates?.map(({ line }) => line)).toEqual([1, 3])
})

test('contract 3.1 a name that fits several declarations is never chosen from', async () => {
  const error = await failureOf(findTarget(shapes, { symbol: 'area' }, async () => withCircle))
  expect(error.kind).toBe('SymbolAmbiguous')
  expect(error.candidates).toEqual([
    {
      file: 'src/a.ts',
      line: 2,
      column: 3,
      symbol: 'Shape.area',
      text: 'area(): number { return this.width * this.height }',
    },
    {
      file: 'src/a.ts',
      line: 7,
      column: 3,
      symbol: 'Circle.area',
      text: 'area(): number { return area(area(this.radius)) }',
    },
  ])
})

test('contract 3.1 #n after a path counts overloads', async () => {
  const source = sourceFile(
    'class Shape {\n  area(): number\n  area(by: number): number\n}\nclass Other {}\n',
  )
  const declared = declare(source, ['Shape', 1], ['Shape.area', 2], ['Shape.area', 3])
  const find = (symbol: string) => findTarget(source, { symbol }, async () => declared)
  expect(await find('Shape.area#1')).toMatchObject({ line: 2, column: 3 })
  expect(await find('Shape.area#2')).toMatchObject({ line: 3, column: 3 })
  expect((await failureOf(find('Shape.area'))).candidates?.map(({ symbol }) => symbol)).toEqual([
    'Shape.area#1',
    'Shape.area#2',
  ])
  expect((await failureOf(find('Shape.area#3'))).kind).toBe('SymbolAmbiguous')
})

test('contract 3.1 names that only the server knows can be pointed at', async () => {
  const source = sourceFile('impl Area for Shape {\n}\nlambda: 1\nlambda: 2\n')
  const declared: Declared[] = [
    ...named(['impl Area for Shape'], 1, 15),
    ...named(['<lambda>'], 3, 7),
    ...named(['<lambda>'], 4, 7),
  ]
  const find = (input: TargetInput) => findTarget(source, input, async () => declared)
  expect(await find({ symbol: 'impl Area for Shape' })).toMatchObject({
    line: 1,
    column: 15,
    symbol: 'Shape',
  })
  expect(await find({ line: 3, symbol: '<lambda>' })).toMatchObject({ line: 3, column: 7 })
  expect(await find({ line: 4, column: 7, symbol: '<lambda>#2' })).toMatchObject({ line: 4, column: 7 })
})

test('W16 candidates on an endless line stay small', async () => {
  const source = sourceFile(`${'area();'.repeat(100_000)}\n`)
  const error = await failureOf(findTarget(source, { symbol: 'area' }, none))
  expect(error.kind).toBe('SymbolAmbiguous')
  expect(error.message).toContain('more than 10 places')
  expect(JSON.stringify(error.candidates).length).toBeLessThan(5000)
})

test('contract 3.1 the file of a handle is the file of the call', () => {
  expect(targetFile({ file: 'a.ts' })).toBe('a.ts')
  expect(targetFile({ file: 'a.ts', handle: 's:abcdefabcdef:1:1:b%23.ts#area' })).toBe('b#.ts')
  expect(targetFile({ symbol: 'area' })).toBeUndefined()
})

test('contract 3.1 every candidate works verbatim as the next target, with and without its column', async () => {
  const choice = (words: string) => fc.constantFrom(...words.split('|'))
  const word = choice('area|area|area|Shape|area#|#area|a.b|"area"|=|(|)|größe|~')
  const line = fc
    .tuple(fc.array(word, { maxLength: 6 }), fc.constantFrom(' ', ' ', ''))
    .map(([words, between]) => words.join(between))
  const ownName = choice('area|area|area|Shape|area(int)|<lambda>|impl Shape|"a.b"|~Shape|#area')
  const declarations = fc.array(
    fc.record({
      path: fc.tuple(fc.array(ownName, { maxLength: 2 }), ownName).map(([above, own]) => [...above, own]),
      at: fc.nat(),
    }),
    { maxLength: 6 },
  )
  const pointing = fc.record(
    {
      symbol: fc.oneof(
        ownName.map(own => joinPath([own])),
        choice('area|Shape.area|area#2|a\\.b'),
      ),
      line: fc.integer({ min: 1, max: 5 }),
      near: word,
    },
    { requiredKeys: ['symbol'] },
  )
  let asked = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 2, maxLength: 5 }),
      declarations,
      pointing,
      async (lines, made, input) => {
        const source = sourceFile(lines.join('\n'))
        const declared = made.flatMap(({ path, at }) => anywhere(source, path, at))
        const find = (target: TargetInput) => findTarget(source, target, async () => declared)
        const error = await find(input).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        if (error === undefined) return
        if (!(error instanceof BridgeError)) throw error
        expect(error.hint).toBeTruthy()
        if (error.kind !== 'SymbolAmbiguous') return
        expect(error.candidates?.length).toBeGreaterThan(0)
        for (const { file, line: at, column, symbol } of error.candidates ?? []) {
          asked += 1
          expect(await find({ file, line: at, symbol })).toMatchObject({ line: at, column })
          expect(await find({ file, line: at, column, symbol })).toMatchObject({ line: at, column })
        }
      },
    ),
    { numRuns: 3000 },
  )
  expect(asked).toBeGreaterThan(1000)
})

async function none(): Promise<readonly Declared[]> {
  return []
}

/** Declared at the first place on the line where the last name of the path stands. */
function declare(source: SourceFile, ...declarations: readonly (readonly [string, number])[]): Declared[] {
  return declarations.flatMap(([path, line]) => {
    const { segments } = parseSymbolQuery(path)
    const offset = source.text.line(line)?.indexOf(segments.at(-1) ?? path) ?? 0
    return named(segments, line, fromIndex(offset))
  })
}

/** Wherever a server may say that it is declared, brought to the name as a server's answer is. */
function anywhere(source: SourceFile, segments: readonly string[], at: number): Declared[] {
  const said = source.text.positionAt(at % (source.text.text.length + 1))
  const { line, column } = nameFrom(source, segments.at(-1) ?? '', said)
  return named(segments, line, column)
}

function named(segments: readonly string[], line: number, column: number): Declared[] {
  return [{ path: joinPath(segments), segments, line, column }]
}

async function failureOf(promise: Promise<unknown>): Promise<BridgeError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing failed')
}
