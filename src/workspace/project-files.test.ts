// For a server that knows a project only while one of its files is open: which file stands for each, and how many projects
// the server then really knows.
import { expect, test } from 'vitest'
import { ViewFolder, wait } from '../../test/view-harness.js'
import type { ServerDefinition } from '../servers/definition.js'
import { projectFiles } from './project-files.js'

const folder = new ViewFolder()

const monorepo: Partial<ServerDefinition> = {
  projects: { marker: ['fake.toml'], methods: [], reason: 'It loads the projects of open files.' },
}

function table(paths: readonly string[]) {
  return {
    filesWith: (extensions: ReadonlySet<string>) =>
      paths.filter(path => extensions.has(path.slice(path.lastIndexOf('.')))),
  }
}

const definition = {
  extensions: { '.ts': 'typescript' },
  projects: { marker: ['tsconfig.json'], methods: [], reason: 'For the test.' },
}

test('R-89 source files stand for each project, the nearest configuration decides, and one project needs none', () => {
  const found = projectFiles(
    table([
      '/w/tsconfig.json',
      '/w/a.ts',
      '/w/p/tsconfig.json',
      '/w/p/b.ts',
      '/w/p/c.ts',
      '/w/empty/tsconfig.json',
      '/w2/tsconfig.json',
      '/w2/d.ts',
    ]),
    definition,
    '/w',
  )
  expect(found).toEqual([['/w/a.ts'], ['/w/p/b.ts', '/w/p/c.ts']])
  expect(projectFiles(table(['/w/tsconfig.json', '/w/a.ts']), definition, '/w')).toEqual([])
})

test('R-89 files below src come first, those beside the configuration last: it often leaves them out', () => {
  const found = projectFiles(
    table([
      '/w/a/tsconfig.json',
      '/w/a/eslint.config.ts',
      '/w/a/vite.config.ts',
      '/w/a/bin/run.ts',
      '/w/a/src/one.ts',
      '/w/a/src/two.ts',
      '/w/b/tsconfig.json',
      '/w/b/main.ts',
    ]),
    definition,
    '/w',
  )
  expect(found).toEqual([['/w/a/src/one.ts', '/w/a/src/two.ts', '/w/a/bin/run.ts'], ['/w/b/main.ts']])
})

test('R-89 where a file cannot be read the next one stands for its project', async () => {
  for (const name of ['a', 'b']) folder.put(`${name}/fake.toml`, '')
  folder.put('a/first.fake', Uint8Array.of(0xff, 0xfe, 0xfd))
  folder.put('a/second.fake', 'def a\n')
  folder.put('b/only.fake', 'def b\n')
  await folder.table.refresh()
  const { view, client } = await folder.opened(monorepo)
  expect(await view.openProjects(wait)).toEqual({ opened: 2, total: 2 })
  const uris = client.documents.all().map(({ uri }) => uri)
  expect(uris).toEqual([folder.uriOf('a/second.fake'), folder.uriOf('b/only.fake')])
})

test('R-89 a project of which nothing can be opened is not counted as searched', async () => {
  for (const name of ['a', 'b']) folder.put(`${name}/fake.toml`, '')
  folder.put('a/only.fake', Uint8Array.of(0xff, 0xfe, 0xfd))
  folder.put('b/only.fake', 'def b\n')
  await folder.table.refresh()
  const { view } = await folder.opened(monorepo)
  expect(await view.openProjects(wait)).toEqual({ opened: 1, total: 2 })
})

test('C20 where there is no room for all, those that were closed again are not counted, and what is held stays', async () => {
  for (const name of ['a', 'b', 'c', 'd']) {
    folder.put(`${name}/fake.toml`, '')
    folder.put(`${name}/only.fake`, `def ${name}\n`)
  }
  await folder.table.refresh()
  const { view, open, client } = await folder.opened(monorepo, { maxOpenDocuments: 4 })
  const target = await open('main.fake')
  client.documents.hold(target.uri)
  expect(await view.openProjects(wait)).toEqual({ opened: 3, total: 4 })
  expect(view.isShown(target)).toBe(true)
})

test('C20 the file that holds a project open is not closed for want of room, whatever else is opened', async () => {
  for (const name of ['a', 'b']) {
    folder.put(`${name}/fake.toml`, '')
    folder.put(`${name}/only.fake`, `def ${name}\n`)
  }
  await folder.table.refresh()
  const { view, open, client } = await folder.opened(monorepo, { maxOpenDocuments: 3 })
  await view.openProjects(wait)
  for (const file of ['main.fake', 'other.fake', 'main.fake', 'other.fake']) await open(file)
  expect(client.documents.get(folder.uriOf('main.fake'))).toBeUndefined()
  for (const file of ['a/only.fake', 'b/only.fake'])
    expect(client.documents.get(folder.uriOf(file))).toMatchObject({ version: expect.any(Number) })
  expect(await view.openProjects(wait)).toEqual({ opened: 2, total: 2 })
})
