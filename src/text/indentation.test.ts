// What a text shows of its indentation: found again whatever was written with it, and not guessed where nothing shows it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indentationOf } from './indentation.js'

describe('indentationOf', () => {
  test('contract 3 the width a text was written with is found', () => {
    // Depths of lines; a text of at least one nested line.
    const depths = fc.array(fc.nat(4), { minLength: 3, maxLength: 60 })
    fc.assert(
      fc.property(
        depths,
        fc.constantFrom(2, 3, 4, 8),
        fc.constantFrom('\n', '\r\n'),
        (wanted, width, end) => {
          // No program goes more than one level deeper from one line to the next.
          const real: number[] = []
          for (const depth of [0, 1, ...wanted]) real.push(Math.min(depth, (real.at(-1) ?? 0) + 1))
          const text = real.map(depth => `${' '.repeat(width * depth)}line${end}`).join('')
          const steps = real.slice(1).map((depth, index) => Math.abs(depth - (real[index] ?? 0)))
          const single = steps.filter(step => step === 1).length
          const double = steps.filter(step => step > 1).length
          fc.pre(single > double)
          expect(indentationOf(text)).toEqual({ insertSpaces: true, width })
        },
      ),
    )
  })

  test('contract 3 tabs are tabs, whatever a few lines are aligned with', () => {
    expect(indentationOf('a\n\tb\n\tc\n\t\td\n  e\n')).toEqual({ insertSpaces: false, width: undefined })
  })

  test('contract 3 the asterisks of a comment are no indentation', () => {
    const text = 'a\n    b\n    /**\n     * one\n     * two\n     */\n    c\n'
    expect(indentationOf(text)).toEqual({ insertSpaces: true, width: 4 })
  })

  test.each(['', 'a\nb\n', '\n\n   \n', '\t\n'])('contract 3 nothing is guessed from %j', text => {
    expect(indentationOf(text)).toEqual({ insertSpaces: true, width: undefined })
  })
})
