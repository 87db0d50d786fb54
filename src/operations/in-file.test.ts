// What servers say about ranges of one file, through a real bridge whose server is a fake, in every encoding: highlights,
// inlay hints, selections, folds and code lenses.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import { type Encoding, toCharacter } from '../../test/fake-server/columns.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import type { Answer } from './answer.js'
import { getCodeLenses } from './get-code-lenses.js'
import { getDocumentHighlights } from './get-document-highlights.js'
import { getFoldingRanges } from './get-folding-ranges.js'
import { getInlayHints } from './get-inlay-hints.js'
import { getSelectionRanges } from './get-selection-ranges.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- main.fake --
def main
  /* 👋 */ total = area + total

  end
`
const file = 'main.fake'
const text = '/* \u{1f44b} */ total = area + total'
const lines = (story.files.get(file) ?? '').split('\n')

/** A range by the words on a line; `from` and `to` are string indexes. */
function rangeOf(encoding: Encoding, line: number, from: number, to: number, endLine = line) {
  return {
    start: { line, character: toCharacter(lines[line] ?? '', from, encoding) },
    end: { line: endLine, character: toCharacter(lines[endLine] ?? '', to, encoding) },
  }
}

function scriptIn(encoding: Encoding): Script {
  const first = rangeOf(encoding, 1, 11, 16)
  const last = rangeOf(encoding, 1, 26, 31)
  return {
    positionEncoding: encoding,
    capabilities: {
      inlayHintProvider: true,
      selectionRangeProvider: true,
      foldingRangeProvider: true,
      codeLensProvider: { resolveProvider: true },
    },
    rules: [
      answering('textDocument/documentHighlight', [
        { range: last, kind: 2 },
        { range: first, kind: 3 },
        { range: first, kind: 3 },
      ]),
      answering('textDocument/inlayHint', [
        { position: last.start, label: [{ value: 'by' }, { value: ':' }], kind: 2 },
        { position: first.end, label: ': number', kind: 1 },
        { position: { line: 3, character: 0 }, label: 'of another line' },
      ]),
      answering('textDocument/selectionRange', [
        {
          range: first,
          parent: {
            range: first,
            parent: {
              range: rangeOf(encoding, 0, 8, 0, 2),
              parent: { range: rangeOf(encoding, 0, 0, 5, 3) },
            },
          },
        },
      ]),
      answering('textDocument/foldingRange', [
        { startLine: 1, endLine: 2, kind: 'comment' },
        { startLine: 0, startCharacter: 8, endLine: 3 },
      ]),
      answering('textDocument/codeLens', [
        { range: last, command: { title: 'run\u0007', command: 'fake.run' } },
        { range: first, data: 'first' },
        { range: rangeOf(encoding, 3, 2, 5), data: 'refused' },
      ]),
      {
        on: 'codeLens/resolve',
        nth: 2,
        do: [{ act: 'error', code: -32603, message: 'gone' }],
      },
      answering('codeLens/resolve', {
        range: '{params.range}',
        command: { title: '2 uses of {params.data}', command: 'fake.show' },
      }),
    ],
  }
}

test.each(['utf-8', 'utf-16', 'utf-32'] as const)(
  'R-100, R-102 in %s every range stands where its text stands',
  async encoding => {
    await using opened = await fakeBridge(story, [{ language: 'fake', script: scriptIn(encoding) }])
    const { bridge } = opened
    const target = { file, line: 2, symbol: 'total#1' }

    const highlights = succeeded(await bridge.getDocumentHighlights(target))
    expect(highlights.result.highlights[0]).toEqual({
      file,
      line: 2,
      column: 12,
      end_line: 2,
      end_column: 17,
      text,
      label: 'write',
    })
    expect(renderAnswer(getDocumentHighlights, highlights).split('\n').slice(0, -1)).toEqual([
      '2 highlights of total (main.fake:2:12) [complete; fake 1.0.0]',
      `  2:12 write  ${text}`,
      `  2:27 read  ${text}`,
    ])

    const hints = succeeded(await bridge.getInlayHints({ file, line: 1, end_line: 3 }))
    expect(renderAnswer(getInlayHints, hints).split('\n')).toEqual([
      '2 inlay hints in main.fake from line 1 to 3 [complete; fake 1.0.0]',
      `2  ${text}`,
      '  17  : number (type)',
      '  27  by: (parameter)',
    ])

    const selections = succeeded(await bridge.getSelectionRanges(target))
    expect(selections.result.ranges[0]).toMatchObject({ line: 2, column: 12, end_column: 17, text })
    expect(renderAnswer(getSelectionRanges, selections).split('\n').slice(0, -1)).toEqual([
      '3 ranges around total (main.fake:2:12), inner to outer [complete; fake 1.0.0]',
      '  2:12-2:17  total',
      `  1:9-3:1  ${text}`,
      '  1:1-4:6  def main ... end',
    ])

    const folds = succeeded(await bridge.getFoldingRanges({ file }))
    expect(folds.result.ranges[1]).toMatchObject({ line: 2, column: 32, end_line: 3, end_column: 1 })
    expect(renderAnswer(getFoldingRanges, folds).split('\n')).toEqual([
      '2 folding ranges in main.fake [complete; fake 1.0.0]',
      '  1-4  def main',
      `  2-3  ${text} (comment)`,
    ])

    const lenses = succeeded(await bridge.getCodeLenses({ file }))
    expect(lenses.result.lenses.map(({ resolved }) => resolved)).toEqual([true, true, false])
    expect(lenses.completeness).toMatchObject({
      verdict: 'partial',
      reason: expect.stringMatching(/titles of code lenses are missing: 1 of 2 because .*gone/),
    })
    expect(renderAnswer(getCodeLenses, lenses).split('\n').slice(0, 6)).toEqual([
      '3 code lenses in main.fake [partial; fake 1.0.0]',
      `2  ${text}`,
      '  12  2 uses of first (fake.show)',
      '  27  run (fake.run)',
      '4  end',
      '  3  unresolved',
    ])
    const one = succeeded(await bridge.getCodeLenses({ file, line: 2 }))
    expect(one.result.lenses).toHaveLength(2)
    expect(one.completeness).toEqual({ verdict: 'complete' })
  },
)

test('R-143 no hint and no lens at all may be a setting, which is said; titles nobody tells are missing', async () => {
  const script: Script = {
    capabilities: { inlayHintProvider: true, codeLensProvider: { resolveProvider: false } },
    rules: [
      answering('textDocument/inlayHint', null),
      { ...answering('textDocument/codeLens', []), nth: 1 },
      answering('textDocument/codeLens', [{ range: rangeOf('utf-16', 0, 0, 3) }]),
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const { bridge } = opened
  const unknown = { verdict: 'unknown', reason: expect.stringContaining('settings turn them off') }
  expect(succeeded(await bridge.getInlayHints({ file })).completeness).toMatchObject(unknown)
  expect(succeeded(await bridge.getInlayHints({ file, line: 1 })).completeness.verdict).toBe('complete')
  expect(succeeded(await bridge.getCodeLenses({ file })).completeness).toMatchObject(unknown)
  const untitled = succeeded(await bridge.getCodeLenses({ file }))
  expect(untitled.result.lenses).toMatchObject([{ line: 1, resolved: false }])
  expect(untitled.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringContaining('without a title'),
  })
})

type Rule = NonNullable<Script['rules']>[number]

function answering(on: string, result: Extract<Rule['do'][number], { act: 'answer' }>['result']): Rule {
  return { on, do: [{ act: 'answer', result }] }
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
