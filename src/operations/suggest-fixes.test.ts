// Fixes through a real bridge whose server is a fake: asked with the findings they are for, completed, and each a
// proposal or an honest word why it is none.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Act, Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { renderAnswer } from './render.js'
import { suggestFixes } from './suggest-fixes.js'

const story = fixture`
-- shapes.fake --
def area
ERROR one
size
  ERROR two
`
const file = 'shapes.fake'
const at = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
})
const editOf = (uri: string, range: ReturnType<typeof at>, newText: string) => ({
  textDocument: { uri, version: null },
  edits: [{ range, newText }],
})
const replacing = (line: number, from: number, to: number, newText: string) => ({
  documentChanges: [editOf('{root}/shapes.fake', at(line, from, to), newText)],
})
const first = { title: 'Remove the first', kind: 'quickfix', edit: replacing(1, 0, 5, 'FINE') }
const second = { title: 'Remove the second', kind: 'quickfix', edit: replacing(3, 2, 7, 'FINE') }

type Template = Extract<Act, { act: 'answer' }>['result']

function offering(answers: Template, more: Partial<Script> = {}): { language: string; script: Script } {
  const rules = [{ on: 'textDocument/codeAction', do: [{ act: 'answer' as const, result: answers }] }]
  return {
    language: 'fake',
    script: {
      ...more,
      capabilities: { codeActionProvider: { resolveProvider: true }, ...more.capabilities },
      rules: [...(more.rules ?? []), ...rules],
    },
  }
}

test('R-108 a line is asked about with exactly the findings that overlap it, as the server sent them', async () => {
  const raw = (line: number) => ({
    range: at(line, 0, 5),
    severity: 1,
    message: 'broken',
    code: 7,
    data: { line },
    tags: [1],
  })
  const publish = { act: 'publish' as const, version: 'current' as const, diagnostics: [raw(1), raw(3)] }
  const script = offering([first], { rules: [{ on: 'textDocument/didOpen', do: [publish] }] })
  await using opened = await fakeBridge(story, [script])
  const answer = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  const [server] = opened.servers
  const asked = (await server?.received('textDocument/codeAction', 1))?.params
  expect(asked).toEqual({
    textDocument: expect.anything(),
    range: at(1, 0, 9),
    context: { diagnostics: [raw(1)], triggerKind: 1 },
  })
  expect((await server?.received('textDocument/codeAction', 2))?.params).toMatchObject({
    range: at(1, 0, 5),
    context: { diagnostics: [raw(1)], only: ['quickfix'] },
  })
  expect(answer.result).toMatchObject({
    diagnostics: 1,
    total: 1,
    fixes: [{ title: 'Remove the first', kind: 'quickfix', files: [{ file, edits: 1 }] }],
  })
  const text = renderAnswer(suggestFixes, answer)
  expect(text).toMatch(/^1 fix for shapes\.fake on line 2 \(1 diagnostic there\) \[complete/)
  expect(text).toContain(
    `Remove the first (quickfix): 1 edit in 1 file, proposal ${answer.result.fixes[0]?.handle}`,
  )
  expect(text).toContain('-ERROR one\n+FINE one\n')
  expect(text).toMatch(/apply_edit .* preview_edit/)
})

test('contract 3.3 a whole file is asked about once and once for each finding; equal fixes are told once', async () => {
  await using opened = await fakeBridge(story, [offering([first, second])])
  const answer = succeeded(await opened.bridge.suggestFixes({ file }))
  const [server] = opened.servers
  const questions = server?.log().flatMap(entry => {
    if (entry.event !== 'received' || entry.message.method !== 'textDocument/codeAction') return []
    return [entry.message.params]
  })
  expect(questions).toEqual([
    expect.objectContaining({
      range: { start: { line: 0, character: 0 }, end: { line: 4, character: 0 } },
      context: expect.objectContaining({ only: ['quickfix', 'source'] }),
    }),
    expect.objectContaining({ range: at(1, 0, 9) }),
    expect.objectContaining({ range: at(3, 2, 11) }),
  ])
  expect(answer.result.fixes.map(({ title }) => title)).toEqual(['Remove the first', 'Remove the second'])
  expect(answer.result.total).toBe(2)
})

test('contract 3 a stub is completed by the server; of equal edits one is told, and what came to nothing is not', async () => {
  const stub = (title: string, data: number) => ({ title, kind: 'quickfix', data })
  const resolve = (data: number, edit: Template) => ({
    on: 'codeAction/resolve',
    nth: data,
    do: [{ act: 'answer' as const, result: { title: '{params.title}', kind: 'quickfix', edit } }],
  })
  const script = offering([stub('Fix it', 1), stub('Fix it', 2), stub('Fix it too', 3)], {
    rules: [
      resolve(1, replacing(1, 0, 5, 'FINE')),
      // As gopls does for a range it cannot work with: the same action, and no edit.
      { on: 'codeAction/resolve', nth: 2, do: [{ act: 'answer', result: stub('Fix it', 2) }] },
      resolve(3, replacing(1, 0, 5, 'FINE')),
    ],
  })
  await using opened = await fakeBridge(story, [script])
  const { result } = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  expect(result.fixes).toEqual([expect.objectContaining({ title: 'Fix it', handle: expect.any(String) })])
  expect(result.total).toBe(1)
})

test('contract 3 commands and what is not possible now are told without a handle, at the end', async () => {
  const script = offering([
    { title: 'Browse', kind: 'source.doc', command: { title: 'Browse', command: 'fake.browse' } },
    { title: 'Old form', command: 'fake.old' },
    { title: 'Repair', kind: 'quickfix', disabled: { reason: 'nothing is selected' } },
    { title: 'Extract', kind: 'refactor.extract', disabled: { reason: 'nothing is selected' } },
    {
      title: 'Leave',
      kind: 'quickfix',
      edit: { documentChanges: [editOf('file:///etc/hosts', at(0, 0, 1), '')] },
    },
    { title: 'Idle', kind: 'quickfix', edit: replacing(0, 0, 3, 'def') },
    { ...first, isPreferred: true, command: { title: '', command: 'fake.after' } },
    { title: 'Tidy', kind: 'source.fixAll', edit: replacing(2, 0, 4, 'extent') },
  ])
  await using opened = await fakeBridge(story, [script])
  const answer = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  expect(
    answer.result.fixes.map(({ title, handle, command, reason }) => [
      title,
      handle !== undefined,
      command,
      reason,
    ]),
  ).toEqual([
    ['Remove the first', true, 'fake.after', undefined],
    ['Tidy', true, undefined, undefined],
    ['Leave', false, undefined, expect.stringContaining('outside')],
    ['Idle', false, undefined, 'it would change nothing'],
    ['Browse', false, 'fake.browse', undefined],
    ['Old form', false, 'fake.old', undefined],
    ['Repair', false, undefined, 'nothing is selected'],
  ])
  const text = renderAnswer(suggestFixes, answer)
  expect(text).toMatch(
    /^Remove the first \(quickfix, preferred\): .*; the server would then run fake\.after$/m,
  )
  expect(text).toMatch(/^Browse \(source\.doc\): command fake\.browse$/m)
  expect(text).toMatch(/^Repair \(quickfix\): not possible: nothing is selected$/m)
  expect(text).toContain('execute_command')
  // Refactorings that are not possible here are told to whoever asks for such.
  const asked = succeeded(await opened.bridge.suggestFixes({ file, line: 2, only: ['refactor'] }))
  expect(asked.result.fixes).toMatchObject([{ title: 'Extract', reason: 'nothing is selected' }])
})

test('contract 3 a command is told with the arguments that execute_command takes', async () => {
  const command = {
    title: 'Run',
    command: 'fake.run',
    arguments: [{ name: 'gr\u00fc\u00df \u202e' }, 'two', 3],
  }
  const long = { title: 'Long', command: 'fake.long', arguments: ['x'.repeat(5000)] }
  await using opened = await fakeBridge(story, [offering([command, long])])
  const answer = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  const [run, tooLong] = answer.result.fixes
  expect(run?.arguments?.map(argument => JSON.parse(argument))).toEqual(command.arguments)
  expect(tooLong).toMatchObject({ command: 'fake.long' })
  expect(tooLong?.arguments).toBeUndefined()
  const text = renderAnswer(suggestFixes, answer)
  expect(text).toContain(
    '  argument: {"name":"gr\\u00fc\\u00df \\u202e"}\n  argument: "two"\n  argument: 3\n',
  )
})

test('contract 3 only the wanted kinds are asked for and told', async () => {
  const organize = {
    title: 'Organize',
    kind: 'source.organizeImports.fake',
    edit: replacing(2, 0, 4, 'extent'),
  }
  await using opened = await fakeBridge(story, [offering([first, organize])])
  const only = ['source.organizeImports']
  const { result } = succeeded(await opened.bridge.suggestFixes({ file, only }))
  expect(result.fixes.map(({ title }) => title)).toEqual(['Organize'])
  const [server] = opened.servers
  const asked = server
    ?.log()
    .filter(entry => entry.event === 'received' && entry.message.method === 'textDocument/codeAction')
  expect(asked).toHaveLength(1)
})

test('contract 3.2 a fix that the server fails to complete costs that fix alone', async () => {
  const script = offering([first, { title: 'Broken', kind: 'quickfix', data: 1 }], {
    rules: [{ on: 'codeAction/resolve', do: [{ act: 'error', code: -32603, message: 'internal trouble' }] }],
  })
  await using opened = await fakeBridge(story, [script])
  const { result } = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  expect(result.fixes).toEqual([
    expect.objectContaining({ title: 'Remove the first', handle: expect.any(String) }),
    expect.objectContaining({ title: 'Broken', reason: expect.stringContaining('internal trouble') }),
  ])
})

test('contract 3.2 findings that nobody knows make it unknown what fixes there are', async () => {
  await using opened = await fakeBridge(story, [offering([], { diagnostics: 'none' })])
  await opened.warm(file)
  const answer = succeeded(await opened.bridge.suggestFixes({ file, timeout_ms: 1500 }))
  expect(answer.completeness).toMatchObject({ verdict: 'unknown', hint: expect.stringContaining('no fixes') })
  expect(renderAnswer(suggestFixes, answer)).toMatch(
    /^no fixes offered for shapes\.fake \(0 diagnostics there\) \[unknown/,
  )
})

test('contract 3.2 of very many findings the rest is said not to have been asked about', async () => {
  const text = Array.from({ length: 30 }, (_, line) => `ERROR ${line}\n`).join('')
  const many = { files: new Map([[file, text]]) }
  await using opened = await fakeBridge(many, [offering([first])])
  const answer = succeeded(await opened.bridge.suggestFixes({ file }))
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('10 of 30'),
  })
})

const beforeFixes = {
  command: 'fake.look',
  arguments: (uri: string) => [{ files: [uri] }],
  reason: 'It looks late.',
}
const looking = (act: Act): Partial<Script> => ({
  capabilities: { executeCommandProvider: { commands: ['fake.look'] } },
  rules: [{ on: 'workspace/executeCommand', do: [act] }],
})

test('R-108 a server that works its fixes out late is made to do it before it is asked for them', async () => {
  const script = offering([first], looking({ act: 'answer', result: null }))
  await using opened = await fakeBridge(story, [{ ...script, definition: { beforeFixes } }])
  const answer = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  expect(answer).toMatchObject({ completeness: { verdict: 'complete' }, result: { total: 1 } })
  const asked = opened.servers
    .flatMap(server => server.log())
    .flatMap(entry => (entry.event === 'received' ? [entry.message] : []))
  const look = asked.findIndex(({ method }) => method === 'workspace/executeCommand')
  expect(asked[look]?.params).toEqual({
    command: 'fake.look',
    arguments: [{ files: [expect.stringMatching(/^file:.*shapes\.fake$/)] }],
  })
  expect(look).toBeLessThan(asked.findIndex(({ method }) => method === 'textDocument/codeAction'))
})

test('R-05 that command is not sent outside the envelope, and the fixes are said to be perhaps not all', async () => {
  const script = offering([first], looking({ act: 'answer', result: null }))
  const policy = { envelope: { methods: ['textDocument/codeAction', 'textDocument/diagnostic'] } }
  const languages = [{ ...script, definition: { beforeFixes } }]
  await using opened = await fakeBridge(story, languages, { settings: { policy } })
  const answer = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  expect(answer).toMatchObject({
    completeness: {
      verdict: 'partial',
      reason: expect.stringContaining('does not cover workspace/executeCommand'),
    },
    result: { total: 1 },
  })
  const received = opened.servers
    .flatMap(server => server.log())
    .flatMap(entry => (entry.event === 'received' ? [entry.message.method] : []))
  expect(received).not.toContain('workspace/executeCommand')
})

test('contract 3.2 where that fails, the fixes are told and said to be perhaps not all', async () => {
  const script = offering([first], looking({ act: 'error', code: -32603, message: 'no time' }))
  await using opened = await fakeBridge(story, [{ ...script, definition: { beforeFixes } }])
  const answer = succeeded(await opened.bridge.suggestFixes({ file, line: 2 }))
  expect(answer).toMatchObject({
    completeness: { verdict: 'partial', reason: expect.stringContaining('no time') },
    result: { total: 1 },
  })
})

test('contract 3.2 the limit leaves fixes out and says so', async () => {
  await using opened = await fakeBridge(story, [offering([first, second])])
  const answer = succeeded(await opened.bridge.suggestFixes({ file, limit: 1 }))
  expect(answer.result).toMatchObject({ total: 2, fixes: [{ title: 'Remove the first' }] })
  expect(renderAnswer(suggestFixes, answer)).toMatch(/^1 of 2 fixes for .*, raise limit for more \[/)
})

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
