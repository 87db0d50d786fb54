import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { importLines } from '../text/import-lines.js'
import { SourceText } from '../text/lines.js'
import { filesIn, isFamiliar, namesIn, namesUsed } from './names.js'

function used(written: string, options: { mustImport?: boolean; declared?: string[]; from?: number } = {}) {
  const text = new SourceText(written)
  return namesUsed({
    text,
    spans: [{ first: options.from ?? 1, last: text.lineCount }],
    imports: importLines(text),
    declared: new Set(options.declared),
    mustImport: options.mustImport ?? true,
  })
}

test('contract 7 names that are brought in come first, then calls of members; words of prose are not asked about', () => {
  const names = used(`import { area, Shape } from './shapes.js'
// area of a Circle
const size = area(2) + area(3)
shape.grow("by Two")
other.width
print(size)
`)
  expect(names.map(({ name, line, column, uses, root }) => [name, line, column, uses, root])).toEqual([
    ['area', 3, 14, 2, undefined],
    ['grow', 4, 7, 1, 'shape'],
  ])
})

test('contract 7 where names need not be brought in, what is called or written like a type is asked about', () => {
  const go = 'package main\n\nfunc run(r *Router) {\n\thelper(r)\n\tr.routes.first()\n\tload().Close()\n}\n'
  const names = used(go, { mustImport: false, declared: ['run'] })
  expect(names.map(({ name, root }) => [name, root])).toEqual([
    ['Router', undefined],
    ['helper', undefined],
    ['first', 'r'],
    ['load', undefined],
    ['Close', ''],
  ])
})

test('contract 7 what an excerpt does not use is not asked about, although the file brings it in', () => {
  expect(
    used("import { area, grow } from './a.js'\narea(1)\ngrow(2)\n", { from: 3 }).map(({ name }) => name),
  ).toEqual(['grow'])
})

test('contract 7 a name is found where it stands, whatever the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 12 }), lines => {
      const text = lines.join('\n')
      for (const { name, line, column } of used(text, { mustImport: false })) {
        expect(new SourceText(text).line(line)?.slice(column - 1, column - 1 + name.length)).toBe(name)
      }
    }),
  )
})

test('contract 7 a task names symbols by how they are written, and files by their paths', () => {
  const task =
    'Make `Shape.area` and `grow()` faster. Then withDeadline should use snake_case_name() like run(). See src/text/diff.ts and README.md, not Prose.'
  expect(namesIn(task, 8)).toEqual(['Shape.area', 'grow', 'withDeadline', 'snake_case_name', 'run'])
  expect(filesIn(task, 8)).toEqual(['Shape.area', 'src/text/diff.ts', 'README.md'])
  expect(namesIn(task, 2)).toHaveLength(2)
  expect(namesIn('just prose. Nothing else', 8)).toEqual([])
})

test('contract 7 what comes with a language is familiar, what was installed is not', () => {
  const familiar = [
    'node_modules/typescript/lib/lib.es2023.array.d.ts',
    'external:@types/node/fs.d.ts',
    'external:builtins.pyi',
    'external:net/http/server.go',
    'external:core/src/option.rs',
    'external:stdio.h',
  ]
  const installed = [
    'node_modules/zod/v4/classic/schemas.d.ts',
    'external:requests/api.py',
    'external:github.com/gorilla/mux@v1.8.1/mux.go',
    'external:serde-1.0.1/src/lib.rs',
  ]
  expect(familiar.filter(file => !isFamiliar(file))).toEqual([])
  expect(installed.filter(isFamiliar)).toEqual([])
})

test('contract 7 neither a minified line nor an endless word takes time', () => {
  const spent = countCpuTime()
  const minified = `${'a.b(c.d.e).f;'.repeat(40_000)}\n`
  expect(used(minified, { mustImport: false })).toEqual([])
  for (const word of ['a', 'a/', 'a.', '`a', 'a::'].map(part => part.repeat(50_000))) {
    expect(namesIn(word, 8).length).toBeLessThan(9)
    filesIn(word, 8)
  }
  expect(spent()).toBeLessThan(3000)
})
