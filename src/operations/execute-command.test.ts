// Commands of a server: only those it declares, with what they want changed as proposals, and nothing written.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Act, Script } from '../../test/fake-server/index.js'
import type { Json } from '../../test/fake-server/script.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { executeCommand } from './execute-command.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- a.fake --
def area
-- b.other --
def other
`
const provider = { executeCommandProvider: { commands: ['fake.run', 'fake.sort'] } }
const insert = (newText: string): Json => ({
  documentChanges: [
    { textDocument: { uri: '{root}/a.fake', version: null }, edits: [{ range: range(0, 0), newText }] },
  ],
})

test('R-100 the answer of a command comes back as JSON, its arguments go as JSON or as text', async () => {
  const script = commanding([{ act: 'answer', result: { got: '{params.arguments}' } }])
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const written = ['{"uri": "x"}', '7', '"7"', 'plain text', '[true]']
  const answer = succeeded(
    await opened.bridge.executeCommand({ command: 'fake.run', file: 'a.fake', arguments: written }),
  )
  expect(answer.result).toEqual({
    command: 'fake.run',
    result: '{"got":[{"uri":"x"},7,"7","plain text",[true]]}',
    proposals: [],
  })
  expect(renderAnswer(executeCommand, answer)).toContain(
    'fake.run ran and asks for no edit [complete; fake 1.0.0]',
  )
  // The file is open when the command comes.
  const methods = opened.servers[0]
    ?.log()
    .flatMap(entry => (entry.event === 'received' ? [entry.message.method] : []))
  expect(methods?.indexOf('textDocument/didOpen')).toBeLessThan(
    methods?.indexOf('workspace/executeCommand') ?? 0,
  )
})

test('P24 the edits a command asks for become proposals; the server is told no, and nothing is written', async () => {
  const script = commanding([
    asking(insert('def first\n')),
    asking(insert('def second\n')),
    { act: 'answer', result: null },
  ])
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.executeCommand({ command: 'fake.run', file: 'a.fake' }))
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result.result).toBeUndefined()
  expect(answer.result.proposals).toMatchObject([
    {
      handle: expect.stringMatching(/^p:/),
      files: [{ file: 'a.fake', edits: 1 }],
      diff: expect.stringContaining('+def first'),
    },
    { handle: expect.stringMatching(/^p:/), diff: expect.stringContaining('+def second') },
  ])
  expect((await opened.servers[0]?.received('@response'))?.result).toMatchObject({ applied: false })
  expect(readFileSync(opened.workspace.path('a.fake'), 'utf8')).toBe('def area\n')
  const text = renderAnswer(executeCommand, answer)
  expect(text).toContain('fake.run proposes 1 edit in 1 file; 1 edit in 1 file')
  for (const { handle } of answer.result.proposals) expect(text).toContain(`proposal: ${handle}`)
})

test('P24 a command that takes the refusal for a failure still yields its edit, and says that it stopped', async () => {
  const script = commanding([
    asking(insert('def first\n')),
    { act: 'error', code: 0, message: 'edits not applied' },
  ])
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.executeCommand({ command: 'fake.run', file: 'a.fake' }))
  expect(answer.result.proposals.length).toBe(1)
  expect(answer.result.error).toContain('edits not applied')
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('not applied at once'),
  })
})

test('P24 an edit that cannot be proposed does not take the answer away; outside a command it is refused as ever', async () => {
  const outside = { changes: { 'file:///etc/passwd': [{ range: range(0, 0), newText: 'x' }] } }
  const script: Script = {
    ...commanding([asking(outside), { act: 'answer', result: 'done' }]),
    rules: [
      ...(commanding([asking(outside), { act: 'answer', result: 'done' }]).rules ?? []),
      { on: 'textDocument/hover', do: [asking(insert('x')), { act: 'built-in' }] },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.executeCommand({ command: 'fake.run', file: 'a.fake' }))
  expect(answer.result).toMatchObject({ result: '"done"', proposals: [] })
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('cannot be proposed'),
  })
  succeeded(await opened.bridge.inspectSymbol({ file: 'a.fake', symbol: 'area' }))
  expect((await opened.servers[0]?.received('@response', 2))?.result).toMatchObject({ applied: false })
})

test('R-95 a command that is not declared is not sent, and the declared ones are listed', async () => {
  await using opened = await fakeBridge(story, [
    { language: 'fake', script: commanding([]) },
    { language: 'other' },
  ])
  expect(await opened.bridge.executeCommand({ command: 'fake.rum', file: 'a.fake' })).toMatchObject({
    kind: 'CapabilityMissing',
    error: 'Fake fake declares no command "fake.rum"',
    hint: 'It declares: fake.run, fake.sort.',
  })
  expect(await opened.bridge.executeCommand({ command: 'fake.run', file: 'b.other' })).toMatchObject({
    kind: 'CapabilityMissing',
    error: 'Fake other declares no commands',
  })
  const sent = opened.servers.flatMap(server => server.log()).map(entry => JSON.stringify(entry))
  expect(sent.filter(entry => entry.includes('"workspace/executeCommand"'))).toEqual([])
})

test('R-90 commands that are registered later count', async () => {
  const registration = {
    id: 'late',
    method: 'workspace/executeCommand',
    registerOptions: { commands: ['fake.late'] },
  }
  const script: Script = {
    rules: [
      {
        on: 'initialized',
        do: [
          { act: 'request', method: 'client/registerCapability', params: { registrations: [registration] } },
        ],
      },
      { on: 'workspace/executeCommand', do: [{ act: 'answer', result: 1 }] },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  expect(await opened.bridge.executeCommand({ command: 'fake.late', file: 'a.fake' })).toMatchObject({
    ok: true,
  })
})

test('contract 3.2 the server is chosen by file, by language, or because it is the only one', async () => {
  const script = commanding([{ act: 'answer', result: 1 }])
  await using opened = await fakeBridge(story, [{ language: 'fake', script }, { language: 'other' }])
  const run = (choice: object) => opened.bridge.executeCommand({ command: 'fake.run', ...choice })
  expect(await run({})).toMatchObject({
    kind: 'InvalidArguments',
    error: expect.stringContaining('no server runs'),
  })
  expect(await run({ language: 'fake' })).toMatchObject({ ok: true })
  expect(await run({})).toMatchObject({ ok: true })
  await opened.bridge.listSymbols({ file: 'b.other' })
  expect(await run({})).toMatchObject({
    kind: 'InvalidArguments',
    error: expect.stringContaining('2 servers run'),
  })
  expect(await run({ language: 'cobol' })).toMatchObject({ kind: 'InvalidArguments' })
})

function commanding(acts: readonly Act[]): Script {
  return { capabilities: provider, rules: [{ on: 'workspace/executeCommand', do: acts }] }
}

function asking(edit: Json): Act {
  return { act: 'request', method: 'workspace/applyEdit', params: { edit }, waits: true }
}

function range(line: number, character: number) {
  return { start: { line, character }, end: { line, character } }
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
