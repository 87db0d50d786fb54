// Edits tried and applied on the servers that come with the package: on a part of this very project, and on some Python.
// What the callers of a changed function say is known before anything is written, and nobody else ever sees it.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Answer } from '../src/index.js'
import { type EmbeddedBridge, embeddedBridge } from './embedded-bridge.js'
import { fixture } from './fixture/index.js'
import { ownCode } from './own-code.js'

const breaking = {
  file: 'src/text/position.ts',
  find: 'export function toIndex(oneBased: number): number {',
  new_text: 'export function toIndex(oneBased: string): number {',
}
const callers = ['src/changes/delta.ts', 'src/text/lines.ts']

test('story 2 (TypeScript 7) a parameter of another type breaks its callers, on no disk and for nobody else', async () => {
  const files = ownCode()
  await using opened = await embeddedBridge({ files })
  const { bridge } = opened
  const before = await everything(opened, files)
  const answer = succeeded(await bridge.previewEdit({ edits: [breaking] }))
  expect(answer.result).toMatchObject({ class: 'new_errors', scope: 'dependents' })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  const broken = answer.result.files.filter(file => file.new.length > 0)
  expect(broken.map(({ file }) => file)).toEqual(expect.arrayContaining([breaking.file, ...callers]))
  for (const found of broken.filter(({ file }) => callers.includes(file)).flatMap(file => file.new)) {
    expect(found).toMatchObject({
      severity: 'error',
      code: '2345',
      text: expect.stringContaining('toIndex('),
    })
  }
  for (const [file, text] of files) expect(readFileSync(opened.workspace.path(file), 'utf8')).toBe(text)
  expect(await everything(opened, files)).toEqual(before)
})

test('story 2, 3 (TypeScript 7) comments add nothing, a repaired step does not hide the broken one', async () => {
  await using opened = await embeddedBridge({ files: ownCode() })
  const comment = (step: number) => ({ file: breaking.file, line: 1, new_text: `// step ${step}\n`, step })
  const harmless = succeeded(await opened.bridge.previewEdit({ edits: [comment(1), comment(2)] }))
  expect(harmless.result).toMatchObject({ scope: 'dependents', clean_through_step: 2 })
  expect(harmless.result.files.flatMap(file => [...file.new, ...file.resolved])).toEqual([])
  const chain = succeeded(
    await opened.bridge.previewEdit({
      edits: [
        comment(1),
        { ...breaking, step: 2 },
        { ...breaking, find: breaking.new_text, new_text: breaking.find, step: 3 },
      ],
    }),
  )
  expect(chain.result).toMatchObject({
    steps: [{ step: 1 }, { step: 2, class: 'new_errors' }, { step: 3 }],
    clean_through_step: 1,
  })
  expect(chain.result.files.flatMap(file => file.new)).toEqual([])
})

test('mistake 6 (TypeScript 7): a hundred previews, and no question beside them is answered from one', async () => {
  await using opened = await embeddedBridge({ files: ownCode() })
  const { bridge } = opened
  const [caller = ''] = callers
  const target = { file: breaking.file, symbol: 'toIndex' }
  const calm = places(await bridge.findReferences(target))
  const findings = async () =>
    succeeded(await bridge.getDiagnostics({ files: [breaking.file, caller] })).result
  const expected = await findings()
  for (let round = 0; round < 100; round += 1) {
    const [tried, also, references, diagnostics] = await Promise.all([
      bridge.previewEdit({ edits: [breaking] }),
      bridge.previewEdit({ edits: [{ file: caller, line: 1, new_text: 'toIndex(true)\n' }] }),
      bridge.findReferences(target),
      findings(),
    ])
    expect(succeeded(tried).result.class).toBe('new_errors')
    // Against the text of the disk, which the first one has changed for itself alone.
    const [own] = succeeded(also).result.files
    expect(own).toMatchObject({
      file: caller,
      new: [{ line: 1, message: expect.stringContaining("'number'") }],
    })
    expect(places(references)).toEqual(calm)
    expect(diagnostics).toEqual(expected)
  }
}, 120_000)

test('contract 3 (TypeScript 7) a rename is tried, then written, and breaks nothing', async () => {
  const files = ownCode()
  await using opened = await embeddedBridge({ files })
  const { bridge } = opened
  const rename = { file: breaking.file, symbol: 'toIndex', new_name: 'indexOf' }
  const { handle = '' } = succeeded(await bridge.renameSymbol(rename)).result
  const tried = succeeded(await bridge.previewEdit({ handle }))
  expect(tried.result.files.flatMap(file => file.new)).toEqual([])
  const written = succeeded(await bridge.applyEdit({ handle }))
  expect(written.result.class).toBe(tried.result.class)
  expect(written.result.applied.map(({ file }) => file)).toEqual(expect.arrayContaining(callers))
  expect(written.result.files.flatMap(file => [...file.new, ...file.resolved])).toEqual([])
  expect(readFileSync(opened.workspace.path(breaking.file), 'utf8')).toContain('function indexOf(')
  expect(await bridge.applyEdit({ handle })).toMatchObject({ ok: false, kind: 'StaleProposal' })
})

test('R-125 (TypeScript 7) a module that was only tried is not there afterwards', async () => {
  await using opened = await embeddedBridge({ files: ownCode() })
  const { bridge } = opened
  const edits = [
    { file: 'src/text/fresh.ts', new_text: 'export const fresh = 1\n' },
    {
      file: 'src/text/nearest.ts',
      line: 1,
      new_text: "import { fresh } from './fresh.js'\nexport const wrong: string = fresh\n",
    },
  ]
  const answer = succeeded(await bridge.previewEdit({ edits }))
  const found = answer.result.files.flatMap(file => file.new)
  expect(found).toMatchObject([{ file: 'src/text/nearest.ts', line: 2, code: '2322' }])
  expect(succeeded(await bridge.findSymbol({ query: 'fresh' })).result.symbols).toEqual([])
  const { files } = succeeded(await bridge.getDiagnostics({ file: 'src/text/nearest.ts' })).result
  expect(files).toMatchObject([{ verdict: 'settled', diagnostics: [] }])
})

const python = fixture`
-- shapes.py --
def area(width: int) -> int:
    return width * 2


class Shape:
    size = 1
-- main.py --
from shapes import Shape, area

total: int = area(3) + Shape().size
-- other.py --
nothing: int = "text"
`

test('story 2 (pyright) a parameter of another type breaks its callers, and afterwards all is as before', async () => {
  await using opened = await embeddedBridge(python)
  const { bridge } = opened
  const before = await everything(opened, python.files)
  const edit = { file: 'shapes.py', find: 'width: int', new_text: 'width: list[int]' }
  const answer = succeeded(await bridge.previewEdit({ edits: [edit] }))
  expect(answer.result).toMatchObject({
    class: 'new_errors',
    scope: 'dependents',
    files: [
      { file: 'shapes.py', class: 'new_errors' },
      {
        file: 'main.py',
        class: 'new_errors',
        new: [{ line: 3, text: 'total: int = area(3) + Shape().size' }],
      },
    ],
  })
  expect(await everything(opened, python.files)).toEqual(before)
  const moved = succeeded(
    await bridge.previewEdit({ edits: [{ file: 'other.py', line: 1, new_text: '# one\n# two\n' }] }),
  )
  expect(moved.result).toMatchObject({ class: 'baseline_error', files: [{ new: [], resolved: [] }] })
  const repaired = succeeded(
    await bridge.previewEdit({ edits: [{ file: 'other.py', find: '"text"', new_text: '1' }] }),
  )
  expect(repaired.result).toMatchObject({ class: 'clean', files: [{ new: [], resolved: [{ line: 1 }] }] })
  expect(await everything(opened, python.files)).toEqual(before)
})

test('contract 3 (pyright) a new module is tried with a warning that its import may seem wrong', async () => {
  await using opened = await embeddedBridge(python)
  const answer = succeeded(
    await opened.bridge.previewEdit({
      edits: [
        { file: 'fresh.py', new_text: 'number: int = 1\n' },
        { file: 'main.py', line: 1, new_text: 'from fresh import number\n' },
      ],
    }),
  )
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('fresh.py does not exist yet'),
  })
})

async function everything({ bridge }: EmbeddedBridge, files: ReadonlyMap<string, unknown>) {
  const named = [...files.keys()].filter(name => /\.(ts|py)$/.test(name))
  const { result } = succeeded(await bridge.getDiagnostics({ files: named }))
  for (const file of result.files) expect(file.verdict).toBe('settled')
  return result
}

function places(answer: Answer<{ references: { file: string; line: number; column: number }[] }>): string[] {
  return succeeded(answer).result.references.map(({ file, line, column }) => `${file}:${line}:${column}`)
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
