// Acceptance story 4: who asks wrongly is told so, in an error that helps, and nothing else happens.
import { expect } from 'vitest'
import type { Answer } from '../../src/index.js'
import { placesOf } from './reading-stories.js'
import type { Opened, Telling } from './telling.js'

export function tellOfBadInput({ server, story, tell }: Telling, opened: Opened): void {
  tell('badInput', async () => {
    const { bridge } = opened()
    const { cursor, caller } = placesOf(story)
    const { file, line } = cursor
    const processes = () =>
      opened()
        .processes()
        .map(({ pid }) => pid)
    const before = processes()
    const asked: Record<string, Answer<unknown>> = {
      'a line past the end': await bridge.goToDefinition({ file, line: 100_000, column: 1 }),
      'a column past the end': await bridge.goToDefinition({ file, line, column: 100_000 }),
      'a file that is not there': await bridge.goToDefinition({ file: `${file}.gone`, line, column: 1 }),
      // Every story indents the line of the cursor.
      'white space': await bridge.goToDefinition({ file, line, column: 1 }),
      'a rename to nothing': await bridge.renameSymbol({ ...cursor, new_name: '' }),
      'an unknown proposal': await bridge.applyEdit({ handle: 'p:000000000000' }),
      'an unknown symbol': await bridge.findReferences({ handle: 's:000000000000' }),
      'a replacement of nothing': await bridge.previewEdit({ edits: [{ file, find: '', new_text: '' }] }),
    }
    const kinds = Object.entries(asked).map(([what, answer]) => [what, answer.ok ? 'answered' : answer.kind])
    expect(Object.fromEntries(kinds)).toEqual({
      'a line past the end': 'InvalidArguments',
      'a column past the end': 'InvalidArguments',
      'a file that is not there': 'FileNotFound',
      'white space': 'InvalidArguments',
      'a rename to nothing': 'InvalidArguments',
      'an unknown proposal': 'InvalidArguments',
      'an unknown symbol': 'InvalidArguments',
      'a replacement of nothing': 'InvalidArguments',
    })
    const helpless = Object.entries(asked).filter(([, answer]) => answer.ok || answer.hint.length < 10)
    expect(helpless).toEqual([])
    const keyword = { file, line: caller.line, symbol: story.keyword }
    const renamed = await bridge.renameSymbol({ ...keyword, new_name: 'other' })
    // Those that cannot say beforehand what may be renamed propose nothing, and that is said.
    if (renamed.ok) expect(renamed.result).toEqual({ files: [], diff: '', new_name: 'other' })
    else expect(renamed.kind).toMatch(/^(InvalidArguments|ServerError|SymbolNotFound)$/)
    const status = await bridge.serverStatus({})
    expect(status).toMatchObject({
      result: { servers: [{ id: server.definition.id, state: 'ready', restarts: 0 }] },
    })
    expect(processes()).toEqual(before)
  })
}
