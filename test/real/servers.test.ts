// The conformance suite over the seven servers, each with what it is known to lack.
import { afterAll, describe, expect, test } from 'vitest'
import { serverDefinitions } from '../../src/servers/index.js'
import { type ConformanceOptions, runConformance } from './conformance.js'
import { type Results, writeResults, writesResults } from './results.js'

const suite: readonly ConformanceOptions[] = [
  { server: 'typescript' },
  { server: 'typescript-language-server', silentAboutVersion: true },
  { server: 'pyright' },
  {
    server: 'pylsp',
    partial: [
      { operation: 'find_references', reason: /jedi stops searching/ },
      { operation: 'get_diagnostics', reason: /at no types/ },
    ],
    missing: [{ operation: 'find_symbol', reason: /pylsp does not offer workspace\/symbol/ }],
    ownBreakage: {
      file: 'greeter.py',
      find: 'person.greeting()',
      replace: 'persona.greeting()',
      complaint: /undefined name 'persona'/,
    },
    skip: [
      { reason: 'pyflakes looks at one file at a time', stories: ['foreignError'] },
      { reason: 'it has no settings file of the project that adds an error', stories: ['projectError'] },
    ],
  },
  { server: 'gopls' },
  {
    server: 'rust-analyzer',
    partial: [{ operation: 'get_diagnostics', reason: /own checks only/ }],
  },
  { server: 'clangd' },
]

const servers: Results['servers'] = {}

describe('R-111 conformance', () => {
  for (const options of suite) {
    runConformance({ ...options, onResult: (id, result) => Object.assign(servers, { [id]: result }) })
  }
})

test('R-111 every server that has a definition is in the suite', () => {
  expect(suite.map(({ server }) => server)).toEqual(serverDefinitions.map(({ id }) => id))
})

afterAll(() => {
  if (!writesResults) return
  const missing = suite.filter(({ server }) => servers[server] === undefined).map(({ server }) => server)
  if (missing.length > 0) throw new Error(`results were not written: no whole run of ${missing.join(', ')}`)
  writeResults({ servers })
})
