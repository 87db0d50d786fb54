// What a verdict on a change cannot vouch for, through a real bridge whose servers are fakes: a file, a server or an old
// text that is missing never makes a change clean.
import { rmSync } from 'node:fs'
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

function succeeded<R>(answer: Answer<R>) {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer
}
