// A call's turn with a server: questions within it do not queue, and it lasts until the last of them is done.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Rule, Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { ServerDefinition } from '../servers/definition.js'

const story = fixture`
-- a.fake --
def area
-- b.fake --
use area
-- c.fake --
use area
`

test('M11 questions that a call puts at once keep others from trying anything until all are answered', async () => {
  // Of the three only the first is answered at once; and the trial would last until after the others.
  const slowly = (file: string, nth: number, milliseconds: number): Rule => ({
    on: 'textDocument/diagnostic',
    file,
    nth,
    do: [{ act: 'delay', milliseconds }, { act: 'built-in' }],
  })
  const rules = [slowly('b.fake', 1, 300), slowly('c.fake', 1, 300), slowly('b.fake', 3, 600)]
  const script: Script = { diagnostics: 'pull', rules }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  await opened.bridge.getDiagnostics({ file: 'a.fake' })
  const several = opened.bridge.getDiagnostics({ files: ['a.fake', 'b.fake', 'c.fake'] })
  await opened.servers[0]?.received('textDocument/diagnostic', 3)
  const tried = opened.bridge.previewEdit({ edits: [{ file: 'b.fake', line: 1, new_text: 'ERROR\n' }] })
  expect(await several).toMatchObject({
    result: { files: [{ diagnostics: [] }, { diagnostics: [] }, { diagnostics: [] }] },
  })
  expect(await tried).toMatchObject({ result: { class: 'new_errors' } })
})

const unseen: Partial<ServerDefinition> = {
  watches: ['**/project.json'],
  projectFilesSeenAfter: { milliseconds: 600_000, reason: 'it reads them now and then' },
}

test('contract 3.1 what the server could not be told of leaves every kind of answer in doubt, whatever else is known', async () => {
  const script: Script = {
    capabilities: { executeCommandProvider: { commands: ['fake.run'] } },
    rules: [{ on: 'workspace/executeCommand', do: [{ act: 'answer', result: null }] }],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script, definition: unseen }])
  const { bridge, workspace } = opened
  const report = await bridge.getDiagnostics({ file: 'a.fake' })
  expect(report).toMatchObject({ freshness: { verdict: 'current' } })
  const content = report.ok ? report.freshness.content : undefined
  writeFileSync(workspace.path('project.json'), '{}')
  const freshness = { verdict: 'unknown', reason: expect.stringContaining('changed project files') }
  expect(await bridge.getDiagnostics({ file: 'a.fake' })).toMatchObject({
    freshness: { ...freshness, content },
  })
  expect(await bridge.findReferences({ file: 'a.fake', symbol: 'area' })).toMatchObject({
    freshness: { ...freshness, content },
  })
  expect(await bridge.findSymbol({ query: 'area' })).toMatchObject({ freshness })
  expect(await bridge.executeCommand({ file: 'a.fake', command: 'fake.run' })).toMatchObject({ freshness })
})

// Whoever comes after the first waits behind it, however little time it has.
const slowlyTold: Partial<ServerDefinition> = {
  watches: ['**/project.json'],
  projectFilesSeenAfter: { milliseconds: 6000, reason: 'it reads them now and then' },
}

test('R-147 a timeout names what was waited for, in operations on the workspace too', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: slowlyTold }])
  const { bridge, workspace } = opened
  await bridge.getDiagnostics({ file: 'a.fake' })
  writeFileSync(workspace.path('project.json'), '{}')
  writeFileSync(workspace.path('b.fake'), 'use area area\n')
  void bridge.getDiagnostics({ file: 'a.fake' })
  const timeout_ms = 1000
  const answers = await Promise.all([
    bridge.getDiagnostics({ file: 'a.fake', timeout_ms }),
    bridge.findSymbol({ query: 'area', timeout_ms }),
    bridge.checkChange({ files: ['b.fake'], timeout_ms }),
  ])
  for (const answer of answers) {
    expect(answer).toMatchObject({
      kind: 'RequestTimeout',
      error: expect.stringMatching(/^no answer within 1 s: still waiting for fake to (?:take in|answer)/),
      hint: expect.stringContaining('Ask again'),
    })
  }
})

test('R-147 once the files are written, a timeout says so, and not to write them again', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', definition: slowlyTold }])
  const { bridge, workspace } = opened
  const renamed = await bridge.renameSymbol({ file: 'a.fake', symbol: 'area', new_name: 'size' })
  const handle = renamed.ok ? (renamed.result.handle ?? '') : ''
  writeFileSync(workspace.path('project.json'), '{}')
  void bridge.getDiagnostics({ file: 'a.fake' })
  expect(await bridge.applyEdit({ handle, timeout_ms: 1000 })).toMatchObject({
    kind: 'RequestTimeout',
    error: expect.stringMatching(/still waiting for fake to take in what changed; the files are written$/),
    hint: expect.stringContaining('check_change'),
  })
  expect(readFileSync(workspace.path('a.fake'), 'utf8')).toBe('def size\n')
})
