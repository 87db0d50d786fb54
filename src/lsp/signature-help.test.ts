// Signature help: which signature and which parameter are meant, however the server says it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSignatureHelp } from './signature-help.js'

const word = fc.string({ unit: fc.constantFrom('a', '\u00df', '\u{1f44b}'), minLength: 1, maxLength: 4 })

test('R-103 a parameter named by offsets is the same as one named by its text', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.nat(6), (words, active) => {
      const label = `f(${words.join(', ')})`
      const help = (parameters: unknown) => ({ signatures: [{ label, parameters }], activeParameter: active })
      let at = 'f('.length
      const offsets = words.map(text => {
        const pair = [at, at + text.length]
        at += text.length + ', '.length
        return { label: pair }
      })
      const byText = parseSignatureHelp(help(words.map(text => ({ label: text }))))
      expect(parseSignatureHelp(help(offsets))).toEqual(byText)
      expect(byText[0]?.parameters.map(parameter => parameter.label)).toEqual(words)
      // A number past the last parameter points at none of them.
      expect(byText[0]?.parameters.map(parameter => parameter.active)).toEqual(
        words.map((_, index) => index === active),
      )
    }),
  )
})

const two = [{ label: 'a' }, { label: 'b' }]

test.each<[string, object, [boolean[], boolean[]]]>([
  [
    'nothing said is the first of each',
    {},
    [
      [true, false],
      [true, false],
    ],
  ],
  [
    'one word for all',
    { activeParameter: 1 },
    [
      [false, true],
      [false, true],
    ],
  ],
  [
    'null points at none',
    { activeParameter: null },
    [
      [false, false],
      [false, false],
    ],
  ],
])('R-103 %s', (_, more, expected) => {
  const signatures = [
    { label: 'f(a, b)', parameters: two },
    { label: 'f(a, b)', parameters: two },
  ]
  const found = parseSignatureHelp({ signatures, ...more })
  expect(found.map(({ parameters }) => parameters.map(({ active }) => active))).toEqual(expected)
  expect(found.map(({ active }) => active)).toEqual([true, false])
})

test("R-103 a signature's own word wins, and the active one is the one that is named", () => {
  const found = parseSignatureHelp({
    signatures: [
      { label: 'f(a, b)', parameters: two, activeParameter: 0 },
      { label: 'f(a, b)', parameters: two, documentation: { kind: 'plaintext', value: 'Says.' } },
      { label: 'f()' },
    ],
    activeSignature: 1,
    activeParameter: 1,
  })
  expect(found).toMatchObject([
    { active: false, parameters: [{ active: true }, { active: false }] },
    { active: true, documentation: 'Says.', parameters: [{ active: false }, { active: true }] },
    { active: false, parameters: [] },
  ])
  expect(parseSignatureHelp({ signatures: [{ label: 'f()' }], activeSignature: 7 })).toMatchObject([
    { active: true },
  ])
})

test('P06, P07 null is no call, anything else a fault', () => {
  expect(parseSignatureHelp(null)).toEqual([])
  for (const result of [
    'f()',
    {},
    { signatures: [{}] },
    { signatures: [{ label: 'f', parameters: [{}] }] },
  ]) {
    expect(() => parseSignatureHelp(result)).toThrow(expect.objectContaining({ kind: 'ServerError' }))
  }
})
