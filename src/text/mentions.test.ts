// Suspicion must be rare and right: an import of the name is suspicious, a namesake or a comment is not.
import { expect, test } from 'vitest'
import { suspiciousMentions } from './mentions.js'

const cases: readonly {
  readonly language: string
  readonly declaredIn: string
  readonly word: string
  readonly file?: string
  readonly suspicious: readonly string[]
  readonly harmless: readonly string[]
}[] = [
  {
    language: 'typescript',
    declaredIn: 'src/shapes.ts',
    word: 'area',
    suspicious: [
      "import { area } from './shapes.js'\narea(2)",
      "import {\n  perimeter,\n  area as size,\n} from '@scope/all'",
      "export { area } from '../src/shapes'",
      "import { Shape } from './shapes'\nnew Shape().area()",
      "const shapes = require('./shapes')\nshapes.area(1)",
    ],
    harmless: [
      'function area() {}\narea()',
      "// import { area } from './shapes.js'",
      "import { Shape } from './shapes.js'\nconst area = 1",
      "import { other } from './others.js'\nother.area()",
      "import { areas } from './shapes.js'",
      "const text = 'area from shapes'",
    ],
  },
  {
    language: 'python',
    declaredIn: 'pkg/shapes.py',
    word: 'area',
    suspicious: [
      'from pkg.shapes import area',
      'from .shapes import (\n    Shape,\n    area,\n)',
      'import pkg.shapes\npkg.shapes.area(2)',
      'from pkg import shapes\nshapes.area(2)',
    ],
    harmless: [
      'area = 1',
      '# from pkg.shapes import area',
      'from pkg.shapes import Shape\narea = 2',
      'import os\nos.area()',
    ],
  },
  {
    language: 'go',
    declaredIn: 'shapes/area.go',
    file: 'main/main.go',
    word: 'Area',
    suspicious: ['import "example.com/x/shapes"\nfunc main() { shapes.Area() }'],
    harmless: ['import "example.com/x/shapes"\nfunc Area() {}', 'import "example.com/y/other"\nother.Area()'],
  },
  {
    language: 'rust',
    declaredIn: 'src/shapes.rs',
    word: 'area',
    suspicious: [
      'use crate::shapes::area;',
      'use crate::shapes::{Shape, area};',
      'fn f() { crate::shapes::area(1) }',
    ],
    harmless: ['fn area() {}', '// use crate::shapes::area;', 'use crate::shapes::Shape;\nfn area() {}'],
  },
  {
    language: 'c',
    declaredIn: 'include/shapes.h',
    word: 'area',
    suspicious: ['#include "shapes.h"\nint x = area(2);', '#include <lib/shapes.h>\nint x = area(2);'],
    harmless: [
      '#include "other.h"\nint area;',
      '// #include "shapes.h"\nint area;',
      '#include "shapes.h"\n// area',
    ],
  },
]

for (const { language, declaredIn, word, file = 'test/other', suspicious, harmless } of cases) {
  test.each(suspicious)(`R-08 ${language}: %j looks like a use`, text => {
    expect(suspiciousMentions({ language, declaredIn, word, file, text })).not.toEqual([])
  })
  test.each(harmless)(`R-08 ${language}: %j does not`, text => {
    expect(suspiciousMentions({ language, declaredIn, word, file, text })).toEqual([])
  })
}

test('R-08 a file of the same Go package that has the word is suspicious', () => {
  const query = { language: 'go', declaredIn: 'shapes/area.go', file: 'shapes/more.go', word: 'Area' }
  expect(suspiciousMentions({ ...query, text: 'package shapes\nvar x = Area()' })).toEqual([
    { line: 2, column: 9 },
  ])
})

test('R-08 places keep line and column behind a comment', () => {
  const text = "/* two\nlines */ import { area } from './shapes'"
  const query = { language: 'typescript', declaredIn: 'shapes.ts', file: 'b.ts', word: 'area', text }
  expect(suspiciousMentions(query)).toEqual([{ line: 2, column: 19 }])
})

test('R-08 an unknown language raises no suspicion, and odd names break nothing', () => {
  const odd = { declaredIn: 'a+b(c.ts', word: '$x', file: 'f.ts', text: "import { $x } from './a+b(c'" }
  expect(suspiciousMentions({ ...odd, language: 'cobol' })).toEqual([])
  expect(suspiciousMentions({ ...odd, language: 'typescript' })).toEqual([{ line: 1, column: 10 }])
})
