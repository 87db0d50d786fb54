// What a server points at becomes a place an agent can use, whatever the server sent: right columns in every encoding,
// the line to decide by, and nothing read that lies outside.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../clock.js'
import type { ServerRange } from '../lsp/parse.js'
import { pathToUri } from '../text/uri.js'
import { createPathGate } from './path-gate.js'
import { type PlacesOptions, toPlace, toPlaces } from './places.js'
import { SourceCache } from './source-file.js'

let top: string
let root: string
let options: PlacesOptions

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'alidade-places-')))
  root = join(top, 'root')
  put('root/src/a.ts', 'export function area() {}\n  area()\n')
  const gate = createPathGate(root)
  options = { gate, cache: new SourceCache({ gate }), table: { stampOf: () => undefined } }
})

afterEach(() => rmSync(top, { recursive: true, force: true }))

test('contract 3.2 a place: relative file, counted from 1, the end exclusive, the trimmed line', () => {
  expect(place('src/a.ts', range(1, 2, 1, 6))).toEqual({
    file: 'src/a.ts',
    line: 2,
    column: 3,
    end_line: 2,
    end_column: 7,
    text: 'area()',
  })
})

test('R-141 columns are UTF-16 whatever the server counts in', () => {
  put('root/e.ts', '\u{1f600}ß area\n')
  const expected = { column: 5, end_column: 9 }
  expect(place('e.ts', range(0, 4, 0, 8), 'utf-16')).toMatchObject(expected)
  expect(place('e.ts', range(0, 7, 0, 11), 'utf-8')).toMatchObject(expected)
  expect(place('e.ts', range(0, 3, 0, 7), 'utf-32')).toMatchObject(expected)
})

test('contract 3.2 places are in order of file and position, each once', () => {
  put('root/b.ts', 'one\ntwo\n')
  const at = (file: string, line: number) => ({ uri: uriOf(file), range: range(line, 0, line, 1) })
  const places = toPlaces(
    [at('src/a.ts', 1), at('b.ts', 1), at('src/a.ts', 0), at('b.ts', 1), at('b.ts', 0)],
    'utf-16',
    options,
  )
  expect(places.map(({ file, line }) => `${file}:${line}`)).toEqual([
    'b.ts:1',
    'b.ts:2',
    'src/a.ts:1',
    'src/a.ts:2',
  ])
})

test('W27 what lies outside is named and never read', () => {
  put('outside/secret.ts', 'SECRET')
  symlinkSync(join(top, 'outside'), join(root, 'link'))
  const outside = toPlace(pathToUri(join(top, 'outside/secret.ts')), range(0, 0, 0, 6), 'utf-16', options)
  expect(outside.file).toMatch(/^external:/)
  expect(outside.text).toBe('')
  // By its name it is inside; what it leads to is not shown.
  expect(place('link/secret.ts', range(0, 0, 0, 6))).toMatchObject({ file: 'link/secret.ts', text: '' })
  for (const uri of [
    'untitled:one',
    'jar:file:///lib.jar!/A.class',
    'not a uri \u001b[31m',
    `file:${'/x'.repeat(20_000)}`,
  ]) {
    const shown = toPlace(uri, range(2, 3, 2, 4), 'utf-16', options)
    expect(shown).toMatchObject({ line: 3, column: 4, text: '' })
    expect(shown.file).toMatch(/^external:[^\u001b]{0,210}$/)
  }
})

test('W06 a file that is gone, or too large, still has its place', () => {
  expect(place('src/gone.ts', range(4, 2, 4, 6))).toEqual({
    file: 'src/gone.ts',
    line: 5,
    column: 3,
    end_line: 5,
    end_column: 7,
    text: '',
  })
  put('root/large.ts', 'x'.repeat(11 * 1024 * 1024))
  expect(place('large.ts', range(0, 5, 0, 6))).toMatchObject({ line: 1, column: 6, text: '' })
})

test('P08 positions that do not exist end at the edge of the text', () => {
  expect(place('src/a.ts', range(0, 999, 0, 9999))).toMatchObject({ line: 1, column: 26, end_column: 26 })
  expect(place('src/a.ts', range(99, 0, 99, 5))).toMatchObject({ line: 3, column: 1, end_line: 3 })
  // The whole text, up to the line after its last.
  expect(place('src/a.ts', range(0, 0, 3, 0))).toMatchObject({
    line: 1,
    column: 1,
    end_line: 3,
    end_column: 1,
  })
  expect(place('src/a.ts', range(-1, -5, Number.NaN, 0))).toMatchObject({ line: 1, column: 1, end_line: 1 })
})

test('W13, W16 the shown line is one line, harmless and short', () => {
  put('root/odd.ts', `\tred \u001b[31m \u202e area\u0007\u2028next\n${'y'.repeat(100_000)}\n`)
  const { text } = place('odd.ts', range(0, 0, 0, 1))
  expect(text).toMatch(/^red +area next$/)
  expect(place('odd.ts', range(1, 0, 1, 1)).text.length).toBeLessThanOrEqual(200)
})

test('W08 the line is the one on disk now, unless whoever watches the file says that nothing changed', () => {
  const shown = () => place('src/a.ts', range(0, 0, 0, 1)).text
  expect(shown()).toBe('export function area() {}')
  put('root/src/a.ts', 'changed\n')
  expect(shown()).toBe('changed')

  // A stamp counts only for what was no longer fresh when it was read.
  const clock = { ...systemClock, date: () => new Date(Date.now() + 60_000) }
  let stamp = 1
  options = {
    ...options,
    cache: new SourceCache({ gate: options.gate, clock }),
    table: { stampOf: () => stamp },
  }
  expect(shown()).toBe('changed')
  put('root/src/a.ts', 'changed again\n')
  expect(shown()).toBe('changed')
  stamp = 2
  expect(shown()).toBe('changed again')
})

test('P08 whatever a server sends, a place is made of it', () => {
  const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, 2, 3, 25, Number.NaN, 2 ** 40))
  const uri = fc.oneof(fc.webUrl(), fc.string(), fc.constant(uriOf('src/a.ts')), fc.constant('file:///'))
  fc.assert(
    fc.property(uri, number, number, number, number, (where, a, b, c, d) => {
      const { line, column, end_line, end_column, file } = toPlace(where, range(a, b, c, d), 'utf-8', options)
      for (const count of [line, column, end_line, end_column]) {
        expect(Number.isSafeInteger(count)).toBe(true)
        expect(count).toBeGreaterThanOrEqual(1)
      }
      expect(file).not.toBe('')
    }),
  )
})

function place(file: string, where: ServerRange, encoding: Parameters<typeof toPlace>[2] = 'utf-16') {
  return toPlace(uriOf(file), where, encoding, options)
}

function uriOf(file: string): string {
  return pathToUri(join(root, file))
}

function range(line: number, character: number, endLine: number, endCharacter: number): ServerRange {
  return { start: { line, character }, end: { line: endLine, character: endCharacter } }
}

function put(file: string, text: string): void {
  mkdirSync(dirname(join(top, file)), { recursive: true })
  writeFileSync(join(top, file), text)
}
