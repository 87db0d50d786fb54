// A context assembled through a real bridge whose server is a fake: what is in it, what is not and why, and what is on
// record about it.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import type { Rule, Script } from '../../test/fake-server/script.js'
import { fixture } from '../../test/fixture/index.js'
import type { BridgeOptions } from '../bridge.js'
import { presets } from '../config/presets.js'
import { countTokens } from '../context/o200k.mjs'
import { systemEvidenceDisk } from '../evidence/disk.js'
import { evidenceFolders } from '../evidence/layout.js'
import { type RecordFilter, readLog } from '../evidence/read.js'
import { readRecord } from '../evidence/shapes.js'
import { contentHash } from '../text/hash.js'
import type { Answer, Success } from './answer.js'
import { type ContextPack, getContext } from './get-context.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
class Shape
  def grow
    width
def area
  width
-- app.fake --
import area
import Shape
def draw
  area()
  Shape
def main
  draw()
-- run.fake --
import draw
def start
  draw()
-- app_test.fake --
def testDraw
  draw()
`

test('R-193 R-194 R-195 definitions from elsewhere, outline, users and state, as a note with places', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const answer = await ask(opened, { files: ['app.fake'] })
  expect(renderAnswer(getContext, answer)).toMatchInlineSnapshot(`
    "context for app.fake, 5 items [complete; fake 1.0.0]
    Problems:
      app.fake  no errors or warnings
    Used here, defined elsewhere:
      shapes.fake
        1  class Shape
            def grow
              width
        4  def area
    Who depends on it:
      app.fake:3  draw: used at run.fake:3; 1 in tests
    Outline:
      app.fake  7 lines
          function draw:3 main:6"
  `)
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.freshness.verdict).toBe('current')
})

test('R-191 R-197 every item has a record: source, query, server, target, times, content', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { items } = (await ask(opened, { files: ['app.fake'] })).result
  expect(items.length).toBeGreaterThan(3)
  const area = items.find(({ record }) => record.target.symbol === 'area')
  const { content, mtime } = sourceOf(opened, 'shapes.fake')
  expect(area?.record).toEqual({
    id: expect.stringMatching(/^cx:[0-9a-f]{12}-\d+$/),
    source_type: 'lsp_semantic',
    query_type: 'textDocument/hover',
    server: { id: 'fake', name: 'fake', version: '1.0.0' },
    target: { file: 'shapes.fake', line: 4, symbol: 'area' },
    priority: 'supporting',
    purity: 'impure',
    queried_at: expect.stringMatching(/Z$/),
    injected_at: expect.stringMatching(/Z$/),
    content,
    mtime_at_query: mtime,
    mtime_at_injection: mtime,
  })
  for (const { record } of items) expect(record.queried_at <= record.injected_at).toBe(true)
  expect(new Set(items.map(({ record }) => record.id)).size).toBe(items.length)
})

test('R-194 what is seen in full needs no outline, and what is seen elsewhere no definition', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const kinds = async (seen: string[]) =>
    (await ask(opened, { files: ['app.fake'], seen })).result.items.map(({ kind }) => kind)
  expect(await kinds([])).toEqual(expect.arrayContaining(['definition', 'structure']))
  const whole = await kinds(['app.fake'])
  expect(whole).toContain('definition')
  expect(whole).not.toContain('structure')
  expect(await kinds(['shapes.fake'])).not.toContain('definition')
})

test('R-192 of lines that are seen, what they use in the rest of the file is told', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { items } = (await ask(opened, { files: ['app.fake:6-7'] })).result
  const definitions = items.filter(({ kind }) => kind === 'definition')
  expect(definitions.map(({ text }) => text)).toEqual(['app.fake:3  def draw'])
})

test('contract 7 lines inside of a function stand for it, when it comes to who depends on them', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { items } = (await ask(opened, { files: ['app.fake:4-4'] })).result
  const users = items.filter(({ kind }) => kind === 'usage')
  expect(users.map(({ record }) => record.target.symbol)).toEqual(['draw'])
})

test('contract 7 symbols and files that the task names are looked up, in the workspace if need be', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const task = 'Let `Shape.grow` call `area` as in run.fake, and nothingOfTheKind'
  const { items } = (await ask(opened, { task })).result
  expect(items.map(({ kind, record }) => [kind, record.target.file, record.target.symbol])).toEqual([
    ['workspace_symbol', 'shapes.fake', 'Shape.grow'],
    ['workspace_symbol', 'shapes.fake', 'area'],
    ['structure', 'run.fake', undefined],
  ])
  const named = await ask(opened, { files: ['app.fake'], symbols: ['draw'] })
  const used = named.result.items.filter(({ kind }) => kind === 'usage')
  expect(used.map(({ record }) => record.target.symbol)).toEqual(['draw'])
  // What is worked on by its name alone is worked on where it is declared.
  const alone = (await ask(opened, { symbols: ['draw'] })).result.items
  expect(alone.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['workspace_symbol', 'definition']))
  expect(alone.filter(({ kind }) => kind === 'usage').map(({ text }) => text)).toEqual([
    'app.fake:3  draw: used at run.fake:3; 1 in tests',
  ])
})

test('R-195 errors come first, each with its place', async () => {
  const broken = fixture`
-- app.fake --
def draw
  ERROR here
`
  await using opened = await fakeBridge(broken, [{ language: 'fake' }])
  const [first] = (await ask(opened, { files: ['app.fake'] })).result.items
  expect(first).toMatchObject({
    kind: 'diagnostics',
    record: { query_type: 'textDocument/publishDiagnostics' },
  })
  expect(first?.text).toBe('app.fake  1 problem now:\n    2:3 error [fake error-line]: ERROR here')
})

test('contract 7 the whole text stays within any budget, and what had no room is named', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  await ask(opened, { files: ['app.fake'] })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 300, max: 600 }), async budget => {
      const answer = await ask(opened, { files: ['app.fake', 'shapes.fake', 'run.fake'], budget })
      const text = renderAnswer(getContext, answer)
      expect(countTokens(text)).toBe(answer.result.tokens)
      expect(answer.result.tokens).toBeLessThanOrEqual(budget)
      const left = answer.result.left_out
      expect(left.every(({ reason }) => reason === 'budget')).toBe(true)
      expect(text.includes('no room for:')).toBe(left.length > 0)
    }),
    { numRuns: 12 },
  )
})

test('R-105 in governed only enrichment and validation is sent, and users come from references', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script: withCallers }], governed)
  const methods = methodsOf(opened)
  const { items } = (await ask(opened, { files: ['app.fake'], task: '`area`' })).result
  const allowed = presets.governed.methods
  expect(allowed).not.toBe('any')
  expect([...methods].filter(method => !allowed.includes(method))).toEqual(['initialize'])
  expect(methods).toContain('textDocument/references')
  const users = items.filter(({ kind }) => kind === 'usage')
  expect(users.map(({ record }) => record.query_type)).toEqual(['textDocument/references'])
})

test('contract 7 elsewhere the users of a function are its callers', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script: withCallers }])
  const { items } = (await ask(opened, { files: ['app.fake'] })).result
  const [users] = items.filter(({ kind }) => kind === 'usage')
  expect(users?.record.query_type).toBe('callHierarchy/incomingCalls')
  expect(users?.text).toBe('app.fake:3  draw: called by start (run.fake:2)')
})

test('R-103 what a call into a library takes is told at the call', async () => {
  const found = { uri: '{root}/node_modules/lib/lib.fake', range: name(0, 0, 4) }
  const signatures = [{ label: 'area(width: number)', parameters: [] }]
  const script: Script = {
    capabilities: { signatureHelpProvider: {} },
    rules: [
      { on: 'textDocument/definition', do: [{ act: 'answer', result: [found] }] },
      { on: 'textDocument/signatureHelp', do: [{ act: 'answer', result: { signatures } }] },
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const { items } = (await ask(opened, { files: ['app.fake'] })).result
  const calls = items.filter(({ kind }) => kind === 'call_signature')
  expect(calls.map(({ text, record }) => [text, record.query_type])).toEqual([
    ['app.fake:4  area(width: number)', 'textDocument/signatureHelp'],
  ])
  expect(items.map(({ kind }) => kind)).not.toContain('definition')
})

test('R-196 inlay hints are asked for when there is room for them, and told in the line they belong to', async () => {
  const hint = { position: { line: 3, character: 6 }, label: ': Area', kind: 1 }
  const rules: Rule[] = [{ on: 'textDocument/inlayHint', do: [{ act: 'answer', result: [hint] }] }]
  const script = { capabilities: { inlayHintProvider: true }, rules }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const methods = methodsOf(opened)
  const files = ['app.fake', 'shapes.fake', 'run.fake', 'app_test.fake']
  const tight = (await ask(opened, { files, budget: 300 })).result
  expect(300 - tight.tokens).toBeLessThan(120)
  expect(methods).not.toContain('textDocument/inlayHint')
  const { items } = (await ask(opened, { files: ['app.fake'] })).result
  expect(items.at(-1)).toMatchObject({
    kind: 'inlay_hints',
    record: { query_type: 'textDocument/inlayHint' },
  })
  expect(items.at(-1)?.text).toContain('4  area: Area()')
})

test('R-199 what a server does not offer is skipped without a word', async () => {
  const capabilities = { hoverProvider: null, referencesProvider: null, definitionProvider: null }
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { capabilities } }])
  const answer = await ask(opened, { files: ['app.fake'] })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(answer.result.items.map(({ kind }) => kind)).toEqual(['diagnostics', 'structure'])
  expect(answer.result.left_out).toEqual([])
})

test('R-216 what does not arrive in time is left out by name, and the rest is told', async () => {
  const rules: Rule[] = [{ on: 'textDocument/references', do: [{ act: 'hang' }] }]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { rules } }])
  await opened.bridge.listSymbols({ file: 'app.fake' })
  const answer = await ask(opened, { files: ['app.fake'], timeout_ms: 2000 })
  expect(answer.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('in time'),
  })
  expect(answer.result.items.map(({ kind }) => kind)).toContain('definition')
  expect(answer.result.left_out).toContainEqual({ kind: 'usage', target: 'app.fake:3 draw', reason: 'time' })
  expect(renderAnswer(getContext, answer)).toMatch(/^not answered in time: the users of .*draw/m)
})

test('R-216 a report that came and is on no known text was not late, and one that hides others says so', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { diagnostics: 'push' } }])
  const answer = await ask(opened, { files: ['app.fake'] })
  const detail = expect.stringContaining('which version')
  expect(answer.result.left_out).toEqual([
    { kind: 'diagnostics', target: 'app.fake', reason: 'error', detail },
  ])
  await using silent = await fakeBridge(story, [{ language: 'fake', script: { diagnostics: 'none' } }])
  await silent.warm('app.fake')
  const late = await ask(silent, { files: ['app.fake'], timeout_ms: 2000 })
  expect(late.result.left_out).toMatchObject([{ kind: 'diagnostics', reason: 'time' }])
  const hides = () => 'tells no more after that'
  await using hiding = await fakeBridge(story, [{ language: 'fake', definition: { hides } }])
  expect((await ask(hiding, { files: ['app.fake'] })).completeness).toEqual({
    verdict: 'partial',
    reason: 'app.fake: Fake fake tells no more after that',
  })
})

test('R-07 R-08 a server that cannot be started leaves an empty, marked answer, not an error', async () => {
  await using opened = await fakeBridge(story, [
    { language: 'fake', definition: { command: 'no-such-program-at-all', args: [] } },
  ])
  const answer = await ask(opened, { files: ['app.fake'] })
  expect(answer.result.items).toEqual([])
  expect(answer.completeness).toMatchObject({ verdict: 'unknown' })
  expect(answer.result.left_out).toMatchObject([{ target: 'app.fake', reason: 'error' }])
  const { text } = await opened.bridge.assembleContext({ files: ['app.fake'] })
  expect(text).toBe('')
})

test('R-198 a file that changed since it was asked about is asked about again', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  await ask(opened, { files: ['app.fake'] })
  let edits = 0
  editAfter(opened, 'textDocument/references', () => edits++ === 0)
  const answer = await ask(opened, { files: ['app.fake'] })
  expect(edits).toBeGreaterThan(1)
  const { content } = sourceOf(opened, 'app.fake')
  const own = answer.result.items.filter(({ record }) => record.target.file === 'app.fake')
  expect(own.length).toBeGreaterThan(0)
  for (const { record } of own) expect(record).toMatchObject({ content })
  expect(answer.result.items.some(({ record }) => record.stale)).toBe(false)
  expect(answer.freshness.verdict).toBe('current')
})

test('R-198 what keeps changing is told with its mark and the time of its query', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  await ask(opened, { files: ['app.fake'] })
  editAfter(opened, 'textDocument/references', () => true)
  const answer = await ask(opened, { files: ['app.fake'] })
  const own = answer.result.items.filter(({ record }) => record.target.file === 'app.fake')
  expect(own.length).toBeGreaterThan(0)
  for (const { record } of own) {
    expect(record.stale).toBe(true)
    expect(record.mtime_at_query).not.toBe(record.mtime_at_injection)
  }
  expect(answer.freshness).toMatchObject({ verdict: 'stale' })
  expect(renderAnswer(getContext, answer)).toContain('may be out of date: as of ')
})

test('R-190 R-200 one batch and one injection on record, and every item is found there by its id', async () => {
  const state = await mkdtemp(join(tmpdir(), 'alidade-state-'))
  const env = { ...process.env, XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(state, 'config') }
  let items: ContextPack['items'] = []
  let evidence: string | undefined
  let root = ''
  {
    await using opened = await fakeBridge(story, [{ language: 'fake' }], { ...governed, env })
    const answer = await ask(opened, { files: ['app.fake'] })
    items = answer.result.items
    evidence = answer.evidence
    root = opened.bridge.root
  }
  const found = async (filter: RecordFilter) => {
    const lines: string[] = []
    const folders = evidenceFolders(join(state, 'alidade'), root)
    for await (const { text } of readLog(filter, { disk: systemEvidenceDisk, folders })) lines.push(text)
    return lines.map(text => readRecord(text))
  }
  const batches = await found({ kinds: ['lsp_query_batch'] })
  expect(batches.map(record => record?.id)).toEqual([evidence])
  for (const { record } of items) {
    const [injected, ...more] = await found({ id: record.id })
    expect(more).toEqual([])
    expect(injected?.event).toMatchObject({
      kind: 'context_injected',
      call: evidence,
      items: expect.arrayContaining([expect.objectContaining(record)]),
    })
  }
  await rm(state, { recursive: true, force: true })
})

test('R-198 what changes while hints are asked for is not handed over unmarked', async () => {
  const script = { capabilities: { inlayHintProvider: true } }
  const rules: Rule[] = [{ on: 'textDocument/inlayHint', do: [{ act: 'answer', result: [] }] }]
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { ...script, rules } }])
  editAfter(opened, 'textDocument/inlayHint', () => true)
  const { items } = (await ask(opened, { files: ['app.fake'] })).result
  const { content } = sourceOf(opened, 'app.fake')
  const own = items.filter(({ record }) => record.target.file === 'app.fake')
  expect(own.length).toBeGreaterThan(0)
  for (const { record } of own) expect(record.stale === true || record.content === content).toBe(true)
})

test('R-200 where evidence is required and cannot be kept, nothing is injected', async () => {
  const state = await mkdtemp(join(tmpdir(), 'alidade-state-'))
  const blocked = join(state, 'blocked')
  writeFileSync(blocked, 'a file where a folder is wanted')
  const env = { ...process.env, XDG_STATE_HOME: blocked, XDG_CONFIG_HOME: join(state, 'config') }
  await using opened = await fakeBridge(story, [{ language: 'fake' }], { ...governed, env })
  const { text, answer } = await opened.bridge.assembleContext({ files: ['app.fake'] })
  expect(answer).toMatchObject({ ok: false, kind: 'EvidenceUnavailable' })
  expect(text).toBe('')
  await rm(state, { recursive: true, force: true })
})

test('contract 7 assembleContext hands over the text of the same answer', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const { text, answer } = await opened.bridge.assembleContext({ files: ['app.fake'] })
  expect(text).toBe(renderAnswer(getContext, answer))
})

test('contract 3.2 wrong input is refused, not guessed at', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake' }])
  const refused = (input: Parameters<typeof opened.bridge.getContext>[0]) => opened.bridge.getContext(input)
  expect(await refused({})).toMatchObject({ ok: false, kind: 'InvalidArguments' })
  expect(await refused({ files: ['none.fake'] })).toMatchObject({ ok: false, kind: 'FileNotFound' })
  expect(await refused({ files: ['../x.fake'] })).toMatchObject({ ok: false, kind: 'PathOutsideWorkspace' })
  expect(await refused({ files: ['app.fake:90-99'] })).toMatchObject({ ok: false, kind: 'InvalidArguments' })
  expect(await refused({ files: ['app.fake'], budget: 1 })).toMatchObject({
    ok: false,
    kind: 'InvalidArguments',
  })
})

const governed: BridgeOptions = { preset: 'governed', interactive: true }

const name = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
})

const withCallers: Script = {
  capabilities: { callHierarchyProvider: true },
  rules: [
    {
      on: 'textDocument/prepareCallHierarchy',
      do: [
        {
          act: 'answer',
          result: [
            { name: 'draw', kind: 12, uri: '{uri}', range: name(2, 4, 8), selectionRange: name(2, 4, 8) },
          ],
        },
      ],
    },
    {
      on: 'callHierarchy/incomingCalls',
      do: [
        {
          act: 'answer',
          result: [
            {
              from: {
                name: 'start',
                kind: 12,
                uri: '{root}/run.fake',
                range: name(1, 4, 9),
                selectionRange: name(1, 4, 9),
              },
              fromRanges: [name(2, 2, 6)],
            },
          ],
        },
      ],
    },
  ],
}

type Input = Parameters<FakeBridge['bridge']['getContext']>[0]

async function ask({ bridge }: FakeBridge, input: Input): Promise<Success<ContextPack>> {
  // The machine that runs the tests may be busy; only a test of the deadline has one.
  const answer: Answer<ContextPack> = await bridge.getContext({ timeout_ms: 20_000, ...input })
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error}`)
}

function sourceOf({ workspace }: FakeBridge, file: string): { content: string; mtime: string } {
  const path = workspace.path(file)
  // Whole milliseconds that have passed: Node itself rounds `mtime` to the nearest one.
  const mtime = new Date(Math.floor(statSync(path).mtimeMs)).toISOString()
  return { content: contentHash(readFileSync(path)), mtime }
}

function methodsOf({ bridge }: FakeBridge): Set<string> {
  const methods = new Set<string>()
  bridge.events.subscribe(event => {
    if (event.type === 'request.started') methods.add(event.method)
  })
  return methods
}

/** Whenever such a request has been answered, as long as `when` says so. */
function editAfter({ bridge, workspace }: FakeBridge, method: string, when: () => boolean): void {
  bridge.events.subscribe(event => {
    if (event.type === 'request.finished' && event.method === method && when())
      appendFileSync(workspace.path('app.fake'), '# edited\n')
  })
}
