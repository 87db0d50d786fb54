import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countCpuTime } from '../../test/cpu-time.js'
import { changedRanges, unifiedDiff } from './diff.js'
import { lineBlocks } from './line-blocks.js'

const file = { from: 'src/a.ts', to: 'src/a.ts' }

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '\u00e9', '\u{1f600}'), { maxLength: 30 })
const texts = fc
  .tuple(lines, fc.boolean())
  .map(([list, isTerminated]) => list.join('\n') + (isTerminated ? '\n' : ''))

describe('R-155 a unified diff', () => {
  it('R-155 makes of the one text the other, whatever they are', () => {
    fc.assert(
      fc.property(texts, texts, fc.nat(4), (before, after, context) => {
        const diff = unifiedDiff({ before, after, ...file, context })
        if (before === after) expect(diff).toBe('')
        else expect(applyPatch(before, diff)).toBe(after)
      }),
      { numRuns: 1000 },
    )
  })

  it('R-155 names the files, without times, and says where the last line feed is missing', () => {
    expect(unifiedDiff({ before: 'a\nb\nc', after: 'a\nB\nc\n', ...file })).toBe(
      [
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -1,3 +1,3 @@',
        ' a',
        '-b',
        '-c',
        '\\ No newline at end of file',
        '+B',
        '+c',
        '',
      ].join('\n'),
    )
  })

  it('R-155 of a new, a deleted and a renamed file', () => {
    const created = unifiedDiff({ before: '', after: 'a\n', from: undefined, to: 'a.ts' })
    expect(created).toBe('--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,1 @@\n+a\n')
    const deleted = unifiedDiff({ before: 'a\n', after: '', from: 'a.ts', to: undefined })
    expect(deleted).toBe('--- a/a.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n')
    const empty = unifiedDiff({ before: '', after: '', from: undefined, to: 'a.ts' })
    expect(empty).toBe('--- /dev/null\n+++ b/a.ts\n')
    const renamed = unifiedDiff({ before: 'a\n', after: 'a\n', from: 'a.ts', to: 'b.ts' })
    expect(renamed).toBe('diff --git a/a.ts b/b.ts\nrename from a.ts\nrename to b.ts\n')
    const both = unifiedDiff({ before: 'a\n', after: 'b\n', from: 'a.ts', to: 'b.ts' })
    expect(both).toContain('rename to b.ts\n--- a/a.ts\n+++ b/b.ts\n@@ -1,1 +1,1 @@\n-a\n+b\n')
  })

  it('W19 quotes a name that would break the header', () => {
    const diff = unifiedDiff({ before: '', after: 'a', from: undefined, to: 'a\n+++ "b' })
    expect(diff.split('\n')[1]).toBe('+++ "b/a\\n+++ \\"b"')
  })

  it('W13 shows no carriage return that every line has, and each one that is a difference', () => {
    const change = unifiedDiff({ before: 'a\r\nb\r\n', after: 'a\r\nc\r\n', ...file })
    expect(change).toContain('@@ -1,2 +1,2 @@\n a\n-b\n+c\n')
    expect(unifiedDiff({ before: 'a\nb\n', after: 'a\r\nb\n', ...file })).toContain('-a\n+a<U+000D>\n b\n')
  })

  it('reliability 3.5 shows what a terminal would hide or obey', () => {
    const diff = unifiedDiff({ before: '', after: 'a\u202eb\x1b[2J\u200b\n', ...file })
    expect(diff).toContain('+a<U+202E>b<U+001B>[2J<U+200B>\n')
  })

  it('P16 is cut at a hunk and says so', () => {
    const before = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join('')
    const after = before.replaceAll('9\n', '9!\n')
    const whole = unifiedDiff({ before, after, ...file })
    const cut = unifiedDiff({ before, after, ...file, maxLength: 500 })
    const [last] = cut.split('\n').slice(-2)
    expect(last).toMatch(/^\.\.\. \d+ more hunks of "src\/a.ts" not shown$/)
    expect(cut.length).toBeLessThan(700)
    expect(whole.startsWith(cut.slice(0, cut.lastIndexOf('...')))).toBe(true)
    expect(whole.slice(cut.lastIndexOf('...'))).toMatch(/^@@/)
    const inside = unifiedDiff({ before: '', after: before, from: undefined, to: 'b', maxLength: 100 })
    expect(inside).toContain('... the rest of this hunk of "b" not shown\n')
  })
})

describe('D03 changed lines', () => {
  it('D03 are all that differs, in LSP lines', () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r')
    const mixed = fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), ends), { maxLength: 30 })
      .map(list => list.flat().join(''))
    fc.assert(
      fc.property(mixed, mixed, (before, after) => {
        const old = before.split(/\r\n|\n|\r/)
        const now = after.split(/\r\n|\n|\r/)
        const made: string[] = []
        let done = 1
        for (const range of changedRanges(before, after)) {
          made.push(...old.slice(done - 1, range.beforeStart - 1))
          expect(made.length).toBe(range.afterStart - 1)
          made.push(...now.slice(range.afterStart - 1, range.afterEnd - 1))
          done = range.beforeEnd
        }
        expect([...made, ...old.slice(done - 1)]).toEqual(now)
      }),
      { numRuns: 1000 },
    )
  })

  it('D03 an inserted line is an empty range before', () => {
    expect(changedRanges('a\nb\n', 'a\nx\ny\nb\n')).toEqual([
      { beforeStart: 2, beforeEnd: 2, afterStart: 2, afterEnd: 4 },
    ])
    expect(changedRanges('a\r\nb', 'a\nb')).toEqual([])
  })

  it('P16 a thousand changes in a large file are still told apart, and nothing takes long', () => {
    const before = Array.from({ length: 50_000 }, (_, index) => `line ${index}`)
    const after = before.map((line, index) => (index % 50 === 0 ? `${line}!` : line))
    const spent = countCpuTime()
    const blocks = lineBlocks(before, after)
    expect(blocks.length).toBe(1000)
    expect(blocks.every(({ beforeStart, beforeEnd }) => beforeEnd - beforeStart === 1)).toBe(true)
    const everything = before.map(line => `\t${line}`)
    expect(lineBlocks(before, everything)).toHaveLength(1)
    const repeated = Array.from({ length: 50_000 }, (_, index) => `${index % 7}`)
    lineBlocks(repeated, [...repeated].reverse())
    expect(spent()).toBeLessThan(3000)
  })
})
