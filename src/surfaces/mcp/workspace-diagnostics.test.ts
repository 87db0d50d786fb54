import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Answer } from '../../operations/answer.js'
import { workspaceText } from './workspace-diagnostics.js'

const failed: Answer<unknown> = { ok: false, kind: 'ServerUnavailable', error: 'e', hint: 'h' }
const report = fc
  .record({ path: fc.stringMatching(/^[a-z]{1,9}\.ts$/), lines: fc.nat({ max: 60 }) })
  .map(({ path, lines }) => ({ path, answer: failed, text: `${path}: ${'x'.repeat(lines * 20)}` }))

test('R-174 whatever is known, every file is shown or named, and what is not covered is said', () => {
  const arbitrary = fc.record({
    reports: fc.array(report, { maxLength: 40 }),
    clean: fc.nat({ max: 5 }),
    notLookedAt: fc.array(fc.stringMatching(/^[a-z]{1,9}\.py$/), { maxLength: 40 }),
    languages: fc.constantFrom([], [{ language: 'typescript', files: 212 }]),
    limitBytes: fc.nat({ max: 5000 }),
  })
  fc.assert(
    fc.property(arbitrary, workspace => {
      const text = workspaceText(workspace)
      const { reports, notLookedAt, limitBytes } = workspace
      for (const { path } of reports) expect(text).toContain(path)
      for (const path of notLookedAt) expect(text).toContain(path)
      expect(text).toContain('not covered: every other file; nothing here says that those have no errors')
      expect(text).toMatch(/^[^\n]* \[(partial|unknown)\]\n/)
      expect(text).not.toMatch(/\[complete/)
      // Beyond the limit come only names.
      expect(text.length).toBeLessThan(limitBytes + 2000)
    }),
  )
})
