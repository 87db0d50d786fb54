// The question of trust is asked once per workspace and only where it would help.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Answer } from '../../operations/answer.js'
import { firstTime, wantsTrust } from './ask-trust.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alidade-asked-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('contract 5: the question is asked once per workspace', async () => {
  const env = { XDG_STATE_HOME: folder }
  expect(await firstTime('/one', env)).toBe(true)
  expect(await firstTime('/two', env)).toBe(true)
  expect(await firstTime('/one', env)).toBe(false)
  expect(await firstTime('/two', env)).toBe(false)
})

test('contract 5: a question that cannot be remembered is not asked', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  expect(await firstTime('/one', { XDG_STATE_HOME: file })).toBe(false)
  await mkdir(join(folder, 'alidade'))
  await writeFile(join(folder, 'alidade/asked.json'), '{"version":1,')
  expect(await firstTime('/one', { XDG_STATE_HOME: folder })).toBe(false)
})

test('contract 5: only an answer that lacks trust asks for it', () => {
  const success = (
    completeness: Extract<Answer<unknown>, { ok: true }>['completeness'],
  ): Answer<unknown> => ({
    ok: true,
    result: {},
    completeness,
    freshness: { verdict: 'current', queried_at: '' },
    servers: [],
  })
  const failure = (kind: 'NotTrusted' | 'FileNotFound') => ({ ok: false as const, kind, error: '', hint: '' })
  expect(wantsTrust(failure('NotTrusted'))).toBe(true)
  expect(wantsTrust(failure('FileNotFound'))).toBe(false)
  expect(wantsTrust(success({ verdict: 'complete' }))).toBe(false)
  expect(wantsTrust(success({ verdict: 'partial', reason: 'still indexing', hint: 'Ask later.' }))).toBe(
    false,
  )
  const hint = 'If you trust the code in this folder, run: alidade trust'
  expect(wantsTrust(success({ verdict: 'partial', reason: 'limited', hint }))).toBe(true)
})
