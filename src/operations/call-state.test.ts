// A call's turn with a server: questions within it do not queue, and it lasts until the last of them is done.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Rule, Script } from '../../test/fake-server/index.js'
import { fixture, temporaryWorkspace } from '../../test/fixture/index.js'
import { openBridge } from '../bridge.js'
import type { ServerDefinition } from '../servers/definition.js'
import { type ContextOf, defineOperation, listedIn } from './operation.js'

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

/** Never done; what it says before is what a timeout has to tell. */
const endless = (say: (context: ContextOf['workspace']) => void) =>
  defineOperation({
    name: 'wait_for_ever',
    summary: 'Made for the test.',
    effect: 'read',
    on: 'workspace',
    lsp: null,
    needsWholeWorkspace: false,
    milliseconds: 100,
    input: z.object({}),
    output: z.object({ nothing: z.array(z.string()) }),
    example: '',
    items: listedIn('nothing'),
    run(_, context) {
      say(context)
      return new Promise(() => undefined)
    },
    render: () => [],
  })

test.each<[string, (context: ContextOf['workspace']) => void, string, string]>([
  [
    'names what was waited for',
    ({ awaiting }) => awaiting('fake to report what is wrong'),
    'no answer within 0.1 s: still waiting for fake to report what is wrong',
    'Ask again',
  ],
  [
    'says what has been done all the same, and not to do it again',
    ({ awaiting, accomplished }) => {
      accomplished('the files are written', 'Ask check_change for the verdict.')
      awaiting('fake to answer')
    },
    'no answer within 0.1 s: still waiting for fake to answer; the files are written',
    'check_change',
  ],
])('R-147 a timeout %s', async (_, say, error, hint) => {
  await using workspace = await temporaryWorkspace(story)
  const bridge = await openBridge({
    root: workspace.root,
    env: { XDG_STATE_HOME: workspace.path('state'), XDG_CONFIG_HOME: workspace.path('config') },
  })
  const answer = await bridge.run(endless(say), {}, { caller: 'host' })
  await bridge.close()
  expect(answer).toMatchObject({ kind: 'RequestTimeout', error, hint: expect.stringContaining(hint) })
})
