import { expect, test } from 'vitest'
import type { Answer } from '../operations/answer.js'
import { closeDocument } from '../operations/close-document.js'
import { DocumentSync } from './document-sync.js'
import { defaultSyncRules } from './sync-rules.js'

test('R-122 an edit reaches its server also when another document cannot be closed to make room', async () => {
  const closed: unknown[] = []
  const sync = new DocumentSync(
    {
      isServed: () => true,
      noteRead: () => undefined,
      async run(operation, input): Promise<Answer<unknown>> {
        if (operation === closeDocument) {
          closed.push(input)
          return { ok: false, kind: 'ServerRestarting', error: 'the server restarts', hint: 'Wait.' }
        }
        const { file } = operation.input.parse(input)
        return {
          ok: true,
          result: { file, server: 'Fake', version: 1, content: 'sha256:0', was_kept: false },
          completeness: { verdict: 'complete' },
          freshness: { verdict: 'current', queried_at: '2030-01-01T00:00:00.000Z' },
          servers: [],
        }
      },
    },
    defaultSyncRules,
  )
  for (let index = 0; index < 30; index += 1) {
    const path = `file-${index}.ts`
    expect(await sync.afterTool({ toolName: 'Edit', args: { path } })).toEqual({
      synced: [path],
      skipped: [],
    })
  }
  expect(closed).toHaveLength(6)
})
