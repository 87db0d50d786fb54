// A file changed on disk by another program, unannounced: the very next diagnostics show the new error, and show it
// gone after the fix, every single time. Servers that are asked and servers that push, and every way programs write.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type OpenWorkspace, openStory } from './open.js'
import { realServer, whenInstalled } from './servers.js'
import { storyFor } from './stories.js'
import type { Breakage, Story } from './story.js'
import { waysToWrite } from './ways-to-write.js'

const rounds: Readonly<Record<string, { readonly own: number; readonly foreign: number }>> = {
  typescript: { own: 200, foreign: 50 },
  clangd: { own: 200, foreign: 25 },
  pyright: { own: 50, foreign: 25 },
  'typescript-language-server': { own: 50, foreign: 25 },
}

/** An edit that leaves the size of the file as it was; with the old time above, only the change time tells. */
const sameSize: Readonly<Record<string, Pick<Breakage, 'find' | 'replace' | 'complaint'>>> = {
  typescript: { find: 'person.greeting()', replace: 'person.greetinG()', complaint: /greetinG/ },
  python: { find: 'person.greeting()', replace: 'person.greetinG()', complaint: /greetinG/ },
  c: { find: 'person.greeting()', replace: 'person.greetinG()', complaint: /greetinG/ },
}

describe('W08 200 of 200 unannounced changes are seen by the very next question', () => {
  for (const [id, { own, foreign }] of Object.entries(rounds)) {
    const server = realServer(id)
    whenInstalled(id, server.missing, () => {
      const story = storyFor(server.definition.language)
      const inSameSize = sameSize[story.language]
      if (inSameSize === undefined) throw new TypeError(`no edit of the same size in ${story.language}`)

      test(`${id}, ${own} breaks and mends of the file itself`, async () => {
        await using workspace = await openStory(story, { server, trusted: true })
        const breakages = [story.ownBreakage, { file: story.greeter, ...inSameSize }]
        expect(await breakAndMend(workspace, story, breakages, own)).toEqual([])
      }, 240_000)

      test(`${id}, ${foreign} breaks and mends of a file it depends on`, async () => {
        await using workspace = await openStory(story, { server, trusted: true })
        expect(await breakAndMend(workspace, story, [story.foreignBreakage], foreign)).toEqual([])
      }, 240_000)
    })
  }
})

/** What went wrong, one line for each time. */
async function breakAndMend(
  { bridge, path }: OpenWorkspace,
  story: Story,
  breakages: readonly Breakage[],
  times: number,
): Promise<string[]> {
  const wrong: string[] = []
  const methods = Object.entries(waysToWrite)
  const clean = new Map(breakages.map(({ file }) => [file, readFileSync(path(file), 'utf8')]))
  let step = 0
  const change = async (file: string, text: string, complaint: RegExp | undefined) => {
    const [how, write] = methods[step % methods.length] ?? ['', () => {}]
    write(path(file), text)
    const answer = await bridge.getDiagnostics({ file: story.greeter })
    const said = answer.ok ? answer.result.files : []
    const messages = said.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message))
    const isRight =
      complaint === undefined ? messages.length === 0 : messages.some(message => complaint.test(message))
    const isSettled = said.length === 1 && said.every(({ verdict }) => verdict === 'settled')
    if (!isRight || !isSettled) {
      const expected = complaint === undefined ? 'no error' : String(complaint)
      wrong.push(`${step}, written ${how}: expected ${expected}, got ${JSON.stringify(answer)}`)
    }
    step += 1
  }
  for (let round = 0; round < times; round += 1) {
    const breakage = breakages[round % breakages.length]
    const text = breakage === undefined ? undefined : clean.get(breakage.file)
    if (breakage === undefined || text === undefined) throw new TypeError('there is nothing to break')
    const { file, find, replace, complaint } = breakage
    await change(
      file,
      text.replace(find, () => replace),
      complaint,
    )
    await change(file, text, undefined)
  }
  return wrong
}
