// The verdict on changes of real code by the servers that come with the package: on a part of this very project, and on
// some Python, both in git.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { BridgeOptions } from '../src/bridge.js'
import { type Answer, createBridge } from '../src/index.js'
import { type EmbeddedBridge, embeddedBridge } from './embedded-bridge.js'
import { type Fixture, fixture } from './fixture/index.js'
import { ownCode } from './own-code.js'
import { type Repository, repository } from './repository.js'

interface InGit extends AsyncDisposable, EmbeddedBridge {
  readonly repo: Repository
  /** Replaces a text that occurs in the file. */
  edit(file: string, find: string, replace: string): void
}

async function inGit(files: Pick<Fixture, 'files'>, options: BridgeOptions = {}): Promise<InGit> {
  const opened = await embeddedBridge(files, options)
  const repo = repository(opened.workspace.root)
  repo.commit()
  return {
    ...opened,
    repo,
    edit(file, find, replace) {
      const text = readFileSync(repo.path(file), 'utf8')
      expect(text).toContain(find)
      writeFileSync(
        repo.path(file),
        text.replace(find, () => replace),
      )
    },
    async [Symbol.asyncDispose]() {
      repo[Symbol.dispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
}

const changed = 'src/text/position.ts'
const signature = 'export function toIndex(oneBased: number): number {'
const otherSignature = 'export function toIndex(oneBased: string): number {'

test('what it must show 2 (TypeScript 7): a signature, a moved error, a comment, a removed function', async () => {
  await using opened = await inGit({ files: ownCode() })
  const { bridge, edit, repo } = opened
  const check = async () => succeeded(await bridge.checkChange({})).result

  edit(changed, signature, otherSignature)
  const broken = await check()
  expect(broken).toMatchObject({ class: 'new_errors', scope: 'dependents' })
  const callers = broken.files.filter(file => file.new.length > 0).map(({ file }) => file)
  expect(callers).toEqual(expect.arrayContaining([changed, 'src/changes/delta.ts', 'src/text/lines.ts']))

  // What nobody exports any more is not referred to in the present text: only the past tells who did.
  edit(changed, otherSignature, signature.replace('export ', ''))
  const hidden = await check()
  expect(hidden).toMatchObject({ class: 'new_errors', scope: 'dependents' })
  expect(hidden.files.filter(file => file.new.length > 0).map(({ file }) => file)).toEqual(
    expect.arrayContaining(['src/changes/delta.ts', 'src/text/lines.ts']),
  )

  edit(changed, signature.replace('export ', ''), `// a comment\n${signature}`)
  expect(await check()).toMatchObject({ class: 'clean', scope: 'dependents' })

  repo.write('src/text/wrong.ts', 'export const wrong: string = 1\n')
  repo.commit()
  repo.write('src/text/wrong.ts', '// above\n// above\nexport const wrong: string = 1\n')
  expect(succeeded(await bridge.checkChange({ since: 'HEAD' })).result).toMatchObject({
    class: 'baseline_error',
    scope: 'dependents',
    files: [{ file: 'src/text/wrong.ts', class: 'baseline_error', new: [], resolved: [] }],
  })
}, 180_000)

test('contract 6 (TypeScript 7) a module that is deleted or moved breaks who imports it, unless they were changed with it', async () => {
  const story = fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true, "module": "nodenext" } }
-- a.ts --
export const a = 1
-- b.ts --
import { a } from './a.js'
export const b: number = a
`
  await using opened = await inGit(story)
  const { bridge, repo, edit } = opened
  const since = async () => succeeded(await bridge.checkChange({ since: 'HEAD' })).result
  rmSync(repo.path('a.ts'))
  expect(await since()).toMatchObject({
    class: 'new_errors',
    scope: 'dependents',
    files: [
      { file: 'a.ts', class: 'clean' },
      { file: 'b.ts', class: 'new_errors', new: [{ code: '2307' }] },
    ],
  })
  repo.write('moved.ts', 'export const a = 1\n')
  expect(await since()).toMatchObject({
    class: 'new_errors',
    files: [{ file: 'moved.ts' }, { file: 'b.ts' }],
  })
  edit('b.ts', './a.js', './moved.js')
  expect(await since()).toMatchObject({
    class: 'clean',
    scope: 'dependents',
    files: [
      { file: 'b.ts', new: [], resolved: [] },
      { file: 'moved.ts', new: [], resolved: [] },
    ],
  })
})

test('what it must show 2 (pyright): a parameter, a moved error, a comment; what it cannot be shown is told', async () => {
  const story = fixture`
-- shapes.py --
def area(width: int) -> int:
    return width * 2
-- main.py --
from shapes import area

total: int = area(3)
-- other.py --
nothing: int = "text"
`
  await using opened = await inGit(story)
  const { bridge, repo, edit } = opened
  const since = async () => succeeded(await bridge.checkChange({ since: 'HEAD' })).result
  edit('shapes.py', 'width: int', 'width: int, height: int')
  expect(await since()).toMatchObject({
    class: 'new_errors',
    scope: 'dependents',
    files: [
      { file: 'shapes.py', class: 'clean' },
      { file: 'main.py', class: 'new_errors', new: [{ line: 3, text: 'total: int = area(3)' }] },
    ],
  })
  edit('shapes.py', 'width: int, height: int', 'width: int')
  edit('shapes.py', 'def area', '# a comment\ndef area')
  expect(await since()).toMatchObject({ class: 'clean', scope: 'dependents' })
  edit('other.py', 'nothing', '# above\n\nnothing')
  expect(await since()).toMatchObject({ class: 'baseline_error' })
  repo.git('checkout', '-q', '.')
  rmSync(repo.path('shapes.py'))
  const gone = succeeded(await bridge.checkChange({ since: 'HEAD' }))
  expect(gone.result.class).not.toBe('clean')
  expect(gone.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('shapes.py is gone'),
  })
})

test('what it must show 2: a server that is stopped is lsp_unavailable', async () => {
  await using opened = await inGit({ files: ownCode() })
  opened.edit(changed, signature, otherSignature)
  const settings = { servers: { typescript: { language: 'typescript', command: 'false' } } }
  const bridge = await createBridge({ root: opened.repo.root, env: opened.repo.env, settings })
  try {
    expect(succeeded(await bridge.checkChange({ timeout_ms: 10_000 })).result).toMatchObject({
      class: 'lsp_unavailable',
      files: [{ file: changed, class: 'lsp_unavailable', verdict: 'unknown' }],
    })
  } finally {
    await bridge.close()
  }
})

test('R-211 who imports a name from a Python package depends on the line that hands it on', async () => {
  const python = fixture`
-- pkg/__init__.py --
from .shapes import area
from .shapes import side
-- pkg/shapes.py --
def area():
    return 1
def side():
    return 2
-- main.py --
from pkg import area
print(area())
`
  await using opened = await inGit(python)
  opened.edit('pkg/__init__.py', 'from .shapes import area\n', '')
  const { result } = succeeded(await opened.bridge.checkChange({}))
  expect(result).toMatchObject({ class: 'new_errors', scope: 'dependents' })
  expect(result.files.filter(file => file.new.length > 0)).toMatchObject([{ file: 'main.py' }])
})

test('R-211 a script of no project depends on what it imports, and one with a namesake does not', async () => {
  const files = fixture`
-- tsconfig.json --
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }
-- src/shapes.ts --
export function area(radius: number) {
  return radius * radius
}
-- src/main.ts --
import { area } from './shapes.js'
export const large = area(2)
-- scripts/outsider.ts --
import { area } from '../src/shapes.js'
export const sum = area(3)
-- scripts/namesake.ts --
import { area } from './own.js'
export const other: number = area()
-- scripts/own.ts --
export function area() {
  return 'x'
}
`
  await using opened = await inGit(files)
  const { edit, bridge } = opened
  edit('src/shapes.ts', 'radius * radius', 'radius * radius * 3')
  const body = succeeded(await bridge.checkChange({})).result
  expect(body).toMatchObject({ class: 'clean', scope: 'dependents' })
  expect(body.files.map(({ file }) => file)).toEqual(['src/shapes.ts', 'src/main.ts', 'scripts/outsider.ts'])
  edit('src/shapes.ts', 'function area', 'function size')
  edit('src/main.ts', '{ area }', '{ size as area }')
  const { result } = succeeded(await bridge.checkChange({}))
  expect(result).toMatchObject({ class: 'new_errors', scope: 'dependents' })
  expect(result.files.filter(file => file.new.length > 0)).toMatchObject([{ file: 'scripts/outsider.ts' }])
})

test('R-211 who uses a Python function under the name of a renamed import depends on it', async () => {
  const python = fixture`
-- shapes.py --
def area():
    return 1
-- middle.py --
from shapes import area as size
-- main.py --
from middle import size as extent
print(extent())
`
  await using opened = await inGit(python)
  opened.edit('shapes.py', 'area()', 'area(radius)')
  const { result } = succeeded(await opened.bridge.checkChange({}))
  expect(result).toMatchObject({ class: 'new_errors', scope: 'dependents' })
  expect(result.files.filter(file => file.new.length > 0)).toMatchObject([{ file: 'main.py' }])
})

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
