// Completions and signature help through a real bridge whose server is a fake: the place that is asked about, in each
// encoding, and what becomes of the answer.
import { expect, test } from 'vitest'
import { fakeBridge } from '../../test/fake-bridge.js'
import type { Script } from '../../test/fake-server/index.js'
import { fixture } from '../../test/fixture/index.js'
import { property } from '../json.js'
import type { Answer } from './answer.js'
import { getCompletions } from './get-completions.js'
import { getSignatureHelp } from './get-signature-help.js'
import { renderAnswer } from './render.js'

const story = fixture`
-- main.fake --
def /* 👋 */ main shape.ar
  shape.
  area(one, two)
`
const file = 'main.fake'

test.each([
  ['utf-8', 28],
  ['utf-16', 26],
  ['utf-32', 25],
])('R-107 in %s the cursor is after the last character of its line', async (positionEncoding, character) => {
  const from = { line: 0, character: character - 2 }
  const to = { line: 0, character }
  const script: Script = {
    positionEncoding,
    rules: [
      answering('textDocument/completion', {
        isIncomplete: false,
        itemDefaults: { editRange: { start: from, end: to } },
        items: [{ label: 'sides' }, { label: 'area', kind: 2 }, { label: 'xar' }],
      }),
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  for (const where of [{ line: 1 }, { line: 1, column: 27 }, { after: 'shape.ar' }]) {
    const answer = succeeded(await opened.bridge.getCompletions({ file, ...where }))
    expect(answer.result).toMatchObject({
      completions: [
        { label: 'area', kind: 'method' },
        { label: 'xar', kind: 'text' },
      ],
      prefix: 'ar',
      total: 2,
      place: { file, line: 1, column: 27, end_line: 1, end_column: 27, text: 'def /* 👋 */ main shape.ar' },
    })
    expect(answer.completeness).toEqual({ verdict: 'complete' })
  }
  const asked = opened.servers[0]?.log().flatMap(entry => {
    const { message } = 'message' in entry ? entry : {}
    return message?.method === 'textDocument/completion' ? [property(message.params, 'position')] : []
  })
  expect(asked).toEqual([to, to, to])
})

test('R-107 nothing sent in front of the rest of a name does not mean that there is nothing', async () => {
  const script: Script = { rules: [answering('textDocument/completion', null)] }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const ask = async (where: object) =>
    succeeded(await opened.bridge.getCompletions({ file, ...where })).completeness
  for (const after of ['  area(', 'main sha', 'main '])
    expect(await ask({ after })).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('end') })
  for (const after of ['  shape.', 'shape.ar', 'two)', 'one'])
    expect(await ask({ after })).toEqual({ verdict: 'complete' })
})

const many: Script = {
  capabilities: { completionProvider: { resolveProvider: true } },
  rules: [
    answering('textDocument/completion', {
      isIncomplete: true,
      itemDefaults: { data: 'default' },
      items: [
        {
          label: 'b',
          sortText: '2',
          labelDetails: { detail: '(x)', description: './b' },
          detail: 'b: number',
        },
        { label: 'a', sortText: '1', data: 'own', documentation: 'Never shown unasked.' },
        { label: 'c', sortText: '3', tags: [1], insertText: 'c()' },
        { label: 'd', sortText: '4' },
      ],
    }),
    {
      on: 'completionItem/resolve',
      nth: 3,
      do: [{ act: 'error', code: -32603, message: 'no idea' }],
    },
    answering('completionItem/resolve', {
      label: '{params.label}',
      detail: 'detail of {params.label}',
      documentation: {
        kind: 'markdown',
        value: '```fake\ndef {params.label}\n```\n\n---\nMade of {params.data}.\u001b[31m',
      },
      additionalTextEdits: [{ range: zero(), newText: 'import {params.label}\n' }],
    }),
  ],
}

test('R-107 the best are listed, the rest is said to be missing, and details come only when asked for', async () => {
  await using opened = await fakeBridge(story, [{ language: 'fake', script: many }])
  const few = succeeded(await opened.bridge.getCompletions({ file, line: 2, limit: 3 }))
  expect(renderAnswer(getCompletions, few).split('\n')).toEqual([
    '3 of 4 completions at main.fake:2:9 [partial; fake 1.0.0]',
    '  a  text',
    '  b(x)  text  b: number  ./b',
    '  c  text  inserts "c()"  deprecated',
    'partial: fake does not call its list complete; only the best 3 of 4 completions are listed',
    'hint: More of the name before the cursor may bring others.',
  ])
  expect(methodsOf(opened)).not.toContain('completionItem/resolve')

  const told = succeeded(await opened.bridge.getCompletions({ file, line: 2, limit: 3, details: true }))
  expect(told.result.completions.slice(0, 2)).toEqual([
    {
      label: 'a',
      kind: 'text',
      detail: 'detail of a',
      adds: 'import a',
      documentation: 'def a\nMade of own.',
    },
    {
      label: 'b',
      kind: 'text',
      detail: 'detail of b',
      adds: 'import b',
      documentation: 'def b\nMade of default.',
    },
  ])
  // The one that failed is listed as it was.
  expect(told.result.completions[2]).toMatchObject({ label: 'c', insert: 'c()' })
  expect(told.completeness).toMatchObject({
    verdict: 'partial',
    reason: expect.stringMatching(/details are missing: 1 of 3 because .*no idea/),
  })
  expect(methodsOf(opened).filter(method => method === 'completionItem/resolve')).toHaveLength(3)
})

test('R-103 signature help: the call around the cursor, its overloads, and the parameter in question', async () => {
  const label = 'area(one: \u{1f44b}, two: number): number'
  const script: Script = {
    capabilities: { signatureHelpProvider: { triggerCharacters: ['('] } },
    rules: [
      {
        on: 'textDocument/signatureHelp',
        nth: 1,
        do: [
          {
            act: 'answer',
            result: {
              signatures: [
                { label: 'area()', parameters: [], documentation: 'Says it.' },
                {
                  label,
                  documentation: 'Says it.',
                  parameters: [
                    { label: [5, 12] },
                    { label: [14, 25], documentation: { kind: 'markdown', value: 'The **second**.' } },
                  ],
                },
              ],
              activeSignature: 1,
              activeParameter: 1,
            },
          },
        ],
      },
      answering('textDocument/signatureHelp', null),
    ],
  }
  await using opened = await fakeBridge(story, [{ language: 'fake', script }])
  const answer = succeeded(await opened.bridge.getSignatureHelp({ file, after: 'area(one, ' }))
  expect(answer.result).toEqual({
    signatures: [
      { label: 'area()', active: false, parameters: [], documentation: 'Says it.' },
      {
        label,
        active: true,
        documentation: 'Says it.',
        parameters: [
          { label: 'one: \u{1f44b}', active: false },
          { label: 'two: number', active: true, documentation: 'The **second**.' },
        ],
      },
    ],
    place: { file, line: 3, column: 13, end_line: 3, end_column: 13, text: 'area(one, two)' },
  })
  expect(renderAnswer(getSignatureHelp, answer).split('\n')).toEqual([
    '2 signatures of the call at main.fake:3:13, the active one marked * [complete; fake 1.0.0]',
    '  area()',
    '    Says it.',
    `* ${label}`,
    '    here: two: number',
    '    two: number: The **second**.',
  ])
  const none = succeeded(await opened.bridge.getSignatureHelp({ file, line: 1 }))
  expect(none.result.signatures).toEqual([])
  expect(renderAnswer(getSignatureHelp, none)).toMatch(/^no call around main\.fake:1:27/)
})

type Rule = NonNullable<Script['rules']>[number]

function answering(on: string, result: Extract<Rule['do'][number], { act: 'answer' }>['result']): Rule {
  return { on, do: [{ act: 'answer', result }] }
}

function zero() {
  return { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
}

function methodsOf({ servers }: Awaited<ReturnType<typeof fakeBridge>>): unknown[] {
  return (servers[0]?.log() ?? []).map(entry => ('message' in entry ? entry.message.method : undefined))
}

function succeeded<R>(answer: Answer<R>): Extract<Answer<R>, { ok: true }> {
  if (answer.ok) return answer
  throw new Error(`${answer.kind}: ${answer.error} (${answer.hint})`)
}
