import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configurationFolder, findRoot, stateFolder } from './folders.js'

let base = ''
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'alidade-root-')))
  await mkdir(join(base, 'project/.git'), { recursive: true })
  await mkdir(join(base, 'project/src/deep'), { recursive: true })
  await mkdir(join(base, 'worktree/src'), { recursive: true })
  await writeFile(join(base, 'worktree/.git'), 'gitdir: elsewhere')
  await mkdir(join(base, 'loose/inner'), { recursive: true })
  await symlink(join(base, 'project'), join(base, 'link'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

test('contract 2: the root is --root, else CLAUDE_PROJECT_DIR, else the folder with .git, else the current one', async () => {
  const cwd = join(base, 'project/src/deep')
  const env = { CLAUDE_PROJECT_DIR: join(base, 'worktree') }
  const flag = '../../../loose'
  expect(await findRoot({ cwd, env, flag })).toEqual({ root: join(base, 'loose'), how: '--root' })
  expect(await findRoot({ cwd, env })).toEqual({ root: join(base, 'worktree'), how: 'CLAUDE_PROJECT_DIR' })
  expect(await findRoot({ cwd, env: { CLAUDE_PROJECT_DIR: '' } })).toEqual({
    root: join(base, 'project'),
    how: '.git',
  })
  expect(await findRoot({ cwd: join(base, 'worktree/src'), env: {} })).toMatchObject({
    root: join(base, 'worktree'),
  })
  const loose = join(base, 'loose/inner')
  expect(await findRoot({ cwd: loose, env: {} })).toEqual({ root: loose, how: 'current folder' })
})

test('contract 2: links are resolved, and what is no folder is refused by name', async () => {
  expect(await findRoot({ cwd: base, env: {}, flag: 'link/src' })).toMatchObject({
    root: join(base, 'project/src'),
  })
  await expect(findRoot({ cwd: base, env: {}, flag: 'nowhere' })).rejects.toMatchObject({
    kind: 'InvalidArguments',
    message: `--root names ${JSON.stringify(join(base, 'nowhere').slice(0, 60))}, which is not a folder that can be entered`,
  })
  await expect(findRoot({ cwd: base, env: { CLAUDE_PROJECT_DIR: 'worktree/.git' } })).rejects.toThrow(
    'CLAUDE_PROJECT_DIR names',
  )
})

test('the folders of the user follow XDG, which ignores relative paths', () => {
  expect(configurationFolder({ XDG_CONFIG_HOME: '/c' })).toBe('/c/alidade')
  expect(configurationFolder({ XDG_CONFIG_HOME: 'c', HOME: '/home/me' })).toBe('/home/me/.config/alidade')
  expect(stateFolder({ XDG_STATE_HOME: '/s' })).toBe('/s/alidade')
  expect(stateFolder({ HOME: '/home/me' })).toBe('/home/me/.local/state/alidade')
  expect(stateFolder({})).toBe(join(homedir(), '.local/state/alidade'))
})
