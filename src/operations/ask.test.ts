// One question about a file whose text does not hold still, through a real bridge whose server is a fake.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { property } from '../json.js'
import { contentHash } from '../text/hash.js'

const story = fixture`
-- main.fake --
def area
-- other.fake --
use area
`

test('W08 a text that was replaced and put back while it was asked about is asked about again', async () => {
  const rules: Script['rules'] = [
    {
      on: 'textDocument/documentSymbol',
      nth: 1,
      do: [
        { act: 'wait', for: 'textDocument/definition' },
        { act: 'answer', result: [] },
      ],
    },
  ]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  const { bridge, workspace, servers } = opened
  const asked = bridge.listSymbols({ file: 'main.fake', timeout_ms: 20_000 })
  await servers[0]?.received('textDocument/documentSymbol')
  for (const text of ['nothing\n', 'def area\n']) {
    writeFileSync(workspace.path('main.fake'), text)
    // Another question tells the server of the edit.
    await bridge.getDiagnostics({ file: 'main.fake' })
  }
  await bridge.goToDefinition({ file: 'main.fake', line: 1, column: 5 })
  const answer = await asked
  expect(answer).toMatchObject({ ok: true, freshness: { verdict: 'current' } })
  expect(answer.ok && answer.result.symbols).toMatchObject([{ name: 'area' }])
})

test('W08 a question read before an edit does not take the server back to the text that is gone', async () => {
  const definition = { quirks: { changedFilesMustBeOpened: 'It watches no files.' } }
  const rules: Script['rules'] = [{ on: 'textDocument/didOpen', file: 'other.fake', do: [{ act: 'hang' }] }]
  await using opened = await fakeBridge(story, [{ language: 'fake', definition, script: { rules } }])
  const { bridge, workspace, servers } = opened
  await bridge.listSymbols({ file: 'main.fake' })
  writeFileSync(workspace.path('other.fake'), 'changed\n')
  // It was read, and now waits in vain for a report on the other file.
  const asked = bridge.listSymbols({ file: 'main.fake', timeout_ms: 4000 })
  await servers[0]?.received('textDocument/didOpen', 2)
  writeFileSync(workspace.path('main.fake'), 'def sides\n')
  const answer = await asked
  expect(answer).toMatchObject({ ok: true, freshness: { content: contentHash('def sides\n') } })
  expect(answer.ok && answer.result.symbols).toMatchObject([{ name: 'sides' }])
  const texts = servers[0]?.log().flatMap(entry => {
    const params = entry.event === 'received' ? property(entry.message, 'params') : undefined
    const changes = property(params, 'contentChanges')
    return Array.isArray(changes) ? [String(property(changes[0], 'text'))] : []
  })
  expect(texts?.slice(texts.indexOf('def sides\n'))).not.toContain('def area\n')
})

test('W08 a report is never called settled for a text that was gone before the server was asked', async () => {
  const definition = { quirks: { changedFilesMustBeOpened: 'It watches no files.' } }
  const rules: Script['rules'] = [{ on: 'textDocument/didOpen', file: 'other.fake', do: [{ act: 'hang' }] }]
  await using opened = await fakeBridge(story, [
    { language: 'fake', definition, script: { rules, diagnostics: 'pull' } },
  ])
  const { bridge, workspace, servers } = opened
  await bridge.listSymbols({ file: 'main.fake' })
  writeFileSync(workspace.path('other.fake'), 'changed\n')
  const asked = bridge.getDiagnostics({ files: ['main.fake'], timeout_ms: 4000 })
  await servers[0]?.received('textDocument/didOpen', 2)
  writeFileSync(workspace.path('main.fake'), 'ERROR now\n')
  const answer = await asked
  expect(answer.ok && answer.result.files).toMatchObject([
    { content: contentHash('ERROR now\n'), diagnostics: [{ line: 1 }] },
  ])
})
