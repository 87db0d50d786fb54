// Places that come through a whole bridge, in every encoding a server may choose: exact behind astral and combining
// characters, tabs, CRLF, and far out on one long line. The truth is read off the text, in UTF-16 columns.
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bridge } from '../src/index.js'
import { fakeBridge } from './fake-bridge.js'

const file = 'shapes.fake'
const filler = '\u{1f600}\u00e9e\u0301\u4e2d; '
const text = [
  'def area\r\n',
  '\u{1f600} area \u{1d4d0}\u{1d4d1} area\r\n',
  '\tarea\t\tarea \u{1f468}\u200d\u{1f469}\u200d\u{1f467}\tarea\n',
  'e\u0301\u0323 area \u05d0\u05d1 area \u2028 area\r\n',
  `${filler.repeat(4000)}area ${filler.repeat(4000)}area\n`,
  '  ERROR \u{1f600} area\r\n',
  '\u4e2d\u{1f600} area',
].join('')

describe.each(['utf-8', 'utf-16', 'utf-32'] as const)('in %s', encoding => {
  test('W13, W14, W16 asked at each use, every use stands where its text stands', async () => {
    await using opened = await shapes(encoding, text)
    const truth = usesIn(text)
    expect(truth).toHaveLength(13)
    for (const { line, column } of truth) {
      expect(await referencesAt(opened.bridge, line, column)).toEqual(truth)
      const defined = await opened.bridge.goToDefinition({ file, line, column })
      expect(defined).toMatchObject({ ok: true, result: { places: [{ line: 1, column: 5, end_column: 9 }] } })
    }
    expect(await opened.bridge.getDiagnostics({ file })).toMatchObject({
      result: { files: [{ diagnostics: [{ line: 6, column: 3, end_line: 6, end_column: 16 }] }] },
    })
  })

  test('W13, W14, W16 a rename writes the new name over the old one and touches nothing else', async () => {
    await using opened = await shapes(encoding, text)
    const renamed = await opened.bridge.renameSymbol({ file, line: 1, symbol: 'area', new_name: 'surface' })
    if (!renamed.ok) throw new Error(renamed.error)
    expect(await opened.bridge.applyEdit({ handle: renamed.result.handle ?? '' })).toMatchObject({ ok: true })
    expect(readFileSync(opened.workspace.path(file), 'utf8')).toBe(text.replaceAll('area', 'surface'))
  })

  test('W14 whatever the text becomes, what the server is told of the change leads to the right places', async () => {
    await using opened = await shapes(encoding, text)
    await fc.assert(
      fc.asyncProperty(texts, async changed => {
        await writeFile(opened.workspace.path(file), changed)
        expect(await referencesAt(opened.bridge, 1, 5)).toEqual(usesIn(changed))
      }),
      { numRuns: 25 },
    )
  })
})

const pieces = fc.oneof(
  fc.constantFrom('area', 'areas', ' ', '\t', ' area ', '\u00e9', 'e\u0301', '\u4e2d', '\u{1f600}', '\u05d0'),
  fc.constantFrom('\u{1f468}\u200d\u{1f469}', '\u2028', '\n', '\r\n', '\uffff'),
)
const texts = fc.array(pieces, { maxLength: 60 }).map(parts => `def area\n${parts.join('')}`)

/** Changes are sent with the range they replace, so that the columns of these are tried too. */
function shapes(positionEncoding: string, content: string) {
  const quirks = { wholeTextMisread: 'Its columns are to be counted.' }
  return fakeBridge({ files: new Map([[file, content]]) }, [
    { language: 'fake', script: { positionEncoding }, definition: { quirks } },
  ])
}

async function referencesAt(bridge: Bridge, line: number, column: number) {
  const answer = await bridge.findReferences({ file, line, column })
  if (!answer.ok) throw new Error(answer.error)
  return answer.result.references
    .map(place => ({ line: place.line, column: place.column, end_column: place.end_column }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

/** Whole words only; a mark that combines is no part of one. */
function usesIn(content: string) {
  return content
    .split(/\r\n|\n|\r/)
    .flatMap((line, index) =>
      [...line.matchAll(/[\p{L}\p{N}_]+/gu)]
        .filter(([word]) => word === 'area')
        .map(({ index: at }) => ({ line: index + 1, column: at + 1, end_column: at + 5 })),
    )
}
