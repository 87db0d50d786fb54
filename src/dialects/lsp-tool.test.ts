// The tool `Lsp {kind}` through a whole bridge: its texts word for word, and its failures by their stable kinds.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { readOnlyOperations } from '../index.js'
import { lspOperations, lspTool } from './lsp-tool.js'

const story = fixture`
-- src/bar.fake --
class Bar
  def area
-- src/foo.fake --
Bar area
Bar ERROR wrong
`

async function opened(script: Script = {}, options: object = {}): Promise<FakeBridge> {
  return fakeBridge(story, [{ language: 'fake', script }], { preset: 'single-tool', ...options })
}

async function ask({ bridge }: FakeBridge, input: object) {
  const [tool, ...others] = await bridge.tools()
  expect(others).toEqual([])
  expect(tool?.name).toBe('Lsp')
  const answer = await tool?.call(input)
  if (answer === undefined) throw new Error('there is one tool')
  return answer
}

const here = { file: 'src/foo.fake', line: 1, character: 2 }

test('R-140 R-141 R-144 R-159 the five kinds, word for word', async () => {
  await using fake = await opened()
  const text = async (input: object) => (await ask(fake, input)).text
  expect(await text({ kind: 'go_to_def', ...here })).toBe('Definition: src/bar.fake:1:7 (class Bar)')
  expect(await text({ kind: 'references', ...here })).toBe(
    ['src/bar.fake:1:7  class Bar', 'src/foo.fake:1:1  Bar area', 'src/foo.fake:2:1  Bar ERROR wrong'].join(
      '\n',
    ),
  )
  expect(await text({ kind: 'workspace_symbol', query: 'area' })).toBe('src/bar.fake:2:7 (method area)')
  expect(await text({ kind: 'diagnostics', file: 'src/foo.fake' })).toBe(
    'src/foo.fake:2:1 error (fake error-line): Bar ERROR wrong',
  )
  expect(await text({ kind: 'diagnostics', file: 'src/bar.fake' })).toBe('(no diagnostics)')
  expect(await text({ kind: 'hover', ...here })).toContain('Bar')
})

test('R-140 the answer is {ok, formatted, structured}', async () => {
  await using fake = await opened()
  const { ok, text, result } = await ask(fake, { kind: 'go_to_def', ...here })
  expect({ ok, result }).toMatchObject({
    ok: true,
    result: {
      ok: true,
      formatted: text,
      structured: { result: { places: [{ file: 'src/bar.fake', line: 1, column: 7 }] } },
    },
  })
})

test('R-142 an empty query means all, also when it is left out', async () => {
  await using fake = await opened()
  const all = ['src/bar.fake:1:7 (class Bar)', 'src/bar.fake:2:7 (method area)']
  for (const query of [{ query: '' }, {}]) {
    const { text } = await ask(fake, { kind: 'workspace_symbol', ...query })
    expect(text.split('\n').toSorted()).toEqual(all)
  }
})

test('R-143 silence is said to be silence, two seconds after the file was opened', async () => {
  // Nothing is ever pushed.
  await using fake = await opened({ rules: [{ on: 'textDocument/didOpen', do: [] }], diagnostics: 'push' })
  const began = performance.now()
  const { ok, text } = await ask(fake, { kind: 'diagnostics', file: 'src/bar.fake' })
  expect(ok).toBe(true)
  expect(text).toMatch(/^\(no diagnostics yet: .+ has not reported on this content\)\nunknown: /)
  expect(performance.now() - began).toBeLessThan(12_000)
})

test('R-145 a long list is cut at the limit, and says how many more there are', async () => {
  await using fake = await opened({}, { settings: { limit_kb: 1 } })
  const lines = Array.from({ length: 103 }, (_, index) => `def name${index}\n`)
  writeFileSync(fake.workspace.path('src/many.fake'), lines.join(''))
  const { text } = await ask(fake, { kind: 'workspace_symbol', query: 'name' })
  const shown = text.split('\n')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024)
  expect(shown.at(-1)).toBe(`+${103 - (shown.length - 1)} more results`)
})

test('R-146 R-147 failures are {ok: false, error, kind}, and nothing throws', async () => {
  await using fake = await opened()
  const kindOf = async (input: unknown) => {
    const [tool] = await fake.bridge.tools()
    const answer = await tool?.call(input)
    expect(answer?.result).toMatchObject({ ok: false, error: expect.stringMatching(/./) })
    return answer?.result
  }
  const wire = { kind: 'Wire' }
  expect(await kindOf({ kind: 'go_to_def', file: 'src/foo.fake' })).toMatchObject({
    ...wire,
    error: 'Lsp: kind go_to_def needs line, character',
  })
  expect(await kindOf({ kind: 'diagnostics' })).toMatchObject(wire)
  expect(await kindOf({ kind: 'rename' })).toMatchObject(wire)
  expect(await kindOf({ kind: 'hover', ...here, colour: 1 })).toMatchObject(wire)
  expect(await kindOf('nonsense')).toMatchObject(wire)
  expect(await kindOf({ kind: 'hover', ...here, file: 'none.fake' })).toMatchObject({ kind: 'FileNotFound' })
  expect(await kindOf({ kind: 'hover', ...here, file: 'src' })).toMatchObject({ kind: 'NotAFile' })
  expect(await kindOf({ kind: 'hover', ...here, file: 'src/x.unknown' })).toMatchObject({
    kind: 'FileNotFound',
  })
  writeFileSync(fake.workspace.path('src/x.unknown'), 'x\n')
  expect(await kindOf({ kind: 'hover', ...here, file: 'src/x.unknown' })).toMatchObject({
    kind: 'NoServerForExtension',
  })
})

test('R-42 R-147 a language that is not enabled is LanguageNotEnabled', async () => {
  await using fake = await opened({}, { settings: { languages: ['rust'] } })
  expect((await ask(fake, { kind: 'hover', ...here })).result).toMatchObject({ kind: 'LanguageNotEnabled' })
})

test('C28 R-147 a missing server is ServerUnavailable, and the error says how to install it', async () => {
  await using fake = await fakeBridge(
    story,
    [{ language: 'fake', definition: { command: 'no-such-server' } }],
    { preset: 'single-tool' },
  )
  expect((await ask(fake, { kind: 'hover', ...here })).result).toMatchObject({
    kind: 'ServerUnavailable',
    error: expect.stringContaining('npm install fake-server'),
  })
})

test('R-148 the description shows only what the running servers can do', async () => {
  await using fake = await opened({ capabilities: { hoverProvider: null, workspaceSymbolProvider: null } })
  const described = async () => {
    const [tool] = await fake.bridge.tools()
    return `${tool?.description} ${JSON.stringify(tool?.inputSchema)}`
  }
  // Nobody runs, so nobody can say.
  expect(await described()).toMatch(/hover.*workspace_symbol/s)
  expect((await ask(fake, { kind: 'go_to_def', ...here })).ok).toBe(true)
  expect(await described()).not.toMatch(/hover|workspace_symbol:/)
  expect(await described()).toMatch(/go_to_def.*references.*diagnostics/s)
  // Asked for all the same, it is said what is missing.
  expect((await ask(fake, { kind: 'hover', ...here })).result).toMatchObject({ kind: 'CapabilityMissing' })
})

test('R-43 the five kinds read, and are in the set that plan mode never refuses', () => {
  expect(lspTool({ isOffered: () => true, includesDeclaration: true }).effect).toBe('read')
  for (const name of lspOperations) expect(readOnlyOperations).toContain(name)
  expect(readOnlyOperations).not.toContain('apply_edit')
  expect(readOnlyOperations).not.toContain('execute_command')
})

test('R-08 what is missing from an answer is said in this dialect, too', async () => {
  await using fake = await fakeBridge(
    story,
    [
      {
        language: 'fake',
        definition: {
          limits: () => [{ methods: ['textDocument/references'], reason: 'it sees open files alone' }],
        },
      },
    ],
    { preset: 'single-tool' },
  )
  const { text } = await ask(fake, { kind: 'references', ...here })
  expect(text).toMatch(/\npartial: it sees open files alone$/)
  expect(readFileSync(fake.workspace.path('src/foo.fake'), 'utf8')).toContain('Bar area')
})

test('C20 C27 the knobs for references and for wrong arguments hold here too', async () => {
  const knobs = { references_include_declaration: false, argument_error_kind: 'InvalidArguments' }
  await using fake = await opened({}, { settings: { knobs } })
  const [tool] = await fake.bridge.tools()
  expect(tool?.description).toMatch(/^references: every use of it, without its declaration\.$/m)
  expect((await ask(fake, { kind: 'references', ...here })).text).toBe(
    'src/foo.fake:1:1  Bar area\nsrc/foo.fake:2:1  Bar ERROR wrong',
  )
  for (const wrong of [{ kind: 'nothing' }, { kind: 'hover', file: 'src/foo.fake' }])
    expect(await ask(fake, wrong)).toMatchObject({ ok: false, result: { kind: 'InvalidArguments' } })
})
