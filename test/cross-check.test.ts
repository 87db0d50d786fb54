// A server searches the projects it has loaded and says nothing of the rest. These hold its answers against the text of
// the workspace, on the embedded servers: what uses a symbol is found, what only looks like it changes nothing.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { embeddedBridge } from './embedded-bridge.js'
import { fixture } from './fixture/index.js'

const shapes = fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }
-- src/shapes.ts --
export function area(radius: number) {
  return radius * radius
}
export class Shape {
  size = 1
}
-- src/main.ts --
import { area } from './shapes.js'
export const large = area(2)
-- other/namesake.ts --
function area() {}
area()
export {}
-- other/comment.ts --
// import { area } from '../src/shapes.js'
export const text = 'import { area } from shapes'
-- other/another.ts --
import { area } from './own.js'
area()
-- other/own.ts --
export function area() {}
`

const outsider = "import { area } from '../src/shapes.js'\nexport const sum = area(3) + area(4)\n"

test('R-08 namesakes, comments and strings leave a complete answer complete', async () => {
  await using embedded = await embeddedBridge(shapes)
  const answer = await embedded.bridge.findReferences({ file: 'src/shapes.ts', symbol: 'area' })
  expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
  expect(answer.ok && answer.result.references.map(({ file }) => file)).toEqual([
    'src/main.ts',
    'src/main.ts',
    'src/shapes.ts',
  ])
})

test('R-08 a file in no project is found by its text, asked about, added, and said', async () => {
  await using embedded = await embeddedBridge(shapes)
  const { bridge, workspace } = embedded
  const ask = () => bridge.findReferences({ file: 'src/shapes.ts', symbol: 'area' })
  expect(await ask()).toMatchObject({ completeness: { verdict: 'complete' } })
  // It came after the symbol was cleared: what is remembered must not hide it.
  await writeFile(join(workspace.root, 'other/outsider.ts'), outsider)
  const answer = await ask()
  expect(answer).toMatchObject({
    ok: true,
    completeness: { verdict: 'partial', reason: expect.stringContaining('other/outsider.ts') },
  })
  const places = answer.ok ? answer.result.references.map(({ file, line }) => `${file}:${line}`) : []
  expect(places).toContain('other/outsider.ts:2')
  expect(places.filter(place => place.startsWith('other/') && !place.includes('outsider'))).toEqual([])
})

test('R-08 a declaration in a file of no project is found by its name, and said', async () => {
  await using embedded = await embeddedBridge(shapes)
  const answer = await embedded.bridge.findSymbol({ query: 'area' })
  expect(answer).toMatchObject({
    ok: true,
    completeness: { verdict: 'partial', reason: expect.stringContaining('other/') },
  })
  const found = answer.ok ? answer.result.symbols.filter(({ name }) => name === 'area') : []
  expect(found.map(({ file }) => file)).toEqual(['other/namesake.ts', 'other/own.ts', 'src/shapes.ts'])
  const known = await embedded.bridge.findSymbol({ query: 'Shape' })
  expect(known).toMatchObject({ completeness: { verdict: 'complete' } })
})

test('R-08 a rename that does not reach such a file says so', async () => {
  await using embedded = await embeddedBridge(shapes)
  const { bridge, workspace } = embedded
  await writeFile(join(workspace.root, 'other/outsider.ts'), outsider)
  const answer = await bridge.renameSymbol({ file: 'src/shapes.ts', symbol: 'area', new_name: 'size' })
  const reason = expect.stringMatching(/did not search 1 file .*they keep the old name: other\/outsider\.ts/)
  expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'partial', reason } })
})

test('R-106 without the declaration, asked at a use, every use is listed and the declaration is not', async () => {
  const python = fixture`
-- a.py --
def area():
    return 1
-- b.py --
from a import area
print(area(), area())
`
  await using embedded = await embeddedBridge(python)
  const asked = { file: 'b.py', line: 2, symbol: 'area#1', include_declaration: false }
  const answer = await embedded.bridge.findReferences(asked)
  const places = answer.ok
    ? answer.result.references.map(place => `${place.file}:${place.line}:${place.column}`)
    : []
  expect(places).toEqual(['b.py:1:15', 'b.py:2:7', 'b.py:2:15'])
})

test('R-08 in Python, uses under the name of a renamed import are uses', async () => {
  const python = fixture`
-- a.py --
def area():
    return 1
-- b.py --
from a import area as size
from a import area
print(size(), area())
-- c.py --
from b import size as extent
print(extent())
`
  await using embedded = await embeddedBridge(python)
  const placesOf = async (include_declaration: boolean) => {
    const answer = await embedded.bridge.findReferences({ file: 'a.py', symbol: 'area', include_declaration })
    expect(answer).toMatchObject({ completeness: { verdict: 'complete' } })
    return answer.ok
      ? answer.result.references.map(({ file, line, column }) => `${file}:${line}:${column}`)
      : []
  }
  const uses = await placesOf(false)
  expect(uses).toEqual(expect.arrayContaining(['b.py:2:15', 'b.py:3:7', 'b.py:3:15', 'c.py:2:7']))
  expect(uses).not.toContain('a.py:1:5')
  expect(await placesOf(true)).toContain('a.py:1:5')
})

test('R-08 a member used in a file of no project is found through the module it comes from', async () => {
  await using embedded = await embeddedBridge(shapes)
  const { bridge, workspace } = embedded
  const text = "import { Shape } from '../src/shapes.js'\nexport const size = new Shape().size\n"
  await writeFile(join(workspace.root, 'other/member.ts'), text)
  const answer = await bridge.findReferences({ file: 'src/shapes.ts', symbol: 'Shape.size' })
  expect(answer).toMatchObject({ ok: true, completeness: { verdict: 'partial' } })
  const places = answer.ok ? answer.result.references.map(({ file, line }) => `${file}:${line}`) : []
  expect(places).toContain('other/member.ts:2')
})
