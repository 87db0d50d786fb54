// The search that needs no server: whole words, bounded, never out of the workspace, and never stale.
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixture, temporaryWorkspace } from '../../test/fixture/index.js'
import { systemClock } from '../clock.js'
import { FileTable } from './file-table.js'
import { IgnoredFiles } from './ignored-files.js'
import { WordSearch } from './word-search.js'

const extensions = new Set(['.ts'])
const signal = new AbortController().signal
const patient = { extensions, signal, milliseconds: 10_000 }

async function searching(files: ReadonlyMap<string, string>) {
  const workspace = await temporaryWorkspace({ files })
  const table = new FileTable({
    root: workspace.root,
    clock: systemClock,
    isInteresting: name => name.endsWith('.ts'),
    useWatcher: true,
    sweepMilliseconds: 50,
    maxFiles: 1000,
  })
  await table.scan()
  const search = new WordSearch({ table, ignored: new IgnoredFiles(workspace.root), clock: systemClock })
  const filesWith = async (word: string, milliseconds = 10_000) => {
    await table.refresh()
    const { files: found, unread } = await search.filesWith({ ...patient, word, milliseconds })
    return { names: found.map(file => basename(file)).sort(), unread }
  }
  return {
    workspace,
    filesWith,
    async [Symbol.asyncDispose]() {
      table.close()
      await workspace.dispose()
    },
  }
}

const story = fixture`
-- .gitignore --
/out
*.gen.ts
!kept.gen.ts
-- src/uses.ts --
area(2)
-- src/longer.ts --
areas(2) + my_area + $area
-- src/grown.ts --
nothing yet
-- src/made.gen.ts --
area()
-- src/kept.gen.ts --
area()
-- out/built.ts --
area()
-- sub/.gitignore --
local.ts
-- sub/local.ts --
area()
`

test('R-08 whole words only, and nothing of what git ignores', async () => {
  await using search = await searching(story.files)
  expect(await search.filesWith('area')).toEqual({ names: ['kept.gen.ts', 'uses.ts'], unread: 0 })
})

test('R-125 what was found is forgotten when a file changes', async () => {
  await using search = await searching(story.files)
  await search.filesWith('area')
  await writeFile(join(search.workspace.root, 'src/grown.ts'), 'area(1)')
  expect((await search.filesWith('area')).names).toContain('grown.ts')
})

test('W27 a link out of the workspace is not followed', async () => {
  await using search = await searching(story.files)
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'alidade-outside-')))
  await writeFile(join(outside, 'secret.ts'), 'secretWord')
  await symlink(join(outside, 'secret.ts'), join(search.workspace.root, 'src/link.ts'))
  expect((await search.filesWith('secretWord')).names).toEqual([])
  await rm(outside, { recursive: true })
})

test('R-08 what there was no time for is counted', async () => {
  await using search = await searching(story.files)
  expect(await search.filesWith('area', 0)).toEqual({ names: [], unread: 4 })
})

test('R-08 equals a search by regular expression', async () => {
  const pieces = fc.constantFrom('area', 'Area', '_', '$', '1', ' ', '.', '(', '\n', 'x', '\u00e9')
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(pieces).map(parts => parts.join('')),
        { maxLength: 6 },
      ),
      async texts => {
        await using search = await searching(new Map(texts.map((text, index) => [`f${index}.ts`, text])))
        const isWord = /(?<![\w$\u0080-\uffff])area(?![\w$\u0080-\uffff])/
        const expected = texts.flatMap((text, index) => (isWord.test(text) ? [`f${index}.ts`] : []))
        expect((await search.filesWith('area')).names).toEqual(expected)
      },
    ),
    { numRuns: 25 },
  )
})
