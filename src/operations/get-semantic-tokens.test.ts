// Semantic tokens through a real bridge whose server is a fake: the right request, the right legend, the right text.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import { toCharacter } from '../../test/fake-server/columns.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { sourceFile } from '../../test/source-file.js'
import { type PlainToken, tokenNumbers } from '../../test/token-numbers.js'
import { parseSemanticTokens } from '../lsp/semantic-tokens.js'
import type { Answer } from './answer.js'
import { getSemanticTokens } from './get-semantic-tokens.js'
import { renderAnswer } from './render.js'
import { sourcePlace, textAt } from './source-place.js'

test.each(['utf-8', 'utf-16', 'utf-32'] as const)(
  'R-100 in %s each token is the text it was made of',
  encoding => {
    const piece = fc.string({
      unit: fc.constantFrom('a', '\u00df', '\u20ac', '\u{1f44b}'),
      minLength: 1,
      maxLength: 5,
    })
    const line = fc.array(fc.record({ gap: fc.nat(3), piece, isToken: fc.boolean() }), { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), lines => {
        const texts: string[] = []
        const expected: { name: string; line: number; column: number; end_column: number }[] = []
        const tokens: PlainToken[] = []
        for (const [number, pieces] of lines.entries()) {
          let text = ''
          for (const { gap, piece: name, isToken } of pieces) {
            text += ' '.repeat(gap)
            const index = text.length
            text += name
            if (!isToken) continue
            const from = toCharacter(text, index, encoding)
            const length = toCharacter(text, text.length, encoding) - from
            tokens.push({ line: number, from, length, type: 0, modifiers: [] })
            expected.push({ name, line: number + 1, column: index + 1, end_column: text.length + 1 })
          }
          texts.push(text)
        }
        const source = sourceFile(texts.join('\n'))
        const legend = { types: ['x'], modifiers: [] }
        const found = parseSemanticTokens({ data: tokenNumbers(tokens) }, legend).map(({ range }) => {
          const place = sourcePlace(source, range, encoding)
          const { line: on, column, end_column } = place
          return { name: textAt(source, place), line: on, column, end_column }
        })
        expect(found).toEqual(expected)
      }),
    )
  },
)

const story = fixture`
-- shapes.fake --
class Shape
  def area width
// a remark
def sides
`
const legend = { tokenTypes: ['class', 'method', 'parameter'], tokenModifiers: ['readonly', 'static'] }
const inFile = [
  { line: 0, from: 6, length: 5, type: 0, modifiers: [] },
  { line: 1, from: 6, length: 4, type: 1, modifiers: [1] },
  { line: 1, from: 11, length: 5, type: 2, modifiers: [0, 1] },
  { line: 3, from: 4, length: 5, type: 1, modifiers: [] },
]
const all = tokenNumbers(inFile)
const provider = (more: object) => ({ semanticTokensProvider: { legend, ...more } })
const full = answering('textDocument/semanticTokens/full', { data: all })
// Servers answer for whole blocks around what was asked.
const range = answering('textDocument/semanticTokens/range', { data: all })

test.each<[string, Script]>([
  ['whole files alone', { capabilities: provider({ full: { delta: true }, range: false }), rules: [full] }],
  ['parts alone', { capabilities: provider({ range: true }), rules: [range] }],
  ['both', { capabilities: provider({ full: true, range: {} }), rules: [full, range] }],
  [
    'them by a registration after the handshake',
    {
      rules: [
        full,
        {
          on: 'initialized',
          do: [
            {
              act: 'request',
              method: 'client/registerCapability',
              params: {
                registrations: [
                  {
                    id: 'tokens',
                    method: 'textDocument/semanticTokens',
                    registerOptions: { documentSelector: [{ language: 'fake' }], legend, full: true },
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
])('R-100 a server that answers for %s is asked so', async (_, script) => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const whole = succeeded(await opened.bridge.getSemanticTokens({ file: 'shapes.fake' }))
  expect(whole.completeness).toEqual({ verdict: 'complete' })
  expect(renderAnswer(getSemanticTokens, whole).split('\n')).toEqual([
    '4 tokens in shapes.fake, by line: column kind name [complete; fake 1.0.0]',
    '1  7 class Shape',
    '2  7 method area [static], 12 parameter width [readonly static]',
    '4  5 method sides',
  ])
  expect(whole.result.tokens[2]).toEqual({
    name: 'width',
    kind: 'parameter',
    modifiers: ['readonly', 'static'],
    file: 'shapes.fake',
    line: 2,
    column: 12,
    end_line: 2,
    end_column: 17,
    text: 'def area width',
  })
  const part = succeeded(await opened.bridge.getSemanticTokens({ file: 'shapes.fake', line: 2 }))
  expect(part.result.tokens.map(({ name }) => name)).toEqual(['area', 'width'])
  const few = succeeded(await opened.bridge.getSemanticTokens({ file: 'shapes.fake', limit: 2 }))
  expect(few.result).toMatchObject({ tokens: [{ name: 'Shape' }, { name: 'area' }], total: 4 })
  expect(few.completeness).toMatchObject({
    verdict: 'partial',
    reason: 'only the first 2 of 4 tokens are listed',
    hint: expect.stringContaining('line 2'),
  })
})

test('R-143 lines without a token are none; a file without any is not believed', async () => {
  const nothing = answering('textDocument/semanticTokens/range', { data: [] })
  const both = provider({ full: true, range: true })
  const script: Script = { capabilities: both, rules: [nothing, full] }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const remark = succeeded(await opened.bridge.getSemanticTokens({ file: 'shapes.fake', line: 3 }))
  expect(remark).toMatchObject({ result: { tokens: [] }, completeness: { verdict: 'complete' } })

  const off: Script = {
    capabilities: both,
    rules: [nothing, answering('textDocument/semanticTokens/full', null)],
  }
  await using mute = await fakeBridge(story, [{ language: 'fake', script: off }])
  for (const input of [{ file: 'shapes.fake' }, { file: 'shapes.fake', line: 1 }]) {
    expect(succeeded(await mute.bridge.getSemanticTokens(input)).completeness).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('settings'),
    })
  }
})

test('R-95 a provider of nothing is a missing capability', async () => {
  const script: Script = { capabilities: provider({}) }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  expect(await opened.bridge.getSemanticTokens({ file: 'shapes.fake' })).toMatchObject({
    kind: 'CapabilityMissing',
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
