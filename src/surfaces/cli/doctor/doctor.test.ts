// The doctor on a folder with a healthy language, one whose server is missing, and one that knows a single file.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fixture, temporaryWorkspace } from '../../../../test/fixture/index.js'
import { openBridge } from '../../../bridge.js'
import { type Examination, examine } from './examine.js'

const story = fixture`
-- .gitignore --
built.ts
-- shapes.ts --
export function area(radius: number) {
  return radius * radius
}
-- main.ts --
import { area } from './shapes'
export const large = area(2)
-- built.ts --
export const built = 1
-- alone.py --
def nobody_calls_it():
    return 1
-- main.go --
package main
-- settings.json --
{}
`

test('contract 2 doctor: a real cross-file question, what it found, and one fix per fault', async () => {
  const workspace = await temporaryWorkspace(story)
  const state = await realpath(await mkdtemp(join(tmpdir(), 'alidade-state-')))
  const env = { PATH: '/nonexistent', HOME: state, XDG_CONFIG_HOME: state, XDG_STATE_HOME: state }
  const bridge = await openBridge({ root: workspace.root, env })
  try {
    const choices = await bridge.candidates()
    const examinations: Examination[] = []
    for (const choice of choices) examinations.push(await examine(choice, bridge))
    const of = (language: string) => examinations.find(found => found.language === language)
    expect(of('typescript')).toMatchObject({
      health: 'good',
      // Its outline lists imports, too, and any of the files may come first.
      finding: expect.stringMatching(/^area of (?:main|shapes)\.ts is used in 2 files$/),
      server: { id: 'typescript', how: 'embedded' },
      question: { symbol: 'area', references: 3, files: 2, verdict: 'complete' },
      first_answer_ms: expect.any(Number),
      memory_mb: expect.any(Number),
    })
    expect(of('python')).toMatchObject({
      health: 'limited',
      finding: 'it answers; no symbol that was tried is used in another file',
    })
    expect(of('go')).toMatchObject({ health: 'faulty', fix: expect.stringContaining('go install') })
    // Without a server for them, files of data are no finding.
    expect(choices.map(({ language }) => language).sort()).toEqual(['go', 'python', 'typescript'])
    expect(await bridge.files('typescript')).not.toContain('built.ts')
  } finally {
    await bridge.close()
    await rm(state, { recursive: true, force: true })
    await workspace.dispose()
  }
})
