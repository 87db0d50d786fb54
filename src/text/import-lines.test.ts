// Statements that bring names in, in the languages that are known; nothing that declares one may be taken for them.
import { expect, test } from 'vitest'
import { importLines, importsFrom } from './import-lines.js'
import { SourceText } from './lines.js'

test.each<[string, string, number[]]>([
  [
    'TypeScript',
    "import a from 'a'\nimport {\n  b,\n} from 'b'\nconst c = 1\nexport { c }\nexport * from 'd'",
    [1, 2, 3, 4, 6, 7],
  ],
  ['a dynamic import', "import('a')\nexport const b = 1\nexport function c() {\n}\nexport type D = {\n}", []],
  ['Python', 'import a\nfrom b import (\n  c,\n  d,\n)\nfrom e import \\\n  f\nx = 1', [1, 2, 3, 4, 5, 6, 7]],
  ['Go', 'package p\n\nimport (\n\t"fmt"\n)\n\nfunc f() {}', [1, 3, 4, 5]],
  ['Rust', 'use a::{\n  b,\n};\npub use c;\npub(crate) use d::e;\nuser();\nfn f() {}', [1, 2, 3, 4, 5]],
  ['C', '#include <a.h>\n#define B 1\nint c;', [1]],
  ['an open bracket to the end', 'import (\nx', [1, 2]],
])('mistake 10: the lines of imports in %s', (_, text, expected) => {
  expect([...importLines(new SourceText(text))]).toEqual(expected)
})

test.each<[string, boolean]>([
  ["import { area } from './shapes.js'", true],
  ["import {\n  sides,\n  area,\n} from '../shapes'", true],
  ['from lib.shapes import area', true],
  ['import shapes\nshapes.area(1)', true],
  ['use shapes;\nshapes::area();', true],
  ["import { area } from './other.js'", false],
  ["import { area } from './reshapes.js'", false],
  ['import shapes\narea(1)', false],
  ["const text = 'shapes area'", false],
])('mistake 10: whether a name comes from a module: %j %s', (text, expected) => {
  expect(importsFrom(new SourceText(text), 'area', 'shapes')).toBe(expected)
})
