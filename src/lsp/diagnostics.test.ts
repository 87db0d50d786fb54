import { expect, test } from 'vitest'
import { document, found, standard, store, uri } from '../../test/diagnostics-harness.js'

test('D10 the same finding twice is one, and an unknown severity is an error', async () => {
  const { diagnostics, report, clock } = store(standard)
  diagnostics.documentSent(document(1))
  const odd = { ...found('odd'), severity: 9 }
  diagnostics.published(uri, 1, [found('broken'), found('broken'), odd])
  const answer = report(1)
  await clock.settle()
  expect(answer.outcome).toMatchObject({
    diagnostics: [
      { message: 'broken', severity: 1 },
      { message: 'odd', severity: 1 },
    ],
  })
})
