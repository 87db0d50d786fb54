// The short form of `npm run truth`: one cold start and some random edits for each of the servers that are promised to
// answer completely. The seeds are fixed; other ones are tried by hand and before a release.
import { describe, expect, test } from 'vitest'
import { runEdits } from '../../scripts/truth/run-edits.js'
import { runStarts } from '../../scripts/truth/run-starts.js'
import { type Subject, subjectsOf } from '../../scripts/truth/subjects.js'
import { whenInstalled } from './servers.js'

/** How many edits, by how long each takes. */
const edits = { typescript: 80, 'typescript-language-server': 40, pyright: 25, gopls: 40, clangd: 20 }

/** Starts that take long on real code are left to the long form. */
const starts = ['typescript', 'gopls', 'clangd']

const silent = () => undefined

describe('R-111 what is called complete is whole, however early it was asked', () => {
  for (const id of starts) {
    withSubject(id, async subject => {
      const options = { starts: 1, seed: 'short', say: silent, resume: false, steadyMilliseconds: 4000 }
      const outcome = await runStarts(subject, options)
      expect(outcome.lies).toEqual([])
      // One that indexes may not be done in time on a busy machine, and then says so.
      const isBlocking = subject.server.definition.readiness.kind === 'blocks'
      if (isBlocking) expect(outcome.starts).toMatchObject([{ verdict: 'complete', lacking: 0 }])
    })
  }
})

describe('W08 after random edits no file is called clean that is broken, nor broken that is clean', () => {
  for (const [id, count] of Object.entries(edits)) {
    withSubject(id, async subject => {
      const outcome = await runEdits(subject, { edits: count, seed: 'short', say: silent })
      expect(outcome.violations).toEqual([])
      expect(outcome.edits).toBe(count)
      // Of a few reports a single one is more than its share.
      expect(outcome.unknown).toBeLessThanOrEqual(Math.max(1, 0.02 * outcome.reports))
      expect(outcome.renamesFailed, JSON.stringify(outcome.reasons)).toBeLessThanOrEqual(
        Math.max(1, outcome.renames / 10),
      )
    })
  }
})

function withSubject(id: string, run: (subject: Subject) => Promise<void>): void {
  const { found, missing } = subjectsOf([id])
  const [subject] = found
  whenInstalled(id, missing[0]?.reason, () =>
    test(id, async () => {
      if (subject === undefined) throw new TypeError(`there is no subject ${id}`)
      await run(subject)
    }, 180_000),
  )
}
