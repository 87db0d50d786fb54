// The five classes, each from what it takes; above all: nothing that is not known is clean.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addsNothing,
  type ChangeClass,
  changeClasses,
  classOfChange,
  classOfFile,
  cleanThrough,
  type FileOutcome,
} from './classes.js'
import type { Finding } from './delta.js'

const place = { message: 'm', line: 1, column: 1, end_line: 1, end_column: 2 }
const error: Finding = { severity: 'error', ...place }
const warning: Finding = { severity: 'warning', ...place }
const hint: Finding = { severity: 'hint', ...place }
const nothing = { new: [], resolved: [], kept: [] }

test.each<[string, ChangeClass, FileOutcome]>([
  ['nothing at all', 'clean', { known: 'both', delta: nothing }],
  ['an error that went', 'clean', { known: 'both', delta: { ...nothing, resolved: [error] } }],
  ['a new hint', 'clean', { known: 'both', delta: { ...nothing, new: [hint] } }],
  ['a warning of before', 'clean', { known: 'both', delta: { ...nothing, kept: [warning] } }],
  ['a new warning', 'warnings_only', { known: 'both', delta: { ...nothing, new: [warning], kept: [error] } }],
  ['a new error', 'new_errors', { known: 'both', delta: { ...nothing, new: [warning, error] } }],
  ['an error of before', 'baseline_error', { known: 'both', delta: { ...nothing, kept: [error] } }],
  [
    'a server that does not check all, and an error',
    'new_errors',
    { known: 'both', delta: { ...nothing, new: [error] }, unchecked: 'no baseline of types' },
  ],
  [
    'a server that does not check all, and nothing',
    'lsp_unavailable',
    { known: 'both', delta: nothing, unchecked: 'silent on types' },
  ],
  ['no answer', 'lsp_unavailable', { known: 'nothing', reason: 'silent' }],
  ['no baseline', 'clean', { known: 'present', reason: 'none', present: [hint] }],
  ['no baseline, a warning', 'warnings_only', { known: 'present', reason: 'none', present: [warning] }],
  ['no baseline, an error', 'lsp_unavailable', { known: 'present', reason: 'none', present: [error] }],
  [
    'no baseline, and a server that does not check all',
    'lsp_unavailable',
    { known: 'present', reason: 'none', present: [warning], unchecked: 'silent on types' },
  ],
])('R-211, R-214 %s: %s', (_, expected, outcome) => {
  const { class: name, reason } = classOfFile(outcome)
  expect(name).toBe(expected)
  if (name === 'lsp_unavailable') expect(reason).toMatch(/silent|no baseline/)
})

const classes = fc.array(fc.constantFrom(...changeClasses), { maxLength: 6 })

test('contract 6 the class of the whole is the first that holds for any file, in whatever order they come', () => {
  fc.assert(
    fc.property(classes, files => {
      const whole = classOfChange(files, 'dependents')
      expect(classOfChange([...files].reverse(), 'dependents')).toBe(whole)
      if (files.length > 0) expect(files).toContain(whole)
      for (const name of files)
        expect(changeClasses.indexOf(whole)).toBeLessThanOrEqual(changeClasses.indexOf(name))
    }),
  )
})

test('contract 6, mistake 5: never clean by silence, nor without the dependents', () => {
  expect(classOfChange([], 'dependents')).toBe('lsp_unavailable')
  expect(classOfChange(['clean'], 'modified')).toBe('lsp_unavailable')
  expect(classOfChange(['clean', 'clean'], 'dependents')).toBe('clean')
  expect(classOfChange(['clean', 'lsp_unavailable'], 'dependents')).toBe('lsp_unavailable')
  expect(classOfChange(['baseline_error', 'clean'], 'modified')).toBe('baseline_error')
})

test('story 3, mistake 9: a chain is safe up to the first step that is not, whatever follows', () => {
  fc.assert(
    fc.property(classes, names => {
      const steps = names.map((name, index) => ({ step: index + 1, class: name }))
      const through = cleanThrough(steps)
      expect(names.slice(0, through).every(addsNothing)).toBe(true)
      const next = names[through]
      if (next !== undefined) expect(addsNothing(next)).toBe(false)
    }),
  )
  const broken = [
    { step: 1, class: 'clean' as const },
    { step: 2, class: 'new_errors' as const },
    { step: 3, class: 'clean' as const },
  ]
  expect(cleanThrough(broken)).toBe(1)
})
