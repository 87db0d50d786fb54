// The committed results must be about the servers and operations there are: whoever adds one runs the suite again with
// ALIDADE_WRITE_RESULTS=1. Times and versions are those of that run and are not compared.
import { expect, test } from 'vitest'
import { unavailable } from '../../scripts/servers/unavailable.js'
import { operations } from '../../src/operations/index.js'
import { serverDefinitions } from '../../src/servers/index.js'
import { readResults } from './results.js'

const results = readResults()
const available = serverDefinitions.filter(({ id }) => unavailable[id] === undefined)

test('R-111 the results name exactly the servers that have a definition', () => {
  expect(Object.keys(results.servers)).toEqual(available.map(({ id }) => id))
})

test('R-111 the requests of every operation are known', () => {
  expect(Object.keys(results.requests).sort()).toEqual(operations.map(({ name }) => name).sort())
})

test.each(available.map(({ id, language }) => ({ id, language })))(
  'R-111 the results of $id name exactly the operations there are',
  ({ id, language }) => {
    const result = results.servers[id]
    expect(Object.keys(result?.operations ?? {})).toEqual(operations.map(({ name }) => name))
    expect(result?.language).toBe(language)
    expect(result?.capabilities).toContain('textDocumentSync')
  },
)
