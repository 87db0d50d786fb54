// The verdict on a change that is on the disk, through a real bridge whose server is a fake: an error is a line with ERROR
// in it. Whatever the baseline is, nothing that moved is blamed, and nothing that is not known is clean.
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { type FakeBridge, fakeBridge } from '../../test/fake-bridge.js'
import { type FakeBridgeInGit, fakeBridgeInGit } from '../../test/fake-bridge-in-git.js'
import type { Act, Script } from '../../test/fake-server/index.js'
import { isReceived } from '../../test/fake-server/log.js'
import { type Fixture, fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { checkChange } from './check-change.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- shapes.fake --
def area
  width
def sides
-- main.fake --
use area
-- far.fake --
use nothing
-- old.fake --
ERROR old
`
const one = [{ language: 'fake' }]

function inGit(script: Script = {}, files: Pick<Fixture, 'files'> = story): Promise<FakeBridgeInGit> {
  return fakeBridgeInGit(files, { language: 'fake', script })
}

test('contract 6 new errors, compared with HEAD: the changed file, and who depends on it, each with its content', async () => {
  await using opened = await inGit()
  const { repo, bridge } = opened
  repo.write('shapes.fake', 'def area\n  ERROR width\ndef sides\n')
  const answer = succeeded(await bridge.checkChange({}))
  expect(answer.result).toEqual({
    class: 'new_errors',
    scope: 'dependents',
    baseline: expect.stringMatching(/^git HEAD [0-9a-f]{12}$/),
    not_checked: [],
    files: [
      {
        file: 'shapes.fake',
        class: 'new_errors',
        verdict: 'settled',
        content: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        new: [expect.objectContaining({ severity: 'error', line: 2, column: 3, text: 'ERROR width' })],
        resolved: [],
      },
      {
        file: 'main.fake',
        class: 'clean',
        verdict: 'settled',
        content: expect.stringMatching(/^sha256:/),
        new: [],
        resolved: [],
      },
    ],
  })
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(renderAnswer(checkChange, answer).split('\n')).toEqual([
    expect.stringMatching(
      /^check: new_errors: 1 new error in 1 file, 2 files checked, scope dependents, baseline git HEAD \w+ \[complete/,
    ),
    'shapes.fake: new_errors',
    '  2:3 error [fake error-line]: ERROR width',
    '      ERROR width',
    'clean: main.fake',
  ])
})

test.each<[string, string, string]>([
  ['clean', 'shapes.fake', '# a comment\ndef area\n  width\ndef sides\n'],
  ['warnings_only', 'shapes.fake', 'def area\n  WARNING width\ndef sides\n'],
  ['baseline_error', 'old.fake', '# above\n# above\nERROR old\n'],
  ['new_errors', 'old.fake', 'ERROR old\nERROR new\n'],
  ['clean', 'old.fake', 'right\n'],
])('R-211, R-214, D03 %s: %s', async (name, file, text) => {
  await using opened = await inGit()
  opened.repo.write(file, text)
  expect(succeeded(await opened.bridge.checkChange({})).result).toMatchObject({
    class: name,
    scope: 'dependents',
  })
})

test('contract 6 nothing changed is clean because that is known, and no server is asked for it', async () => {
  await using opened = await inGit()
  const answer = succeeded(await opened.bridge.checkChange({}))
  expect(answer.result).toMatchObject({ class: 'clean', scope: 'dependents', files: [] })
  expect(answer.servers).toEqual([])
})

test('contract 6 without git and without anything else nobody knows what changed, and that is not clean', async () => {
  await using opened = await fakeBridge(story, one)
  const answer = succeeded(await opened.bridge.checkChange({}))
  expect(answer.result).toMatchObject({ class: 'lsp_unavailable', files: [], baseline: 'none' })
  expect(answer.completeness).toMatchObject({ reason: expect.stringContaining('not a git working tree') })
  const named = succeeded(await opened.bridge.checkChange({ files: ['old.fake', 'far.fake'] }))
  expect(named.result).toMatchObject({
    class: 'lsp_unavailable',
    files: [
      { file: 'far.fake', class: 'clean' },
      { file: 'old.fake', class: 'lsp_unavailable', reason: expect.stringContaining('no baseline') },
    ],
  })
})

test('contract 6 created, deleted, moved, foreign and binary files are each judged or told', async () => {
  await using opened = await inGit()
  const { repo, bridge } = opened
  repo.write('new.fake', 'def fresh\nERROR fresh\n')
  rmSync(repo.path('old.fake'))
  renameSync(repo.path('shapes.fake'), repo.path('moved.fake'))
  repo.write('notes.xyz', 'anything')
  repo.write('README.md', '# read me')
  writeFileSync(repo.path('data.fake'), Buffer.from([1, 0, 2]))
  symlinkSync('/etc/hosts', repo.path('link'))
  const { result, completeness } = succeeded(await bridge.checkChange({}))
  expect(result.files.map(({ file, class: name }) => `${file} ${name}`)).toEqual([
    'moved.fake clean',
    'new.fake new_errors',
    'old.fake clean',
    'main.fake clean',
  ])
  expect(result.files.find(({ file }) => file === 'old.fake')?.resolved).toHaveLength(1)
  expect(result.not_checked.map(({ file }) => file).sort()).toEqual([
    'README.md',
    'data.fake',
    'link',
    'notes.xyz',
  ])
  expect(completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringMatching(/data\.fake and 1 more was not checked: .*UTF-8/),
  })
})

test('contract 6 texts and data alone leave a change clean; code that nobody reads does not', async () => {
  await using opened = await inGit()
  opened.repo.write('README.md', '# read me')
  expect(succeeded(await opened.bridge.checkChange({})).result.class).toBe('clean')
  opened.repo.write('notes.xyz', 'anything')
  expect(succeeded(await opened.bridge.checkChange({})).result.class).toBe('lsp_unavailable')
})

test('contract 6 a project file may change what holds for every file, so nothing is clean beside it', async () => {
  const definition = { watches: ['project.json'] }
  await using opened = await fakeBridgeInGit(story, { language: 'fake', definition })
  opened.repo.write('project.json', '{}')
  const answer = succeeded(await opened.bridge.checkChange({}))
  expect(answer.result).toMatchObject({ class: 'lsp_unavailable', scope: 'modified' })
  expect(answer.completeness).toMatchObject({
    reason: expect.stringContaining('project.json is read by Fake fake'),
  })
})

test('contract 6 an ignored file has no baseline in git; a missing one is a mistake', async () => {
  await using opened = await inGit()
  opened.repo.write('.gitignore', 'made.fake\n')
  opened.repo.commit()
  opened.repo.write('made.fake', 'ERROR here\n')
  expect(succeeded(await opened.bridge.checkChange({})).result).toMatchObject({ class: 'clean', files: [] })
  expect(succeeded(await opened.bridge.checkChange({ files: ['made.fake'] })).result).toMatchObject({
    class: 'lsp_unavailable',
    files: [{ reason: expect.stringContaining('git ignores it') }],
  })
  expect(await opened.bridge.checkChange({ files: ['nosuch.fake'] })).toMatchObject({ kind: 'FileNotFound' })
})

test('contract 6 since evaluates the old text in memory, and the disk stays as it is', async () => {
  await using opened = await inGit()
  const { repo, bridge } = opened
  repo.write('far.fake', 'ERROR one\n')
  repo.commit()
  repo.write('far.fake', 'ERROR one\nERROR two\n')
  const before = textsIn(opened)
  const both = succeeded(await bridge.checkChange({ since: 'HEAD~1' }))
  expect(both.result.files).toMatchObject([{ file: 'far.fake', new: [{ line: 1 }, { line: 2 }] }])
  const last = succeeded(await bridge.checkChange({ since: 'HEAD' }))
  expect(last.result.files).toMatchObject([{ file: 'far.fake', new: [{ line: 2 }] }])
  expect(textsIn(opened)).toEqual(before)
  expect(succeeded(await bridge.getDiagnostics({ file: 'far.fake' })).result.files).toMatchObject([
    { diagnostics: [{ line: 1 }, { line: 2 }] },
  ])
  expect(await bridge.checkChange({ since: 'HEAD~1..HEAD' })).toMatchObject({ kind: 'InvalidArguments' })
  expect(await bridge.checkChange({ since: 'no-such-branch' })).toMatchObject({ kind: 'InvalidArguments' })
})

test('contract 6 the baseline is the last text the servers were given, and an error stays new until it is mended', async () => {
  await using opened = await fakeBridge(story, one)
  const { bridge, workspace } = opened
  await bridge.getDiagnostics({ file: 'far.fake' })
  const check = async () => succeeded(await bridge.checkChange({ files: ['far.fake'] })).result
  appendFileSync(workspace.path('far.fake'), 'ERROR one\n')
  expect(await check()).toMatchObject({ class: 'new_errors', files: [{ new: [{ line: 2 }] }] })
  // Not the text of the last check, which nobody accepted.
  appendFileSync(workspace.path('far.fake'), '# more\n')
  expect(await check()).toMatchObject({ class: 'new_errors', files: [{ new: [{ line: 2 }] }] })
  writeFileSync(workspace.path('far.fake'), 'use nothing\n# mended\n')
  expect(await check()).toMatchObject({ class: 'clean', files: [{ new: [], resolved: [] }] })
  // What was accepted is the next baseline.
  appendFileSync(workspace.path('far.fake'), 'ERROR two\n')
  expect(await check()).toMatchObject({ class: 'new_errors', files: [{ new: [{ line: 3 }] }] })
})

test('contract 6 a text that was given only after the change is no baseline', async () => {
  await using opened = await inGit()
  opened.repo.write('far.fake', 'use nothing\nERROR one\n')
  await opened.bridge.getDiagnostics({ file: 'far.fake' })
  expect(succeeded(await opened.bridge.checkChange({})).result).toMatchObject({ class: 'new_errors' })
})

test.each([true, false])(
  'contract 6 begin_change fixes the baseline by content (prepared: %s)',
  async prepare => {
    await using opened = await fakeBridge(story, one)
    const { bridge, workspace } = opened
    const begun = succeeded(
      await bridge.beginChange({ files: ['shapes.fake', 'old.fake', 'new.fake'], prepare }),
    )
    const { change } = begun.result
    expect(begun.result).toEqual({
      change: expect.stringMatching(/^c:[0-9a-f]{12}$/),
      by_content: 5,
      others: 'none',
    })
    writeFileSync(workspace.path('shapes.fake'), 'def area\n  ERROR width\ndef sides\n')
    writeFileSync(workspace.path('new.fake'), 'ERROR new\n')
    const first = succeeded(await bridge.checkChange({ change }))
    expect(first.result).toMatchObject({
      class: 'new_errors',
      scope: 'dependents',
      baseline: `change ${change}`,
      files: [
        { file: 'new.fake', class: 'new_errors' },
        { file: 'shapes.fake', class: 'new_errors' },
        { file: 'main.fake', class: 'clean' },
      ],
    })
    writeFileSync(workspace.path('shapes.fake'), 'def area\n  height\ndef sides\n')
    rmSync(workspace.path('new.fake'))
    rmSync(workspace.path('old.fake'))
    const second = succeeded(await bridge.checkChange({ change }))
    expect(second.result).toMatchObject({
      class: 'clean',
      files: [
        { file: 'old.fake', resolved: [{ line: 1 }] },
        { file: 'shapes.fake', new: [], resolved: [] },
        { file: 'main.fake' },
      ],
    })
  },
)

test('contract 6 a prepared change is judged without showing the server any old text', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script: { diagnostics: 'pull' } }])
  const { bridge, workspace, servers } = opened
  const { change } = succeeded(await bridge.beginChange({ files: ['shapes.fake'] })).result
  const changes = () => servers[0]?.log().filter(isReceived('textDocument/didChange')).length
  const before = changes()
  writeFileSync(workspace.path('shapes.fake'), 'def area\n  ERROR width\ndef sides\n')
  expect(succeeded(await bridge.checkChange({ change })).result).toMatchObject({ class: 'new_errors' })
  expect(changes()).toBe((before ?? 0) + 1)
})

test('contract 6, R-215 a past that was recorded while the server was loading is asked for again', async () => {
  const loaded: Act = { act: 'notify', method: 'window/logMessage', params: { type: 3, message: 'loaded' } }
  const script: Script = {
    diagnostics: 'pull',
    rules: [{ on: 'textDocument/diagnostic', nth: 1, also: true, do: [loaded] }],
  }
  const readiness = { kind: 'log-line', pattern: /^loaded$/, reason: 'It says so.' } as const
  await using opened = await fakeBridge(story, [{ language: 'fake', script, definition: { readiness } }])
  const { bridge, workspace } = opened
  // It is waited for in vain, and says that it has loaded when it is asked all the same.
  const files = ['shapes.fake']
  const { change } = succeeded(await bridge.beginChange({ files, timeout_ms: 11_000 })).result
  writeFileSync(workspace.path('shapes.fake'), 'def area\n  ERROR width\ndef sides\n')
  expect(succeeded(await bridge.checkChange({ change })).result).toMatchObject({ class: 'new_errors' })
})

test('contract 6 a change of the whole workspace knows every file, with git and without', async () => {
  await using bare = await fakeBridge(story, one)
  const begun = succeeded(await bare.bridge.beginChange({})).result
  expect(begun).toMatchObject({ others: 'none', by_content: 4 })
  appendFileSync(bare.workspace.path('far.fake'), 'ERROR\n')
  writeFileSync(bare.workspace.path('new.fake'), 'ERROR\n')
  expect(succeeded(await bare.bridge.checkChange({ change: begun.change })).result.files).toMatchObject([
    { file: 'far.fake', class: 'new_errors' },
    { file: 'new.fake', class: 'new_errors' },
  ])

  await using opened = await inGit()
  const { repo, bridge } = opened
  repo.write('far.fake', 'ERROR of before\n')
  const { change, ...facts } = succeeded(await bridge.beginChange({})).result
  expect(facts).toEqual({ others: 'git', by_content: 1 })
  repo.commit('meanwhile')
  repo.write('far.fake', 'ERROR of before\nERROR of now\n')
  repo.write('main.fake', 'use area\nERROR\n')
  expect(succeeded(await bridge.checkChange({ change })).result.files).toMatchObject([
    { file: 'far.fake', new: [{ line: 2 }] },
    { file: 'main.fake', new: [{ line: 2 }] },
  ])
})

test('contract 3.1 the wrong handle names the right operation', async () => {
  await using opened = await fakeBridge(story, one)
  const { bridge } = opened
  expect(await bridge.checkChange({ change: 'p:0123456789ab' })).toMatchObject({
    kind: 'InvalidArguments',
    error: expect.stringContaining('apply_edit'),
  })
  expect(await bridge.applyEdit({ handle: 'c:0123456789ab' })).toMatchObject({
    kind: 'InvalidArguments',
    error: expect.stringContaining('check_change'),
  })
  expect(await bridge.checkChange({ change: 'c:0123456789ab' })).toMatchObject({ kind: 'InvalidArguments' })
  expect(await bridge.checkChange({ change: 'c:0123456789ab', since: 'HEAD' })).toMatchObject({
    kind: 'InvalidArguments',
  })
})

test('D06 what another change-set made of the other files is not blamed on this one', async () => {
  await using opened = await fakeBridge(story, one)
  const { bridge, workspace } = opened
  const begin = async (file: string) => succeeded(await bridge.beginChange({ files: [file] })).result.change
  const [mine, theirs] = [await begin('shapes.fake'), await begin('main.fake')]
  appendFileSync(workspace.path('main.fake'), 'ERROR theirs\n')
  writeFileSync(workspace.path('shapes.fake'), 'def area\n  height\ndef sides\n')
  const own = succeeded(await bridge.checkChange({ change: mine })).result
  expect(own).toMatchObject({
    class: 'baseline_error',
    files: [
      { file: 'shapes.fake', class: 'clean' },
      { file: 'main.fake', class: 'baseline_error', new: [] },
    ],
  })
  expect(succeeded(await bridge.checkChange({ change: theirs })).result).toMatchObject({
    class: 'new_errors',
  })
})

test('D06 a file that two change-sets changed is shared, by content', async () => {
  await using opened = await fakeBridge(story, one)
  const { bridge, workspace } = opened
  const begin = async () => succeeded(await bridge.beginChange({ files: ['far.fake'] })).result.change
  const check = async (change: string) => succeeded(await bridge.checkChange({ change }))
  const first = await begin()
  const second = await begin()
  appendFileSync(workspace.path('far.fake'), 'ERROR one\n')
  expect((await check(first)).result.files[0]).not.toHaveProperty('shared_with')
  appendFileSync(workspace.path('far.fake'), 'ERROR two\n')
  const answer = await check(second)
  expect(answer.result.files).toMatchObject([{ file: 'far.fake', shared_with: [first] }])
  expect(renderAnswer(checkChange, answer)).toContain(`shared: far.fake was changed by ${first} too`)
  // What was there when it began is nobody else's.
  const third = await begin()
  appendFileSync(workspace.path('far.fake'), 'ERROR three\n')
  expect((await check(third)).result.files[0]).not.toHaveProperty('shared_with')
})

test.each<[string, Script]>([
  ['says nothing', { diagnostics: 'none' }],
  ['does not say for which version', { diagnostics: 'push' }],
  [
    'answers with an error',
    {
      diagnostics: 'pull',
      rules: [{ on: 'textDocument/diagnostic', do: [{ act: 'error', code: -32603, message: 'no way' }] }],
    },
  ],
  [
    'dies of the question',
    { rules: [{ on: 'textDocument/documentSymbol', do: [{ act: 'exit', code: 1 }] }] },
  ],
  ['does not start', { rules: [{ on: 'initialize', do: [{ act: 'exit', code: 1 }] }] }],
])('D01, D09, R-215 a server that %s: lsp_unavailable, never clean', async (_, script) => {
  await using opened = await inGit(script)
  opened.repo.write('shapes.fake', 'def area\n  # nothing\ndef sides\n')
  const answer = succeeded(await opened.bridge.checkChange({ timeout_ms: 2500 }))
  expect(answer.result.class).toBe('lsp_unavailable')
  expect(answer.completeness.verdict).not.toBe('complete')
  expect(renderAnswer(checkChange, answer)).not.toMatch(/check: clean/)
})

test('D02 old errors told again after the fix are not attributed', async () => {
  const rules: Script['rules'] = [
    { on: 'textDocument/didChange', do: [{ act: 'publish', version: 'previous', content: 'previous' }] },
  ]
  await using opened = await inGit({ diagnostics: 'push-versioned', rules })
  opened.repo.write('old.fake', 'right\n')
  const answer = succeeded(await opened.bridge.checkChange({ timeout_ms: 2500 }))
  expect(answer.result.class).toBe('lsp_unavailable')
  expect(answer.result.files.flatMap(file => file.new)).toEqual([])
})

test('W08 a file that is edited while it is judged is judged again', async () => {
  await using opened = await inGit({ diagnostics: 'pull' })
  const { repo, bridge, servers } = opened
  repo.write('far.fake', 'use nothing\n# one\n')
  const answered = bridge.checkChange({})
  await servers[0]?.received('textDocument/diagnostic', 1)
  repo.write('far.fake', 'use nothing\nERROR\n')
  expect(succeeded(await answered).result).toMatchObject({ class: 'new_errors' })
})

function textsIn({ workspace }: FakeBridge): string[] {
  return readdirSync(workspace.root)
    .filter(name => name.endsWith('.fake'))
    .map(name => readFileSync(workspace.path(name), 'utf8'))
}

test('R-211 of what a line hands on without naming it nobody knows the users, if that line was changed', async () => {
  const files = fixture`
-- index.fake --
export * from shapes
def own
  width
`
  await using opened = await inGit({}, files)
  const { bridge, repo } = opened
  const verdictOn = async (text: string) => {
    const began = succeeded(await bridge.beginChange({ files: ['index.fake'] }))
    repo.write('index.fake', text)
    return succeeded(await bridge.checkChange({ change: began.result.change })).result
  }
  expect(await verdictOn('export * from shapes\ndef own\n  height\n')).toMatchObject({ class: 'clean' })
  expect(await verdictOn('export * from others\ndef own\n  height\n')).toMatchObject({
    class: 'lsp_unavailable',
    scope: 'modified',
  })
})

function succeeded<R>(answer: Answer<R>) {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.error}`)
  return answer
}
