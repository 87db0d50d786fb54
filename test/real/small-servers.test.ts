// The conformance suite over the servers that the large one does not fit.
import { afterAll, describe } from 'vitest'
import { operations } from '../../src/operations/index.js'
import { mergeResults, type Results, writesResults } from './results.js'
import { runSmallConformance } from './small-conformance.js'
import { smallSuite } from './small-servers.js'

const servers: Results['servers'] = {}

describe('R-111 conformance', () => {
  for (const options of smallSuite) {
    runSmallConformance({ ...options, onResult: (id, result) => Object.assign(servers, { [id]: result }) })
  }
})

afterAll(() => {
  if (!writesResults) return
  mergeResults(
    { requests: {}, servers },
    operations.map(({ name }) => name),
  )
})
