import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { countCpuTime } from '../../test/cpu-time.js'
import { BridgeError } from '../errors.js'
import { applyEdits, type TextEdit } from './edits.js'

const pieces = fc.constantFrom(
  'a',
  'word',
  '\n',
  '\r\n',
  '\r',
  '\ufeff',
  '\u{1f600}',
  'e\u0301',
  '\u{1f468}\u200d\u{1f469}',
  '\u2028',
  '\t',
  '\u00e9',
)
const texts = fc.array(pieces, { maxLength: 40 }).map(parts => parts.join(''))
const drafts = fc.array(fc.record({ from: fc.nat(200), length: fc.nat(6), text: texts }), { maxLength: 8 })

/** Offsets that a position can name: not inside a line end, which no position is. */
function offsetsOf(document: TextDocument): number[] {
  const text = document.getText()
  const all = Array.from({ length: text.length + 1 }, (_, offset) => offset)
  return all.filter(offset => document.offsetAt(document.positionAt(offset)) === offset)
}

describe('mistakes 1 and 2: applying edits', () => {
  it('mistake 2 equals the reference implementation, whatever the order and the characters', () => {
    let refused = 0
    let applied = 0
    fc.assert(
      fc.property(texts, drafts, (text, list) => {
        const document = TextDocument.create('file:///a', 'a', 1, text)
        const offsets = offsetsOf(document)
        const edits: TextEdit[] = list.map(draft => {
          const first = draft.from % offsets.length
          const last = Math.min(first + draft.length, offsets.length - 1)
          return { start: offsets[first] ?? 0, end: offsets[last] ?? 0, text: draft.text }
        })
        const reference = () =>
          TextDocument.applyEdits(
            document,
            edits.map(({ start, end, text: newText }) => ({
              range: { start: document.positionAt(start), end: document.positionAt(end) },
              newText,
            })),
          )
        let expected: string
        try {
          expected = reference()
        } catch {
          refused += 1
          expect(() => applyEdits(text, edits)).toThrow(BridgeError)
          return
        }
        applied += 1
        expect(applyEdits(text, edits)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(refused, applied)).toBeGreaterThan(100)
  })

  it('mistake 1 splices by UTF-16 units, right of any character', () => {
    const text = 'const \u{1f600}\u00e9 = area // \u65e5\u672c area'
    const start = text.indexOf('area')
    expect(applyEdits(text, [{ start, end: start + 4, text: 'size' }])).toBe(
      'const \u{1f600}\u00e9 = size // \u65e5\u672c area',
    )
  })

  it('mistake 2 keeps insertions at one place in the order of the list, before a replacement there', () => {
    const edits = [
      { start: 3, end: 3, text: 'z' },
      { start: 1, end: 1, text: '1' },
      { start: 1, end: 1, text: '2' },
      { start: 1, end: 2, text: '3' },
    ]
    expect(applyEdits('abc', edits)).toBe('a123cz')
  })

  it.each([
    ['overlap', [0, 2, 1, 3]],
    ['overlap', [1, 2, 1, 1]],
    ['overlap', [1, 2, 1, 2]],
    ['range', [2, 1]],
    ['range', [0, 4]],
    ['range', [-1, 0]],
    ['range', [0.5, 1]],
    ['range', [Number.NaN, 1]],
  ])('mistake 2 refuses what has no one meaning (%s)', (_, [start = 0, end = 0, second, last = 0]) => {
    const edits = [{ start, end, text: 'x' }]
    if (second !== undefined) edits.push({ start: second, end: last, text: 'y' })
    const refused = { kind: 'ServerError', hint: expect.stringContaining('Nothing was changed') }
    expect(() => applyEdits('abc', edits)).toThrow(expect.objectContaining(refused))
  })

  it('P16 twenty thousand edits of a large text take no time', () => {
    const text = 'word '.repeat(20_000)
    const edits = Array.from({ length: 20_000 }, (_, index) => ({
      start: index * 5,
      end: index * 5 + 4,
      text: 'name',
    }))
    const spent = countCpuTime()
    expect(applyEdits(text, edits.reverse())).toBe('name '.repeat(20_000))
    expect(spent()).toBeLessThan(1000)
  })
})
