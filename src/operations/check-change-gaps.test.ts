// What a verdict on a change cannot vouch for, through a real bridge whose servers are fakes: a file, a server or an old
// text that is missing never makes a change clean.
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import { fakeBridgeInGit } from '../../test/fake-bridge-in-git.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'

const story = fixture`
-- shapes.fake --
def area
  width
-- main.fake --
use area
-- far.fake --
use nothing
`
const refusing = { rules: [{ on: 'initialize', do: [{ act: 'exit', code: 1 } as const] }] }

test('R-215 a deleted file whose server does not start: who used it is unknown, so nothing is clean', async () => {
  await using opened = await fakeBridgeInGit(story, { language: 'fake', script: refusing })
  rmSync(opened.repo.path('shapes.fake'))
  const answer = succeeded(await opened.bridge.checkChange({ timeout_ms: 2500 }))
  expect(answer.result).toMatchObject({ class: 'lsp_unavailable', scope: 'modified' })
  expect(answer.completeness.verdict).toBe('unknown')
})

test('contract 6 without a baseline, a server that does not check everything leaves nothing clean', async () => {
  const limit = {
    methods: ['textDocument/diagnostic'],
    reason: 'It reports no unknown names.',
    hint: 'Build.',
  }
  const definition = { limits: () => [limit] }
  await using opened = await fakeBridge(story, [{ language: 'fake', definition }])
  const { result } = succeeded(await opened.bridge.checkChange({ files: ['far.fake'] }))
  expect(result).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ file: 'far.fake', class: 'lsp_unavailable', reason: limit.reason }],
  })
})

const reading = { language: 'fake', definition: { watches: ['*.json', '*.toml'] } }
const declaresNoSymbols = 'A key is not looked for across files.'

test('contract 6 a project file with a server of its own may still change what holds for the sources', async () => {
  await using opened = await fakeBridgeInGit(story, reading, {
    language: 'json',
    definition: { declaresNoSymbols },
  })
  opened.repo.write('project.json', 'strict\n')
  appendFileSync(opened.repo.path('far.fake'), '# more\n')
  const answer = succeeded(await opened.bridge.checkChange({}))
  expect(answer.result).toMatchObject({
    class: 'lsp_unavailable',
    scope: 'modified',
    files: [
      { file: 'far.fake', class: 'clean' },
      { file: 'project.json', class: 'clean' },
    ],
  })
  expect(answer.completeness).toMatchObject({
    reason: expect.stringContaining('project.json is read by Fake fake'),
  })
})

test('contract 6 data whose server is not installed, and that no other reads, leaves a change clean', async () => {
  const missing = { declaresNoSymbols, command: 'no-such-program', args: [] }
  await using opened = await fakeBridgeInGit(
    story,
    { language: 'fake' },
    { language: 'json', definition: missing },
  )
  opened.repo.write('settings.json', 'version 2\n')
  appendFileSync(opened.repo.path('far.fake'), '# more\n')
  const answer = succeeded(await opened.bridge.checkChange({}))
  expect(answer.result).toMatchObject({
    class: 'clean',
    scope: 'dependents',
    files: [{ file: 'far.fake' }],
    not_checked: [{ file: 'settings.json', reason: expect.stringContaining('no server') }],
  })
  expect(answer.completeness.verdict).toBe('complete')
})

test('contract 6 a server reads project files only where there are sources of its language', async () => {
  await using opened = await fakeBridgeInGit(
    story,
    { language: 'fake' },
    { language: 'other', definition: { watches: ['*.toml'] } },
  )
  opened.repo.write('project.toml', 'edition = 2\n')
  const check = async () => succeeded(await opened.bridge.checkChange({})).result.class
  expect(await check()).toBe('clean')
  opened.repo.write('source.other', 'def other\n')
  expect(await check()).toBe('lsp_unavailable')
})

test('contract 6 a deleted file whose old text git cannot give is not checked, and its users are not known', async () => {
  await using opened = await fakeBridgeInGit(story, { language: 'fake' })
  const { repo, bridge } = opened
  for (const file of ['old.fake', 'logo.png']) writeFileSync(repo.path(file), Buffer.from([0xff, 0, 0xfe]))
  repo.commit()
  rmSync(repo.path('logo.png'))
  expect(succeeded(await bridge.checkChange({})).result).toMatchObject({
    class: 'clean',
    not_checked: [{ file: 'logo.png' }],
  })
  rmSync(repo.path('old.fake'))
  for (const files of [undefined, ['old.fake']]) {
    const answer = succeeded(await bridge.checkChange({ files }))
    expect(answer.result).toMatchObject({ class: 'lsp_unavailable', scope: 'modified' })
    expect(answer.result.not_checked).toContainEqual({ file: 'old.fake', reason: expect.any(String) })
    expect(answer.completeness).toMatchObject({
      reason: expect.stringContaining('old.fake declared before is unknown'),
    })
  }
})

test('contract 6 a change that was announced for some files is judged in all that were changed since', async () => {
  await using opened = await fakeBridgeInGit(story, { language: 'fake' })
  const { repo, bridge } = opened
  repo.write('far.fake', 'use nothing\nERROR of before\n')
  const begun = succeeded(await bridge.beginChange({ files: ['shapes.fake'] })).result
  expect(begun).toMatchObject({ others: 'git', by_content: 2 })
  const { change } = begun
  const check = async () => succeeded(await bridge.checkChange({ change })).result
  expect(await check()).toMatchObject({ class: 'clean', files: [] })
  appendFileSync(repo.path('shapes.fake'), '# more\n')
  appendFileSync(repo.path('far.fake'), 'ERROR of now\n')
  appendFileSync(repo.path('main.fake'), 'ERROR of now\n')
  expect(await check()).toMatchObject({
    class: 'new_errors',
    files: [
      { file: 'far.fake', new: [{ line: 3 }] },
      { file: 'main.fake', new: [{ line: 2 }] },
      { file: 'shapes.fake', class: 'clean' },
    ],
  })
  expect(
    succeeded(await bridge.checkChange({ change, files: ['shapes.fake'] })).result.files,
  ).not.toContainEqual(expect.objectContaining({ file: 'far.fake' }))
})

test('contract 6 so it is without git: every source file has its baseline', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { workspace, bridge } = opened
  const { change } = succeeded(await bridge.beginChange({ files: ['shapes.fake'] })).result
  appendFileSync(workspace.path('far.fake'), 'ERROR of now\n')
  writeFileSync(workspace.path('new.fake'), 'ERROR of now\n')
  expect(succeeded(await bridge.checkChange({ change })).result).toMatchObject({
    class: 'new_errors',
    files: [{ file: 'far.fake' }, { file: 'new.fake' }],
  })
})

test('contract 6 a file that is moved after a change began has its baseline from then', async () => {
  await using opened = await fakeBridgeInGit(story, { language: 'fake' })
  const { repo, bridge } = opened
  const lines = Array.from({ length: 20 }, (_, index) => `# line ${index}\n`).join('')
  repo.write('long.fake', lines)
  repo.commit()
  repo.write('long.fake', `${lines}ERROR of before\n`)
  const { change } = succeeded(await bridge.beginChange({ files: ['long.fake'] })).result
  repo.git('mv', 'long.fake', 'moved.fake')
  for (const files of [undefined, ['long.fake', 'moved.fake']]) {
    const { result } = succeeded(await bridge.checkChange({ change, files }))
    expect(result.files.map(({ file, class: name }) => `${file} ${name}`)).toEqual([
      'moved.fake baseline_error',
    ])
  }
  expect(succeeded(await bridge.checkChange({ files: ['long.fake'] })).result.files).toMatchObject([
    { file: 'moved.fake' },
  ])
})

test('D06 a file that another change was announced for later is told of, and not called clean', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { workspace, bridge } = opened
  const begin = async (file: string) => succeeded(await bridge.beginChange({ files: [file] })).result.change
  const [mine, theirs] = [await begin('shapes.fake'), await begin('far.fake')]
  appendFileSync(workspace.path('far.fake'), 'ERROR of theirs\n')
  const answer = succeeded(await bridge.checkChange({ change: mine }))
  expect(answer.result).toMatchObject({ class: 'lsp_unavailable', files: [] })
  expect(answer.completeness).toMatchObject({
    reason: expect.stringContaining(`far.fake was changed too, and is not judged here, because ${theirs}`),
  })
  expect(succeeded(await bridge.checkChange({ change: theirs })).result.class).toBe('new_errors')
})

test('R-215 what a server could not say when a change began is asked again when it is checked', async () => {
  const refusal = { act: 'error', code: -32603, message: 'not yet' } as const
  const rules = [{ on: 'textDocument/diagnostic', nth: { to: 2 }, do: [refusal] }]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { diagnostics: 'pull', rules } }])
  const { workspace, bridge } = opened
  const { change } = succeeded(await bridge.beginChange({ files: ['shapes.fake'] })).result
  writeFileSync(workspace.path('shapes.fake'), 'def area\n  ERROR width\n')
  expect(succeeded(await bridge.checkChange({ change })).result).toMatchObject({
    class: 'new_errors',
    scope: 'dependents',
  })
})

test('W08 what was doubtful about a text that is gone is not said of the one that was judged', async () => {
  const refusal = { act: 'error', code: -32603, message: 'not yet' } as const
  const rules = [{ on: 'textDocument/diagnostic', nth: 1, do: [refusal] }]
  await using opened = await fakeBridgeInGit(story, {
    language: 'fake',
    script: { diagnostics: 'pull', rules },
  })
  const { repo, bridge, servers } = opened
  repo.write('far.fake', 'use nothing\n# one\n')
  const answered = bridge.checkChange({})
  await servers[0]?.received('textDocument/diagnostic', 1)
  repo.write('far.fake', 'use nothing\nERROR\n')
  const answer = succeeded(await answered)
  expect(answer.result).toMatchObject({ class: 'new_errors', files: [{ verdict: 'settled' }] })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
})

function succeeded<R>(answer: Answer<R>) {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer
}
