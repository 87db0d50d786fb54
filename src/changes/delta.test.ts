// What a change is blamed for. The properties hold for every text; the examples are the mistakes this must not repeat.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SourceText } from '../text/lines.js'
import { deltaOf, type Finding, type Reported } from './delta.js'

/** A line that is right, or wrong in one or two ways; few enough different ones that equal lines are common. */
const written = fc.record({
  indent: fc.constantFrom('', '  '),
  text: fc.constantFrom('a = b', 'b = c', 'call(a)', '', '}'),
  findings: fc.subarray(['first', 'second', 'third'], { maxLength: 2 }),
})
type Written = typeof written extends fc.Arbitrary<infer W> ? W : never

/** The report on a text made of these lines; every finding stands on its line's first word. */
function report(lines: readonly Written[]): Reported<Finding> {
  const findings = lines.flatMap(({ indent, text, findings }, index) =>
    text === ''
      ? []
      : findings.map(message => ({
          severity: message === 'third' ? 'warning' : 'error',
          code: message,
          message,
          line: index + 1,
          column: indent.length + 1,
          end_line: index + 1,
          end_column: indent.length + 2,
        })),
  )
  return { text: new SourceText(lines.map(line => line.indent + line.text).join('\n')), findings }
}

const right = written.map(line => ({ ...line, findings: [] }))

test('D03, mistake 7: lines that come or go elsewhere make nothing new and resolve nothing', () => {
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 12 }),
      fc.array(fc.record({ at: fc.nat(12), lines: fc.array(right, { maxLength: 4 }) }), { maxLength: 4 }),
      (lines, insertions) => {
        const after = [...lines]
        for (const { at, lines: inserted } of insertions)
          after.splice(Math.min(at, after.length), 0, ...inserted)
        const inserting = deltaOf(report(lines), report(after))
        expect({ new: inserting.new, resolved: inserting.resolved }).toEqual({ new: [], resolved: [] })
        const removing = deltaOf(report(after), report(lines))
        expect({ new: removing.new, resolved: removing.resolved }).toEqual({ new: [], resolved: [] })
      },
    ),
  )
})

const shuffled = <T>(items: readonly T[], seed: readonly number[]): T[] =>
  items
    .map((item, index) => ({ item, rank: seed[index % Math.max(seed.length, 1)] ?? 0, index }))
    .sort((a, b) => a.rank - b.rank || b.index - a.index)
    .map(({ item }) => item)

test('D03 every finding is accounted for exactly once, and the order of the lists means nothing', () => {
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 10 }),
      fc.array(written, { maxLength: 10 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }),
      (before, after, seed) => {
        const [baseline, present] = [report(before), report(after)]
        const delta = deltaOf(baseline, present)
        expect(new Set([...delta.new, ...delta.kept])).toEqual(new Set(present.findings))
        expect(delta.new.length + delta.kept.length).toBe(present.findings.length)
        expect(delta.resolved.length + delta.kept.length).toBe(baseline.findings.length)
        const again = deltaOf(
          { ...baseline, findings: shuffled(baseline.findings, seed) },
          { ...present, findings: shuffled(present.findings, seed) },
        )
        expect(again).toEqual(delta)
      },
    ),
  )
})

test('D03 going back swaps what is new and what is resolved', () => {
  fc.assert(
    fc.property(fc.array(written, { maxLength: 10 }), fc.array(written, { maxLength: 10 }), (a, b) => {
      const there = deltaOf(report(a), report(b))
      const back = deltaOf(report(b), report(a))
      expect(back.new.length).toBe(there.resolved.length)
      expect(back.resolved.length).toBe(there.new.length)
    }),
  )
})

test('D03 of two equal errors on equal lines, the one on the added line is the new one', () => {
  const wrong: Written = { indent: '', text: 'call(a)', findings: ['first'] }
  const other: Written = { indent: '', text: 'b = c', findings: [] }
  const delta = deltaOf(report([wrong, other]), report([wrong, wrong, other]))
  expect(delta.kept).toHaveLength(1)
  expect(delta.new).toHaveLength(1)
  const later = deltaOf(report([other, wrong]), report([wrong, other, wrong]))
  expect(later.kept).toMatchObject([{ line: 3 }])
  expect(later.new).toMatchObject([{ line: 1 }])
})

test('D03 an error whose line is moved away, indented or completed is still the old one', () => {
  const before = at('one\nlet x = y\ntwo\nthree', 2, 'y')
  const moved = at('one\ntwo\nthree\n    let x = y', 4, 'y')
  expect(deltaOf(before, moved)).toMatchObject({ new: [], resolved: [] })
  const completed = at('one\nlet x = y // later\ntwo\nthree', 2, 'y')
  expect(deltaOf(before, completed)).toMatchObject({ new: [], resolved: [] })
})

test('D03 an error mended on one line and made on an equal one that stayed where it was is new', () => {
  const lines = ['def f', '  return parse(x)', '', 'def g', '  return parse(x)', '']
  const before = at(['import parse', ...lines].join('\n'), 3, 'parse')
  const inPlace = at(['import other', ...lines].join('\n'), 6, 'parse')
  expect(deltaOf(before, inPlace)).toMatchObject({ new: [{ line: 6 }], resolved: [{ line: 3 }], kept: [] })
  const shifted = at(['# above', 'import other', ...lines].join('\n'), 7, 'parse')
  expect(deltaOf(before, shifted)).toMatchObject({ new: [{ line: 7 }], resolved: [{ line: 3 }], kept: [] })
  const added = at(['import other', ...lines, 'def h', '  return parse(x)', ''].join('\n'), 9, 'parse')
  expect(deltaOf(before, added)).toMatchObject({ new: [{ line: 9 }], resolved: [{ line: 3 }], kept: [] })
  const deleted = at(['import other', ...lines.slice(3)].join('\n'), 3, 'parse')
  expect(deltaOf(before, deleted)).toMatchObject({ new: [{ line: 3 }], resolved: [{ line: 3 }], kept: [] })
})

test('D03 of two functions that changed places, each takes its errors along, equal lines or not', () => {
  const [f, g] = [
    ['def f', '  return parse(x)', 'end'],
    ['def g', '  return parse(x)', 'end'],
  ]
  const before = at([...f, ...g].join('\n'), 2, 'parse')
  const after = at([...g, ...f].join('\n'), 5, 'parse')
  expect(deltaOf(before, after)).toMatchObject({ new: [], resolved: [], kept: [{ line: 5 }] })
})

test('D03 another error with the same words on a line that was written anew is new', () => {
  const before = at('return first', 1, 'first')
  const after = at('return second', 1, 'second')
  expect(deltaOf(before, after)).toMatchObject({
    new: [{ line: 1 }],
    resolved: [{ line: 1 }],
    kept: [],
  })
})

test('D03 severity, code, source and message all tell findings apart', () => {
  const before = at('let x = y', 1, 'y')
  for (const part of ['severity', 'code', 'source', 'message'] as const) {
    const findings = before.findings.map(finding => ({ ...finding, [part]: 'other' }))
    expect(deltaOf(before, { ...before, findings })).toMatchObject({ kept: [] })
  }
})

test('D03 texts too different to compare line by line are compared by their lines all the same', () => {
  const many = (name: string) => Array.from({ length: 5000 }, (_, index) => `${name} ${index}`)
  const before = at([...many('old'), 'let x = y'].join('\n'), 5001, 'y')
  const after = at(['let x = y', ...many('new')].join('\n'), 1, 'y')
  expect(deltaOf(before, after)).toMatchObject({ new: [], resolved: [] })
})

/** A report with one error on the word of that line. */
function at(text: string, line: number, word: string): Reported<Finding> {
  const column = (text.split('\n')[line - 1] ?? '').indexOf(word) + 1
  const place = { line, column, end_line: line, end_column: column + word.length }
  const finding = { severity: 'error', code: 'E1', source: 'checker', message: 'no such name', ...place }
  return { text: new SourceText(text), findings: [finding] }
}

test('D03 a message that begins or ceases to propose a name on a line nobody touched is no news', () => {
  const at = { severity: 'error', source: 'c', line: 2, column: 1, end_line: 2, end_column: 5 }
  const reported = (first: string, finding: Partial<Finding>) => ({
    text: new SourceText(`${first}\nuse(beacon)\n`),
    findings: [{ ...at, message: '', ...finding }],
  })
  const pairs = [
    ["Use of undeclared identifier 'beacon'", "Use of undeclared identifier 'beacon'; did you mean 'bacon'?"],
    [
      `Module '"./a"' has no exported member 'beacon'.`,
      `'"./a"' has no exported member named 'beacon'. Did you mean 'bacon'?`,
    ],
    [
      "Cannot find name 'beacon'. Did you mean 'bacon'?",
      "Cannot find name 'beacon'. Did you mean 'beacons'?",
    ],
  ] as const
  for (const [plain, proposing] of pairs) {
    const without = reported('old', { message: plain, code: '2304' })
    const having = reported('new', { message: proposing, code: '2552' })
    expect(deltaOf(without, having)).toMatchObject({ new: [], resolved: [], kept: [{ message: proposing }] })
    expect(deltaOf(having, without)).toMatchObject({ new: [], resolved: [], kept: [{ message: plain }] })
  }
  const other = reported('new', { message: "Cannot find name 'other'. Did you mean 'bacon'?" })
  expect(deltaOf(reported('old', { message: "Cannot find name 'beacon'." }), other).new).toHaveLength(1)
  const worse = reported('new', { message: "Expected 1 arguments for 'beacon'." })
  expect(deltaOf(reported('old', { message: "Cannot find name 'beacon'." }), worse).new).toHaveLength(1)
})
