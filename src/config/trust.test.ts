import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TrustStore } from './trust.js'

let base = ''
let root = ''
let store: TrustStore
const never = { trusted: false, reason: 'never trusted' }
const changed = { trusted: false, reason: 'configuration changed since' }
const unreadable = { trusted: false, reason: 'the record of trust cannot be read' }

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'alidade-trust-'))
  root = join(base, 'workspace')
  await mkdir(join(root, '.alidade'), { recursive: true })
  store = new TrustStore({ env: { XDG_STATE_HOME: join(base, 'state') } })
})
afterEach(() => rm(base, { recursive: true, force: true }))

describe('C26 trust', () => {
  test('is given, holds for the canonical path, and is revoked', async () => {
    expect(await store.isTrusted(root)).toEqual(never)
    await store.trust(root)
    expect(await store.isTrusted(root)).toEqual({ trusted: true })
    await symlink(root, join(base, 'link'))
    expect(await store.isTrusted(join(base, 'link'))).toEqual({ trusted: true })
    expect(await store.isTrusted(base)).toEqual(never)
    expect(await store.isTrusted(join(root, '.alidade'))).toEqual(never)
    expect(await store.revoke(join(base, 'link'))).toBe(true)
    expect(await store.revoke(root)).toBe(false)
    expect(await store.isTrusted(root)).toEqual(never)
  })

  test.each(['.alidade/lsp.json', '.syndicate/lsp.json'])(
    'a changed, new or removed %s needs it again',
    async name => {
      const file = join(root, name)
      await mkdir(dirname(file), { recursive: true })
      await store.trust(root)
      await writeFile(file, '{}')
      expect(await store.isTrusted(root)).toEqual(changed)
      await store.trust(root)
      expect(await store.isTrusted(root)).toEqual({ trusted: true })
      await writeFile(file, '{ }')
      expect(await store.isTrusted(root)).toEqual(changed)
      await writeFile(file, '{}')
      expect(await store.isTrusted(root)).toEqual({ trusted: true })
      await rm(file)
      expect(await store.isTrusted(root)).toEqual(changed)
    },
  )

  test('what was read already is what is judged', async () => {
    await writeFile(join(root, '.alidade/lsp.json'), '{}')
    await store.trust(root)
    const other = { '.alidade/lsp.json': 'sha256:other', '.syndicate/lsp.json': 'none' }
    expect(await store.isTrusted(root, other)).toEqual(changed)
  })

  test('a configuration that cannot be read is neither trusted nor trustable', async () => {
    await store.trust(root)
    await mkdir(join(root, '.alidade/lsp.json'))
    expect(await store.isTrusted(root)).toEqual(changed)
    await expect(store.trust(root)).rejects.toThrow('.alidade/lsp.json is a folder, not a file')
    await expect(store.trust(join(base, 'nowhere'))).rejects.toMatchObject({ kind: 'FileNotFound' })
    expect(await store.isTrusted(join(base, 'nowhere'))).toEqual(never)
  })

  test('is recorded in a file and folder of the user alone, with nothing left beside it', async () => {
    await store.trust(root)
    expect((await stat(store.path)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(store.path))).mode & 0o777).toBe(0o700)
    expect(await readdir(dirname(store.path))).toEqual(['trust.json'])
    expect(JSON.parse(await readFile(store.path, 'utf8'))).toMatchObject({
      version: 1,
      workspaces: {
        [root]: { configuration: { '.alidade/lsp.json': 'none', '.syndicate/lsp.json': 'none' } },
      },
    })
  })

  test('writes at the same time do not undo each other', async () => {
    const roots = Array.from({ length: 8 }, (_, index) => join(base, `w${index}`))
    await Promise.all(roots.map(path => mkdir(path)))
    await Promise.all(roots.map(path => store.trust(path)))
    for (const path of roots) expect(await store.isTrusted(path)).toEqual({ trusted: true })
  })

  test.each(['', 'not json', '[]', '{"version": 2}', '{"version":1,"workspaces":{"/x":{}}}'])(
    'a damaged record (%j) trusts nobody, and says so when written to',
    async text => {
      await store.trust(root)
      await writeFile(store.path, text)
      expect(await store.isTrusted(root)).toEqual(unreadable)
      await expect(store.trust(root)).rejects.toMatchObject({ kind: 'InvalidArguments' })
      await expect(store.revoke(root)).rejects.toThrow('is not used: it is damaged')
      expect(await readFile(store.path, 'utf8')).toBe(text)
      // The failed writes must not block those after them.
      await rm(store.path)
      await store.trust(root)
      expect(await store.isTrusted(root)).toEqual({ trusted: true })
    },
  )

  test('a record that others may write trusts nobody', async () => {
    await store.trust(root)
    await chmod(store.path, 0o666)
    expect(await store.isTrusted(root)).toEqual(unreadable)
    await expect(store.trust(root)).rejects.toThrow('every user may write to it')
  })

  test('a folder that cannot be written is an error with a way out', async () => {
    await writeFile(join(base, 'state'), 'a file where the folder should be')
    await expect(store.trust(root)).rejects.toMatchObject({
      kind: 'InvalidArguments',
      hint: 'Make the folder writable, or set XDG_STATE_HOME to one that is.',
    })
  })
})
