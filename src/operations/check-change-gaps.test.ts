// What a verdict on a change cannot vouch for, through a real bridge whose servers are fakes: a file, a server or an old
// text that is missing never makes a change clean.
import { appendFileSync, rmSync } from 'node:fs'
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

function succeeded<R>(answer: Answer<R>) {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer
}
