// A handle is kept by an agent while it edits, so it is tested on files that change: it leads to the line it was made
// for, or says that it cannot, and never to another one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sourceFile } from '../../test/source-file.js'
import { BridgeError } from '../errors.js'
import { formatHandle, locateHandle, parseHandle } from './handle.js'

test('contract 3.1 a handle is read back as it was made, for any file name and symbol', () => {
  const nasty = fc.array(
    fc.constantFrom('%', '#', '%23', '%25', ':', '\n', ' ', 's:', '/', 'a', '\u{1f600}'),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  const text = fc.oneof(
    nasty.map(parts => parts.join('')),
    fc.string({ unit: 'grapheme', minLength: 1 }),
  )
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 3 }), fc.nat(), (file, symbol, line, column) => {
      const source = sourceFile('one\ntwo\nthree', file)
      expect(parseHandle(formatHandle({ line, column, symbol }, source))).toMatchObject({
        file,
        symbol,
        line,
        column,
        hasTwin: false,
      })
    }),
  )
})

test('contract 3.1 a handle moves with its line and says so', () => {
  const before = sourceFile('function area() {}\n')
  const handle = formatHandle({ line: 1, column: 10, symbol: 'area' }, before)
  expect(locateHandle(before, parseHandle(handle))).toEqual({ line: 1, column: 10, symbol: 'area' })

  const below = sourceFile('function area() {}\nfunction sides() {}\n')
  expect(locateHandle(below, parseHandle(handle))).toEqual({ line: 1, column: 10, symbol: 'area' })

  const after = sourceFile('// one\n// two\n\nfunction area() {}\n')
  expect(locateHandle(after, parseHandle(handle))).toEqual({
    line: 4,
    column: 10,
    symbol: 'area',
    note: 'the line moved from 1 to 4',
  })
})

test.each([
  ['edited', 'function area(sides) {}\n'],
  ['indented', '  function area() {}\n'],
  ['deleted', 'function sides() {}\n'],
  ['emptied', ''],
])('contract 3.1 a handle is stale when its line was %s', (_, text) => {
  const handle = formatHandle({ line: 1, column: 10, symbol: 'area' }, sourceFile('function area() {}\n'))
  const error = failureOf(() => locateHandle(sourceFile(text), parseHandle(handle)))
  expect(error.kind).toBe('SymbolNotFound')
  expect(error.message).toContain('stale')
  expect(error.hint).toContain('area')
})

test('contract 3.1 of two equal lines the unchanged file tells, and after a change nothing is guessed', () => {
  const twins = sourceFile('let x = area\nlet x = area\n')
  const second = formatHandle({ line: 2, column: 9, symbol: 'area' }, twins)
  expect(locateHandle(twins, parseHandle(second)).line).toBe(2)

  // One line more above: where the second was, there is now the first.
  const shifted = failureOf(() => locateHandle(sourceFile(`\n${twins.text.text}`), parseHandle(second)))
  expect(shifted.kind).toBe('SymbolAmbiguous')
  expect(shifted.candidates?.map(({ line, column }) => [line, column])).toEqual([
    [2, 9],
    [3, 9],
  ])

  // Which of the two was deleted cannot be known.
  expect(failureOf(() => locateHandle(sourceFile('let x = area\n'), parseHandle(second))).kind).toBe(
    'SymbolAmbiguous',
  )
})

test('contract 3.1 only the occurrence the handle was made for is a candidate', () => {
  const source = sourceFile('area(area)\narea(area)\n')
  const handle = formatHandle({ line: 2, column: 6, symbol: 'area' }, source)
  const error = failureOf(() => locateHandle(sourceFile(`\n${source.text.text}`), parseHandle(handle)))
  expect(error.candidates?.map(({ symbol, column }) => [symbol, column])).toEqual([
    ['area#2', 6],
    ['area#2', 6],
  ])
})

test('contract 3.1 whatever is edited, a handle finds its own line or none', () => {
  interface Line {
    readonly id: number
    readonly text: string
  }
  const texts = fc.constantFrom('area()', ' area()', 'let a = area', 'sides()', '', '}')
  const edits = fc.array(
    fc.record({ kind: fc.constantFrom('insert', 'delete', 'copy', 'join'), at: fc.nat(), text: texts }),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 8 }), fc.nat(), edits, (start, pick, changes) => {
      const ending = pick % 2 === 0 ? '\n' : '\r\n'
      const source = (lines: readonly Line[]) => sourceFile(lines.map(({ text }) => text).join(ending))
      const original: Line[] = start.map((text, id) => ({ id, text }))
      const chosen = original.filter(({ text }) => text.includes('area'))[0]
      fc.pre(chosen !== undefined)
      const column = chosen.text.indexOf('area') + 1
      const handle = formatHandle({ line: chosen.id + 1, column, symbol: 'area' }, source(original))

      const lines = [...original]
      let next = original.length
      for (const { kind, at, text } of changes) {
        const index = at % (lines.length + 1)
        const there = lines[index]
        if (kind === 'insert') lines.splice(index, 0, { id: next, text })
        else if (kind === 'delete') lines.splice(index, 1)
        else if (there !== undefined && kind === 'copy') lines.push({ id: next, text: there.text })
        else if (there !== undefined) lines[index] = { id: next, text: `${there.text};` }
        next += 1
      }

      const wasAlone = original.filter(({ text }) => text === chosen.text).length === 1
      const isGone = !lines.some(({ id }) => id === chosen.id)
      // A line taken out and written again leaves the same content, and nobody can tell it from one left alone.
      const isSame = source(lines).content === source(original).content
      try {
        const found = lines[locateHandle(source(lines), parseHandle(handle)).line - 1]
        // A line that was the only one of its text, is gone, and stands elsewhere has been moved there.
        const wasMoved = (wasAlone && isGone) || isSame
        expect(found?.id === chosen.id || (wasMoved && found?.text === chosen.text)).toBe(true)
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error
        expect(['SymbolNotFound', 'SymbolAmbiguous']).toContain(error.kind)
      }
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['p:1234', 'apply_edit'],
  ['c:1234', 'check_change'],
  ['s:nonsense', 'no handle'],
  ['s:abcdef:1:1:a.ts#area', 'no handle'],
  ['', 'no handle'],
])('contract 3.1 %j is refused with what it is', (written, told) => {
  const error = failureOf(() => parseHandle(written))
  expect(error.kind).toBe('InvalidArguments')
  expect(error.message).toContain(told)
  expect(error.hint).toBeTruthy()
})

function failureOf(action: () => unknown): BridgeError {
  try {
    action()
  } catch (error) {
    if (error instanceof BridgeError) return error
    throw error
  }
  throw new Error('nothing failed')
}
