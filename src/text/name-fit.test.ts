// Ranking of names by what was typed of them.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitRank, type NameFit, nameFit, nameFits, wordParts } from './name-fit.js'

test.each<[string, string[]]>([
  ['ReferenceCount', ['reference', 'count']],
  ['reference_count', ['reference', 'count']],
  ['REFERENCE_COUNT', ['reference', 'count']],
  ['HTTPServer2', ['http', 'server', '2']],
  ['parseURL', ['parse', 'url']],
  ['get-x', ['get', 'x']],
  ['__init__', ['init']],
  ['operator==', ['operator']],
  ['\u0442\u0438\u043f\u0418\u043c\u044f', ['\u0442\u0438\u043f', '\u0438\u043c\u044f']],
  ['\u65b0\u3057\u3044', ['\u65b0\u3057\u3044']],
  ['', []],
])('contract find_symbol the words of %j', (name, words) => {
  expect(wordParts(name)).toEqual(words)
})

test.each<[string, string, NameFit]>([
  ['area', 'area', 'exact'],
  ['area', 'Area', 'exact-but-case'],
  ['area', 'areaOf', 'prefix'],
  ['refCount', 'ReferenceCount', 'word-parts'],
  ['refCount', 'reference_count', 'word-parts'],
  ['ref_count', 'ReferenceCount', 'word-parts'],
  ['rc', 'ReferenceCount', 'word-parts'],
  ['RC', 'reference_count', 'word-parts'],
  ['count', 'ReferenceCount', 'word-parts'],
  ['rcou', 'ReferenceCount', 'word-parts'],
  ['https', 'HTTPServer', 'prefix'],
  ['hs2', 'HTTPServer2', 'word-parts'],
  // Taking as much as possible of the first word would leave nothing to begin the second with.
  ['abc', 'abx_bcy', 'word-parts'],
  ['eren', 'ReferenceCount', 'contains'],
  ['refCount', 'preference_counter', 'rest'],
  ['cr', 'ReferenceCount', 'rest'],
  ['area', 'perimeter', 'rest'],
  ['', 'anything', 'prefix'],
])('contract find_symbol %j against %s is %s', (query, name, fit) => {
  expect(nameFit(query, name)).toBe(fit)
})

// Of one-letter words in capitals nobody can say whether they are one acronym.
const word = fc.stringMatching(/^[a-z]{2,8}$/)
const name = fc.array(word, { minLength: 1, maxLength: 5 })
const camel = (words: readonly string[]) =>
  words.map(part => part.charAt(0).toUpperCase() + part.slice(1)).join('')

test('contract find_symbol beginnings of a name, in order, always fit it better than the rest', () => {
  const typed = fc.array(fc.record({ part: word, keep: fc.nat(8) }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(typed, fc.boolean(), (parts, isSnake) => {
      const words = parts.map(({ part }) => part)
      const pieces = parts.map(({ part, keep }) => part.slice(0, keep))
      fc.pre(pieces.some(piece => piece !== ''))
      const whole = isSnake ? words.join('_') : camel(words)
      for (const query of [pieces.join(''), camel(pieces), pieces.filter(piece => piece !== '').join('_')]) {
        expect(fitRank(nameFit(query, whole))).toBeLessThanOrEqual(fitRank('word-parts'))
      }
    }),
  )
})

test('contract find_symbol agrees with the slow way to say it', () => {
  const fits = (asked: string, words: readonly string[]): boolean => {
    if (asked === '') return true
    const [first, ...rest] = words
    if (first === undefined) return false
    for (let length = first.length; length > 0; length -= 1) {
      if (asked.startsWith(first.slice(0, length)) && fits(asked.slice(length), rest)) return true
    }
    return fits(asked, rest)
  }
  const few = fc.array(fc.stringMatching(/^[ab]{1,3}$/), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.stringMatching(/^[ab]{1,6}$/), few, (query, words) => {
      const found = nameFit(query, words.join('_'))
      expect(fitRank(found) <= fitRank('word-parts')).toBe(fits(query, words))
    }),
  )
})

test('contract find_symbol a long name costs no time, whatever is asked', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (query, text) => {
      expect(nameFits).toContain(nameFit(query, text))
    }),
  )
  expect(nameFit('a'.repeat(150), 'a_'.repeat(100))).toBe('rest')
  expect(nameFit('a'.repeat(100_000), 'b'.repeat(100_000))).toBe('rest')
})

test('contract find_symbol the case of a name is no part of its words', () => {
  fc.assert(
    fc.property(name, words => {
      expect(wordParts(camel(words))).toEqual(wordParts(words.join('_')))
    }),
  )
})
