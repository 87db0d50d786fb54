// The sandbox's three tools through a whole bridge: the texts word for word, the read gate, and what is said where no
// server answers.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import { fixture } from '../../test/fixture/index.js'
import type { BridgeOptions } from '../bridge.js'

const story = fixture`
-- go.mod --
module auth
-- internal/auth/user.fake --
class User
  def ValidateToken
    return ValidateToken
-- internal/auth/handlers.fake --
if ValidateToken tok
`

const extensions = { '.fake': 'go' }
const go = [{ language: 'go', definition: { extensions } }]
const here = { file_path: 'internal/auth/user.fake', line: 3, col: 12 }

function opened(options: BridgeOptions = {}): Promise<FakeBridge> {
  return fakeBridge(story, go, { preset: 'sandbox', ...options })
}

async function call({ bridge }: FakeBridge, name: string, input: object) {
  const tool = (await bridge.tools()).find(offered => offered.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool.call(input)
}

test('R-150 R-161 three tools with their fields, all required, and none that applies an edit', async () => {
  await using fake = await opened()
  const tools = await fake.bridge.tools()
  expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
    ['find_definition', ['file_path', 'line', 'col']],
    ['find_references', ['file_path', 'line', 'col']],
    ['rename_symbol', ['file_path', 'line', 'col', 'new_name']],
  ])
})

test('R-154 a definition, word for word', async () => {
  await using fake = await opened()
  expect((await call(fake, 'find_definition', here)).text).toBe(
    'Found 1 definition(s) for symbol at internal/auth/user.fake:3:12:\n' +
      '  1. internal/auth/user.fake:2:7  def ValidateToken',
  )
})

test('R-153 R-154 references, the declaration included, word for word', async () => {
  await using fake = await opened()
  expect((await call(fake, 'find_references', here)).text).toBe(
    [
      'Found 3 reference(s) for symbol at internal/auth/user.fake:3:12:',
      '  1. internal/auth/handlers.fake:1:4  if ValidateToken tok',
      '  2. internal/auth/user.fake:2:7  def ValidateToken',
      '  3. internal/auth/user.fake:3:12  return ValidateToken',
    ].join('\n'),
  )
})

test('R-155 a rename is a diff without context, the file that was read first, and nothing is written', async () => {
  await using fake = await opened()
  fake.bridge.noteRead('internal/auth/user.fake')
  const { ok, text } = await call(fake, 'rename_symbol', { ...here, new_name: 'VerifyToken' })
  expect(ok).toBe(true)
  expect(text).toBe(
    [
      'Rename \u2192 "VerifyToken" would touch 2 file(s):',
      '  - internal/auth/user.fake (2 edit(s))',
      '  - internal/auth/handlers.fake (1 edit(s))',
      '',
      'Review the diff below; apply via Edit once approved:',
      '',
      '--- a/internal/auth/user.fake',
      '+++ b/internal/auth/user.fake',
      '@@ -2,2 +2,2 @@',
      '-  def ValidateToken',
      '-    return ValidateToken',
      '+  def VerifyToken',
      '+    return VerifyToken',
      '',
      '--- a/internal/auth/handlers.fake',
      '+++ b/internal/auth/handlers.fake',
      '@@ -1,1 +1,1 @@',
      '-if ValidateToken tok',
      '+if VerifyToken tok',
    ].join('\n'),
  )
  expect(readFileSync(fake.workspace.path('internal/auth/user.fake'), 'utf8')).toContain('def ValidateToken')
})

test('R-152 C34 a rename needs the file to have been read, as it is now; the others do not', async () => {
  await using fake = await opened()
  const rename = async () => (await call(fake, 'rename_symbol', { ...here, new_name: 'VerifyToken' })).result
  expect(await rename()).toMatchObject({ ok: false, kind: 'ReadRequired' })
  expect((await call(fake, 'find_definition', here)).ok).toBe(true)
  expect(await rename()).toMatchObject({ kind: 'ReadRequired' })
  fake.bridge.noteRead(fake.workspace.path('internal/auth/user.fake'))
  expect(await rename()).toMatchObject({ ok: true })
  const file = fake.workspace.path('internal/auth/user.fake')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n`)
  expect(await rename()).toMatchObject({ kind: 'ReadRequired', error: expect.stringContaining('changed') })
  fake.bridge.noteRead('internal/auth/user.fake')
  expect(await rename()).toMatchObject({ ok: true })
})

test('C34 a file opened by name counts as read', async () => {
  await using fake = await opened()
  expect(await fake.bridge.openDocument({ file: here.file_path })).toMatchObject({ ok: true })
  expect((await call(fake, 'rename_symbol', { ...here, new_name: 'VerifyToken' })).ok).toBe(true)
})

test('R-151 a path outside the workspace is rejected', async () => {
  await using fake = await opened()
  const { result } = await call(fake, 'find_definition', { ...here, file_path: '/etc/passwd' })
  expect(result).toMatchObject({ ok: false, kind: 'PathOutsideWorkspace' })
})

test('R-156 what the server says about a name is passed on', async () => {
  await using fake = await fakeBridge(
    story,
    [
      {
        language: 'go',
        definition: { extensions },
        script: {
          rules: [
            {
              on: 'textDocument/rename',
              do: [{ act: 'error', code: -32602, message: 'invalid identifier to rename: "9x"' }],
            },
          ],
        },
      },
    ],
    { preset: 'sandbox' },
  )
  fake.bridge.noteRead(here.file_path)
  const { ok, text } = await call(fake, 'rename_symbol', { ...here, new_name: '9x' })
  expect(ok).toBe(false)
  expect(text).toContain('invalid identifier to rename: "9x"')
})

test('R-34 without a project marker the language is not detected', async () => {
  await using fake = await opened()
  rmSync(fake.workspace.path('go.mod'))
  const { ok, text } = await call(fake, 'find_definition', here)
  expect(ok).toBe(false)
  expect(text).toBe(
    'no language detected in workspace \u2014 LSP navigation requires a recognised project (go.mod, etc.)',
  )
})

test('R-35 a language without a binding is named', async () => {
  await using fake = await opened()
  writeFileSync(fake.workspace.path('Cargo.toml'), '')
  rmSync(fake.workspace.path('go.mod'))
  expect((await call(fake, 'find_definition', here)).text).toBe('LSP not configured for go')
  writeFileSync(fake.workspace.path('main.rs'), 'fn main() {}\n')
  const rust = await call(fake, 'find_definition', { file_path: 'main.rs', line: 1, col: 4 })
  expect(rust.text).toBe('LSP not configured for rust')
})

test('R-36 a missing binary is named, with the page that says more', async () => {
  await using fake = await fakeBridge(
    story,
    [
      {
        language: 'go',
        definition: { extensions, command: 'gopls-that-is-missing', install: 'go install gopls' },
      },
    ],
    { preset: 'sandbox' },
  )
  const { ok, text } = await call(fake, 'find_definition', here)
  expect(ok).toBe(false)
  expect(text).toBe(
    'gopls-that-is-missing not found on PATH. See docs/servers.md for the servers of each language (go install gopls).',
  )
})

test('R-157 a server that does not answer is an error, never a partial result', async () => {
  await using fake = await fakeBridge(
    story,
    [
      {
        language: 'go',
        definition: { extensions },
        script: { rules: [{ on: 'initialize', do: [{ act: 'exit', code: 1 }] }] },
      },
    ],
    { preset: 'sandbox' },
  )
  const { ok, text } = await call(fake, 'find_references', here)
  expect({ ok, text }).toEqual({ ok: false, text: expect.stringMatching(/^ServerUnavailable: /) })
})

test('C20 C27 the knobs for references and for wrong arguments hold here too', async () => {
  const knobs = { references_include_declaration: false, argument_error_kind: 'Wire' } as const
  await using fake = await opened({ settings: { knobs } })
  const tool = (await fake.bridge.tools()).find(({ name }) => name === 'find_references')
  expect(tool?.description).toContain('without its declaration')
  expect((await call(fake, 'find_references', here)).text).toMatch(/^Found 2 reference\(s\)/)
  for (const name of ['find_definition', 'rename_symbol'])
    expect(await call(fake, name, { file_path: 7 })).toMatchObject({ ok: false, result: { kind: 'Wire' } })
})
