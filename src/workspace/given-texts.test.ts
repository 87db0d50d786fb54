// What counts as the last text the servers were given before a change.
import { expect, test } from 'vitest'
import { sourceFile } from '../../test/source-file.js'
import { GivenTexts } from './given-texts.js'

const since = 1_000_000

/** A file of this text that last changed so many milliseconds after the beginning. */
function given(text: string, milliseconds: number) {
  const source = sourceFile(text, 'a.ts')
  const ctimeNs = BigInt(since + milliseconds) * 1_000_000n
  return { ...source, signature: { ...source.signature, ctimeNs } }
}

test('contract 6 the first text counts until another is accepted', () => {
  const texts = new GivenTexts({ since })
  const [first, second] = [given('one', -1), given('two', 5)]
  texts.note(first)
  texts.note(second)
  expect(texts.baselineOf(first.absolute)?.text.text).toBe('one')
  texts.accept(second)
  texts.note(first)
  expect(texts.all().map(({ text }) => text.text)).toEqual(['two'])
})

test('contract 6 what changed before it was given has no baseline, whatever is given later', () => {
  const texts = new GivenTexts({ since })
  const late = given('one', 0)
  texts.note(late)
  texts.note(given('two', 5))
  expect(texts.baselineOf(late.absolute)).toBeUndefined()
  expect(texts.all()).toEqual([])
})

test('contract 6 another baseline that was used stays in use, and does not undo one that was given', () => {
  const texts = new GivenTexts({ since })
  const early = given('one', -1)
  texts.disregard(early.absolute)
  texts.note(early)
  expect(texts.baselineOf(early.absolute)).toBeUndefined()
  texts.accept(early)
  texts.disregard(early.absolute)
  expect(texts.baselineOf(early.absolute)).toBe(early)
})
