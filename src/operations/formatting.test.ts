// Formatting through a real bridge whose server is a fake: with the indentation the file has, as a proposal.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import type { Answer } from './answer.js'
import { formatDocument } from './format-document.js'
import { formatRange } from './format-range.js'
import { renderAnswer } from './render.js'

const story = (text: string) => ({ files: new Map([['shapes.fake', text]]) })
const file = 'shapes.fake'
const edit = (line: number, from: number, to: number, newText: string) => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
})

function formatter(result: ReturnType<typeof edit>[] | null): Script {
  return {
    capabilities: { documentFormattingProvider: true, documentRangeFormattingProvider: {} },
    rules: ['textDocument/formatting', 'textDocument/rangeFormatting'].map(on => ({
      on,
      do: [{ act: 'answer', result }],
    })),
  }
}

test('contract 3.3 a formatted file is a diff behind a handle, and nothing is written', async () => {
  const script = formatter([edit(0, 3, 6, ' '), edit(1, 0, 4, '  ')])
  await using opened = await fakeBridge(story('def   area\n    size\n'), [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.formatDocument({ file }))
  expect(answer.result).toMatchObject({
    handle: expect.stringMatching(/^p:/),
    files: [{ file, edits: 2 }],
    diff: expect.stringContaining('-def   area\n-    size\n+def area\n+  size\n'),
  })
  expect(readFileSync(opened.workspace.path(file), 'utf8')).toBe('def   area\n    size\n')
  expect(renderAnswer(formatDocument, answer)).toMatch(
    /^formatting shapes\.fake: 2 edits in 1 file \[complete/,
  )
})

test.each([
  ['the tabs of the file', 'a\n\tb\n\tc\n', {}, { tabSize: 4, insertSpaces: false }],
  ['its width', 'a\n  b\n  c\n    d\n', {}, { tabSize: 2, insertSpaces: true }],
  ['the usual where it shows none', 'a\nb\n', {}, { tabSize: 4, insertSpaces: true }],
  [
    'what the caller says',
    'a\n  b\n',
    { tab_size: 8, insert_spaces: false },
    { tabSize: 8, insertSpaces: false },
  ],
])('contract 3 the formatter is told %s', async (_, text, given, options) => {
  await using opened = await fakeBridge(story(text), [{ language: 'fake', script: formatter([]) }])
  succeeded(await opened.bridge.formatDocument({ file, ...given }))
  succeeded(await opened.bridge.formatRange({ file, line: 2, ...given }))
  const [server] = opened.servers
  for (const method of ['textDocument/formatting', 'textDocument/rangeFormatting']) {
    expect((await server?.received(method))?.params).toMatchObject({ options })
  }
})

test('contract 3 only the asked lines are formatted', async () => {
  const script = formatter([edit(1, 0, 4, '  ')])
  await using opened = await fakeBridge(story('def area\n    size\n    last'), [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.formatRange({ file, line: 2, end_line: 9 }))
  const [server] = opened.servers
  expect((await server?.received('textDocument/rangeFormatting'))?.params).toMatchObject({
    range: { start: { line: 1, character: 0 }, end: { line: 2, character: 8 } },
  })
  expect(renderAnswer(formatRange, answer)).toMatch(
    /^formatting shapes\.fake from line 2 to 3: 1 edit in 1 file/,
  )
  expect(await opened.bridge.formatRange({ file, line: 9 })).toMatchObject({ kind: 'InvalidArguments' })
})

test.each([
  ['null', null],
  ['no edits', []],
  ['edits that change nothing', [edit(0, 0, 3, 'def')]],
])('contract 3.3 %s is said to change nothing', async (_, result) => {
  const script = formatter(result)
  await using opened = await fakeBridge(story('def area\n'), [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.formatDocument({ file }))
  expect(answer.result).toMatchObject({ files: [], diff: '' })
  expect(answer.result.handle).toBeUndefined()
  expect(answer.completeness).toEqual({ verdict: 'complete' })
  expect(renderAnswer(formatDocument, answer)).toMatch(/^nothing would change by formatting shapes\.fake: /)
})

test('contract 3.2 a server that says nothing where it has no formatter is not taken for a file in order', async () => {
  const limits = () => [
    { methods: ['textDocument/formatting'], reason: 'it may have no formatter', hint: 'Install one.' },
  ]
  const asked = (result: ReturnType<typeof edit>[] | null) =>
    fakeBridge(story('def   area\n'), [
      { language: 'fake', script: formatter(result), definition: { limits } },
    ])
  await using silent = await asked(null)
  expect(succeeded(await silent.bridge.formatDocument({ file })).completeness).toEqual({
    verdict: 'unknown',
    reason: 'it may have no formatter',
    hint: 'Install one.',
  })
  await using speaking = await asked([edit(0, 3, 6, ' ')])
  expect(succeeded(await speaking.bridge.formatDocument({ file })).completeness.verdict).toBe('complete')
})

test('contract 3.2 what a server lacks is named, with what comes nearest if it has that', async () => {
  const lacking = (capabilities: NonNullable<Script['capabilities']>) =>
    fakeBridge(story('def area\n'), [{ language: 'fake', script: { ...formatter([]), capabilities } }])
  await using whole = await lacking({ documentFormattingProvider: true })
  expect(await whole.bridge.formatRange({ file, line: 1 })).toMatchObject({
    ok: false,
    kind: 'CapabilityMissing',
    error: expect.stringContaining('format_range'),
    hint: expect.stringContaining('format_document'),
  })
  await using neither = await lacking({})
  const refused = await neither.bridge.formatRange({ file, line: 1 })
  expect(refused).toMatchObject({ ok: false, kind: 'CapabilityMissing' })
  expect(refused.ok ? '' : refused.hint).not.toContain('format_document')
})

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
