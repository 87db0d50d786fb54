// A rename over this project itself, as a user would do it: proposed, applied, type-checked, undone. More than thirty
// files, by the embedded server, with nothing prepared for it.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createBridge } from '../src/index.js'

const run = promisify(execFile)
const project = process.cwd()
const identity = [
  '-c',
  'user.name=Alidade',
  '-c',
  'user.email=nobody@example.com',
  '-c',
  'commit.gpgsign=false',
]

async function projectCopy() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'alidade-rename-')))
  const root = join(folder, 'project')
  await mkdir(root)
  for (const name of [
    'src',
    'test',
    'scripts',
    'bench',
    'examples',
    'tsconfig.json',
    'package.json',
    '.gitignore',
  ])
    await cp(join(project, name), join(root, name), { recursive: true })
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  const git = (...args: string[]) => run('git', [...identity, ...args], { cwd: root })
  await git('init', '--quiet')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'before')
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  }
  const bridge = await createBridge({ root, env })
  return {
    root,
    bridge,
    git,
    async [Symbol.asyncDispose]() {
      await bridge.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function treeHash(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !file.includes('/.git/') && !file.includes('/node_modules/'))
    .sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(await readFile(file))
  return hash.digest('hex')
}

async function typeErrors(root: string): Promise<string> {
  const tsc = join(project, 'node_modules', '.bin', 'tsc')
  return run(tsc, ['--noEmit'], { cwd: root }).then(
    () => '',
    (failed: { readonly stdout: string }) => failed.stdout,
  )
}

test('R-109 a rename over more than thirty files of this project type-checks, and git takes it back', async () => {
  await using copy = await projectCopy()
  const { bridge, root, git } = copy
  expect(await typeErrors(root)).toBe('')
  const before = await treeHash(root)

  const proposed = await bridge.renameSymbol({
    file: 'src/errors.ts',
    symbol: 'BridgeError',
    new_name: 'AlidadeFailure',
  })
  expect(proposed).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
  if (!proposed.ok) return
  expect(proposed.result.files.length).toBeGreaterThan(30)
  expect(await treeHash(root), 'a proposal writes nothing').toBe(before)

  const applied = await bridge.applyEdit({ handle: proposed.result.handle ?? '' })
  // A hundred files and what depends on them may be more than there is time for: then it says so. The compiler decides.
  expect(applied).toMatchObject({
    ok: true,
    result: { class: expect.stringMatching(/^(?:clean|lsp_unavailable)$/) },
  })
  expect(await treeHash(root)).not.toBe(before)
  expect(await typeErrors(root)).toBe('')

  await git('checkout', '--quiet', '--', '.')
  expect(await treeHash(root), 'git takes it back').toBe(before)
  const again = await bridge.findReferences({ file: 'src/errors.ts', symbol: 'BridgeError' })
  expect(again).toMatchObject({ ok: true, completeness: { verdict: 'complete' } })
}, 240_000)
